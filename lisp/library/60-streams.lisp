;;; Streams: the public functions. Native streams go straight to their leaves; streams that are instances of Lisp classes
;;; (Gray streams) go through the generic functions STREAM-READ-CHAR and so on, in 61-gray-streams.

(in-package "AUTOLITH-SYSTEM")

(defmacro waiting-for-input ((stream) form)
  "Evaluates FORM again after waiting as long as it says that a terminal has no input yet."
  (let ((value (gensym "VALUE")))
    `(do ((,value ,form ,form))
         ((not (eq ,value :wait)) ,value)
       (wait-for-input ,stream))))

(defvar *input-waiter* nil
  "Function of a stream that returns when the stream may have input; set by the host of the image.")

(defun wait-for-input (stream)
  (if *input-waiter*
      (funcall *input-waiter* stream)
      (error 'end-of-file :stream (%input-object stream))))

;;; Characters in

(defun read-char (&optional input-stream (eof-error-p t) eof-value recursive-p)
  "Reads a character."
  (declare (ignore recursive-p))
  (if (%native-input-p input-stream)
      (waiting-for-input (input-stream) (%read-char input-stream eof-error-p eof-value))
      (gray-read-char (%input-object input-stream) eof-error-p eof-value)))

(defun unread-char (character &optional input-stream)
  "Puts the character last read back."
  (if (%native-input-p input-stream)
      (%unread-char character input-stream)
      (stream-unread-char (%input-object input-stream) character))
  nil)

(defun peek-char (&optional peek-type input-stream (eof-error-p t) eof-value recursive-p)
  "The next character, which stays in the stream; with a type, after skipping characters."
  ;; Inside an object that is being read, the end of the file is always an error.
  (when recursive-p (setq eof-error-p t))
  (if (%native-input-p input-stream)
      (waiting-for-input (input-stream) (%peek-char peek-type input-stream eof-error-p eof-value))
      (gray-peek-char peek-type (%input-object input-stream) eof-error-p eof-value)))

(defun read-char-no-hang (&optional input-stream (eof-error-p t) eof-value recursive-p)
  "Reads a character if there is one; NIL when reading would wait."
  (declare (ignore recursive-p))
  (if (%native-input-p input-stream)
      (let ((value (%read-char input-stream eof-error-p eof-value)))
        (if (eq value :wait) nil value))
      (let ((value (stream-read-char-no-hang (%input-object input-stream))))
        (if (eq value :eof)
            (if eof-error-p (error 'end-of-file :stream (%input-object input-stream)) eof-value)
            value))))

(defun read-line (&optional input-stream (eof-error-p t) eof-value recursive-p)
  "Reads a line. Second value: true when the end of the file came instead of a newline."
  (declare (ignore recursive-p))
  (if (%native-input-p input-stream)
      (do () (nil)
        (multiple-value-bind (line ended) (%read-line input-stream eof-error-p eof-value)
          (unless (eq line :wait) (return (values line ended))))
        (wait-for-input input-stream))
      (gray-read-line (%input-object input-stream) eof-error-p eof-value)))

(defun listen (&optional input-stream)
  "True when a character is there."
  (if (%native-input-p input-stream)
      (%listen input-stream)
      (and (stream-listen (%input-object input-stream)) t)))

(defun the-stream (object)
  "OBJECT, which must be a stream."
  (unless (streamp object) (error 'type-error :datum object :expected-type 'stream))
  object)

(defun clear-input (&optional input-stream)
  "Drops the input that is there."
  (if (%native-input-p input-stream)
      (%clear-input input-stream)
      (stream-clear-input (the-stream (%input-object input-stream))))
  nil)

;;; Characters out

(defun write-char (character &optional output-stream)
  "Writes a character."
  (if (%native-output-p output-stream)
      (%write-char character output-stream)
      (progn
        (unless (characterp character) (error 'type-error :datum character :expected-type 'character))
        (stream-write-char (%output-object output-stream) character)
        character)))

(defun check-string-bounds (string start end)
  (unless (stringp string) (error 'type-error :datum string :expected-type 'string))
  (let ((end (or end (length string))))
    (unless (typep end `(integer 0 ,(length string)))
      (error 'type-error :datum end :expected-type `(integer 0 ,(length string))))
    (unless (typep start `(integer 0 ,end))
      (error 'type-error :datum start :expected-type `(integer 0 ,end)))))

