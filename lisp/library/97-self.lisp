;;;; The Lisp half of self.*: what a definition names, what stands there, and how it is put back.

(in-package "AUTOLITH")

(defvar *remembered* (make-hash-table :test 'equal) "By mutation: a function that puts back what was there.")

(defparameter *definers*
  '(("DEFUN" . function) ("DEFMACRO" . function) ("DEFGENERIC" . function) ("DEFMETHOD" . method)
    ("DEFINE-COMPILER-MACRO" . other) ("DEFSETF" . other) ("DEFINE-SETF-EXPANDER" . other) ("DEFINE-MODIFY-MACRO" . function)
    ("DEFVAR" . variable) ("DEFPARAMETER" . variable) ("DEFCONSTANT" . variable) ("DEFINE-SYMBOL-MACRO" . other)
    ("DEFCLASS" . class) ("DEFSTRUCT" . class) ("DEFINE-CONDITION" . class) ("DEFTYPE" . other) ("DEFPACKAGE" . other)
    ("DEFINE-METHOD-COMBINATION" . other) ("DEFINE-APPLICATION-COMMAND" . function)
    ("DEFINE-CONTEXT-CONTRIBUTOR" . function)))

(defun %reader-package (name)
  (or (find-package (string-upcase name)) (error "There is no package ~A." name)))

(defun %one-form (text package-name)
  (let ((*package* (%reader-package package-name)))
    (multiple-value-bind (form end) (read-from-string text)
      (unless (eq :none (read-from-string text nil :none :start end))
        (error "One form is expected; more follows the first."))
      form)))

(defun %printed (object)
  (with-standard-io-syntax (let ((*package* (find-package "KEYWORD")) (*print-readably* nil)) (prin1-to-string object))))

(defun %name-symbol (name)
  (cond ((symbolp name) name)
        ((and (consp name) (eq (first name) 'setf)) (second name))
        ((and (consp name) (symbolp (first name))) (first name))
        (t (error "~S names nothing that can be defined." name))))

(defun %method-name (form)
  (list* (second form)
         (loop for part in (cddr form) while (atom part) collect part into qualifiers
               finally (return (append qualifiers
                                       (list (loop for parameter in (find-if #'listp (cddr form))
                                                   until (member parameter lambda-list-keywords)
                                                   collect (if (consp parameter) (second parameter) t))))))))

(defun %definition (form)
  "Values: the operator's name, what kind of thing it names, the name."
  (unless (and (consp form) (symbolp (first form)) (consp (rest form)))
    (error "A definition is expected, such as a DEFUN form."))
  (let* ((operator (symbol-name (first form))) (kind (cdr (assoc operator *definers* :test #'string=))))
    (unless kind (error "~A is no defining operator; these are: ~{~A~^, ~}." operator (mapcar #'car *definers*)))
    (values operator kind
            (cond ((eq kind 'method) (%method-name form))
                  ((and (string= operator "DEFSTRUCT") (consp (second form))) (first (second form)))
                  ((string= operator "DEFPACKAGE") (intern (string (second form)) "KEYWORD"))
                  (t (second form))))))

(defun %is-there (kind name)
  (case kind
    (function (fboundp name))
    (method (and (fboundp (first name)) (typep (fdefinition (first name)) 'generic-function)))
    (variable (boundp name))
    (class (find-class name nil))))

(defun %documentation-of (kind name)
  (case kind
    (function (or (documentation name 'function) ""))
    (variable (or (documentation name 'variable) ""))
    (t "")))

(defun %self-look (text package-name)
  "What a definition names: operator, printed name, owner, whether something is there, its documentation."
  (multiple-value-bind (operator kind name) (%definition (%one-form text package-name))
    (let* ((symbol (%name-symbol name)) (owner (symbol-package symbol)) (there (%is-there kind name)))
      (vector operator (%printed name) (if owner (package-name owner) "") (and there t)
              (if there (%documentation-of kind name) "")
              (if (eq kind 'function) (%printed name) "")))))

(setf (gethash "self-look" *servants*) #'%self-look)

(defun %restorer (kind name)
  "A function that puts back what is there now, or NIL when it cannot be."
  (case kind
    (function
     (cond ((not (fboundp name)) (lambda () (fmakunbound name)))
           ((and (symbolp name) (macro-function name))
            (let ((old (macro-function name))) (lambda () (setf (macro-function name) old))))
           (t (let ((old (fdefinition name))) (lambda () (setf (fdefinition name) old))))))
    (variable
     (if (boundp name)
         (let ((old (symbol-value name))) (lambda () (setf (symbol-value name) old)))
         (lambda () (makunbound name))))
    (method
     (destructuring-bind (generic &rest rest) name
       (let* ((qualifiers (butlast rest)) (specializers (mapcar #'%specializer (first (last rest))))
              (old (and (fboundp generic) (find-method (fdefinition generic) qualifiers specializers nil))))
         (lambda ()
           (let ((new (find-method (fdefinition generic) qualifiers specializers nil)))
             (when new (remove-method (fdefinition generic) new))
             (when old (add-method (fdefinition generic) old)))))))))

(defun %specializer (specializer)
  (if (consp specializer) (list 'eql (eval (second specializer))) (find-class specializer)))

(defun %self-remember (id text package-name)
  (multiple-value-bind (operator kind name) (%definition (%one-form text package-name))
    (declare (ignore operator))
    (setf (gethash id *remembered*) (%restorer kind name))
    t))

(setf (gethash "self-remember" *servants*) #'%self-remember)

(defun %self-remember-value (id symbol-text package-name)
  (let ((symbol (%one-form symbol-text package-name)))
    (unless (symbolp symbol) (error "~S is no symbol." symbol))
    (setf (gethash id *remembered*) (%restorer 'variable symbol))
    (vector (%printed symbol) (if (symbol-package symbol) (package-name (symbol-package symbol)) "") (boundp symbol)
            (or (documentation symbol 'variable) ""))))

(setf (gethash "self-remember-value" *servants*) #'%self-remember-value)

(defun %self-restore (id)
  "T when what was there is there again; NIL when this image cannot put it back."
  (let ((restorer (gethash id *remembered*)))
    (when restorer
      (funcall restorer)
      (remhash id *remembered*)
      t)))

(setf (gethash "self-restore" *servants*) #'%self-restore)
