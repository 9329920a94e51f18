;;;; Chapter 17: FIND, POSITION, COUNT, SUBSTITUTE and their relatives.

(in-package "AUTOLITH-SYSTEM")

(defmacro define-item-and-predicate-functions (name documentation arguments &body body)
  "Define NAME, NAME-IF and NAME-IF-NOT from one BODY, in which (MATCH X) says whether element X is meant.
ARGUMENTS are required parameters put before the item or predicate. :COUNT before the body asks for that parameter; :EQL and
a form there give the value for vectors and EQL without key, LIMIT being the end."
  (let ((eql-form (if (eq (car body) :eql) (cadr body) nil))
        (if-name (suffixed-symbol name "-IF"))
        (if-not-name (suffixed-symbol name "-IF-NOT"))
        (keywords '(from-end (start 0) end key))
        (counted (eq (car body) :count)))
    (when eql-form (setq body (cddr body)))
    (when counted
      (setq body (cdr body) keywords (append keywords '(count))))
    `(progn
       (define-keyword-function ,name (,@arguments item sequence &key ,@keywords test test-not)
         ,(join-strings documentation " matching ITEM.")
         ,(if eql-form
              `(if (and (null key) (null test-not) (eql-test-p test) (vectorp sequence))
                   (let ((limit (vector-end start end (length sequence))))
                     ,eql-form)
                   (with-match (item test test-not key) ,@body))
              `(with-match (item test test-not key) ,@body)))
       (define-keyword-function ,if-name (,@arguments predicate sequence &key ,@keywords)
         ,(join-strings documentation " satisfying PREDICATE.")
         (with-predicate (predicate key) ,@body))
       (define-keyword-function ,if-not-name (,@arguments predicate sequence &key ,@keywords)
         ,(join-strings documentation " not satisfying PREDICATE.")
         (with-predicate (predicate key)
           (macrolet ((match (x)
                        (list 'let (list (list 'element x))
                              '(not (funcall matcher (if getter (funcall getter element) element))))))
             ,@body))))))

(define-item-and-predicate-functions find "The first element, or last if FROM-END, of SEQUENCE between START and END"
  ()
  :eql (let ((index (position-of-eql item sequence start limit from-end)))
         (if index (aref sequence index) nil))
  (do-elements (x i (sequence start end from-end))
    (when (match x) (return x))))

(define-item-and-predicate-functions position
  "The index of the first element, or last if FROM-END, of SEQUENCE between START and END"
  ()
  :eql (position-of-eql item sequence start limit from-end)
  (do-elements (x i (sequence start end from-end))
    (when (match x) (return i))))

(define-item-and-predicate-functions count "The number of elements of SEQUENCE between START and END"
  ()
  :eql (count-of-eql item sequence start limit)
  (let ((total 0))
    (declare (type fixnum total))
    (do-elements (x i (sequence start end from-end) total)
      (when (match x) (setq total (+ total 1))))))

(define-item-and-predicate-functions nsubstitute
  "SEQUENCE changed: NEWITEM in place of (the first COUNT, or last if FROM-END) elements between START and END"
  (newitem)
  :count
  (let ((left (count-limit count)))
    (do-places (x put (sequence start end from-end) sequence)
      (when (eql left 0) (return sequence))
      (when (match x)
        (put newitem)
        (setq left (- left 1))))))

(define-item-and-predicate-functions substitute
  "A copy of SEQUENCE with NEWITEM in place of (the first COUNT, or last if FROM-END) elements between START and END"
  (newitem)
  :count
  (let ((left (count-limit count))
        (sequence (copy-seq sequence)))
    (do-places (x put (sequence start end from-end) sequence)
      (when (eql left 0) (return sequence))
      (when (match x)
        (put newitem)
        (setq left (- left 1))))))

;;; Removal

(defmacro collect-kept-of-list (sequence start end left)
  "Form for the elements of the list SEQUENCE without the first LEFT matching ones between START and END.
The unchanged tail is shared."
  `(let* ((head (cons nil nil))
          (last head)
          (tail ,sequence)
          (index 0)
          (stop (if ,end ,end -1)))
     (declare (type fixnum index stop))
     (list-window ,sequence ,start ,end)
     (do () ((eql index ,start))
       (setq last (setf (cdr last) (cons (car tail) nil))
             tail (cdr tail)
             index (+ index 1)))
     (do ((left ,left) (mark 0) (next 1024))
         ((or (eql index stop) (eql left 0) (endp tail)))
       (when (eq tail mark) (circular-list-error tail))
       (when (> index next) (setq mark tail next (* 2 index)))
       (let ((x (car tail)))
         (if (match x)
             (setq left (- left 1))
             (setq last (setf (cdr last) (cons x nil)))))
       (setq tail (cdr tail) index (+ index 1)))
     (setf (cdr last) tail)
     (cdr head)))

(defmacro collect-kept-of-list-from-end (sequence start end left)
  "Form for the elements of the list SEQUENCE without the last LEFT matching ones between START and END."
  `(let* ((window-end (if ,end ,end (length ,sequence)))
          (kept (if ,end (nthcdr window-end ,sequence) nil))
          (left ,left))
     (dolist (x (reversed-window ,sequence ,start ,end))
       (if (and (not (eql left 0)) (match x))
           (setq left (- left 1))
           (setq kept (cons x kept))))
     (dolist (x (reversed-window ,sequence 0 ,start) kept)
       (setq kept (cons x kept)))))

(defmacro collect-kept-of-vector (sequence start end from-end left)
  "Form for a vector of the elements of the vector SEQUENCE without LEFT matching ones between START and END."
  `(let* ((length (length ,sequence))
          (stop (vector-end ,start ,end length))
          (buffer (make-array length))
          (left ,left))
     (declare (type fixnum length stop))
     (if ,from-end
         (let ((to length) (from length))
           (declare (type fixnum to from))
           (do () ((eql from 0))
             (setq from (- from 1))
             (let ((x (aref ,sequence from)))
               (if (and (< from stop) (>= from ,start) (not (eql left 0)) (match x))
                   (setq left (- left 1))
                   (progn (setq to (- to 1)) (setf (svref buffer to) x)))))
           (vector-like ,sequence buffer to length))
         (let ((to 0) (from 0))
           (declare (type fixnum to from))
           (do () ((eql from length))
             (let ((x (aref ,sequence from)))
               (if (and (>= from ,start) (< from stop) (not (eql left 0)) (match x))
                   (setq left (- left 1))
                   (progn (setf (svref buffer to) x) (setq to (+ to 1)))))
             (setq from (+ from 1)))
           (vector-like ,sequence buffer 0 to)))))

(defun vector-like (vector buffer start end)
  "A simple vector with VECTOR's element type of the elements of the simple-vector BUFFER from START to END."
  (cond ((simple-vector-p vector)
         (if (and (eql start 0) (eql end (length buffer))) buffer (subseq buffer start end)))
        ((and (stringp vector) (< (- end start) 100000)) (%string-like vector buffer start end))
        (t (replace (make-array (- end start) :element-type (array-element-type vector)) buffer :start2 start :end2 end))))

(define-item-and-predicate-functions remove
  "SEQUENCE without (the first COUNT, or last if FROM-END) elements between START and END"
  ()
  :count
  (let ((limit (count-limit count)))
    (cond ((listp sequence)
           (if (and from-end (> limit 0))
               (collect-kept-of-list-from-end sequence start end limit)
               (collect-kept-of-list sequence start end limit)))
          ((vectorp sequence) (collect-kept-of-vector sequence start end from-end limit))
          (t (bad-sequence sequence)))))

(define-keyword-function delete (item sequence &key from-end (start 0) end key count test test-not)
  "Like REMOVE, but may change SEQUENCE."
  (remove item sequence :from-end from-end :start start :end end :key key :count count :test test :test-not test-not))

(define-keyword-function delete-if (predicate sequence &key from-end (start 0) end key count)
  "Like REMOVE-IF, but may change SEQUENCE."
  (remove-if predicate sequence :from-end from-end :start start :end end :key key :count count))

(define-keyword-function delete-if-not (predicate sequence &key from-end (start 0) end key count)
  "Like REMOVE-IF-NOT, but may change SEQUENCE."
  (remove-if-not predicate sequence :from-end from-end :start start :end end :key key :count count))

(defun hashable-test-p (test)
  "The hash-table test that TEST, an argument or NIL, names; or NIL."
  (cond ((null test) 'eql)
        ((or (eq test 'eq) (eq test #'eq)) 'eq)
        ((or (eq test 'eql) (eq test #'eql)) 'eql)
        ((or (eq test 'equal) (eq test #'equal)) 'equal)
        ((or (eq test 'equalp) (eq test #'equalp)) 'equalp)
        (t nil)))

(defun duplicate-marks (vector start end key test test-not from-end)
  "A simple-vector that says T for each index of the simple-vector VECTOR whose element is a duplicate to remove:
one that matches a later element before END, or an earlier one from START if FROM-END."
  (let ((marks (make-array (length vector) :initial-element nil))
        (keys (if key (map-keys vector start end key) vector))
        (hash-test (if test-not nil (hashable-test-p test))))
    (if (and hash-test (> (- end start) 16))
        (let ((seen (make-hash-table :test hash-test)) (step (if from-end 1 -1)))
          (do ((i (if from-end start (- end 1)) (+ i step)))
              ((if from-end (>= i end) (< i start)) marks)
            (if (gethash (svref keys i) seen)
                (setf (svref marks i) t)
                (setf (gethash (svref keys i) seen) t))))
        (let ((negate (test-negated-p test test-not))
              (matcher (designated-function (or test-not test #'eql))))
          (do ((i start (+ i 1)))
              ((>= i end) marks)
            (unless (and from-end (svref marks i))
              (do ((j (+ i 1) (+ j 1)))
                  ((>= j end))
                (unless (svref marks j)
                  (when (if (funcall matcher (svref keys i) (svref keys j)) (not negate) negate)
                    (cond (from-end (setf (svref marks j) t))
                          (t (setf (svref marks i) t) (return nil))))))))))))

(defun map-keys (vector start end key)
  "A simple-vector as long as VECTOR holding the values of KEY for its elements from START to END."
  (let ((keys (make-array (length vector) :initial-element nil))
        (getter (designated-function key)))
    (do ((i start (+ i 1)))
        ((>= i end) keys)
      (setf (svref keys i) (funcall getter (svref vector i))))))

(define-keyword-function remove-duplicates (sequence &key from-end test test-not (start 0) end key)
  "SEQUENCE without elements matching a later one (an earlier one if FROM-END) between START and END."
  (unless (or (listp sequence) (vectorp sequence)) (bad-sequence sequence))
  (let* ((vector (coerce-to-simple-vector sequence))
         (length (length vector))
         (limit (vector-end start end length))
         (marks (duplicate-marks vector start limit key test test-not from-end)))
    (if (listp sequence)
        (let ((result nil))
          (do ((i (- length 1) (- i 1)))
              ((< i 0) result)
            (unless (svref marks i) (setq result (cons (svref vector i) result)))))
        (let ((buffer (make-array length)) (to 0))
          (do ((i 0 (+ i 1)))
              ((>= i length) (vector-like sequence buffer 0 to))
            (unless (svref marks i)
              (setf (svref buffer to) (svref vector i))
              (setq to (+ to 1))))))))

(define-keyword-function delete-duplicates (sequence &key from-end test test-not (start 0) end key)
  "Like REMOVE-DUPLICATES, but may change SEQUENCE."
  (remove-duplicates sequence :from-end from-end :test test :test-not test-not :start start :end end :key key))

(defun coerce-to-simple-vector (sequence)
  "The elements of SEQUENCE in a simple-vector; SEQUENCE itself when it is one. Long lists are copied here, where a cancel is seen."
  (cond ((simple-vector-p sequence) sequence)
        ((listp sequence)
         (let ((vector (make-array (length sequence))) (i 0))
           (dolist (x sequence vector)
             (setf (svref vector i) x)
             (setq i (+ i 1)))))
        (t (sequence-to-simple-vector sequence))))

;;; MISMATCH and SEARCH work on simple-vectors, into which lists are copied

(define-keyword-function mismatch (sequence-1 sequence-2 &key from-end test test-not key (start1 0) (start2 0) end1 end2)
  "The index in SEQUENCE-1 where the two sequences begin to differ (end to differ if FROM-END), or NIL."
  (let* ((v1 (indexable sequence-1)) (v2 (indexable sequence-2))
         (end1 (vector-end start1 end1 (length v1)))
         (end2 (vector-end start2 end2 (length v2)))
         (negate (test-negated-p test test-not))
         (matcher (designated-function (or test-not test #'eql)))
         (getter (if key (designated-function key) nil)))
    (flet ((same (i j)
             (let ((a (aref v1 i)) (b (aref v2 j)))
               (if (funcall matcher (if getter (funcall getter a) a) (if getter (funcall getter b) b))
                   (not negate)
                   negate))))
      (if from-end
          (do ((i (- end1 1) (- i 1)) (j (- end2 1) (- j 1)))
              ((or (< i start1) (< j start2))
               (if (and (< i start1) (< j start2)) nil (+ i 1)))
            (unless (same i j) (return (+ i 1))))
          (do ((i start1 (+ i 1)) (j start2 (+ j 1)))
              ((or (>= i end1) (>= j end2))
               (if (and (>= i end1) (>= j end2)) nil i))
            (unless (same i j) (return i)))))))

(defun indexable (sequence)
  "SEQUENCE itself if it is a vector, else its elements in a simple-vector."
  (cond ((vectorp sequence) sequence)
        ((listp sequence) (coerce-to-simple-vector sequence))
        (t (bad-sequence sequence))))

(define-keyword-function search (sequence-1 sequence-2 &key from-end test test-not key (start1 0) (start2 0) end1 end2)
  "The index in SEQUENCE-2 of the first, or last if FROM-END, part that matches SEQUENCE-1, or NIL."
  (when (and (stringp sequence-1) (stringp sequence-2) (null from-end) (null key) (null test-not) (< (length sequence-1) 64)
             (or (eql-test-p test) (eq test #'char=) (eq test #'equal)))
    (return-from search
      (position-of-string sequence-1 start1 (vector-end start1 end1 (length sequence-1))
                     sequence-2 start2 (vector-end start2 end2 (length sequence-2)))))
  (let* ((v1 (indexable sequence-1)) (v2 (indexable sequence-2))
         (end1 (vector-end start1 end1 (length v1)))
         (end2 (vector-end start2 end2 (length v2)))
         (final (- end2 (- end1 start1)))
         (simple (and (null key) (null test-not) (eql-test-p test)))
         (negate (test-negated-p test test-not))
         (matcher (designated-function (or test-not test #'eql)))
         (getter (if key (designated-function key) nil)))
    (flet ((match-at (position)
             (if simple
                 (do ((i start1 (+ i 1)) (j position (+ j 1)))
                     ((>= i end1) t)
                   (unless (eql (aref v1 i) (aref v2 j)) (return nil)))
                 (do ((i start1 (+ i 1)) (j position (+ j 1)))
                     ((>= i end1) t)
                   (let ((a (aref v1 i)) (b (aref v2 j)))
                     (unless (if (funcall matcher (if getter (funcall getter a) a) (if getter (funcall getter b) b))
                                 (not negate)
                                 negate)
                       (return nil)))))))
      (if from-end
          (do ((position final (- position 1)))
              ((< position start2) nil)
            (when (match-at position) (return position)))
          (do ((position start2 (+ position 1)))
              ((> position final) nil)
            (when (match-at position) (return position)))))))
