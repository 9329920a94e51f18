;;;; DEFUN for functions with keyword parameters that are called so often that parsing keywords would show: the work is done
;;;; by a function with positional parameters, and a compiler macro calls that one where the keywords are constant.

(in-package "AUTOLITH-SYSTEM")

(defun join-strings (&rest strings)
  "A new string of the characters of all STRINGS."
  (let ((total 0) (position 0))
    (dolist (string strings)
      (setq total (+ total (length string))))
    (let ((result (make-string total)))
      (dolist (string strings result)
        (replace result string :start1 position)
        (setq position (+ position (length string)))))))

(defun suffixed-symbol (symbol suffix)
  "The symbol of SYMBOL's package with SUFFIX added to its name."
  (intern (join-strings (symbol-name symbol) suffix) (symbol-package symbol)))

(defun parse-keyword-parameters (parameters)
  "The list of (keyword variable default supplied-variable) of what follows &KEY; the last may be NIL."
  (let ((result nil))
    (dolist (parameter parameters (nreverse result))
      (setq result
            (cons (if (consp parameter)
                      (list (intern (symbol-name (car parameter)) "KEYWORD") (car parameter) (cadr parameter) (caddr parameter))
                      (list (intern (symbol-name parameter) "KEYWORD") parameter nil nil))
                  result)))))

(defun keyword-argument-forms (arguments)
  "The association list (keyword . form) of the ARGUMENTS of a call, or :NONE when they are not constant distinct keywords."
  (let ((result nil))
    (do ((tail arguments (cddr tail)))
        ((null tail) (nreverse result))
      (when (or (atom tail) (atom (cdr tail)) (not (keywordp (car tail)))
                (do ((known result (cdr known)))
                    ((null known) nil)
                  (when (eq (car (car known)) (car tail)) (return t))))
        (return :none))
      (setq result (cons (cons (car tail) (cadr tail)) result)))))

(defun find-key-entry (key entries)
  "The first of ENTRIES, conses, with the car KEY."
  (dolist (entry entries nil)
    (when (eq (car entry) key) (return entry))))

(defun positional-call-form (form function required keys)
  "FORM, a call with REQUIRED positional arguments and keywords, as a call of FUNCTION, which takes all positionally;
FORM itself when that is not possible. KEYS is what PARSE-KEYWORD-PARAMETERS gives."
  (let ((arguments (cdr form)) (bindings nil) (values nil))
    (do ((left required (- left 1)))
        ((eql left 0))
      (when (atom arguments) (return-from positional-call-form form))
      (let ((variable (gensym "ARGUMENT")))
        (setq bindings (cons (list variable (car arguments)) bindings)
              values (cons variable values)
              arguments (cdr arguments))))
    (let ((given (keyword-argument-forms arguments)) (variables nil))
      (when (eq given :none) (return-from positional-call-form form))
      (dolist (entry given)
        (unless (find-key-entry (car entry) keys) (return-from positional-call-form form))
        (let ((variable (gensym "ARGUMENT")))
          (setq bindings (cons (list variable (cdr entry)) bindings)
                variables (cons (cons (car entry) variable) variables))))
      (dolist (key keys)
        (let ((entry (find-key-entry (car key) variables)))
          (setq values (cons (if entry (cdr entry) (caddr key)) values))
          (when (cadddr key) (setq values (cons (if entry t nil) values)))))
      (list 'let (nreverse bindings) (cons function (nreverse values))))))

(defmacro define-keyword-function (name lambda-list documentation &body body)
  "Define NAME as DEFUN does. LAMBDA-LIST has required and &KEY parameters with constant defaults only."
  (let ((worker (intern (join-strings (symbol-name name) "/POSITIONAL") "AUTOLITH-SYSTEM")) (required nil) (keys nil) (parameters nil))
    (do ((tail lambda-list (cdr tail)))
        ((eq (car tail) '&key)
         (setq keys (parse-keyword-parameters (cdr tail))))
      (setq required (cons (car tail) required)))
    (setq required (nreverse required))
    (dolist (key keys)
      (setq parameters (cons (cadr key) parameters))
      (when (cadddr key) (setq parameters (cons (cadddr key) parameters))))
    (setq parameters (append required (nreverse parameters)))
    `(progn
       (defun ,worker ,parameters
         ,documentation
         (block ,name ,@body))
       (defun ,name ,lambda-list
         ,documentation
         (,worker ,@parameters))
       (define-compiler-macro ,name (&whole form &rest arguments)
         (declare (ignore arguments))
         (if (eq (car form) 'funcall)
             form
             (positional-call-form form ',worker ,(length required) ',keys))))))
