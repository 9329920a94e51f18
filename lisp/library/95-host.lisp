;;;; What the host calls: evaluation of a text with captured streams, previews of values.

(in-package "AUTOLITH-SYSTEM")

(defun evaluate-for-host (text package-name input output errors preview-length file margin read-eval)
  "Evaluate the forms of TEXT. A list: name of *PACKAGE* at the end, the values of the last form, their previews."
  (let* ((*package* (or (find-package package-name) *package*))
         (*standard-input* input) (*standard-output* output) (*error-output* errors)
         (*trace-output* output)
         (*terminal-io* (make-two-way-stream input output))
         (*query-io* *terminal-io*) (*debug-io* *terminal-io*)
         (*readtable* *readtable*)
         (*read-eval* (and read-eval *read-eval*))
         (values (multiple-value-list (evaluate-text text file))))
    (list (package-name *package*)
          values
          (mapcar (lambda (value) (preview value preview-length margin)) values))))

(defun bounded-print (value limit &optional most-elements most-levels)
  "The printed form of VALUE up to LIMIT characters, and whether there is more. Third value: true when it could not be printed."
  (let ((stream (%make-bounded-string-stream limit))
        (*print-length* most-elements) (*print-level* most-levels))
    (handler-case (progn (prin1 value stream)
                         (values (get-output-stream-string stream) nil))
      (serious-condition ()
        (let ((text (get-output-stream-string stream)))
          (if (< (length text) limit)
              (values (format nil "#<unprintable ~S>" (type-of value)) nil t)
              (values text t)))))))

