;;; The printer: what lisp/printer cannot do in one go, because Lisp functions take part (PRINT-OBJECT, pretty printing),
;;; objects are shared, or the output is long.

(in-package "AUTOLITH-SYSTEM")

(defmacro pprint-logical-block ((stream-symbol object &key (prefix nil prefix-given)
                                 (per-line-prefix nil per-line-given) (suffix ""))
                                &body body)
  "Prints within a logical block of the pretty printer."
  (when (and prefix-given per-line-given)
    (error 'simple-program-error :format-control "PPRINT-LOGICAL-BLOCK got both :PREFIX and :PER-LINE-PREFIX."
           :format-arguments '()))
  (let* ((pop (gensym "POP")) (rest (gensym "REST")) (block (gensym "BLOCK"))
         (variable (cond ((null stream-symbol) '*standard-output*)
                         ((eq stream-symbol t) '*terminal-io*)
                         (t stream-symbol))))
    (multiple-value-bind (forms declarations) (split-body-keeping-strings body)
      `(call-with-logical-block
        ,variable ,object
        ,(if (or (null prefix-given) (stringp prefix)) prefix `(given-affix ,prefix))
        ,(if (or (null per-line-given) (stringp per-line-prefix)) per-line-prefix `(given-affix ,per-line-prefix))
        ,suffix
        (lambda (,variable ,pop ,rest)
          (declare (ignorable ,pop ,rest))
          ,@declarations
          (block ,block
            (macrolet ((pprint-pop () '(funcall ,pop))
                       (pprint-exit-if-list-exhausted ()
                         '(if (null (funcall ,rest)) (return-from ,block nil) nil)))
              ,@forms
              nil)))))))

(defmacro print-unreadable-object ((object stream &key type identity) &body body)
  "Writes #<…> around what BODY writes; with the type and identity of the object when asked."
  `(call-printing-unreadably ,object ,stream ,type ,identity
                             ,(if body `(lambda () ,@body) nil)))

(defun current-print-depth () *print-depth*)

(defun print-level-reached-p ()
  (and *print-level* (not *print-readably*) (>= *print-depth* *print-level*)))

(defun print-length-limit ()
  (if *print-readably* nil *print-length*))

(defun output-object (object stream)
  "Prints an object on a stream (not a designator), as the printer variables say."
  (unless (%print-plain object stream)
    (output-slowly object stream))
  object)

(defun output-slowly (object stream)
  (cond ((and *print-circle* (null *circularity*) (%may-share object))
         (let ((*circularity* (or (%find-shared object) :none)))
           (output-object object stream)))
        ((and *print-circle* (not (eq *circularity* :none)) (%shared-state *circularity* object))
         (output-shared object stream))
        (t (output-unshared object stream))))

(defun output-shared (object stream)
  "Prints the label of an object that was printed already, or labels it and prints it."
  (let ((state (%shared-state *circularity* object)))
    (cond ((integerp state) (output-reference state "#" stream))
          (t (output-reference (%label-shared *circularity* object) "=" stream)
             (output-unshared object stream)))))

(defun output-reference (label mark stream)
  (let ((*print-base* 10) (*print-radix* nil))
    (write-char #\# stream)
    (write-string (%bare-atom-string label) stream)
    (write-string mark stream)))

(defvar *print-mark* '(nil . 512) "An object that is being printed, far inside of which the printer is, and the depth where it stands.")

(defun output-unshared (object stream)
  (let ((depth *print-depth*))
    (cond ((< depth 1024) (output-here object stream))
          ((and (eq object (car *print-mark*)) (null *print-level*))
           (error 'simple-storage-condition
                  :format-control "An object inside itself would be printed for ever: *PRINT-CIRCLE* and *PRINT-LEVEL* are both NIL."
                  :format-arguments '()))
          ;; Each mark is made at twice the depth of the last one: circles of any length come back to one of them.
          ((and (>= depth (* 2 (cdr *print-mark*))) (not (symbolp object)))
           (let ((*print-mark* (cons object depth))) (output-here object stream)))
          (t (output-here object stream)))))

(defun output-here (object stream)
  (if *print-pretty*
      (output-pretty object stream)
      (output-plainly object stream)))

(defun output-plainly (object stream)
  "Prints an object without the pretty printer."
  (cond ((consp object) (output-list object stream))
        ((long-number-p object) (write-string (long-number-string object) stream))
        ((simple-vector-p object) (output-vector object stream))
        (t (let ((text (%bare-atom-string object)))
             (cond (text (write-string text stream))
                   ((arrayp object) (output-array object stream))
                   (t (output-instance object stream)))))))

(defun output-instance (object stream)
  (if (and (print-level-reached-p)
           ;; A structure without slots has no deeper level.
           (not (and (typep object 'structure-object) (null (%class-slots (class-of object))))))
      (write-char #\# stream)
      (print-object object stream)))

;;; Lists

(defun template-mark (list)
  "The character or two that stand for a mark of a backquoted template."
  (and (consp (cdr list))
       (null (cddr list))
       (case (car list)
         (quasiquote "`")
         ;; A blank keeps the comma apart from a name that begins like a splicing mark.
         (unquote (if (and (symbolp (cadr list)) (begins-like-splicing-p (symbol-name (cadr list)))) ", " ","))
         (unquote-splicing ",@")
         (t nil))))

(defun begins-like-splicing-p (name)
  (and (plusp (length name)) (member (char name 0) '(#\@ #\.)) t))

(defun output-list (list stream)
  (cond ((print-level-reached-p) (write-char #\# stream))
        ((template-mark list)
         (write-string (template-mark list) stream)
         (output-object (cadr list) stream))
        (t (output-list-elements list stream))))

(defun endless-list-error ()
  "Signal that a list cannot be printed because it has no end."
  (error 'simple-storage-condition
         :format-control "A circular list would be printed for ever: *PRINT-CIRCLE* and *PRINT-LENGTH* are both NIL."
         :format-arguments '()))

(defun output-list-elements (list stream)
      (let ((*print-depth* (1+ *print-depth*)) (limit (print-length-limit)) (count 0) (rest list) (mark 0) (next 1024))
        (write-char #\( stream)
        (do () (nil)
          (when (and limit (>= count limit))
            (write-string "..." stream)
            (return))
          (output-object (car rest) stream)
          (setq count (1+ count))
          (setq rest (cdr rest))
          (when (and (eq rest mark) (not limit)) (endless-list-error))
          (when (eql count next) (setq mark rest next (* 2 next)))
          (cond ((null rest) (return))
                ((or (atom rest) (shared-tail-p rest) (dotted-unquote-p rest))
                 (write-string " . " stream)
                 (output-object rest stream)
                 (return)))
          (write-char #\Space stream))
        (write-char #\) stream)))

(defun dotted-unquote-p (rest)
  "True of what follows a dot and a comma in a template: as the tail of a list it is printed behind a dot."
  (and (eq (car rest) 'unquote) (consp (cdr rest)) (null (cddr rest))))

(defun shared-tail-p (rest)
  (and *print-circle* *circularity* (not (eq *circularity* :none))
       (%shared-state *circularity* rest)))

;;; Vectors and arrays

(defun output-vector (vector stream)
  (cond ((and (not *print-array*) (not *print-readably*)) (output-unprinted-array vector stream))
        ((array-needs-form-p vector) (output-array-form vector stream))
        ((print-level-reached-p) (write-char #\# stream))
        (t (let ((*print-depth* (1+ *print-depth*)) (limit (print-length-limit)))
             (write-string "#(" stream)
             (dotimes (index (length vector))
               (when (plusp index) (write-char #\Space stream))
               (when (and limit (>= index limit))
                 (write-string "..." stream)
                 (return))
               (output-object (aref vector index) stream))
             (write-char #\) stream)))))

(defun output-unprinted-array (array stream)
  (print-unreadable-object (array stream :identity t)
    (let ((dimensions (array-dimensions array)))
      (if (and (vectorp array) (null (cdr dimensions)))
          (prin1 (list (cond ((bit-vector-p array) (if (typep array 'simple-array) 'simple-bit-vector 'bit-vector))
                             ((simple-vector-p array) 'simple-vector)
                             (t 'vector))
                       (car dimensions))
                 stream)
          (prin1 (list (if (typep array 'simple-array) 'simple-array 'array) (array-element-type array) dimensions)
                 stream)))))

(defun output-array (array stream)
  (cond ((and (not *print-array*) (not *print-readably*)) (output-unprinted-array array stream))
        ((vectorp array) (output-vector array stream))
        ((array-needs-form-p array) (output-array-form array stream))
        (t (write-char #\# stream)
           (let ((*print-base* 10) (*print-radix* nil))
             (write-string (%bare-atom-string (array-rank array)) stream))
           (write-char #\A stream)
           (output-array-part array 0 0 stream))))

(defun array-needs-form-p (array)
  "True for arrays of which reading #( or #A would lose the element type or dimensions, when that matters."
  (and *print-readably*
       (or (not (eq (array-element-type array) t))
           (and (not (vectorp array)) (member 0 (array-dimensions array)) t))))

(defun output-array-form (array stream)
  "Prints an array as a form to be evaluated by the reader, so that its element type and dimensions are read back."
  (unless *read-eval* (error 'print-not-readable :object array))
  (write-string "#." stream)
  (output-object `(make-array ',(if (vectorp array) (list (length array)) (array-dimensions array))
                              ,@(if (eq (array-element-type array) t) '() `(:element-type ',(array-element-type array)))
                              ,@(if (member 0 (array-dimensions array))
                                    '()
                                    `(:initial-contents ',(array-contents array 0 0))))
                 stream))

(defun array-contents (array axis start)
  "The elements of the subarray that begins at row-major index START as nested lists; AXIS dimensions are fixed."
  (if (= axis (array-rank array))
      (row-major-aref array start)
      (let ((stride 1) (parts '()))
        (do ((d (1+ axis) (1+ d))) ((>= d (array-rank array)))
          (setq stride (* stride (array-dimension array d))))
        (dotimes (index (if (vectorp array) (length array) (array-dimension array axis)) (nreverse parts))
          (push (array-contents array (1+ axis) (+ start (* index stride))) parts)))))

(defun output-array-part (array axis start stream)
  "Prints the subarray that begins at row-major index START; AXIS dimensions are fixed."
  (cond ((= axis (array-rank array)) (output-object (row-major-aref array start) stream))
        ((print-level-reached-p) (write-char #\# stream))
        (t (let ((*print-depth* (1+ *print-depth*)) (limit (print-length-limit)) (stride 1))
             (do ((d (1+ axis) (1+ d))) ((>= d (array-rank array)))
               (setq stride (* stride (array-dimension array d))))
             (write-char #\( stream)
             (dotimes (index (array-dimension array axis))
               (when (plusp index) (write-char #\Space stream))
               (when (and limit (>= index limit))
                 (write-string "..." stream)
                 (return))
               (output-array-part array (1+ axis) (+ start (* index stride)) stream))
             (write-char #\) stream)))))

;;; Entry points

(defun write (object &key ((:stream stream) nil) ((:array *print-array*) *print-array*)
                          ((:base *print-base*) *print-base*) ((:case *print-case*) *print-case*)
                          ((:circle *print-circle*) *print-circle*) ((:escape *print-escape*) *print-escape*)
                          ((:gensym *print-gensym*) *print-gensym*) ((:length *print-length*) *print-length*)
                          ((:level *print-level*) *print-level*) ((:lines *print-lines*) *print-lines*)
                          ((:miser-width *print-miser-width*) *print-miser-width*)
                          ((:pprint-dispatch *print-pprint-dispatch*) *print-pprint-dispatch*)
                          ((:pretty *print-pretty*) *print-pretty*) ((:radix *print-radix*) *print-radix*)
                          ((:readably *print-readably*) *print-readably*)
                          ((:right-margin *print-right-margin*) *print-right-margin*))
  "Prints an object; the keyword arguments bind the printer variables."
  (output-object object (%output-object stream))
  object)

(defun prin1 (object &optional output-stream)
  "Prints an object so that it can be read."
  (unless (%print-quickly object output-stream t)
    (let ((*print-escape* t))
      (output-object object (%output-object output-stream))))
  object)

(defun princ (object &optional output-stream)
  "Prints an object for people to read."
  (unless (%print-quickly object output-stream nil)
    (let ((*print-escape* nil) (*print-readably* nil))
      (output-object object (%output-object output-stream))))
  object)

(defun print (object &optional output-stream)
  "Starts a new line, prints an object so that it can be read, and a space."
  (let ((stream (%output-object output-stream)) (*print-escape* t))
    (terpri stream)
    (output-object object stream)
    (write-char #\Space stream))
  object)

(defun pprint (object &optional output-stream)
  "Starts a new line and prints an object with the pretty printer. Returns no values."
  (let ((stream (%output-object output-stream)) (*print-escape* t) (*print-pretty* t))
    (terpri stream)
    (output-object object stream))
  (values))

(defun object-to-string (object)
  (or (%plain-string object)
      (let ((out (%make-string-output-stream)))
        (output-slowly object out)
        (get-output-stream-string out))))

(defun write-to-string (object &key ((:array *print-array*) *print-array*)
                                    ((:base *print-base*) *print-base*) ((:case *print-case*) *print-case*)
                                    ((:circle *print-circle*) *print-circle*) ((:escape *print-escape*) *print-escape*)
                                    ((:gensym *print-gensym*) *print-gensym*) ((:length *print-length*) *print-length*)
                                    ((:level *print-level*) *print-level*) ((:lines *print-lines*) *print-lines*)
                                    ((:miser-width *print-miser-width*) *print-miser-width*)
                                    ((:pprint-dispatch *print-pprint-dispatch*) *print-pprint-dispatch*)
                                    ((:pretty *print-pretty*) *print-pretty*) ((:radix *print-radix*) *print-radix*)
                                    ((:readably *print-readably*) *print-readably*)
                                    ((:right-margin *print-right-margin*) *print-right-margin*))
  "The text of an object; the keyword arguments bind the printer variables."
  (object-to-string object))

(defun prin1-to-string (object)
  "The text of an object such that it can be read."
  (let ((*print-escape* t))
    (object-to-string object)))

(defun princ-to-string (object)
  "The text of an object for people."
  (let ((*print-escape* nil) (*print-readably* nil))
    (object-to-string object)))

;;; Unreadable objects

(defun call-printing-unreadably (object stream type identity function)
  (let ((stream (%output-object stream)))
    (when *print-readably* (error 'print-not-readable :object object))
    (write-string "#<" stream)
    (when type
      (output-object (type-name-of object) stream)
      (write-char #\Space stream))
    (when function (funcall function))
    (when identity
      (when (or function (not type)) (write-char #\Space stream))
      (write-string (%identity-string object) stream))
    (write-char #\> stream)
    nil))

(defun type-name-of (object)
  (let ((name (%class-name (class-of object))))
    (if name name (class-of object))))
