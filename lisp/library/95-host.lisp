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
