;;;; LOAD, of source and of the modules that COMPILE-FILE writes.

(in-package "AUTOLITH-SYSTEM")

(defvar *load-pathname* nil "Pathname given to LOAD.")
(defvar *load-truename* nil "True name of the file being loaded.")
(defvar *load-print* nil "Default of the :PRINT argument of LOAD.")
(defvar *load-verbose* nil "Default of the :VERBOSE argument of LOAD.")
(defvar *compile-file-pathname* nil "Pathname given to COMPILE-FILE.")
(defvar *compile-file-truename* nil "True name of the file being compiled.")
(defvar *compile-print* nil "Default of the :PRINT argument of COMPILE-FILE.")
(defvar *compile-verbose* nil "Default of the :VERBOSE argument of COMPILE-FILE.")

(defun load (filespec &key (verbose *load-verbose*) (print *load-print*) (if-does-not-exist :error)
                        (external-format :default))
  "Read and evaluate the forms of a file or stream."
  (if (streamp filespec)
      (progn
        (when verbose (format t "~&; loading from ~A~%" filespec))
        (load-stream filespec print))
      (let* ((pathname (merge-pathnames filespec))
             (found (or (probe-file pathname)
                        (and (null (pathname-type pathname))
                             (or (probe-file (make-pathname :type "lisp" :defaults pathname))
                                 (probe-file (make-pathname :type "lsp" :defaults pathname)))))))
        (cond (found
               (when verbose (format t "~&; loading ~A~%" (namestring found)))
               (let ((*load-pathname* pathname)
                     (*load-truename* (truename found)))
                 (load-file found external-format print)))
              (if-does-not-exist
               (error 'simple-file-error :pathname pathname :format-control "There is no file ~A to load."
                                         :format-arguments (list (namestring pathname))))
              (t nil)))))

