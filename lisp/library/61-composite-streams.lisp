;;; Streams made of others. Where all of them are native, so is the stream; where one is defined in Lisp (a Gray stream), the
;;; stream is too; it is of no built-in type like TWO-WAY-STREAM then.

(in-package "AUTOLITH-SYSTEM")

(defclass lisp-two-way-stream (fundamental-character-input-stream fundamental-character-output-stream)
  ((input :initarg :input :reader composite-input)
   (output :initarg :output :reader composite-output)))

(defclass lisp-echo-stream (fundamental-character-input-stream fundamental-character-output-stream)
  ((input :initarg :input :reader composite-input)
   (output :initarg :output :reader composite-output)
   (again :initform nil :accessor echo-again)))

(defclass lisp-broadcast-stream (fundamental-character-output-stream)
  ((parts :initarg :parts :reader composite-parts)))

(defclass lisp-concatenated-stream (fundamental-character-input-stream)
  ((parts :initarg :parts :accessor composite-parts)))

;;; Two streams as one

(defmethod stream-read-char ((stream lisp-two-way-stream)) (read-char (composite-input stream) nil :eof))
(defmethod stream-unread-char ((stream lisp-two-way-stream) character) (unread-char character (composite-input stream)))
(defmethod stream-listen ((stream lisp-two-way-stream)) (listen (composite-input stream)))
(defmethod stream-clear-input ((stream lisp-two-way-stream)) (clear-input (composite-input stream)))
(defmethod stream-write-char ((stream lisp-two-way-stream) character) (write-char character (composite-output stream)))
(defmethod stream-line-column ((stream lisp-two-way-stream)) (format-column (composite-output stream)))
(defmethod stream-finish-output ((stream lisp-two-way-stream)) (finish-output (composite-output stream)))
(defmethod stream-force-output ((stream lisp-two-way-stream)) (force-output (composite-output stream)))

(defmethod stream-read-char ((stream lisp-echo-stream))
  (let ((character (read-char (composite-input stream) nil :eof)))
    ;; What was put back has been echoed already.
    (cond ((echo-again stream) (setf (echo-again stream) nil))
          ((characterp character) (write-char character (composite-output stream))))
    character))
(defmethod stream-unread-char ((stream lisp-echo-stream) character)
  (setf (echo-again stream) t)
  (unread-char character (composite-input stream)))
(defmethod stream-peek-char ((stream lisp-echo-stream)) (peek-char nil (composite-input stream) nil :eof))
(defmethod stream-listen ((stream lisp-echo-stream)) (listen (composite-input stream)))
(defmethod stream-write-char ((stream lisp-echo-stream) character) (write-char character (composite-output stream)))
(defmethod stream-line-column ((stream lisp-echo-stream)) (format-column (composite-output stream)))
(defmethod stream-finish-output ((stream lisp-echo-stream)) (finish-output (composite-output stream)))

;;; Many streams as one

(defmethod stream-write-char ((stream lisp-broadcast-stream) character)
  (dolist (part (composite-parts stream) character) (write-char character part)))
(defmethod stream-write-string ((stream lisp-broadcast-stream) string &optional (start 0) end)
  (dolist (part (composite-parts stream) string) (write-string string part :start start :end end)))
(defmethod stream-line-column ((stream lisp-broadcast-stream)) (format-column (car (last (composite-parts stream)))))
(defmethod stream-finish-output ((stream lisp-broadcast-stream)) (mapc #'finish-output (composite-parts stream)) nil)
(defmethod stream-force-output ((stream lisp-broadcast-stream)) (mapc #'force-output (composite-parts stream)) nil)

(defmethod stream-read-char ((stream lisp-concatenated-stream))
  (loop
    (when (null (composite-parts stream)) (return :eof))
    (let ((character (read-char (first (composite-parts stream)) nil :eof)))
      (unless (eq character :eof) (return character))
      (setf (composite-parts stream) (rest (composite-parts stream))))))
(defmethod stream-unread-char ((stream lisp-concatenated-stream) character)
  (unread-char character (first (composite-parts stream))))

;;; Making them

(defun some-lisp-stream-p (streams)
  "True when all of STREAMS are streams and one of them is defined in Lisp. Asks for no class while all are native."
  (and (notevery #'%native-input-p streams) (every #'streamp streams)))

(defun lisp-stream-p (object class)
  "True when OBJECT is defined in Lisp and of CLASS."
  (and (not (%native-input-p object)) (typep object class)))

(defun check-directions (streams predicate)
  (dolist (stream streams)
    (unless (funcall predicate stream)
      (error 'type-error :datum stream :expected-type `(satisfies ,predicate)))))

(defun make-two-way-stream (input-stream output-stream)
  "A stream that reads from one and writes to the other."
  (cond ((some-lisp-stream-p (list input-stream output-stream))
         (check-directions (list input-stream) 'input-stream-p)
         (check-directions (list output-stream) 'output-stream-p)
         (make-instance 'lisp-two-way-stream :input input-stream :output output-stream))
        (t (%make-two-way-stream input-stream output-stream))))

(defun make-echo-stream (input-stream output-stream)
  "A stream that reads from one, writing what it reads to the other."
  (cond ((some-lisp-stream-p (list input-stream output-stream))
         (check-directions (list input-stream) 'input-stream-p)
         (check-directions (list output-stream) 'output-stream-p)
         (make-instance 'lisp-echo-stream :input input-stream :output output-stream))
        (t (%make-echo-stream input-stream output-stream))))

(defun make-broadcast-stream (&rest streams)
  "A stream that writes to all of STREAMS."
  (cond ((some-lisp-stream-p streams)
         (check-directions streams 'output-stream-p)
         (make-instance 'lisp-broadcast-stream :parts streams))
        (t (apply #'%make-broadcast-stream streams))))

(defun make-concatenated-stream (&rest streams)
  "A stream that reads from STREAMS one after the other."
  (cond ((some-lisp-stream-p streams)
         (check-directions streams 'input-stream-p)
         (make-instance 'lisp-concatenated-stream :parts streams))
        (t (apply #'%make-concatenated-stream streams))))

(defun two-way-stream-input-stream (two-way-stream)
  (if (lisp-stream-p two-way-stream 'lisp-two-way-stream)
      (composite-input two-way-stream)
      (%two-way-stream-input-stream two-way-stream)))

(defun two-way-stream-output-stream (two-way-stream)
  (if (lisp-stream-p two-way-stream 'lisp-two-way-stream)
      (composite-output two-way-stream)
      (%two-way-stream-output-stream two-way-stream)))

(defun echo-stream-input-stream (echo-stream)
  (if (lisp-stream-p echo-stream 'lisp-echo-stream) (composite-input echo-stream) (%echo-stream-input-stream echo-stream)))

(defun echo-stream-output-stream (echo-stream)
  (if (lisp-stream-p echo-stream 'lisp-echo-stream) (composite-output echo-stream) (%echo-stream-output-stream echo-stream)))

(defun broadcast-stream-streams (broadcast-stream)
  (if (lisp-stream-p broadcast-stream 'lisp-broadcast-stream)
      (composite-parts broadcast-stream)
      (%broadcast-stream-streams broadcast-stream)))

(defun concatenated-stream-streams (concatenated-stream)
  (if (lisp-stream-p concatenated-stream 'lisp-concatenated-stream)
      (composite-parts concatenated-stream)
      (%concatenated-stream-streams concatenated-stream)))
