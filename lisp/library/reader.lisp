;;;; Chapter 23: the reader's Lisp side. The automaton in lisp/reader does the reading; here it is driven: functions it wants
;;;; called are called, and streams that have no input yet, or whose characters come from Lisp functions, are waited for.

(in-package "AUTOLITH-SYSTEM")

(defvar *current-reader* nil
  "The reader of the object being read, whose labels a READ within a macro function shares.")

(defun call-reader-request (reader)
  "Call the function READER asks for; the list of its values."
  (let ((*current-reader* reader)
        (*read-suppress* (reader-suppressed reader)))
    (multiple-value-list (apply (reader-request-function reader) (reader-request-arguments reader)))))

(defun supply-reader (reader)
  "Get READER a character, or wait until its stream has one."
  (let ((stream (reader-stream reader)))
    (if (reader-fed-p reader)
        (reader-feed reader (read-char stream nil nil))
        (wait-for-input stream))))

(defun drive-reader (reader outcome value)
  "Carry READER on from an outcome of a step to its end: the last outcome and the object."
  (loop
    (cond ((eql outcome 1)
           (multiple-value-setq (outcome value) (reader-resume reader (call-reader-request reader))))
          ((eql outcome 3)
           (supply-reader reader)
           (multiple-value-setq (outcome value) (reader-run reader)))
          (t (return (values outcome value))))))

(defun release-reader (reader)
  "Give back to a stream of Lisp functions the character that was read too much."
  (when (reader-fed-p reader)
    (let ((character (reader-returned reader)))
      (when character (unread-char character (reader-stream reader))))))

(defun run-reader (reader skip-whitespace eof-error-p eof-value)
  "Read one object with READER."
  (multiple-value-bind (outcome value) (reader-run reader)
    (unless (eql outcome 0)
      (multiple-value-setq (outcome value) (drive-reader reader outcome value)))
    (when (and skip-whitespace (eql outcome 0)) (reader-skip-whitespace reader))
    (release-reader reader)
    (cond ((eql outcome 0) value)
          (eof-error-p (error 'end-of-file :stream (reader-stream reader)))
          (t eof-value))))

(defun read (&optional input-stream (eof-error-p t) eof-value recursive-p)
  "Read an object, and the whitespace character after it."
  (run-reader (make-reader (%input-object input-stream) (if recursive-p *current-reader* nil))
              (not recursive-p) eof-error-p eof-value))

(defun read-preserving-whitespace (&optional input-stream (eof-error-p t) eof-value recursive-p)
  "Read an object and leave what follows it."
  (run-reader (make-reader (%input-object input-stream) (if recursive-p *current-reader* nil))
              nil eof-error-p eof-value))

(defun read-from-string (string &optional (eof-error-p t) eof-value &key (start 0) end preserve-whitespace)
  "Read an object from STRING. Second value: the index after what was read."
  (let* ((reader (make-string-reader string start end))
         (object (run-reader reader (not preserve-whitespace) eof-error-p eof-value)))
    (values object (reader-position reader))))

(defun read-macro-object (reader outcome value)
  "The values of a macro function: the object read, or no values."
  (multiple-value-setq (outcome value) (drive-reader reader outcome value))
  (release-reader reader)
  (cond ((eql outcome 0) value)
        ((eql outcome 2) (values))
        (t (error 'end-of-file :stream (reader-stream reader)))))

(defun read-delimited-list (char &optional input-stream recursive-p)
  "Read objects up to CHAR into a list."
  (unless (characterp char) (error 'type-error :datum char :expected-type 'character))
  (let ((reader (make-reader (%input-object input-stream) (if recursive-p *current-reader* nil))))
    (multiple-value-bind (outcome value) (reader-run-delimited reader char)
      (read-macro-object reader outcome value))))

(defmacro define-macro-readers (&rest tags)
  "Define the functions of the built-in macro characters."
  (cons 'progn
        (mapcar (lambda (tag)
                  `(defun ,(intern (join-strings "READ-MACRO-" (symbol-name tag)) "AUTOLITH-SYSTEM") (stream character)
                     (let ((reader (make-reader (%input-object stream) *current-reader*)))
                       (multiple-value-bind (outcome value) (reader-run-macro reader ',tag character)
                         (read-macro-object reader outcome value)))))
                tags)))

(define-macro-readers list close quote string comment backquote comma dispatch)

(defmacro define-dispatch-readers (&rest tags)
  "Define the functions of the built-in dispatch macros."
  (cons 'progn
        (mapcar (lambda (tag)
                  `(defun ,(intern (join-strings "READ-MACRO-" (symbol-name tag)) "AUTOLITH-SYSTEM")
                       (stream sub-character argument)
                     (let ((reader (make-reader (%input-object stream) *current-reader*)))
                       (multiple-value-bind (outcome value) (reader-run-dispatch reader ',tag sub-character argument)
                         (read-macro-object reader outcome value)))))
                tags)))

(define-dispatch-readers
  sharp-character sharp-function sharp-vector sharp-bits sharp-uninterned sharp-eval sharp-binary sharp-octal
  sharp-hexadecimal sharp-radix sharp-complex sharp-array sharp-structure sharp-pathname sharp-label sharp-reference
  sharp-plus sharp-minus sharp-comment sharp-illegal)

(defmacro with-standard-io-syntax (&body body)
  "Run BODY with all variables of the reader and the printer bound to their standard values."
  `(let ((*package* (find-package "COMMON-LISP-USER"))
         (*print-array* t) (*print-base* 10) (*print-case* :upcase) (*print-circle* nil) (*print-escape* t)
         (*print-gensym* t) (*print-length* nil) (*print-level* nil) (*print-lines* nil) (*print-miser-width* nil)
         (*print-pprint-dispatch* (copy-pprint-dispatch nil))
         (*print-pretty* nil) (*print-radix* nil) (*print-readably* t) (*print-right-margin* nil)
         (*read-base* 10) (*read-default-float-format* 'single-float) (*read-eval* t) (*read-suppress* nil)
         (*readtable* (copy-readtable nil)))
     ,@body))
