;;;; Chapter 15: MAKE-ARRAY for element types that have to be looked up. The leaf %MAKE-ARRAY knows the types of the standard
;;;; that have arrays of their own; other types are upgraded by the type system first.

(in-package "AUTOLITH-SYSTEM")

(defun make-array (dimensions &rest options)
  "A new array. Keys: :ELEMENT-TYPE :INITIAL-ELEMENT :INITIAL-CONTENTS :ADJUSTABLE :FILL-POINTER :DISPLACED-TO :DISPLACED-INDEX-OFFSET."
  (let ((tail (member :element-type options)))
    (if (or (null tail) (standard-element-type-p (cadr tail)))
        (apply #'%make-array dimensions options)
        (apply #'%make-array dimensions :element-type (upgraded-array-element-type (cadr tail)) options))))

(defun plain-array-options-p (options)
  "True when the argument forms OPTIONS name constant keywords and an element type that %MAKE-ARRAY knows."
  (do ((tail options (cddr tail)))
      ((null tail) t)
    (unless (and (keywordp (car tail)) (consp (cdr tail))) (return nil))
    (when (eq (car tail) :element-type)
      (let ((form (cadr tail)))
        (unless (or (eq form t)
                    (and (consp form) (eq (car form) 'quote) (consp (cdr form)) (standard-element-type-p (cadr form))))
          (return nil))))))

(define-compiler-macro make-array (&whole form &rest arguments)
  (if (and arguments (plain-array-options-p (cdr arguments)))
      (cons '%make-array arguments)
      form))
