;;; Gray streams: classes and generic functions through which programs define streams of their own.

(in-package "AUTOLITH-SYSTEM")

(defclass fundamental-stream (standard-object stream)
  ((open-p :initform t :accessor fundamental-stream-open-p)))
(defclass fundamental-input-stream (fundamental-stream) ())
(defclass fundamental-output-stream (fundamental-stream) ())
(defclass fundamental-character-stream (fundamental-stream) ())
(defclass fundamental-binary-stream (fundamental-stream) ())
(defclass fundamental-character-input-stream (fundamental-input-stream fundamental-character-stream) ())
(defclass fundamental-character-output-stream (fundamental-output-stream fundamental-character-stream) ())
(defclass fundamental-binary-input-stream (fundamental-input-stream fundamental-binary-stream) ())
(defclass fundamental-binary-output-stream (fundamental-output-stream fundamental-binary-stream) ())

(defgeneric stream-read-char (stream))
(defgeneric stream-unread-char (stream character))
(defgeneric stream-read-char-no-hang (stream) (:method ((stream t)) (stream-read-char stream)))
(defgeneric stream-peek-char (stream)
  (:method ((stream t))
    (let ((character (stream-read-char stream)))
      (unless (eq character :eof) (stream-unread-char stream character))
      character)))
(defgeneric stream-listen (stream)
  (:method ((stream t))
    (let ((character (stream-read-char-no-hang stream)))
      (cond ((or (null character) (eq character :eof)) nil)
            (t (stream-unread-char stream character) t)))))
