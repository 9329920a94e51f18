;;;; Chapter 4: DEFTYPE and the expansion of the types it defines.

(in-package "AUTOLITH-SYSTEM")

(defun star-defaults (lambda-list)
  "LAMBDA-LIST of a DEFTYPE form with the default * where none is given."
  (let ((mode nil) (result nil))
    (do ((tail lambda-list (cdr tail)))
        ((atom tail) (append (nreverse result) tail))
      (let ((parameter (car tail)))
        (cond ((member parameter lambda-list-keywords)
               (setq mode parameter result (cons parameter result)))
              ((and (member mode '(&optional &key)) (symbolp parameter))
               (setq result (cons (list parameter ''*) result)))
              ((and (member mode '(&optional &key)) (consp parameter) (null (cdr parameter)))
               (setq result (cons (list (car parameter) ''*) result)))
              (t (setq result (cons parameter result))))))))

(defun split-special-parameters (lambda-list)
  "Three values: LAMBDA-LIST without &WHOLE and &ENVIRONMENT, the &WHOLE variable, the &ENVIRONMENT variable (or NIL)."
  (let ((whole nil) (environment nil) (rest nil))
    (do ((tail lambda-list (cdr tail)))
        ((atom tail) (values (append (nreverse rest) tail) whole environment))
      (cond ((eq (car tail) '&whole) (setq tail (cdr tail) whole (car tail)))
            ((eq (car tail) '&environment) (setq tail (cdr tail) environment (car tail)))
            (t (setq rest (cons (car tail) rest)))))))

(defun split-body (body)
  "Three values: the forms of BODY without declarations and documentation, the declarations, the documentation string or NIL."
  (let ((declarations nil) (documentation nil))
    (do ((tail body (cdr tail)))
        ((null tail) (values nil (nreverse declarations) documentation))
      (cond ((and (consp (car tail)) (eq (car (car tail)) 'declare))
             (setq declarations (cons (car tail) declarations)))
            ((and (stringp (car tail)) (cdr tail) (null documentation))
             (setq documentation (car tail)))
            (t (return (values tail (nreverse declarations) documentation)))))))

(defun constant-body-p (forms)
  "True when FORMS are one quoted form."
  (and forms (null (cdr forms)) (consp (car forms)) (eq (car (car forms)) 'quote)))

(defmacro deftype (name lambda-list &body body)
  "Define NAME as an abbreviation of type specifiers."
  (unless (symbolp name) (error 'type-error :datum name :expected-type 'symbol))
  (multiple-value-bind (parameters whole environment) (split-special-parameters lambda-list)
    (multiple-value-bind (forms declarations documentation) (split-body body)
      (let ((form (gensym "FORM")) (env (gensym "ENVIRONMENT")))
        `(progn
           (eval-when (:compile-toplevel :load-toplevel :execute)
             (%refuse-standard-name ',name)
             (set-symbol-datum ',name "TYPE-EXPANDER"
                               (lambda (,form ,env)
                                 (declare (ignorable ,env))
                                 (let (,@(if whole (list (list whole form)) nil)
                                       ,@(if environment (list (list environment env)) nil))
                                   (destructuring-bind ,(star-defaults parameters) (cdr ,form)
                                     ,@declarations
                                     (block ,name ,@forms))))))
           (set-symbol-datum ',name "CONSTANT-EXPANSION"
                             ,(if (and (null lambda-list) (constant-body-p forms)) (car forms) nil))
           ,@(if documentation (list `(setf (documentation ',name 'type) ,documentation)) nil)
           ',name)))))

(defun typexpand (specifier)
  "SPECIFIER with the abbreviation that it is expanded until it is none."
  (do () (nil)
    (let* ((name (cond ((consp specifier) (car specifier)) (t specifier)))
           (expander (if (symbolp name) (symbol-datum name "TYPE-EXPANDER") nil)))
      (if expander
          (setq specifier (funcall expander (if (consp specifier) specifier (list specifier)) nil))
          (return specifier)))))
