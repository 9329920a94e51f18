;;;; What the host calls: evaluation of a text with captured streams, previews of values.

(in-package "AUTOLITH-SYSTEM")

(defun evaluate-for-host (text package-name input output errors preview-length file)
  "Evaluate the forms of TEXT. A list: name of *PACKAGE* at the end, the values of the last form, their previews."
  (let* ((*package* (or (find-package package-name) *package*))
         (*standard-input* input) (*standard-output* output) (*error-output* errors)
         (*trace-output* output)
         (*terminal-io* (make-two-way-stream input output))
         (*query-io* *terminal-io*) (*debug-io* *terminal-io*)
         (*readtable* *readtable*)
         (values (multiple-value-list (evaluate-text text file))))
    (list (package-name *package*)
          values
          (mapcar (lambda (value) (preview value preview-length)) values))))

(defun preview (value length)
  "A list of the printed form of VALUE, cut to LENGTH characters, and whether it was cut."
  (let ((text (handler-case
                  (let ((*print-length* 200) (*print-level* 20) (*print-circle* t) (*print-readably* nil)
                        (*print-pretty* nil) (*print-escape* t))
                    (prin1-to-string value))
                (error () (format nil "#<unprintable ~S>" (type-of value))))))
    (if (> (length text) length)
        (list (subseq text 0 length) t)
        (list text nil))))

(defun condition-slots (condition)
  "Name and printed value of each slot of a condition."
  (mapcar (lambda (slot)
            (let ((name (%slot-name slot)))
              (list (symbol-name name)
                    (if (slot-boundp condition name)
                        (first (preview (slot-value condition name) 500))
                        "unbound"))))
          (%class-slots (class-of condition))))

;;; Failures of functions of the host.

(export '(autolith::host-error autolith::host-error-code autolith::host-error-message autolith::host-error-details
          autolith::prompt-error autolith::prompt-error-reason autolith::configuration-error)
        "AUTOLITH")

(define-condition autolith:host-error (error)
  ((code :initarg :code :reader autolith:host-error-code :initform :internal-error
         :documentation "What kind of failure it is, a keyword that never changes.")
   (message :initarg :message :reader autolith:host-error-message :initform "")
   (details :initarg :details :reader autolith:host-error-details :initform '()
            :documentation "More about it, a property list."))
  (:report (lambda (condition stream)
             (write-string (autolith:host-error-message condition) stream)))
  (:documentation "A tool, a command or another function of the host refused or failed."))

(define-condition autolith:prompt-error (autolith:host-error) ()
  (:documentation "PROMPT was not admitted; PROMPT-ERROR-REASON says why."))

(defun autolith:prompt-error-reason (condition)
  "Why a prompt was not admitted, a keyword such as :EMPTY-CONTENT."
  (let ((reason (getf (autolith:host-error-details condition) :reason)))
    (and reason (intern (string-upcase reason) "KEYWORD"))))

(define-condition autolith:configuration-error (autolith:host-error) ()
  (:documentation "A setting is not known, or does not take the value."))
