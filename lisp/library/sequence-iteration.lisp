;;;; What the sequence functions share: bounding indices, and loops over a list or vector in either direction.

(in-package "AUTOLITH-SYSTEM")

(defun bad-sequence (object)
  "Signal that OBJECT is no sequence."
  (error 'type-error :datum object :expected-type 'sequence))

(defun bad-bound (datum low high)
  "Signal that DATUM is no index from LOW to HIGH (HIGH may be *)."
  (error 'type-error :datum datum :expected-type (list 'integer low high)))

(defun bad-start (start end length)
  "Signal that START is no index up to END, in a sequence of LENGTH elements."
  (if (and (integerp start) (>= start 0))
      (error 'simple-type-error
             :datum start :expected-type (list 'integer 0 end)
             :format-control "The start ~D is beyond the end ~D~@[, in a sequence of ~D element~:P~]."
             :format-arguments (list start end length))
      (bad-bound start 0 end)))

(defun check-index (datum)
  "Signal a TYPE-ERROR unless DATUM is a non-negative integer."
  (unless (and (integerp datum) (>= datum 0)) (bad-bound datum 0 '*)))

(defun vector-end (start end length)
  "END, or LENGTH for NIL, after checking that START and END bound a part of a vector of LENGTH elements."
  (let ((limit (if (null end) length end)))
    (unless (and (integerp limit) (<= 0 limit length)) (bad-bound limit 0 length))
    (unless (and (integerp start) (<= 0 start limit)) (bad-start start limit length))
    limit))

(defun list-window (list start end)
  "The tail of LIST after START elements, after checking that START and END bound a part of LIST."
  (check-index start)
  (when end
    (check-index end)
    (when (< end start) (bad-start start end (list-length list))))
  (let ((tail list) (index 0))
    (unless (eql start 0)
      (do-list-tails (rest tail)
        (when (>= index start) (return nil))
        (setq tail (cdr rest) index (+ index 1)))
      (when (< index start) (bad-bound start 0 index)))
    (when end
      (do-list-tails (rest tail)
        (when (>= index end) (return-from list-window tail))
        (setq index (+ index 1)))
      (when (< index end) (bad-bound end 0 index)))
    tail))

(defun reversed-window (list start end)
  "A fresh list of the elements of LIST from START to END, last one first."
  (let ((tail (list-window list start end)) (result nil))
    (if end
        (do ((left (- end start) (- left 1)))
            ((<= left 0) result)
          (setq result (cons (car tail) result) tail (cdr tail)))
        (do-list-tails (rest tail result)
          (setq result (cons (car rest) result))))))

(defun reversed-tails (list start end)
  "A fresh list of the conses of LIST from START to END, last one first."
  (let ((tail (list-window list start end)) (result nil))
    (if end
        (do ((left (- end start) (- left 1)))
            ((<= left 0) result)
          (setq result (cons tail result) tail (cdr tail)))
        (do-list-tails (rest tail result)
          (setq result (cons rest result))))))

(defmacro do-elements ((element index (sequence start end from-end) &optional result) &body body)
  "Run BODY in a block NIL for the elements of SEQUENCE from START to END, backwards if FROM-END. BODY appears twice."
  (let ((tail (gensym "TAIL")) (left (gensym "LEFT")) (step (gensym "STEP")) (limit (gensym "LIMIT")) (mark (gensym "MARK")))
    `(cond ((listp ,sequence)
            (let* ((,tail (cond (,from-end (reversed-window ,sequence ,start ,end))
                                ((and (eql ,start 0) (null ,end)) ,sequence)
                                (t (list-window ,sequence ,start ,end))))
                   (,index (if ,from-end (+ ,start (length ,tail) -1) ,start))
                   (,left (if (and ,end (not ,from-end)) (- ,end ,start) -1))
                   (,step (if ,from-end -1 1)))
              (declare (type fixnum ,index ,left ,step) (ignorable ,index))
              (do ((,mark 0) (,limit -1024))
                  ((or (eql ,left 0) (endp ,tail)) ,result)
                (let ((,element (car ,tail)))
                  ,@body)
                (setq ,tail (cdr ,tail) ,left (- ,left 1) ,index (+ ,index ,step))
                (when (eq ,tail ,mark) (circular-list-error ,sequence))
                (when (eql ,left ,limit) (setq ,mark ,tail ,limit (* 2 ,limit))))))
           ((vectorp ,sequence)
            (let* ((,limit (vector-end ,start ,end (length ,sequence)))
                   (,step (if ,from-end -1 1))
                   (,index (if ,from-end (- ,limit 1) ,start)))
              (declare (type fixnum ,index ,limit ,step))
              (when ,from-end (setq ,limit (- ,start 1)))
              (do () ((eql ,index ,limit) ,result)
                (let ((,element (aref ,sequence ,index)))
                  ,@body)
                (setq ,index (+ ,index ,step)))))
           (t (bad-sequence ,sequence)))))

(defmacro do-places ((element place (sequence start end from-end) &optional result) &body body)
  "Like DO-ELEMENTS, but (PLACE VALUE) in BODY, PLACE being a name, replaces the element."
  (let ((tail (gensym "TAIL")) (tails (gensym "TAILS")) (left (gensym "LEFT")) (step (gensym "STEP"))
        (limit (gensym "LIMIT")) (index (gensym "INDEX")) (mark (gensym "MARK")))
    `(cond ((listp ,sequence)
            (if ,from-end
                (do ((,tails (reversed-tails ,sequence ,start ,end) (cdr ,tails)))
                    ((null ,tails) ,result)
                  (let ((,element (car (car ,tails))))
                    (macrolet ((,place (value) (list 'setf '(car (car ,tails)) value)))
                      ,@body)))
                (let ((,tail (list-window ,sequence ,start ,end))
                      (,left (if ,end (- ,end ,start) -1)))
                  (declare (type fixnum ,left))
                  (do ((,mark 0) (,limit -1024))
                      ((or (eql ,left 0) (endp ,tail)) ,result)
                    (let ((,element (car ,tail)))
                      (macrolet ((,place (value) (list 'setf '(car ,tail) value)))
                        ,@body))
                    (setq ,tail (cdr ,tail) ,left (- ,left 1))
                    (when (eq ,tail ,mark) (circular-list-error ,sequence))
                    (when (eql ,left ,limit) (setq ,mark ,tail ,limit (* 2 ,limit)))))))
           ((vectorp ,sequence)
            (let* ((,limit (vector-end ,start ,end (length ,sequence)))
                   (,step (if ,from-end -1 1))
                   (,index (if ,from-end (- ,limit 1) ,start)))
              (declare (type fixnum ,index ,limit ,step))
              (when ,from-end (setq ,limit (- ,start 1)))
              (do () ((eql ,index ,limit) ,result)
                (let ((,element (aref ,sequence ,index)))
                  (macrolet ((,place (value) (list 'setf '(aref ,sequence ,index) value)))
                    ,@body))
                (setq ,index (+ ,index ,step)))))
           (t (bad-sequence ,sequence)))))

(defun count-limit (count)
  "The :COUNT argument as a number of elements: -1 for no limit, never otherwise negative."
  (cond ((null count) -1)
        ((not (integerp count)) (error 'type-error :datum count :expected-type '(or null integer)))
        ((< count 0) 0)
        (t count)))

;;; Leaves cannot be interrupted, so they get a million elements at a time

(defun position-of-eql (item vector start end from-end)
  "Index of the first, or last if FROM-END, element of VECTOR from START to END that is EQL to ITEM, or NIL."
  (if from-end
      (do ((high end (max start (- high 1000000))))
          ((<= high start) nil)
        (let ((found (eql-position item vector (max start (- high 1000000)) high t)))
          (when found (return found))))
      (do ((low start (+ low 1000000)))
          ((>= low end) nil)
        (let ((found (eql-position item vector low (min end (+ low 1000000)) nil)))
          (when found (return found))))))

(defun count-of-eql (item vector start end)
  "Number of elements of VECTOR from START to END that are EQL to ITEM."
  (let ((total 0))
    (do ((low start (+ low 1000000)))
        ((>= low end) total)
      (setq total (+ total (eql-count item vector low (min end (+ low 1000000))))))))

(defun position-of-string (pattern start1 end1 text start2 end2)
  "Index in the string TEXT between START2 and END2 where the short PATTERN between START1 and END1 begins, or NIL."
  (let ((overlap (- end1 start1)))
    (if (<= (- end2 start2) 1000000)
        (string-search pattern start1 end1 text start2 end2)
        (do ((low start2 (+ low 1000000)))
            ((> low (- end2 overlap)) nil)
          (let ((found (string-search pattern start1 end1 text low (min end2 (+ low 1000000 overlap)))))
            (when found (return found)))))))
