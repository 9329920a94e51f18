;;;; Chapter 17: REDUCE, MAP, MAP-INTO, the quantifiers, and making sequences of a named type.

(in-package "AUTOLITH-SYSTEM")

(define-keyword-function reduce (function sequence &key key from-end (start 0) end (initial-value nil initial-value-p))
  "Combine the elements of SEQUENCE between START and END with the two-argument FUNCTION."
  (let* ((combiner (designated-function function))
         (getter (if key (designated-function key) nil))
         (started initial-value-p)
         (result initial-value))
    (if from-end
        (do-elements (x i (sequence start end t))
          (let ((value (if getter (funcall getter x) x)))
            (if started
                (setq result (funcall combiner value result))
                (setq result value started t))))
        (do-elements (x i (sequence start end nil))
          (let ((value (if getter (funcall getter x) x)))
            (if started
                (setq result (funcall combiner result value))
                (setq result value started t)))))
    (if started result (funcall combiner))))

;;; Several sequences in parallel

(defmacro do-parallel-sequences ((arguments sequences) &body body)
  "Run BODY with ARGUMENTS bound to a fresh list of the next elements of SEQUENCES until one of them ends."
  `(let ((cursors (check-sequences (copy-list ,sequences))) (index 0))
     (declare (type fixnum index))
     (do () (nil)
       (let ((,arguments nil) (ended nil))
         (do ((cursor cursors (cdr cursor)))
             ((null cursor))
           (let ((rest (car cursor)))
             (cond ((listp rest)
                    (when (endp rest) (setq ended t) (return nil))
                    (setq ,arguments (cons (car rest) ,arguments))
                    (setf (car cursor) (cdr rest)))
                   (t
                    (when (>= index (length rest)) (setq ended t) (return nil))
                    (setq ,arguments (cons (aref rest index) ,arguments))))))
         (when ended (return nil))
         (setq ,arguments (nreverse ,arguments) index (+ index 1))
         ,@body))))

(defun check-sequences (sequences)
  "SEQUENCES, after a TYPE-ERROR unless each is a list or vector."
  (dolist (sequence sequences sequences)
    (unless (or (listp sequence) (vectorp sequence)) (bad-sequence sequence))))

(defmacro define-quantifier (name documentation stop-form default)
  "Define EVERY, SOME and so on: STOP-FORM sees VALUE, the predicate's value, and may give the (ANSWER X)."
  `(defun ,name (predicate sequence &rest more-sequences)
     ,documentation
     (let ((tester (designated-function predicate)))
       (block quantified
         (macrolet ((answer (x) (list 'return-from 'quantified x)))
           (cond ((null more-sequences)
                  (do-elements (x i (sequence 0 nil nil))
                    (let ((value (funcall tester x))) ,stop-form)))
                 ((and (null (cdr more-sequences)) (listp sequence) (listp (car more-sequences)))
                  (do ((a sequence (cdr a))
                       (b (car more-sequences) (cdr b)))
                      ((or (endp a) (endp b)))
                    (let ((value (funcall tester (car a) (car b)))) ,stop-form)))
                 (t
                  (do-parallel-sequences (arguments (cons sequence more-sequences))
                    (let ((value (apply tester arguments))) ,stop-form))))
           ,default)))))

(define-quantifier every "True when PREDICATE holds for all (parallel) elements."
  (unless value (answer nil)) t)
(define-quantifier some "The first true value of PREDICATE on (parallel) elements."
  (when value (answer value)) nil)
(define-quantifier notany "True when PREDICATE holds for none of the (parallel) elements."
  (when value (answer nil)) t)
(define-quantifier notevery "True when PREDICATE does not hold for some (parallel) elements."
  (unless value (answer t)) nil)

;;; Sequences of a named type

