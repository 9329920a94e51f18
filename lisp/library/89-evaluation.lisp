;;;; Functions about functions, constants and proclamations; modules.

(in-package "AUTOLITH-SYSTEM")

(defun complement (function)
  "A function that is true when FUNCTION is false."
  (let ((function (designated-function function)))
    (lambda (&rest arguments) (not (apply function arguments)))))

(defun constantly (value)
  "A function that always returns VALUE."
  (lambda (&rest arguments) (declare (ignore arguments)) value))

(defun constantp (form &optional environment)
  "True when FORM is known to give the same value always."
  (let ((form (if (symbolp form) (macroexpand form environment) form)))
    (cond ((symbolp form) (or (eq form nil) (eq form t) (keywordp form) (eq (%variable-kind form) :constant)))
          ((consp form) (eq (car form) 'quote))
          (t t))))

(defun proclaim (declaration)
  "Make a declaration global."
  (unless (and (consp declaration) (list-length declaration))
    (error 'type-error :datum declaration :expected-type 'list))
  (let ((name (car declaration)))
    (when (eq name 'special)
      (dolist (symbol (cdr declaration)) (%proclaim-special symbol)))
    (when (member name '(inline notinline))
      (dolist (function (cdr declaration))
        (when (and (symbolp function) (not (member function '(nil t))))
          (%set-symbol-info function 'notinline (eq name 'notinline)))))
    (when (member name '(declaration inline notinline special ftype type))
      (unless (list-length (cdr declaration)) (error 'type-error :datum declaration :expected-type 'list)))
    nil))

(defvar *gentemp-counter* 0 "Last number used by GENTEMP.")

(defun gentemp (&optional (prefix "T") (package *package*))
  "A symbol new in PACKAGE, interned there."
  (unless (stringp prefix) (error 'type-error :datum prefix :expected-type 'string))
  (loop
    (let ((name (format nil "~A~D" prefix (setq *gentemp-counter* (1+ *gentemp-counter*)))))
      (unless (nth-value 1 (find-symbol name package))
        (return (values (intern name package)))))))

(defvar *modules* nil "Names of the modules provided.")

(defun provide (module-name)
  "Note that a module has been loaded."
  (pushnew (string module-name) *modules* :test #'string=)
  t)

(defun require (module-name &optional pathnames)
  "Load a module unless it has been provided: its files, or the system of that name in the registry."
  (let ((name (string module-name)))
    (cond ((member name *modules* :test #'string=) nil)
          (pathnames
           (dolist (pathname (if (listp pathnames) pathnames (list pathnames)) t) (load pathname)))
          ((member name '("asdf" "uiop") :test #'string-equal) nil)
          ((find-system module-name nil) (load-system module-name))
          (t (error 'simple-error
                    :format-control "Don't know how to load the module ~A: give REQUIRE its files, or add the directory of its system to ASDF:*CENTRAL-REGISTRY*."
                    :format-arguments (list name))))))
