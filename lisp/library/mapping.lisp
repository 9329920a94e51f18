;;;; MAPCAR and its relatives; one and two lists have loops of their own.

(in-package "AUTOLITH-SYSTEM")

(defmacro do-parallel-lists ((arguments tails-p lists) &body body)
  "Run BODY with ARGUMENTS bound to a fresh list of the next elements (or tails) of LISTS until one list ends."
  `(let ((cursors (copy-list ,lists)))
     (do () (nil)
       (let ((,arguments nil) (ended nil))
         (do ((cursor cursors (cdr cursor)))
             ((null cursor))
           (let ((tail (car cursor)))
             (when (endp tail) (setq ended t) (return nil))
             (setq ,arguments (cons ,(if tails-p 'tail '(car tail)) ,arguments))
             (setf (car cursor) (cdr tail))))
         (when ended (return nil))
         (setq ,arguments (nreverse ,arguments))
         ,@body))))

(defmacro define-mapper (name documentation tails-p collect result)
  "Define a mapping function. COLLECT is a macro-like form name taking the value; RESULT the final form."
  (let ((element-1 (if tails-p 'tail-1 '(car tail-1)))
        (element-2 (if tails-p 'tail-2 '(car tail-2))))
    `(defun ,name (function list &rest more-lists)
       ,documentation
       (let* ((mapper (designated-function function))
              (head (cons nil nil))
              (last head))
         (declare (ignorable head last))
         (cond ((null more-lists)
                (do-list-tails (tail-1 list)
                  (,collect (funcall mapper ,element-1))))
               ((null (cdr more-lists))
                (do ((tail-1 list (cdr tail-1))
                     (tail-2 (car more-lists) (cdr tail-2)))
                    ((or (endp tail-1) (endp tail-2)))
                  (,collect (funcall mapper ,element-1 ,element-2))))
               (t
                (do-parallel-lists (arguments ,tails-p (cons list more-lists))
                  (,collect (apply mapper arguments)))))
         ,result))))

(defmacro collect-value (form)
  "Append the value of FORM to the list being collected."
  `(let ((cell (cons ,form nil)))
     (setf (cdr last) cell)
     (setq last cell)))

(defmacro collect-tail (form)
  "Splice the list that FORM gives to the end of the list being collected, as NCONC does."
  `(let ((value ,form))
     (when value
       (setq last (last last))
       (setf (cdr last) value)
       (when (consp value) (setq last value)))))

(define-mapper mapcar "The list of the values of FUNCTION on successive elements." nil collect-value (cdr head))
(define-mapper maplist "The list of the values of FUNCTION on successive tails." t collect-value (cdr head))
(define-mapper mapc "LIST, after FUNCTION was called on successive elements." nil progn list)
(define-mapper mapl "LIST, after FUNCTION was called on successive tails." t progn list)
(define-mapper mapcan "The values of FUNCTION on successive elements, joined by NCONC." nil collect-tail (cdr head))
(define-mapper mapcon "The values of FUNCTION on successive tails, joined by NCONC." t collect-tail (cdr head))
