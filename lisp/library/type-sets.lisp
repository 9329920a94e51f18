;;;; The type system, part 2: sets of the other objects. Such a set is a list (CORE INCLUDED EXCLUDED): a core of a shape
;;;; of its own for each kind, objects added to it, and objects taken out. Kinds and cores:
;;;;   COMPLEX  bit mask: 1 rational parts, 2 single-float parts, 4 double-float parts
;;;;   SYMBOL   bit mask: 1 keywords, 2 other symbols
;;;;   CONS     list of (CAR-TYPE CDR-TYPE . NEGATIVES); a negative is (CAR-TYPE . CDR-TYPE)
;;;;   ARRAY    list of (ELEMENT-MASK SIMPLE-MASK PATTERN . NEGATIVES); see ARRAY-ELEMENT-TYPES; the simple mask has
;;;;            1 for simple and 2 for other arrays; a pattern is * or a list of dimensions
;;;;   OBJECT   list of (CLASSES . NEGATIVE-CLASSES): instances of all CLASSES and of no NEGATIVE-CLASSES
;;;; Emptiness is T, NIL, or :UNKNOWN.

(in-package "AUTOLITH-SYSTEM")

(defun array-element-types ()
  "The upgraded array element types; the position of one is its bit in an element mask."
  '(t character base-char bit (unsigned-byte 8) (unsigned-byte 16) (unsigned-byte 32) (unsigned-byte 64)
    (signed-byte 8) (signed-byte 16) (signed-byte 32) (signed-byte 64) fixnum single-float double-float nil))

(defun all-elements-mask () "Mask of all array element types." 65535)

(defun element-mask (upgraded)
  "The mask of one UPGRADED element type."
  (let ((bit 1))
    (dolist (type (array-element-types) 0)
      (when (equal type upgraded) (return bit))
      (setq bit (* bit 2)))))

;;; Cores

