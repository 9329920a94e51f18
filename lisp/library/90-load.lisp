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
  (let ((*package* *package*) (*readtable* *readtable*) (text (file-text pathname external-format)))
    (map-source-forms (lambda (form) (load-form form print)) text (namestring pathname)
                      :reader (if (module-text-p text) #'read-of-module #'read))
    t))

(defun file-text (pathname external-format)
  "The whole text of a file as a string."
  (with-open-file (stream pathname :external-format external-format)
    (let* ((text (make-string (file-length stream))) (end (read-sequence text stream)))
      (if (= end (length text)) text (subseq text 0 end)))))

(defun map-source-forms (function text file &key (reader #'read) (note t))
  "Call FUNCTION with each form of TEXT, read one after the other by READER, while definitions get FILE and its line as their
place. With NOTE, definitions are noted in the journal with their source."
  (with-input-from-string (stream text)
    (let ((end (list nil)) (line 1) (counted 0))
      (loop
        (skip-blank-and-comments stream)
        (let* ((start (file-position stream)) (break (position #\Newline text :end start :from-end t)))
          (setq line (+ line (count #\Newline text :start counted :end start)) counted start)
          (let ((form (with-source-place (file line (if break (- start break) (1+ start)))
                        (let ((form (funcall reader stream nil end)))
                          (unless (eq form end) (funcall function form))
                          form))))
            (when (eq form end) (return))
            (when (and note (definition-form-p form))
              (%note-definition (symbol-name (car form)) (definition-name form)
                                (subseq text start (file-position stream)) file line))))))))

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