(defmacro with-source-place ((file line column) &body body)
  "Run BODY while what is defined or fails has FILE, LINE and COLUMN as its place."
  (let ((outer (gensym "OUTER")))
    `(let ((,outer (%set-source-place ,file ,line ,column)))
       (unwind-protect (progn ,@body)
         (%set-source-place (first ,outer) (second ,outer) (third ,outer))))))

(defun load-stream (stream print)
  (let ((*package* *package*) (*readtable* *readtable*) (end (list nil)))
    (loop
      (if (%terminal-line stream)
          (progn
            (skip-blank-and-comments stream)
            (with-source-place ("<standard input>" (%terminal-line stream) 1)
              (let ((form (read stream nil end)))
                (when (eq form end) (return t))
                (load-form form print)
                (note-read-definition form "<standard input>" (%terminal-line stream)))))
          (let ((form (read stream nil end)))
            (when (eq form end) (return t))
            (load-form form print))))))

(defun load-form (form print)
  (if print
      (dolist (value (multiple-value-list (eval form))) (format t "~&; ~S~%" value))
      (eval form))
  ;; Who waits for the output of a form need not wait for the next one.
  (%flush-terminal))

(defun load-file (pathname external-format print)
  (let ((*package* *package*) (*readtable* *readtable*) (text (source-text pathname external-format)))
    (map-source-forms (lambda (form) (load-form form print)) text (namestring pathname)
                      :reader (if (module-text-p text) #'read-of-module #'read))
    t))

(defun file-text (pathname external-format)
  "The whole text of a file as a string. A pipe or a terminal does not know its length before it has been read."
  (with-open-file (stream pathname :external-format external-format)
    (let* ((text (make-string (file-length stream))) (end (read-sequence text stream)) (next (read-char stream nil nil)))
      (cond (next
             (with-output-to-string (all)
               (write-string text all :end end)
               (do ((char next (read-char stream nil nil))) ((null char)) (write-char char all))))
            ((= end (length text)) text)
            (t (subseq text 0 end))))))

(defun source-text (pathname external-format)
  "The text of a source file. A first line for the system, which begins with #!, becomes a comment."
  (let ((text (file-text pathname external-format)))
    (check-decoded text pathname external-format)
    (when (and (> (length text) 1) (char= (char text 0) #\#) (char= (char text 1) #\!))
      (setf (char text 0) #\; (char text 1) #\;))
    text))

(defun check-decoded (text pathname external-format)
  "Signal an error when the replacement character in TEXT stands for bytes that are no UTF-8."
  (let ((index (position (code-char #xFFFD) text)))
    (when (and index (member external-format '(:default :utf-8)))
      (with-open-file (bytes pathname :element-type '(unsigned-byte 8))
        (let ((place 0) (start 0))
          (loop
            (setq place (+ place (encoded-length text start index)) start index)
            (unless (file-position bytes place) (return))
            (unless (and (eql (read-byte bytes nil) #xEF) (eql (read-byte bytes nil) #xBF) (eql (read-byte bytes nil) #xBD))
              (file-position bytes place)
              (let ((line (1+ (count #\Newline text :end index))) (break (position #\Newline text :end index :from-end t)))
                (error 'simple-file-error :pathname pathname
                       :format-control "~A is not UTF-8: the byte #x~2,'0X at line ~D, column ~D begins no character. Give LOAD and COMPILE-FILE its encoding, for instance :external-format :latin-1."
                       :format-arguments (list (namestring pathname) (read-byte bytes nil 0) line
                                               (if break (- index break) (1+ index))))))
            (setq index (or (position (code-char #xFFFD) text :start (1+ index)) (return)))))))))

(defun encoded-length (text start end)
  "How many bytes UTF-8 takes for the characters from START to END."
  (let ((length 0))
    (do ((i start (1+ i))) ((= i end) length)
      (let ((code (char-code (char text i))))
        (incf length (cond ((< code #x80) 1) ((< code #x800) 2) ((< code #x10000) 3) (t 4)))))))

(define-condition simple-end-of-file (simple-condition end-of-file) ()
  (:documentation "A source text that ends inside a form."))

(defmacro with-faults-placed ((stream text file start) &body body)
  "Run BODY, which reads an object of TEXT that begins at START: its faults tell their own line, and an end of the text where that object begins."
  `(handler-bind ((end-of-file (lambda (condition)
                                 (when (eq (stream-error-stream condition) ,stream)
                                   (end-inside-form ,stream ,text ,file ,start))))
                  (reader-error (lambda (condition)
                                  (declare (ignore condition))
                                  (let ((place (min (or (file-position ,stream) 0) (length ,text))))
                                    (%set-source-place ,file (1+ (count #\Newline ,text :end place)) 1)))))
     ,@body))

(defun map-source-forms (function text file &key (reader #'read) (note t))
  "Call FUNCTION with each form of TEXT, read one after the other by READER, while definitions get FILE and its line as their
place. With NOTE, definitions are noted in the journal with their source."
  (with-input-from-string (stream text)
    (let ((end (list nil)) (line 1) (counted 0))
      (loop
        (with-source-place (file line 1) (skip-to-form stream text file))
        (let* ((start (file-position stream)) (break (position #\Newline text :end start :from-end t)))
          (setq line (+ line (count #\Newline text :start counted :end start)) counted start)
          (let ((form (with-source-place (file line (if break (- start break) (1+ start)))
                        (let ((form (with-faults-placed (stream text file start) (funcall reader stream nil end))))
                          (unless (eq form end) (funcall function form))
                          form))))
            (when (eq form end) (return))
            (when (and note (definition-form-p form))
              (%note-definition (symbol-name (car form)) (definition-name form)
                                (subseq text start (file-position stream)) file line))))))))

(defun end-inside-form (stream text file start)
  (let* ((break (position #\Newline text :end start :from-end t))
         (line (1+ (count #\Newline text :end start))))
    (%set-source-place file line (if break (- start break) (1+ start)))
    (error 'simple-end-of-file
           :stream stream
           :format-control "~A ends too early: the ~A that begins at line ~D, column ~D is never closed~@[; ~A~]."
           :format-arguments (list (or file "The text")
                                   (cond ((eql (search "#|" text :start2 start) start) "comment")
                                         ((eql (char text start) #\") "string")
                                         (t "form"))
                                   line (if break (- start break) (1+ start))
                                   (%unclosed-hint text start)))))

(defun skip-to-form (stream text file)
  "Skip what is no form: blanks, comments, and text that #+ and #- leave out."
  (loop
    (skip-blank-and-comments stream)
    (let* ((start (file-position stream))
           (sign (and (< (1+ start) (length text)) (char= (char text start) #\#) (char text (1+ start)))))
      (unless (and sign (member sign '(#\+ #\- #\|)) (standard-dispatch-p sign)) (return))
      (if (char= sign #\|)
          (let ((end (block-comment-end text start)))
            (unless end (return))
            (file-position stream end))
          (with-faults-placed (stream text file start)
            (file-position stream (+ start 2))
            (let ((wanted (featurep (let ((*package* (find-package "KEYWORD"))) (read stream)))))
              (unless (if (char= sign #\+) wanted (not wanted))
                (let ((*read-suppress* t)) (read stream)))))))))

(defun standard-dispatch-p (sub-character)
  "True when # before SUB-CHARACTER means what it means in the standard syntax."
  (multiple-value-bind (function non-terminating) (get-macro-character #\#)
    (and function non-terminating
         (eq function (get-macro-character #\# nil))
         (eq (get-dispatch-macro-character #\# sub-character) (get-dispatch-macro-character #\# sub-character nil)))))

(defun block-comment-end (text start)
  "The index after the comment in bars that begins at START, or NIL when it does not end."
  (let ((depth 0) (index start))
    (loop
      (let ((next (position-if (lambda (char) (or (char= char #\#) (char= char #\|))) text :start index)))
        (unless (and next (< (1+ next) (length text))) (return nil))
        (let ((pair (subseq text next (+ next 2))))
          (cond ((string= pair "#|") (incf depth) (setq index (+ next 2)))
                ((string= pair "|#")
                 (decf depth)
                 (setq index (+ next 2))
                 (when (= depth 0) (return index)))
                (t (setq index (1+ next)))))))))

(defun note-read-definition (form file line)
  "Note a definition whose text is gone: what is kept is how FORM prints."
  (when (definition-form-p form)
    (%note-definition (symbol-name (car form)) (definition-name form)
                      (let ((*print-readably* nil) (*print-length* nil) (*print-level* nil) (*print-circle* t)
                            (*print-pretty* t) (*print-escape* t) (*print-base* 10) (*print-radix* nil))
                        (prin1-to-string form))
                      file line)))

(defun skip-blank-and-comments (stream)
  (loop
    (let ((char (peek-char t stream nil nil)))
      (if (eql char #\;)
          (read-line stream)
          (return)))))

(defun definition-form-p (form)
  "True for (DEF… name …), where DEF… is a macro."
  (and (consp form) (symbolp (car form)) (consp (cdr form)) (macro-function (car form))
       (let ((name (symbol-name (car form)))) (and (> (length name) 3) (string= name "DEF" :end1 3)))))

(defun definition-name (form)
  (let ((name (cadr form)))
    (prin1-to-string (if (and (consp name) (not (eq (car name) 'setf))) (car name) name))))