(defun full-core (kind)
  "The core of everything of KIND."
  (case kind
    (complex 7)
    (symbol 3)
    (cons (list (list* (top-type) (top-type) nil)))
    (array (list (list* (all-elements-mask) 3 '* nil)))
    (t (list (cons nil nil)))))

(defun empty-core (kind)
  "The core of nothing of KIND."
  (if (member kind '(complex symbol)) 0 nil))

(defun core-not (kind core)
  "Complement of CORE in KIND."
  (case kind
    (complex (logandc2 7 core))
    (symbol (logandc2 3 core))
    (t (let ((result (full-core kind)))
         (dolist (term core result)
           (setq result (core-and kind result (term-not kind term))))))))

(defun core-or (kind a b)
  "Union of two cores."
  (if (member kind '(complex symbol))
      (logior a b)
      (append a (set-difference b a :test #'equal))))

(defun core-and (kind a b)
  "Intersection of two cores."
  (if (member kind '(complex symbol))
      (logand a b)
      (let ((result nil))
        (dolist (x a (nreverse result))
          (dolist (y b)
            (let ((term (term-and kind x y)))
              (when (and term (not (eq (term-empty kind term) t)))
                (setq result (cons term result)))))))))

(defun core-empty (kind core)
  "Whether CORE is empty: T, NIL or :UNKNOWN."
  (if (member kind '(complex symbol))
      (eql core 0)
      (let ((answer t))
        (dolist (term core answer)
          (case (term-empty kind term)
            ((nil) (return nil))
            (:unknown (setq answer :unknown)))))))

(defun term-not (kind term)
  "Complement of one TERM as a core."
  (case kind
    (cons
     (let ((result (list (list* (top-type) (top-type) (list (cons (first term) (second term)))))))
       (dolist (negative (cddr term) result)
         (setq result (cons (list* (car negative) (cdr negative) nil) result)))))
    (array
     (let* ((elements (first term)) (simple (second term))
            (result (list (list* (logandc2 (all-elements-mask) elements) 3 '* nil)
                          (list* elements (logandc2 3 simple) '* nil)
                          (list* elements simple '* (list (third term))))))
       (dolist (negative (cdddr term))
         (setq result (cons (list* elements simple negative nil) result)))
       (remove-if (lambda (term) (eq (term-empty 'array term) t)) result)))
    (t
     (let ((result nil))
       (dolist (class (car term))
         (setq result (cons (cons nil (list class)) result)))
       (dolist (class (cdr term) result)
         (setq result (cons (cons (list class) nil) result)))))))

(defun term-and (kind a b)
  "Intersection of two terms, or NIL."
  (case kind
    (cons (list* (type-and (first a) (first b)) (type-and (second a) (second b)) (append (cddr a) (cddr b))))
    (array
     (let ((elements (logand (first a) (first b)))
           (simple (logand (second a) (second b)))
           (pattern (pattern-and (third a) (third b))))
       (if (or (eql elements 0) (eql simple 0) (eq pattern :none))
           nil
           (list* elements simple pattern (append (cdddr a) (cdddr b))))))
    (t (cons (union (car a) (car b)) (union (cdr a) (cdr b))))))

(defun term-empty (kind term)
  "Whether TERM is empty: T, NIL or :UNKNOWN."
  (case kind
    (cons (product-empty (first term) (second term) (cddr term)))
    (array (or (eql (first term) 0)
               (eql (second term) 0)
               (and (some (lambda (negative) (pattern-covers-p negative (third term))) (cdddr term)) t)))
    (t (class-term-empty (car term) (cdr term)))))

(defun product-empty (car-type cdr-type negatives)
  "Whether no cons with parts of CAR-TYPE and CDR-TYPE is outside all NEGATIVES."
  (let ((car-empty (type-empty car-type)) (cdr-empty (type-empty cdr-type)))
    (cond ((or (eq car-empty t) (eq cdr-empty t)) t)
          ((null negatives)
           (if (or (eq car-empty :unknown) (eq cdr-empty :unknown)) :unknown nil))
          (t
           (let* ((negative (car negatives))
                  (one (product-empty (type-and car-type (type-not (car negative))) cdr-type (cdr negatives))))
             (if (null one)
                 nil
                 (let ((two (product-empty car-type (type-and cdr-type (type-not (cdr negative))) (cdr negatives))))
                   (cond ((null two) nil)
                         ((or (eq one :unknown) (eq two :unknown)) :unknown)
                         (t t)))))))))

;;; Patterns of array dimensions

(defun pattern-and (a b)
  "What both patterns admit, or :NONE."
  (cond ((eq a '*) b)
        ((eq b '*) a)
        ((/= (length a) (length b)) :none)
        (t (let ((result nil))
             (do ((x a (cdr x)) (y b (cdr y)))
                 ((null x) (nreverse result))
               (cond ((eq (car x) '*) (setq result (cons (car y) result)))
                     ((or (eq (car y) '*) (eql (car x) (car y))) (setq result (cons (car x) result)))
                     (t (return :none))))))))

(defun pattern-covers-p (wide narrow)
  "True when the pattern WIDE admits all that NARROW does."
  (cond ((eq wide '*) t)
        ((eq narrow '*) nil)
        ((/= (length wide) (length narrow)) nil)
        (t (do ((x wide (cdr x)) (y narrow (cdr y)))
               ((null x) t)
             (unless (or (eq (car x) '*) (eql (car x) (car y))) (return nil))))))

(defun pattern-matches-p (pattern dimensions)
  "True when an array of DIMENSIONS fits PATTERN."
  (pattern-covers-p pattern dimensions))

;;; Classes

(defun class-term-empty (classes negatives)
  "Whether no instance of all CLASSES is an instance of none of NEGATIVES: T, NIL or :UNKNOWN."
  (cond ((some (lambda (class)
                 (some (lambda (negative) (%subclassp class negative)) negatives))
               classes)
         t)
        ((null classes) nil)
        ((some-subclass-p (car classes) (cdr classes) negatives) nil)
        ((classes-extensible-p classes) :unknown)
        (t t)))

(defun some-subclass-p (class others negatives)
  "True when CLASS or a subclass of it is a subclass of all OTHERS and of none of NEGATIVES."
  (or (and (every (lambda (other) (%subclassp class other)) others)
           (notany (lambda (negative) (%subclassp class negative)) negatives))
      (some (lambda (subclass) (some-subclass-p subclass others negatives))
            (%class-direct-subclasses class))))

(defun classes-extensible-p (classes)
  "True when a later definition might make a class that inherits from all CLASSES."
  (let ((family (class-family (car classes))))
    (and family
         (every (lambda (class) (eq (class-family class) family)) (cdr classes)))))

(defun class-family (class)
  "A name that classes share of which a later class may inherit together; NIL for a class that is not to be inherited from."
  (case (%class-kind class)
    ((:standard :funcallable :forward) 'standard)
    (:condition 'condition)
    (t nil)))

;;; Membership

(defun core-member-p (kind object core)
  "True when OBJECT, of KIND, is in CORE."
  (case kind
    (complex (not (eql 0 (logand core (complex-cell object)))))
    (symbol (not (eql 0 (logand core (if (keywordp object) 1 2)))))
    (cons (some (lambda (term)
                  (and (type-member-p (car object) (first term))
                       (type-member-p (cdr object) (second term))
                       (notany (lambda (negative)
                                 (and (type-member-p (car object) (car negative))
                                      (type-member-p (cdr object) (cdr negative))))
                               (cddr term))))
                core))
    (array (some (lambda (term)
                   (and (not (eql 0 (logand (first term) (element-mask (array-element-type object)))))
                        (not (eql 0 (logand (second term) (if (simple-array-p object) 1 2))))
                        (pattern-matches-p (third term) (array-dimensions object))
                        (notany (lambda (negative) (pattern-matches-p negative (array-dimensions object))) (cdddr term))))
                 core))
    (t (some (lambda (term)
               (and (every (lambda (class) (%instance-of-p object class)) (car term))
                    (notany (lambda (class) (%instance-of-p object class)) (cdr term))))
             core))))

(defun complex-cell (number)
  "Bit of the complex NUMBER in the core of a set of complex numbers."
  (let ((part (realpart number)))
    (cond ((double-float-p part) 4)
          ((single-float-p part) 2)
          (t 1))))

(defun set-member-p (kind object set)
  "True when OBJECT, of KIND, is in SET."
  (cond ((member object (second set)) t)
        ((member object (third set)) nil)
        (t (core-member-p kind object (first set)))))

(defun combine-sets (kind core a b both)
  "The set with CORE in which the objects named by A or B are members if they are in both (BOTH) or in one of A and B."
  (let ((included nil) (excluded nil))
    (dolist (object (union (union (second a) (third a)) (union (second b) (third b))))
      (let* ((in-a (set-member-p kind object a))
             (in-b (set-member-p kind object b))
             (wanted (if both (and in-a in-b) (or in-a in-b)))
             (present (core-member-p kind object core)))
        (cond ((and wanted (not present)) (setq included (cons object included)))
              ((and present (not wanted)) (setq excluded (cons object excluded))))))
    (list core included excluded)))

(defun set-and (kind a b)
  "Intersection of two sets."
  (let ((core (core-and kind (first a) (first b))))
    (if (or (cdr-elements-p a) (cdr-elements-p b))
        (combine-sets kind core a b t)
        (list core nil nil))))

(defun set-or (kind a b)
  "Union of two sets."
  (let ((core (core-or kind (first a) (first b))))
    (if (or (cdr-elements-p a) (cdr-elements-p b))
        (combine-sets kind core a b nil)
        (list core nil nil))))

(defun cdr-elements-p (set)
  "True when single objects were added to SET or taken out."
  (or (second set) (third set)))

(defun set-not (kind set)
  "Complement of SET."
  (list (core-not kind (first set)) (third set) (second set)))

(defun set-empty (kind set)
  "Whether SET is empty: T, NIL or :UNKNOWN."
  (if (second set) nil (core-empty kind (first set))))
