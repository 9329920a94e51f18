;;;; The type system, part 3: whole types. A plain type is a simple-vector of a set for each kind of object, see
;;;; KIND-NAMES. A type is a list of terms (PLAIN . LITERALS), meaning their union; literals (SPECIFIER . TRUE-P) are type
;;;; specifiers about which nothing is known, such as SATISFIES, in a conjunction with the plain type.

(in-package "AUTOLITH-SYSTEM")

(defun kind-names ()
  "The kinds of objects in the order of their sets in a plain type. The first five are interval lists."
  '(integer ratio single-float double-float character complex symbol cons array object))

(defvar *top-type* nil "The type T, once it is made.")

(defun full-set (kind)
  "The set of all objects of KIND."
  (case kind
    ((integer ratio single-float double-float character) '((nil)))
    (t (list (full-core kind) nil nil))))

(defun empty-set (kind)
  "The empty set of KIND."
  (case kind
    ((integer ratio single-float double-float character) nil)
    (t (list (empty-core kind) nil nil))))

(defun top-type ()
  "The type of all objects. Its own conses hold the type itself."
  (or *top-type*
      (let* ((plain (make-array 10 :initial-element nil))
             (type (list (list plain))))
        (setq *top-type* type)
        (let ((index 0))
          (dolist (kind (kind-names) type)
            (setf (svref plain index) (full-set kind))
            (setq index (+ index 1)))))))

(defun bottom-type () "The type of no objects." nil)

(defun type-of-set (kind set)
  "The type of the objects of KIND in SET."
  (let ((plain (make-array 10)) (index 0))
    (dolist (other (kind-names) (list (list plain)))
      (setf (svref plain index) (if (eq other kind) set (empty-set other)))
      (setq index (+ index 1)))))

(defun type-of-literal (specifier)
  "The type of SPECIFIER, about which nothing is known."
  (list (list (car (car (top-type))) (cons specifier t))))

(defun map-plain (function a b)
  "The plain type of the values of FUNCTION on kind and sets of A and B (if B is not NIL)."
  (let ((plain (make-array 10)) (index 0))
    (dolist (kind (kind-names) plain)
      (setf (svref plain index)
            (if b
                (funcall function kind (svref a index) (svref b index))
                (funcall function kind (svref a index))))
      (setq index (+ index 1)))))

(defun interval-kind-p (kind)
  "True for kinds whose sets are interval lists."
  (member kind '(integer ratio single-float double-float character)))

(defun plain-and (a b)
  "Intersection of plain types."
  (let ((top (car (car (top-type)))))
    (cond ((eq a top) b)
          ((eq b top) a)
          ((eq a b) a)
          (t (map-plain (lambda (kind x y) (if (interval-kind-p kind) (intervals-and x y) (set-and kind x y))) a b)))))

(defun plain-or (a b)
  "Union of plain types."
  (let ((top (car (car (top-type)))))
    (cond ((or (eq a top) (eq b top)) top)
          ((eq a b) a)
          (t (map-plain (lambda (kind x y) (if (interval-kind-p kind) (intervals-or x y) (set-or kind x y))) a b)))))

(defun plain-not (a)
  "Complement of a plain type."
  (map-plain (lambda (kind x) (if (interval-kind-p kind) (intervals-not x) (set-not kind x))) a nil))

(defun plain-empty (plain)
  "Whether a plain type is empty: T, NIL or :UNKNOWN."
  (let ((answer t) (index 0))
    (dolist (kind (kind-names) answer)
      (let ((set (svref plain index)))
        (case (cond ((eq kind 'ratio) (ratio-intervals-empty-p set))
                    ((interval-kind-p kind) (null set))
                    (t (set-empty kind set)))
          ((nil) (return nil))
          (:unknown (setq answer :unknown))))
      (setq index (+ index 1)))))

;;; Whole types

(defun type-or (a b)
  "Union of two types; terms without literals become one."
  (let ((plain nil) (others nil))
    (dolist (term (append a b))
      (if (null (cdr term))
          (setq plain (if plain (plain-or plain (car term)) (car term)))
          (unless (member term others :test #'equal) (setq others (cons term others)))))
    (if plain (cons (list plain) (nreverse others)) (nreverse others))))

(defun type-and (a b)
  "Intersection of two types."
  (cond ((eq a (top-type)) b)
        ((eq b (top-type)) a)
        (t (let ((result nil))
             (dolist (x a result)
               (dolist (y b)
                 (let ((literals (join-literals (cdr x) (cdr y))))
                   (unless (eq literals :contradiction)
                     (let ((plain (plain-and (car x) (car y))))
                       (unless (eq (plain-empty plain) t)
                         (setq result (type-or result (list (cons plain literals))))))))))))))

(defun join-literals (a b)
  "The conjunction of two lists of literals, or :CONTRADICTION."
  (let ((result a))
    (dolist (literal b result)
      (let ((same (assoc (car literal) result :test #'equal)))
        (cond ((null same) (setq result (append result (list literal))))
              ((not (eq (cdr same) (cdr literal))) (return :contradiction)))))))

(defun type-not (type)
  "Complement of a type."
  (let ((result (top-type)) (top-plain (car (car (top-type)))))
    (dolist (term type result)
      (let ((complement (if (eq (car term) top-plain)
                            nil
                            (let ((plain (plain-not (car term))))
                              (if (eq (plain-empty plain) t) nil (list (list plain)))))))
        (dolist (literal (cdr term))
          (setq complement
                (type-or complement
                         (list (list top-plain (cons (car literal) (not (cdr literal))))))))
        (setq result (type-and result complement))))))

(defun literals-satisfiable-p (literals)
  "True when objects surely satisfy LITERALS: there are none, or one that is a type of functions."
  (or (null literals)
      (and (null (cdr literals))
           (cdr (car literals))
           (consp (car (car literals)))
           (eq (car (car (car literals))) 'function))))

(defun type-empty (type)
  "Whether TYPE is empty: T, NIL or :UNKNOWN."
  (if (eq type (top-type))
      nil
      (let ((answer t))
        (dolist (term type answer)
          (let ((empty (plain-empty (car term))))
            (cond ((eq empty t) nil)
                  ((and (null empty) (literals-satisfiable-p (cdr term))) (return nil))
                  (t (setq answer :unknown))))))))

(defun object-position (object)
  "The kind of OBJECT, and its position if the kind is one of intervals."
  (cond ((integerp object) (values 'integer object))
        ((rationalp object) (values 'ratio (cons object 0)))
        ((single-float-p object) (values 'single-float (float-order object)))
        ((double-float-p object) (values 'double-float (float-order object)))
        ((characterp object) (values 'character (char-code object)))
        ((complexp object) 'complex)
        ((symbolp object) 'symbol)
        ((consp object) 'cons)
        ((arrayp object) 'array)
        (t 'object)))

(defun type-member-p (object type)
  "True when OBJECT is of TYPE."
  (multiple-value-bind (kind position) (object-position object)
    (let ((index (position kind (kind-names))))
      (some (lambda (term)
              (let ((set (svref (car term) index)))
                (and (if (interval-kind-p kind)
                         (intervals-member-p position set)
                         (set-member-p kind object set))
                     (every (lambda (literal)
                              (if (typep object (car literal)) (cdr literal) (not (cdr literal))))
                            (cdr term)))))
            type))))

(defun type-of-object (object)
  "The type (EQL OBJECT)."
  (multiple-value-bind (kind position) (object-position object)
    (type-of-set kind (if (interval-kind-p kind)
                          (list (cons position position))
                          (list (empty-core kind) (list object) nil)))))