(defun sequence-type-parts (type)
  "What the type specifier TYPE says about a sequence to be made, as three values: LIST or VECTOR; the element type of
a vector; the length that is required, or NIL. NIL for a TYPE that is no sequence type."
  (let ((expanded (typexpand type)))
    (if (atom expanded)
        (case expanded
          (list (values 'list t nil))
          (null (values 'list t 0))
          (cons (values 'list t '(1)))
          ((vector array simple-array sequence) (if (eq expanded 'sequence) nil (values 'vector t nil)))
          (simple-vector (values 'vector t nil))
          ((string simple-string) (values 'vector 'character nil))
          ((base-string simple-base-string) (values 'vector 'base-char nil))
          ((bit-vector simple-bit-vector) (values 'vector 'bit nil))
          (t (class-sequence-type-parts expanded)))
        (compound-sequence-type-parts expanded))))

(defun class-sequence-type-parts (type)
  "SEQUENCE-TYPE-PARTS of what is no type name that it knows: a class, or through the type system."
  (cond ((eq type 'nil) nil)
        ((and (%classp type) (symbolp (%class-name type)) (eq (%find-class (%class-name type)) type))
         (let ((name (%class-name type)))
           (if (type-predicate-name name) (sequence-type-parts name) nil)))
        ((subtypep type 'list) (values 'list t nil))
        (t (dolist (element-type (array-element-types) nil)
             (when (and element-type (subtypep type (list 'vector element-type)))
               (return (values 'vector element-type nil)))))))

(defun dimension-length (dimension)
  "The length that DIMENSION, the second part of a vector type, demands; or NIL."
  (if (eq dimension '*) nil dimension))

(defun compound-sequence-type-parts (type)
  "SEQUENCE-TYPE-PARTS of the compound type specifier TYPE."
  (let ((element-type (if (or (null (cdr type)) (eq (cadr type) '*)) t (cadr type))))
    (case (car type)
      (cons (cons-type-parts type))
      (vector (values 'vector element-type (if (cddr type) (dimension-length (caddr type)) nil)))
      ((array simple-array)
       (let ((dimensions (if (cddr type) (caddr type) '*)))
         (cond ((eq dimensions '*) (values 'vector element-type nil))
               ((eql dimensions 1) (values 'vector element-type nil))
               ((and (consp dimensions) (null (cdr dimensions)))
                (values 'vector element-type (dimension-length (car dimensions))))
               (t nil))))
      (simple-vector (values 'vector t (dimension-length (if (cdr type) (cadr type) '*))))
      ((string simple-string) (values 'vector 'character (dimension-length (if (cdr type) (cadr type) '*))))
      ((base-string simple-base-string)
       (values 'vector 'base-char (dimension-length (if (cdr type) (cadr type) '*))))
      ((bit-vector simple-bit-vector) (values 'vector 'bit (dimension-length (if (cdr type) (cadr type) '*))))
      (t (class-sequence-type-parts type)))))

(defun cons-type-parts (type)
  "SEQUENCE-TYPE-PARTS of a CONS type: the length is a number if the chain of cdr types ends in NULL, else a list of the least."
  (let ((length 0))
    (do () (nil)
      (cond ((and (consp type) (eq (car type) 'cons))
             (setq length (+ length 1)
                   type (if (and (cddr type) (not (eq (caddr type) '*))) (typexpand (caddr type)) 't)))
            ((eq type 'null) (return (values 'list t length)))
            ((eq type 'cons) (return (values 'list t (list (+ length 1)))))
            (t (return (values 'list t (list length))))))))

(defun bad-sequence-type (type)
  "Signal that TYPE is no sequence type."
  (error 'simple-type-error :datum type :expected-type '(satisfies sequence-type-specifier-p)
                            :format-control "~S is not a type of sequences that can be made."
                            :format-arguments (list type)))

(defun sequence-type-specifier-p (type)
  "True when TYPE is a type specifier of sequences that MAKE-SEQUENCE could make."
  (and (sequence-type-parts type) t))

(defun check-made-length (length required type)
  "Signal a TYPE-ERROR when a sequence of LENGTH elements is none of TYPE, whose REQUIRED length SEQUENCE-TYPE-PARTS gave."
  (unless (cond ((null required) t)
                ((consp required) (>= length (car required)))
                (t (eql length required)))
    (error 'simple-type-error :datum length
                              :expected-type (if (consp required) (list 'integer (car required) '*) (list 'eql required))
                              :format-control "A sequence of ~D elements is not of type ~S."
                              :format-arguments (list length type))))

(defmacro with-sequence-type ((kind element-type length type) &body body)
  "Run BODY with the length checked and KIND (LIST or VECTOR) and ELEMENT-TYPE bound to what TYPE demands."
  `(multiple-value-bind (,kind ,element-type required) (sequence-type-parts ,type)
     (unless ,kind (bad-sequence-type ,type))
     (check-made-length ,length required ,type)
     (let ((,element-type (resolve-element-type ,element-type)))
       (declare (ignorable ,element-type))
       ,@body)))

(defun check-made-type (sequence type)
  "SEQUENCE, after a TYPE-ERROR unless it is of TYPE; for compound types of the logical kind only, the others being checked before."
  (if (and (consp type) (not (member (car type) '(cons vector array simple-array simple-vector string simple-string
                                                  base-string simple-base-string bit-vector simple-bit-vector)))
           (not (typep sequence type)))
      (error 'type-error :datum sequence :expected-type type)
      sequence))

(defun make-sequence (result-type size &key (initial-element nil initial-element-p))
  "A new sequence of RESULT-TYPE with SIZE elements."
  (check-index size)
  (with-sequence-type (kind element-type size result-type)
    (check-made-type
     (cond ((eq kind 'list) (make-list size :initial-element initial-element))
           (initial-element-p (make-array size :element-type element-type :initial-element initial-element))
           (t (make-array size :element-type element-type)))
     result-type)))

(defun list-to-sequence (list result-type)
  "The elements of the fresh proper LIST in a sequence of RESULT-TYPE."
  (if (eq result-type 'list)
      list
      (let ((length (length list)))
        (with-sequence-type (kind element-type length result-type)
          (check-made-type
           (if (eq kind 'list) list (fill-vector-from-list (make-array length :element-type element-type) list))
           result-type)))))

(defun fill-vector-from-list (vector list)
  "VECTOR with its elements replaced by those of LIST, which is no longer."
  (let ((i 0))
    (declare (type fixnum i))
    (dolist (x list vector)
      (setf (aref vector i) x)
      (setq i (+ i 1)))))

(defun concatenate (result-type &rest sequences)
  "A new sequence of RESULT-TYPE with the elements of all SEQUENCES."
  (when (and (eq result-type 'string) (all-strings-p sequences))
    (return-from concatenate (join-string-list sequences)))
  (let ((total 0))
    (dolist (sequence sequences)
      (setq total (+ total (length sequence))))
    (with-sequence-type (kind element-type total result-type)
      (check-made-type
       (if (eq kind 'list)
           (let* ((head (cons nil nil)) (last head))
             (dolist (sequence sequences (cdr head))
               (do-elements (x i (sequence 0 nil nil))
                 (setq last (setf (cdr last) (cons x nil))))))
           (let ((result (make-array total :element-type element-type)) (position 0))
             (dolist (sequence sequences result)
               (replace result sequence :start1 position)
               (setq position (+ position (length sequence))))))
       result-type))))

(defun map (result-type function sequence &rest more-sequences)
  "The values of FUNCTION on the parallel elements of the sequences in a sequence of RESULT-TYPE; NIL for the type NIL."
  (let ((mapper (designated-function function)))
    (cond ((null result-type)
           (if (null more-sequences)
               (do-elements (x i (sequence 0 nil nil)) (funcall mapper x))
               (do-parallel-sequences (arguments (cons sequence more-sequences)) (apply mapper arguments)))
           nil)
          ((and (null more-sequences) (or (eq result-type 'vector) (eq result-type 'simple-vector)) (vectorp sequence))
           (let* ((length (length sequence)) (result (make-array length)))
             (do ((i 0 (+ i 1)))
                 ((>= i length) result)
               (setf (svref result i) (funcall mapper (aref sequence i))))))
          (t
           (let* ((head (cons nil nil)) (last head))
             (if (null more-sequences)
                 (do-elements (x i (sequence 0 nil nil))
                   (setq last (setf (cdr last) (cons (funcall mapper x) nil))))
                 (do-parallel-sequences (arguments (cons sequence more-sequences))
                   (setq last (setf (cdr last) (cons (apply mapper arguments) nil)))))
             (list-to-sequence (cdr head) result-type))))))

(defmacro do-map-into (full-form store-form)
  "The loop of MAP-INTO: STORE-FORM stores VALUE; FULL-FORM says whether there is room."
  `(cond ((null sequences)
          (do () (,full-form)
            (let ((value (funcall mapper))) ,store-form)))
         ((null (cdr sequences))
          (let ((source (car sequences)))
            (do-elements (x j (source 0 nil nil))
              (when ,full-form (return nil))
              (let ((value (funcall mapper x))) ,store-form))))
         (t
          (do-parallel-sequences (arguments sequences)
            (when ,full-form (return nil))
            (let ((value (apply mapper arguments))) ,store-form)))))

(defun map-into (result function &rest sequences)
  "RESULT with its first elements replaced by the values of FUNCTION on the parallel elements of SEQUENCES."
  (unless (or (listp result) (vectorp result)) (bad-sequence result))
  (let ((mapper (designated-function function)) (i 0) (tail result))
    (declare (type fixnum i))
    (if (listp result)
        (do-map-into (endp tail) (progn (setf (car tail) value) (setq tail (cdr tail))))
        (let ((capacity (if (array-has-fill-pointer-p result) (array-dimension result 0) (length result))))
          (do-map-into (>= i capacity) (progn (setf (aref result i) value) (setq i (+ i 1))))
          (when (array-has-fill-pointer-p result) (setf (fill-pointer result) i))))
    result))