(defun bounded-print-within (value limit)
  "The printed form of VALUE in LIMIT characters, leaving out elements and levels, or else the end, of what is too large. Then: whether
anything is left out, and the most elements and levels of what is there."
  (multiple-value-bind (text cut failed) (bounded-print value limit)
    (if (not (or cut failed))
        (values text nil nil nil)
        (dolist (bounds '((500 40) (100 10) (20 5) (10 3) (5 2)) (values text cut nil nil))
          (destructuring-bind (elements levels) bounds
            (multiple-value-bind (shorter cut failed) (bounded-print value limit elements levels)
              (unless (or cut failed) (return (values shorter t elements levels)))))))))

(defun preview (value length &optional margin)
  "A list of the printed form of VALUE in LENGTH characters, and what is left out of it as text, or NIL. Pretty for MARGIN columns when
that is given."
  ;; In what is very large nothing is labelled: looking for shared objects would take longer than printing, and each print is bounded.
  (let ((*print-circle* (%reaches-at-most value 20000))
        (*print-readably* nil) (*print-pretty* nil) (*print-escape* t))
    (multiple-value-bind (text cut most-elements most-levels) (bounded-print-within value length)
      (list (if (or (null margin) (<= (length text) margin) (>= (length text) length))
                text
                (or (pretty-text value (* 4 length) margin most-elements most-levels) text))
            (and cut (left-out value (length text) most-elements))))))

(defun pretty-text (value limit margin most-elements most-levels)
  "VALUE pretty printed for MARGIN columns; NIL when that takes more than LIMIT characters, which line breaks and indentation do at worst."
  (let ((*print-pretty* t) (*print-right-margin* margin) (*print-miser-width* nil)
        (*print-pprint-dispatch* (value-dispatch)))
    (multiple-value-bind (text cut failed) (bounded-print value limit most-elements most-levels)
      (if (or cut failed) nil text))))

(defconstant +counted-characters+ 200000 "Printed characters up to which it is counted what a preview leaves out.")

(defun left-out (value shown most-elements)
  "How much a preview of SHOWN characters leaves out of VALUE, as text."
  (let ((elements (if most-elements (- (element-count value) most-elements) 0)))
    (multiple-value-bind (characters more) (printed-length value)
      (let ((rest (- characters shown)))
        (format nil "~:[~*~;~D more element~:P~]~:[~;, ~]~:[~*~;~:[~;more than ~]~D more character~:P~]"
                (plusp elements) elements
                (and (plusp elements) (or more (plusp rest)))
                (or more (plusp rest) (not (plusp elements))) more (max rest 0))))))

(defun printed-length (value)
  "Characters of the printed form of VALUE, and whether there are more than were counted."
  (if (stringp value)
      (values (+ 2 (length value) (count #\" value) (count #\\ value)) nil)
      (let ((stream (%make-bounded-string-stream +counted-characters+))
            (*print-length* nil) (*print-level* nil))
        (let ((more (handler-case (progn (prin1 value stream) nil)
                      (serious-condition () t))))
          (values (length (get-output-stream-string stream)) more)))))

(defun element-count (value)
  "Elements of a list that has an end, or of a vector; 0 for anything else."
  (typecase value
    (cons (or (ignore-errors (list-length value)) 0))
    ((and vector (not string) (not bit-vector)) (length value))
    (t 0)))

(defun preview-text (value length)
  "The printed form of VALUE in LENGTH characters, which says what is left out."
  (destructuring-bind (text left-out) (preview value length)
    (if left-out (format nil "~A ... (~A)" text left-out) text)))

(defvar *value-dispatch* nil "How values are pretty printed; made when the first one is.")

(defun value-dispatch ()
  (or *value-dispatch*
      (let ((table (copy-pprint-dispatch nil)))
        (set-pprint-dispatch '(cons (satisfies keywordp)) 'pprint-property-list 10 table)
        (setf *value-dispatch* table))))

(defun property-list-p (object)
  (do ((rest object (cddr rest)) (count 0 (1+ count)))
      ((null rest) (> count 1))
    (unless (and (consp rest) (keywordp (car rest)) (consp (cdr rest)) (< count 500))
      (return nil))))

(defun pprint-property-list (stream list)
  "A property list that does not fit in a line: one row for each property, the values aligned."
  (if (ignore-errors (property-list-p list))
      (let ((width (do ((rest list (cddr rest)) (widest 0 (max widest (length (symbol-name (car rest))))))
                       ((null rest) (1+ widest)))))
        (pprint-logical-block (stream list :prefix "(" :suffix ")")
          (loop
            (pprint-exit-if-list-exhausted)
            (let ((key (pprint-pop)))
              (write key :stream stream)
              (pprint-exit-if-list-exhausted)
              (write-char #\Space stream)
              (let ((padding (- width (length (symbol-name key)) 1)))
                (dotimes (i padding) (write-char #\Space stream))))
            (write (pprint-pop) :stream stream)
            (pprint-exit-if-list-exhausted)
            (write-char #\Space stream)
            (pprint-newline :linear stream))))
      (pprint-fill stream list t)))

(defun condition-slots (condition)
  "Name and printed value of each slot of a condition."
  (mapcar (lambda (slot)
            (let ((name (%slot-name slot)))
              (list (symbol-name name)
                    (if (slot-boundp condition name)
                        (preview-text (slot-value condition name) 500)
                        "unbound"))))
          (%class-slots (class-of condition))))

;;; Failures of functions of the host.

(export '(autolith::host-error autolith::host-error-code autolith::host-error-message autolith::host-error-details
          autolith::argument-error autolith::argument-type-error autolith::argument-value-error autolith::argument-error-argument
          autolith::supply-arguments autolith::prompt-error autolith::prompt-error-reason autolith::configuration-error)
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

(define-condition wrong-argument (autolith:host-error)
  ((argument :initarg :argument :reader autolith:argument-error-argument :initform nil
             :documentation "The name of the argument, a keyword; NIL when it is no single one."))
  (:documentation "What conditions about arguments of tools have in common."))

(define-condition autolith:argument-error (wrong-argument program-error) ()
  (:documentation "A tool was called without an argument that it needs, or with one that it does not have."))

(define-condition autolith:argument-value-error (wrong-argument) ()
  (:documentation "An argument of a tool has a value that the tool does not take, or does not go with another."))

(define-condition autolith:argument-type-error (wrong-argument type-error) ()
  (:documentation "An argument of a tool is of another type than the tool takes."))

(define-condition autolith:prompt-error (autolith:host-error) ()
  (:documentation "PROMPT was not admitted; PROMPT-ERROR-REASON says why."))

(defun autolith:prompt-error-reason (condition)
  "Why a prompt was not admitted, a keyword such as :EMPTY-CONTENT."
  (let ((reason (getf (autolith:host-error-details condition) :reason)))
    (and reason (values (intern (string-upcase reason) "KEYWORD")))))

(defun wrong-host-arguments (name arguments)
  "Signals that a function of the host does not take so many arguments; others may be supplied."
  (restart-case (error 'simple-program-error
                       :format-control "~A takes ~:[no arguments~;(~:*~A)~], not ~D argument~:P."
                       :format-arguments (list name (host-lambda-list name) (length arguments)))
    (autolith::supply-arguments (arguments)
      :report "Call it with other arguments: a form whose value is the list of them."
      (apply name arguments))))

(defun host-lambda-list (name)
  "The parameters of a function of the host as text; NIL for none."
  (let ((text (string-downcase (format nil "~{~A~^ ~}" (%function-lambda-list (symbol-function name))))))
    (and (plusp (length text)) text)))

(define-condition autolith:configuration-error (autolith:host-error) ()
  (:documentation "A setting is not known, or does not take the value."))
