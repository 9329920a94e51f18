;;;; Chapter 8: DEFSTRUCT, part 2: constructors, and calls of keyword constructors in line.

(in-package "AUTOLITH-SYSTEM")

(defun structure-make-form (description values)
  "Form that makes an object of DESCRIPTION; VALUES are forms in the order of its slots."
  (let ((kind (structure-kind description)))
    (if (null kind)
        (list* 'make-structure (list 'load-time-value (list 'structure-cell (list 'quote (structure-name description))))
               values)
        (let ((elements (make-list (structure-size description) :initial-element nil)))
          (do ((slots (structure-slots description) (cdr slots))
               (rest values (cdr rest)))
              ((null slots))
            (setf (nth (structure-slot-index (car slots)) elements) (car rest)))
          (dolist (place (structure-name-places description))
            (setf (nth (car place) elements) (list 'quote (cdr place))))
          (cond ((eq kind 'list) (list* 'list elements))
                ((eq kind 'vector) (list* 'vector elements))
                (t (list 'make-array (length elements)
                         :element-type (list 'quote (vector-kind-element-type kind))
                         :initial-contents (list* 'list elements))))))))

(defun vector-kind-element-type (kind)
  "Element type of the :TYPE option KIND."
  (if (and (consp kind) (eq (car kind) 'vector) (cdr kind) (not (eq (cadr kind) '*))) (cadr kind) t))

(defun slot-value-form (slot form)
  "FORM with a check of SLOT's type around it."
  (if (or (eq (structure-slot-type slot) t))
      form
      (list 'check-slot-value form (list 'quote (structure-slot-type slot)) (list 'quote (structure-slot-name slot)))))

(defmacro check-slot-value (form type name)
  "The value of FORM, after a TYPE-ERROR unless it is of TYPE (quoted). NAME (quoted) is the slot's."
  (declare (ignore name))
  (let ((value (gensym "VALUE")))
    `(let ((,value ,form))
       (if (typep ,value ,type)
           ,value
           (error 'type-error :datum ,value :expected-type ,type)))))

(defun keyword-constructor (description name)
  "DEFUN form of the keyword constructor NAME."
  (let ((parameters nil) (values nil))
    (dolist (slot (structure-slots description))
      (let ((variable (make-symbol (symbol-name (structure-slot-name slot)))))
        (setq parameters (cons (list (list (intern (symbol-name (structure-slot-name slot)) "KEYWORD") variable)
                                     (structure-slot-initform slot))
                               parameters)
              values (cons (if (or (structure-slot-initform-p slot) (eq (structure-slot-type slot) t))
                               (slot-value-form slot variable)
                               variable)
                           values))))
    (list 'defun name (list* '&key (nreverse parameters))
          (structure-make-form description (nreverse values)))))

(defun positional-constructor (description name lambda-list)
  "DEFUN form of the constructor NAME with the LAMBDA-LIST."
  (let ((names nil) (mode nil) (parameters nil) (slots (structure-slots description)))
    (labels ((note (variable) (setq names (cons variable names)))
             (initform (variable)
               (let ((slot (find-slot variable slots)))
                 (if slot (structure-slot-initform slot) nil)))
             (with-default (parameter)
               (let* ((specification (if (consp parameter) (car parameter) parameter))
                      (variable (if (consp specification) (cadr specification) specification)))
                 (note variable)
                 (if (and (consp parameter) (cdr parameter))
                     (progn
                       (when (cddr parameter) (note (caddr parameter)))
                       parameter)
                     (list specification (initform variable))))))
      (do ((tail lambda-list (cdr tail)))
          ((atom tail)
           (when tail
             (note tail)
             (setq parameters (list* tail '&rest parameters))))
        (let ((parameter (car tail)))
          (cond ((member parameter lambda-list-keywords)
                 (setq mode parameter parameters (cons parameter parameters)))
                ((member mode '(nil &rest &body))
                 (note parameter)
                 (setq parameters (cons parameter parameters)))
                ((eq mode '&aux)
                 (let ((variable (if (consp parameter) (car parameter) parameter)))
                   (note variable)
                   (setq parameters (cons parameter parameters))))
                (t (setq parameters (cons (with-default parameter) parameters)))))))
    (let ((values nil) (uninitialized (aux-without-value lambda-list)))
      (dolist (slot slots)
        (let ((variable (car (member (structure-slot-name slot) names :test #'string=))))
          (setq values (cons (cond ((null variable)
                                    (if (structure-slot-initform-p slot)
                                        (slot-value-form slot (structure-slot-initform slot))
                                        nil))
                                   ((member variable uninitialized) variable)
                                   (t (slot-value-form slot variable)))
                             values))))
      (list 'defun name (nreverse parameters)
            (structure-make-form description (nreverse values))))))

(defun aux-without-value (lambda-list)
  "The &AUX variables of LAMBDA-LIST that have no value form: slots that stay uninitialised."
  (let ((result nil))
    (dolist (parameter (cdr (member '&aux lambda-list)) result)
      (when (or (symbolp parameter) (null (cdr parameter)))
        (setq result (cons (if (consp parameter) (car parameter) parameter) result))))))

(defun constructor-forms (description)
  "DEFUN forms of all constructors."
  (let ((forms nil))
    (dolist (constructor (structure-constructors description) (nreverse forms))
      (setq forms
            (cons (cond ((eq constructor :default)
                         (keyword-constructor description (symbol-in-package "MAKE-" (structure-name description))))
                        ((null (cdr constructor)) (keyword-constructor description (car constructor)))
                        (t (positional-constructor description (car constructor) (cadr constructor))))
                  forms)))))

(defun install-constructor-macros (name)
  "Give the keyword constructors of the structure class NAME compiler macros."
  (dolist (constructor (structure-constructors (structure-description name)))
    (when (or (eq constructor :default) (null (cdr constructor)))
      (let ((function-name (if (eq constructor :default) (symbol-in-package "MAKE-" name) (car constructor))))
        (setf (compiler-macro-function function-name)
              (constructor-compiler-macro (structure-description name) (symbol-function function-name)))))))

(defun constructor-compiler-macro (description function)
  "Compiler macro that makes the structure in place while the keyword constructor is FUNCTION and DESCRIPTION is in force."
  (lambda (form environment)
    (declare (ignore environment))
    (if (and (symbolp (car form)) (fboundp (car form)) (eq (symbol-function (car form)) function)
             (eq (structure-description (structure-name description)) description))
        (inline-constructor-form form description)
        form)))

(defun inline-constructor-form (form description)
  "FORM, a call of a keyword constructor, as an allocation; or FORM itself when it is not simple enough."
  (let ((given (keyword-argument-forms (cdr form))) (bindings nil) (variables nil) (values nil))
    (when (eq given :none) (return-from inline-constructor-form form))
    (dolist (entry given)
      (unless (find-slot (car entry) (structure-slots description)) (return-from inline-constructor-form form))
      (let ((variable (gensym "SLOT")))
        (setq bindings (cons (list variable (cdr entry)) bindings)
              variables (cons (cons (car entry) variable) variables))))
    (dolist (slot (structure-slots description))
      (let ((entry (slot-argument slot variables)))
        (cond (entry (setq values (cons (slot-value-form slot (cdr entry)) values)))
              ((constant-initform-p slot) (setq values (cons (structure-slot-initform slot) values)))
              (t (return-from inline-constructor-form form)))))
    (list 'let (nreverse bindings) (structure-make-form description (nreverse values)))))

(defun slot-argument (slot variables)
  "The entry (keyword . variable) of SLOT in VARIABLES, or NIL."
  (dolist (entry variables nil)
    (when (string= (car entry) (structure-slot-name slot)) (return entry))))

(defun constant-initform-p (slot)
  "True when the initial value of SLOT is a constant that means the same everywhere and needs no check."
  (let ((form (structure-slot-initform slot)))
    (and (or (null (structure-slot-initform-p slot)) (eq (structure-slot-type slot) t)
             (and (numberp form) (typep form (structure-slot-type slot))))
         (or (null form) (eq form t) (numberp form) (characterp form) (keywordp form)))))