(defun write-string (string &optional output-stream &key (start 0) end)
  "Writes the characters of a string."
  (if (%native-output-p output-stream)
      (%write-string string output-stream start end)
      (progn
        (check-string-bounds string start end)
        (stream-write-string (%output-object output-stream) string start end)
        string)))

(defun write-whole-string (string output-stream)
  "WRITE-STRING without bounds."
  (if (%put-string string output-stream)
      string
      (write-string string output-stream :start 0)))

(define-compiler-macro write-string (&whole form string &optional (stream nil stream-given) &rest bounds)
  (if (or bounds (not stream-given))
      form
      `(write-whole-string ,string ,stream)))

(defun write-line (string &optional output-stream &key (start 0) end)
  "Writes the characters of a string and a newline."
  (if (%native-output-p output-stream)
      (%write-line string output-stream start end)
      (progn
        (check-string-bounds string start end)
        (stream-write-string (%output-object output-stream) string start end)
        (stream-terpri (%output-object output-stream))
        string)))

(defun terpri (&optional output-stream)
  "Writes a newline."
  (if (%native-output-p output-stream)
      (%terpri output-stream)
      (stream-terpri (%output-object output-stream)))
  nil)

(defun fresh-line (&optional output-stream)
  "Writes a newline unless at the start of a line; true when it did."
  (if (%native-output-p output-stream)
      (%fresh-line output-stream)
      (stream-fresh-line (%output-object output-stream))))

(defun finish-output (&optional output-stream)
  "Sees to it that all output has reached its destination."
  (if (%native-output-p output-stream)
      (%finish-output output-stream)
      (stream-finish-output (the-stream (%output-object output-stream))))
  nil)

(defun force-output (&optional output-stream)
  "Starts sending buffered output on its way."
  (if (%native-output-p output-stream)
      (%finish-output output-stream)
      (stream-force-output (the-stream (%output-object output-stream))))
  nil)

(defun clear-output (&optional output-stream)
  "Drops output that is not on its way yet."
  (if (%native-output-p output-stream)
      (%clear-output output-stream)
      (stream-clear-output (the-stream (%output-object output-stream))))
  nil)

;;; Bytes and sequences

(defun read-byte (stream &optional (eof-error-p t) eof-value)
  "Reads an element of a binary stream."
  (let ((value (if (%native-stream-p stream)
                   (%read-byte stream)
                   (let ((byte (stream-read-byte (check-stream stream)))) (if (eq byte :eof) nil byte)))))
    (cond (value value)
          (eof-error-p (error 'end-of-file :stream stream))
          (t eof-value))))

(defun write-byte (byte stream)
  "Writes an element of a binary stream."
  (if (%native-stream-p stream)
      (%write-byte byte stream)
      (stream-write-byte (check-stream stream) byte))
  byte)

(defun check-sequence-bounds (sequence start end)
  "The end of the part of SEQUENCE that START and END delimit, after checks."
  (unless (typep sequence 'sequence) (error 'type-error :datum sequence :expected-type 'sequence))
  (let* ((length (length sequence)) (end (or end length)))
    (unless (typep end `(integer 0 ,length))
      (error 'type-error :datum end :expected-type `(or null (integer 0 ,length))))
    (unless (typep start `(integer 0 ,end))
      (error 'type-error :datum start :expected-type `(integer 0 ,end)))
    end))

(defun next-element (stream binary)
  "The next element of a stream, or NIL at its end."
  (if binary (read-byte stream nil nil) (read-char stream nil nil)))