(defgeneric stream-read-line (stream)
  (:method ((stream t))
    (let ((out (make-string-output-stream)))
      (do () (nil)
        (let ((character (stream-read-char stream)))
          (cond ((eq character :eof) (return (values (get-output-stream-string out) t)))
                ((char= character #\Newline) (return (values (get-output-stream-string out) nil)))
                (t (write-char character out))))))))
(defgeneric stream-clear-input (stream) (:method ((stream t)) nil))
(defgeneric stream-write-char (stream character))
(defgeneric stream-line-column (stream) (:method ((stream t)) nil))
(defgeneric stream-line-length (stream) (:method ((stream t)) nil))
(defgeneric stream-start-line-p (stream) (:method ((stream t)) (eql (stream-line-column stream) 0)))
(defgeneric stream-write-string (stream string &optional start end)
  (:method ((stream t) string &optional (start 0) end)
    (do ((index start (1+ index)) (end (or end (length string))))
        ((>= index end) string)
      (stream-write-char stream (char string index)))))
(defgeneric stream-terpri (stream) (:method ((stream t)) (stream-write-char stream #\Newline) nil))
(defgeneric stream-fresh-line (stream)
  (:method ((stream t)) (if (stream-start-line-p stream) nil (progn (stream-terpri stream) t))))
(defgeneric stream-finish-output (stream) (:method ((stream t)) nil))
(defgeneric stream-force-output (stream) (:method ((stream t)) nil))
(defgeneric stream-clear-output (stream) (:method ((stream t)) nil))
(defgeneric stream-advance-to-column (stream column)
  (:method ((stream t) column)
    (let ((current (stream-line-column stream)))
      (when current
        (dotimes (i (- column current) t) (stream-write-char stream #\Space))))))
(defgeneric stream-read-byte (stream))
(defgeneric stream-write-byte (stream byte))
(defgeneric stream-file-position (stream &optional position)
  (:method ((stream t) &optional position) (declare (ignore position)) nil))
(defgeneric gray-stream-element-type (stream)
  (:method ((stream fundamental-character-stream)) 'character)
  (:method ((stream t)) t))
(defgeneric gray-input-stream-p (stream)
  (:method ((stream t)) nil)
  (:method ((stream fundamental-input-stream)) t))
(defgeneric gray-output-stream-p (stream)
  (:method ((stream t)) nil)
  (:method ((stream fundamental-output-stream)) t))
(defgeneric gray-open-stream-p (stream)
  (:method ((stream t)) t)
  (:method ((stream fundamental-stream)) (fundamental-stream-open-p stream)))
(defgeneric gray-close (stream abort)
  (:method ((stream t) abort) (declare (ignore abort)) t)
  (:method ((stream fundamental-stream) abort)
    (declare (ignore abort))
    (setf (fundamental-stream-open-p stream) nil)
    t))

(defun gray-read-char (stream eof-error-p eof-value)
  (check-stream stream)
  (let ((character (stream-read-char stream)))
    (cond ((not (eq character :eof)) character)
          (eof-error-p (error 'end-of-file :stream stream))
          (t eof-value))))

(defun gray-peek-char (peek-type stream eof-error-p eof-value)
  (check-stream stream)
  (do () (nil)
    (let ((character (stream-peek-char stream)))
      (cond ((eq character :eof)
             (return (if eof-error-p (error 'end-of-file :stream stream) eof-value)))
            ((or (null peek-type)
                 (and (eq peek-type t) (not (%whitespace-p character)))
                 (eql peek-type character))
             (return character))
            (t (stream-read-char stream))))))

(defun gray-read-line (stream eof-error-p eof-value)
  (check-stream stream)
  (multiple-value-bind (line ended) (stream-read-line stream)
    (cond ((and ended (zerop (length line)))
           (if eof-error-p (error 'end-of-file :stream stream) (values eof-value t)))
          (t (values line ended)))))

(defun gray-file-position (stream position)
  (if position (stream-file-position stream position) (stream-file-position stream)))

;;; The names under which other systems offer these symbols.
(defmacro offer-symbols (package-name names)
  "Makes a package that exports symbols of the system. Only built-in functions are called, so that a boot loads nothing else."
  `(progn
     (unless (find-package ,package-name) (make-package ,package-name :use '()))
     (import ,names ,package-name)
     (export ,names ,package-name)))

(offer-symbols "SB-GRAY"
               '(fundamental-stream fundamental-input-stream fundamental-output-stream fundamental-character-stream
                 fundamental-binary-stream fundamental-character-input-stream fundamental-character-output-stream
                 fundamental-binary-input-stream fundamental-binary-output-stream
                 stream-read-char stream-unread-char stream-read-char-no-hang stream-peek-char stream-listen
                 stream-read-line stream-clear-input stream-write-char stream-line-column stream-line-length
                 stream-start-line-p stream-write-string stream-terpri stream-fresh-line stream-finish-output
                 stream-force-output stream-clear-output stream-advance-to-column stream-read-byte stream-write-byte
                 stream-file-position))

(offer-symbols "SB-MOP"
               '(class-direct-superclasses class-direct-subclasses class-direct-slots class-slots
                 class-precedence-list class-finalized-p class-default-initargs class-direct-default-initargs
                 class-prototype finalize-inheritance slot-definition slot-definition-name slot-definition-initargs
                 slot-definition-initform slot-definition-initfunction slot-definition-type
                 slot-definition-allocation slot-definition-readers slot-definition-writers
                 slot-definition-location standard-direct-slot-definition standard-effective-slot-definition
                 generic-function-name generic-function-lambda-list generic-function-methods
                 generic-function-method-class generic-function-method-combination
                 generic-function-argument-precedence-order generic-function-declarations
                 method-generic-function method-lambda-list method-specializers specializer-direct-methods
                 eql-specializer eql-specializer-object intern-eql-specializer set-funcallable-instance-function
                 funcallable-standard-class funcallable-standard-object validate-superclass
                 slot-value-using-class slot-boundp-using-class slot-makunbound-using-class
                 direct-slot-definition-class effective-slot-definition-class
                 compute-effective-slot-definition compute-slots ensure-class metaobject specializer
                 forward-referenced-class standard-accessor-method standard-reader-method
                 standard-writer-method))
