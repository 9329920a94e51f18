;;; The pretty printer: logical blocks, dispatch tables, and how lists and programs are laid out.

(in-package "AUTOLITH-SYSTEM")

;;; Logical blocks

(defmacro pprint-pop ()
  "The next object of the list of a logical block; an error elsewhere."
  '(error 'simple-error :format-control "PPRINT-POP outside of PPRINT-LOGICAL-BLOCK." :format-arguments '()))

(defmacro pprint-exit-if-list-exhausted ()
  "Ends a logical block whose list is exhausted; an error elsewhere."
  '(error 'simple-error :format-control "PPRINT-EXIT-IF-LIST-EXHAUSTED outside of PPRINT-LOGICAL-BLOCK."
          :format-arguments '()))

(defun given-affix (text)
  "TEXT, which a program gave as the prefix of a logical block."
  (unless (stringp text) (error 'type-error :datum text :expected-type 'string))
  text)

(defun check-affix (text)
  (unless (or (null text) (stringp text)) (error 'type-error :datum text :expected-type 'string))
  text)

(defun call-with-logical-block (stream object prefix per-line-prefix suffix function)
  "FUNCTION gets the pretty stream, a function that takes the next object, and one that gives those that are left."
  (check-affix prefix)
  (check-affix per-line-prefix)
  (unless (stringp suffix) (error 'type-error :datum suffix :expected-type 'string))
  (let ((stream (%output-object stream)))
    (cond ((not (listp object)) (output-object object stream))
          ((and *print-circle* (null *circularity*) object)
           (let ((*circularity* (or (%find-shared object) :none)))
             (call-with-logical-block stream object prefix per-line-prefix suffix function)))
          ((print-level-reached-p) (write-char #\# stream))
          (t (logical-block-with-label stream object prefix per-line-prefix suffix function)))
    nil))

(defvar *labelled-object* nil
  "The object whose label OUTPUT-SHARED has just written, so that its logical block does not write it again.")

(defun logical-block-with-label (stream object prefix per-line-prefix suffix function)
  (let ((state (and object (not (eq object *labelled-object*)) *print-circle*
                    (not (eq *circularity* :none))
                    (%shared-state *circularity* object))))
    (cond ((integerp state) (output-reference state "#" stream))
          (t (when state (output-reference (%label-shared *circularity* object) "=" stream))
             (cond ((%pretty-stream-p stream)
                    (logical-block-on stream object prefix per-line-prefix suffix function))
                   ((%native-output-p stream)
                    (let ((pretty (make-pretty-stream-for stream)))
                      (logical-block-on pretty object prefix per-line-prefix suffix function)
                      (%pretty-flush pretty)))
                   (t (let* ((out (%make-string-output-stream)) (pretty (make-pretty-stream-for out)))
                        ;; A stream defined in Lisp gets the text when it is laid out.
                        (%write-spaces (or (stream-line-column stream) 0) out)
                        (logical-block-on pretty object prefix per-line-prefix suffix function)
                        (%pretty-flush pretty)
                        (write-string (subseq (get-output-stream-string out) (or (stream-line-column stream) 0))
                                      stream))))))))

(defun make-pretty-stream-for (stream)
  (%make-pretty-stream stream *print-right-margin* *print-miser-width* (if *print-readably* nil *print-lines*)))

(defun logical-block-on (stream object prefix per-line-prefix suffix function)
  (%pretty-start stream (or per-line-prefix prefix "") (and per-line-prefix t) suffix)
  (let ((*print-depth* (1+ *print-depth*)) (*labelled-object* nil) (rest object) (count 0) (mark 0) (next 1024))
    (block contents
      (funcall function stream
               (lambda ()
                 (cond ((not (listp rest))
                        (write-string ". " stream)
                        (output-object rest stream)
                        (return-from contents nil))
                       ((and (print-length-limit) (>= count (print-length-limit)))
                        (write-string "..." stream)
                        (return-from contents nil))
                       ((and (eq rest mark) rest (not (print-length-limit))) (endless-list-error))
                       ((and (plusp count) rest (or (shared-tail-p rest) (dotted-unquote-p rest)))
                        (write-string ". " stream)
                        (output-object rest stream)
                        (return-from contents nil))
                       (t (setq count (1+ count))
                          (when (eql count next) (setq mark rest next (* 2 next)))
                          (pop rest))))
               (lambda () rest))))
  (%pretty-end stream))

;;; Operations on pretty streams

(defun pprint-newline (kind &optional stream)
  "A conditional newline of a kind: :LINEAR, :FILL, :MISER or :MANDATORY."
  (unless (member kind '(:linear :fill :miser :mandatory))
    (error 'type-error :datum kind :expected-type '(member :linear :fill :miser :mandatory)))
  (when *print-pretty* (%pretty-newline (%output-object stream) kind))
  nil)

(defun pprint-indent (relative-to n &optional stream)
  "Sets the indentation of a logical block relative to its start (:BLOCK) or to the current column (:CURRENT)."
  (unless (member relative-to '(:block :current))
    (error 'type-error :datum relative-to :expected-type '(member :block :current)))
  (unless (realp n) (error 'type-error :datum n :expected-type 'real))
  (when *print-pretty* (%pretty-indent (%output-object stream) (eq relative-to :current) (truncate n)))
  nil)

(defun pprint-tab (kind column increment &optional stream)
  "Moves to a column of the line or section."
  (unless (member kind '(:line :section :line-relative :section-relative))
    (error 'type-error :datum kind :expected-type '(member :line :section :line-relative :section-relative)))
  (unless (typep column '(integer 0)) (error 'type-error :datum column :expected-type '(integer 0)))
  (unless (typep increment '(integer 0)) (error 'type-error :datum increment :expected-type '(integer 0)))
  (when *print-pretty*
    (%pretty-tab (%output-object stream) (and (member kind '(:section :section-relative)) t)
                 (and (member kind '(:line-relative :section-relative)) t) column increment))
  nil)

(defun pprint-list-with (stream list colon kind)
  (pprint-logical-block (stream list :prefix (if colon "(" "") :suffix (if colon ")" ""))
    (pprint-exit-if-list-exhausted)
    (do () (nil)
      (output-object (pprint-pop) stream)
      (pprint-exit-if-list-exhausted)
      (write-char #\Space stream)
      (pprint-newline kind stream))))

(defun pprint-fill (stream list &optional (colon-p t) at-sign-p)
  "Prints a list with as many elements on each line as fit."
  (declare (ignore at-sign-p))
  (pprint-list-with stream list colon-p :fill))

(defun pprint-linear (stream list &optional (colon-p t) at-sign-p)
  "Prints a list on one line or with each element on a line of its own."
  (declare (ignore at-sign-p))
  (pprint-list-with stream list colon-p :linear))

(defun pprint-tabular (stream list &optional (colon-p t) at-sign-p (tabsize 16))
  "Prints a list as a table."
  (declare (ignore at-sign-p))
  (pprint-logical-block (stream list :prefix (if colon-p "(" "") :suffix (if colon-p ")" ""))
    (pprint-exit-if-list-exhausted)
    (do () (nil)
      (output-object (pprint-pop) stream)
      (pprint-exit-if-list-exhausted)
      (write-char #\Space stream)
      (pprint-tab :section-relative 0 (or tabsize 16) stream)
      (pprint-newline :fill stream))))

;;; Structures

(defun print-structure-default (object stream)
  "#S(name :slot value …)"
  (let ((class (class-of object)))
    (cond ((null (%class-slots class))
           (write-string "#S(" stream)
           (prin1 (%class-name class) stream)
           (write-char #\) stream))
          ((print-level-reached-p) (write-char #\# stream))
          (*print-pretty*
        (pprint-logical-block (stream nil :prefix "#S(" :suffix ")")
          (prin1 (%class-name class) stream)
          (when (%class-slots class) (write-char #\Space stream))
          (pprint-indent :current 0 stream)
          (print-structure-slots object class stream t)))
        (t (let ((*print-depth* (1+ *print-depth*)))
          (write-string "#S(" stream)
          (prin1 (%class-name class) stream)
          (when (%class-slots class) (write-char #\Space stream))
          (print-structure-slots object class stream nil)
          (write-char #\) stream))))))

(defun print-structure-slots (object class stream pretty)
  (let ((first t) (count 0) (limit (print-length-limit)))
    (dolist (slot (%class-slots class))
      (unless first
        (write-char #\Space stream)
        (when pretty (pprint-newline :linear stream)))
      (setq first nil)
      (when (and limit (>= count limit))
        (write-string "..." stream)
        (return))
      (setq count (1+ count))
      (prin1 (intern (symbol-name (%slot-name slot)) "KEYWORD") stream)
      (write-char #\Space stream)
      (output-object (%instance-ref object (%slot-location slot)) stream))))

;;; Dispatch tables. Entries are lists (type priority function), best first; those for (CONS (EQL symbol)) types are
;;; looked up by symbol.

;;; A structure without the functions of DEFSTRUCT, so that a boot need not load that. FILLER names a function that
;;; fills the table before its first use, or is NIL.
(define-structure-layout 'pprint-dispatch-table nil '(filler entries symbols))

(defmacro dispatch-table-cell ()
  '(load-time-value (structure-cell 'pprint-dispatch-table)))

(defun make-dispatch-table ()
  (make-structure (dispatch-table-cell) nil '() (make-hash-table :test 'eql)))

(defmethod print-object ((table pprint-dispatch-table) stream)
  (print-unreadable-object (table stream :type t :identity t)))

(defun fill-dispatch-table (table)
  (let ((filler (structure-ref (dispatch-table-cell) 0 table)))
    (when filler
      (structure-set (dispatch-table-cell) 0 table nil)
      (funcall filler table))))

(defun dispatch-entries (table)
  (fill-dispatch-table table)
  (structure-ref (dispatch-table-cell) 1 table))

(defun (setf dispatch-entries) (entries table)
  (structure-set (dispatch-table-cell) 1 table entries))

(defun dispatch-symbols (table)
  (fill-dispatch-table table)
  (structure-ref (dispatch-table-cell) 2 table))

(defun cons-eql-type-object (type)
  "Values: the object of a type (CONS (EQL object)), whether TYPE is one."
  (cond ((and (consp type) (eq (car type) 'cons) (consp (cdr type)) (consp (cadr type))
              (or (null (cddr type)) (equal (cddr type) '(t)) (equal (cddr type) '(*)))
              (consp (cdr (cadr type))) (null (cddr (cadr type)))
              (member (car (cadr type)) '(eql member)))
         (values (second (second type)) t))
        (t (values nil nil))))

(defun dispatch-table-p (object)
  (structure-of-cell-p object (dispatch-table-cell)))

(defun check-dispatch-table (table)
  (if (dispatch-table-p table)
      table
      (error 'type-error :datum table :expected-type 'pprint-dispatch-table)))

(defun copy-pprint-dispatch (&optional (table *print-pprint-dispatch*))
  "A copy of a pprint dispatch table; NIL stands for the standard one."
  (let ((source (if table (check-dispatch-table table) *standard-pprint-dispatch*))
        (copy (make-dispatch-table)))
    (setf (dispatch-entries copy) (copy-list (dispatch-entries source)))
    (maphash (lambda (key entry) (setf (gethash key (dispatch-symbols copy)) entry)) (dispatch-symbols source))
    copy))

(defun set-pprint-dispatch (type-specifier function &optional (priority 0) (table *print-pprint-dispatch*))
  "Says which function prints objects of a type; NIL takes the entry away."
  (unless (realp priority) (error 'type-error :datum priority :expected-type 'real))
  (unless (or (null function) (functionp function) (symbolp function))
    (error 'type-error :datum function :expected-type '(or null function symbol)))
  (check-dispatch-table table)
  ;; The printer skips the standard table where it can, so a table that is changed is the standard one no longer.
  (when (eq table *standard-pprint-dispatch*) (setq *standard-pprint-dispatch* (copy-pprint-dispatch table)))
  (put-dispatch-entry type-specifier function priority table)
  nil)

(defun put-dispatch-entry (type-specifier function priority table)
  (multiple-value-bind (object found) (cons-eql-type-object type-specifier)
    (cond ((and found (null function)) (remhash object (dispatch-symbols table)))
          (found (setf (gethash object (dispatch-symbols table)) (list type-specifier priority function)))
          (t (setf (dispatch-entries table)
                   (remove type-specifier (dispatch-entries table) :key #'first :test #'equal))
             (when function
               (setf (dispatch-entries table)
                     (insert-dispatch-entry (list type-specifier priority function) (dispatch-entries table))))))))

(defun insert-dispatch-entry (entry entries)
  (if (or (null entries) (> (second entry) (second (first entries))))
      (cons entry entries)
      (cons (car entries) (insert-dispatch-entry entry (cdr entries)))))

(defun find-dispatch-entry (object table)
  (let ((special (and (consp object) (gethash (car object) (dispatch-symbols table)))))
    (dolist (entry (dispatch-entries table) special)
      (when (and special (>= (second special) (second entry))) (return special))
      (when (typep object (first entry)) (return entry)))))

(defun default-dispatch-function (stream object)
  (output-plainly object stream))

(defun pprint-dispatch (object &optional (table *print-pprint-dispatch*))
  "Values: the function that prints an object with the pretty printer, whether the table has one for it."
  (let ((entry (find-dispatch-entry object (if table (check-dispatch-table table) *standard-pprint-dispatch*))))
    (if entry
        (values (third entry) t)
        (values #'default-dispatch-function nil))))

(defun output-pretty (object stream)
  (let ((entry (find-dispatch-entry object (if *print-pprint-dispatch*
                                               (check-dispatch-table *print-pprint-dispatch*)
                                               *standard-pprint-dispatch*))))
    (if entry
        (let ((*labelled-object* object))
          (funcall (third entry) stream object))
        (if (and (arrayp object) (not (stringp object)) (not (bit-vector-p object))
                 (or *print-array* *print-readably*))
            (output-pretty-array object stream)
            (output-plainly object stream)))))

;;; Layout of data and programs

(defun output-pretty-array (array stream)
  (cond ((array-needs-form-p array) (output-array-form array stream))
        ((vectorp array)
         (pprint-vector stream array))
        (t (pprint-logical-block (stream nil :prefix (format nil "#~DA" (array-rank array)))
             (output-pretty-array-part array 0 0 stream)))))

(defun output-pretty-array-part (array axis start stream)
  (cond ((= axis (array-rank array)) (output-object (row-major-aref array start) stream))
        ((print-level-reached-p) (write-char #\# stream))
        (t (let ((stride 1) (limit (print-length-limit)))
             (do ((d (1+ axis) (1+ d))) ((>= d (array-rank array)))
               (setq stride (* stride (array-dimension array d))))
             (pprint-logical-block (stream nil :prefix "(" :suffix ")")
               (dotimes (index (array-dimension array axis))
                 (when (plusp index)
                   (write-char #\Space stream)
                   (pprint-newline (if (= axis (1- (array-rank array))) :fill :linear) stream))
                 (when (and limit (>= index limit))
                   (write-string "..." stream)
                   (return))
                 (output-pretty-array-part array (1+ axis) (+ start (* index stride)) stream)))))))

(defun pprint-vector (stream vector)
  (let ((limit (print-length-limit)))
    (pprint-logical-block (stream nil :prefix "#(" :suffix ")")
      (dotimes (index (length vector))
        (when (plusp index)
          (write-char #\Space stream)
          (pprint-newline :fill stream))
        (when (and limit (>= index limit))
          (write-string "..." stream)
          (return))
        (output-object (aref vector index) stream)))))

(defun pprint-data-list (stream list)
  (pprint-fill stream list))

(defun pprint-call (stream list)
  "A function call: arguments beside each other, or below the first one."
  (pprint-logical-block (stream list :prefix "(" :suffix ")")
    (output-object (pprint-pop) stream)
    (pprint-exit-if-list-exhausted)
    (write-char #\Space stream)
    (pprint-indent :current 0 stream)
    (do () (nil)
      (output-object (pprint-pop) stream)
      (pprint-exit-if-list-exhausted)
      (write-char #\Space stream)
      (pprint-newline :linear stream))))

(defun pprint-cons (stream list)
  (if (and (symbolp (car list)) (car list) (fboundp (car list)) (consp (cdr list)))
      (pprint-call stream list)
      (pprint-fill stream list)))

(defun pprint-quotation (prefix)
  (lambda (stream list)
    (if (and (consp (cdr list)) (null (cddr list)))
        (progn (write-string prefix stream)
               (output-object (second list) stream))
        (pprint-fill stream list))))

(defun pprint-unquote (stream list)
  (if (and (consp (cdr list)) (null (cddr list)))
      (progn (write-string (template-mark list) stream)
             (output-object (second list) stream))
      (pprint-fill stream list)))

(defun pprint-body (distinguished)
  "Layout of a form whose first DISTINGUISHED arguments stand beside the operator and whose body is indented by two."
  (lambda (stream list)
    (pprint-logical-block (stream list :prefix "(" :suffix ")")
      (output-object (pprint-pop) stream)
      (pprint-exit-if-list-exhausted)
      (write-char #\Space stream)
      (pprint-indent :block (if (zerop distinguished) 1 3) stream)
      (dotimes (i distinguished)
        (pprint-newline :miser stream)
        (output-object (pprint-pop) stream)
        (pprint-exit-if-list-exhausted)
        (write-char #\Space stream))
      (pprint-indent :block 1 stream)
      (unless (zerop distinguished) (pprint-newline :linear stream))
      (do () (nil)
        (output-object (pprint-pop) stream)
        (pprint-exit-if-list-exhausted)
        (write-char #\Space stream)
        (pprint-newline :linear stream)))))

(defun fill-standard-pprint-dispatch (table)
  (put-dispatch-entry 'cons 'pprint-cons -10 table)
  (put-dispatch-entry '(cons (eql quote)) (pprint-quotation "'") 0 table)
  (put-dispatch-entry '(cons (eql function)) (pprint-quotation "#'") 0 table)
  (put-dispatch-entry '(cons (eql quasiquote)) (pprint-quotation "`") 0 table)
  (put-dispatch-entry '(cons (eql unquote)) #'pprint-unquote 0 table)
  (put-dispatch-entry '(cons (eql unquote-splicing)) (pprint-quotation ",@") 0 table)
  (dolist (entry '((let 1) (let* 1) (lambda 1) (block 1) (when 1) (unless 1) (dolist 1) (dotimes 1) (flet 1) (labels 1)
                   (macrolet 1) (symbol-macrolet 1) (defun 2) (defmacro 2) (defmethod 2) (defvar 1) (defparameter 1)
                   (defconstant 1) (defclass 2) (defstruct 1) (multiple-value-bind 2) (destructuring-bind 2)
                   (with-open-file 1) (with-output-to-string 1) (eval-when 1) (case 1) (ecase 1) (typecase 1)
                   (etypecase 1) (handler-case 1) (handler-bind 1) (restart-case 1) (unwind-protect 1) (catch 1)
                   (progn 0) (locally 0) (tagbody 0)))
    (put-dispatch-entry `(cons (eql ,(first entry))) (pprint-body (second entry)) 0 table)))

(setq *standard-pprint-dispatch*
      (make-structure (dispatch-table-cell) 'fill-standard-pprint-dispatch '() (make-hash-table :test 'eql)))
(setq *print-pprint-dispatch* *standard-pprint-dispatch*)