(defun binary-only-p (stream)
  (if (%native-stream-p stream)
      (not (character-stream-p stream))
      (not (subtypep (stream-element-type stream) 'character))))

(defun read-sequence (sequence stream &key (start 0) end)
  "Reads elements into a sequence; the index after the last one that was read."
  (let ((end (check-sequence-bounds sequence start end)))
    (cond ((and (stringp sequence) (%native-stream-p stream) (character-stream-p stream))
           (%read-into-string sequence stream start end))
          ((listp sequence)
           (let ((binary (binary-only-p stream)) (position start))
             (do ((rest (nthcdr start sequence) (cdr rest)))
                 ((>= position end) position)
               (let ((element (next-element stream binary)))
                 (when (null element) (return position))
                 (setf (car rest) element)
                 (setq position (1+ position))))))
          (t (let ((binary (binary-only-p stream)))
               (do ((position start (1+ position)))
                   ((>= position end) position)
                 (let ((element (next-element stream binary)))
                   (when (null element) (return position))
                   (setf (aref sequence position) element))))))))

(defun write-element (element stream binary)
  (if binary (write-byte element stream) (write-char element stream)))

(defun write-sequence (sequence stream &key (start 0) end)
  "Writes elements of a sequence."
  (let ((end (check-sequence-bounds sequence start end)))
    (cond ((stringp sequence) (write-string sequence stream :start start :end end))
          (t (let ((binary (not (and (%native-stream-p stream) (character-stream-p stream) (not (binary-stream-p stream))))))
               (when (and (not (%native-stream-p stream)) (subtypep (stream-element-type stream) 'character))
                 (setq binary nil))
               (if (listp sequence)
                   (do ((position start (1+ position)) (rest (nthcdr start sequence) (cdr rest)))
                       ((>= position end))
                     (write-either (car rest) stream binary))
                   (do ((position start (1+ position)))
                       ((>= position end))
                     (write-either (aref sequence position) stream binary))))))
    sequence))

(defun write-either (element stream binary)
  (if (characterp element)
      (write-char element stream)
      (write-element element stream binary)))

;;; Questions about streams

(defun check-stream (stream)
  (unless (streamp stream) (error 'type-error :datum stream :expected-type 'stream))
  stream)

(defun streamp (object)
  "True for streams."
  (or (%native-stream-p object)
      (and (%instancep object) (%subclassp (class-of object) (load-time-value (%find-class 'stream))))))

(defun input-stream-p (stream)
  "True when the stream can be read."
  (if (%native-stream-p stream) (%input-stream-p stream) (gray-input-stream-p (check-stream stream))))

(defun output-stream-p (stream)
  "True when the stream can be written."
  (if (%native-stream-p stream) (%output-stream-p stream) (gray-output-stream-p (check-stream stream))))

(defun interactive-stream-p (stream)
  "True when somebody may be typing at the other end."
  (if (%native-stream-p stream) (%interactive-stream-p stream) (progn (check-stream stream) nil)))

(defun open-stream-p (stream)
  "True until the stream is closed."
  (if (%native-stream-p stream) (%open-stream-p stream) (gray-open-stream-p (check-stream stream))))

(defun stream-element-type (stream)
  "The type of the elements that can be read or written."
  (if (%native-stream-p stream) (%stream-element-type stream) (gray-stream-element-type (check-stream stream))))

(defun stream-external-format (stream)
  "How characters are encoded in a file stream."
  (if (%native-stream-p stream) (%stream-external-format stream) (progn (check-stream stream) :default)))

(defun close (stream &key abort)
  "Closes a stream; with ABORT, undoes what can be undone."
  (if (%native-stream-p stream)
      (progn (%close stream abort) t)
      (gray-close (check-stream stream) abort)))

(defun file-position (stream &optional (position nil position-given))
  "The position in a file, or with a second argument the change of it; NIL when the stream has none."
  (cond ((not (%native-stream-p stream))
         (check-stream stream)
         (gray-file-position stream position))
        ((and position-given position) (%set-file-position stream position))
        (t (%file-position stream))))

(defun file-length (stream)
  "Number of elements in a file."
  (if (%native-stream-p stream)
      (%file-length stream)
      (error 'type-error :datum stream :expected-type 'file-stream)))

(defun file-string-length (stream object)
  "How far writing OBJECT would move the position of a file; NIL when that is not known."
  (unless (or (stringp object) (characterp object))
    (error 'type-error :datum object :expected-type '(or string character)))
  (if (%native-stream-p stream) (%file-string-length stream object) (progn (check-stream stream) nil)))

;;; String streams

(defun make-string-output-stream (&key (element-type 'character))
  "A stream that collects what is written; see GET-OUTPUT-STREAM-STRING."
  (%make-string-output-stream (string-kind-for element-type)))

(defun string-kind-for (element-type)
  "The kind of string that collects characters of ELEMENT-TYPE: NIL, BASE-CHAR or CHARACTER."
  (case element-type
    (character 'character)
    ((nil) nil)
    (t (if (subtypep element-type 'base-char) 'base-char 'character))))

(defmacro with-output-to-string ((var &optional string-form &key (element-type ''character)) &body body)
  "Collects the output written to VAR, as a new string or at the end of a string with a fill pointer."
  (multiple-value-bind (forms declarations) (split-body-keeping-strings body)
    (if string-form
        `(let ((,var (%make-fill-pointer-stream
                      ,(if (equal element-type ''character) string-form `(prog1 ,string-form ,element-type)))))
           ,@declarations
           (unwind-protect (progn ,@forms)
             (%close ,var nil)))
        `(let ((,var ,(if (equal element-type ''character)
                          '(%make-string-output-stream)
                          `(make-string-output-stream :element-type ,element-type))))
           ,@declarations
           (unwind-protect (progn ,@forms (get-output-stream-string ,var))
             (%close ,var nil))))))

(defun split-body-keeping-strings (body)
  "Values: forms, declarations."
  (let ((declarations '()))
    (do () ((not (and (consp body) (consp (car body)) (eq (caar body) 'declare))))
      (push (pop body) declarations))
    (values body (nreverse declarations))))

(defmacro with-input-from-string ((var string &key index (start 0) end) &body body)
  "Reads from a string through VAR; INDEX, a place, gets the index of the first character not read."
  (multiple-value-bind (forms declarations) (split-body-keeping-strings body)
    `(let ((,var (make-string-input-stream ,string ,start ,end)))
       ,@declarations
       (unwind-protect
            ,(if index
                 `(multiple-value-prog1 (progn ,@forms)
                    (setf ,index (%file-position ,var)))
                 `(progn ,@forms))
         (%close ,var nil)))))

(defmacro with-open-stream ((var stream) &body body)
  "Evaluates BODY with a stream that is closed afterwards."
  (multiple-value-bind (forms declarations) (split-body-keeping-strings body)
    (let ((normal (gensym "NORMAL")))
      `(let ((,var ,stream) (,normal nil))
         ,@declarations
         (unwind-protect (multiple-value-prog1 (progn ,@forms) (setq ,normal t))
           (when ,var (close ,var :abort (not ,normal))))))))

(defmacro with-open-file ((stream filespec &rest options) &body body)
  "Evaluates BODY with an open file, which is closed afterwards; aborted when BODY is left early."
  (multiple-value-bind (forms declarations) (split-body-keeping-strings body)
    (let ((normal (gensym "NORMAL")))
      `(let ((,stream (open ,filespec ,@options)) (,normal nil))
         ,@declarations
         (unwind-protect (multiple-value-prog1 (progn ,@forms) (setq ,normal t))
           (when ,stream (close ,stream :abort (not ,normal))))))))

;;; Asking people

(defun y-or-n-p (&optional control &rest arguments)
  "Asks a question that is answered by one letter."
  (ask-person control arguments "(y or n) "
              (lambda (line)
                (cond ((string-equal line "y") :yes) ((string-equal line "n") :no)))))

(defun yes-or-no-p (&optional control &rest arguments)
  "Asks a question that is answered by a whole word."
  (ask-person control arguments "(yes or no) "
              (lambda (line)
                (cond ((string-equal line "yes") :yes) ((string-equal line "no") :no)))))

(defun ask-person (control arguments hint answer)
  (when control
    (fresh-line *query-io*)
    (apply #'format *query-io* control arguments)
    (write-char #\Space *query-io*))
  (do () (nil)
    (write-string hint *query-io*)
    (finish-output *query-io*)
    (case (funcall answer (string-trim '(#\Space #\Tab #\Return) (read-line *query-io*)))
      (:yes (return t))
      (:no (return nil))
      (t (write-string "Please answer " *query-io*)))))
