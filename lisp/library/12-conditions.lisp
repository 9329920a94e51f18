;;; Conditions as objects: MAKE-CONDITION, DEFINE-CONDITION, reports of the standard types.
;;; The standard condition classes themselves are made by lisp/objects before any Lisp code runs.

(in-package "AUTOLITH-SYSTEM")

(defun condition-class-named (type)
  "The condition class a type specifier given to MAKE-CONDITION, ERROR and the like stands for."
  (let ((class (cond ((symbolp type) (%find-class type))
                     ((%classp type) type)
                     ((and (consp type) (eq (car type) 'or) (consp (cdr type)))
                      (condition-class-named (cadr type)))
                     ((and (consp type) (eq (car type) 'and) (consp (cdr type)))
                      (condition-class-below (mapcar #'condition-class-named (cdr type))))
                     (t nil))))
    (if (and class (%subclassp class (%find-class 'condition)))
        class
        (error 'simple-type-error
               :datum type
               :expected-type '(satisfies condition-type-p)
               :format-control "~S does not name a condition type."
               :format-arguments (list type)))))

(defun condition-class-below (classes)
  "The one of CLASSES that is below all the others, or NIL."
  (find-if (lambda (class) (every (lambda (other) (%subclassp class other)) classes)) classes))

(defun condition-type-p (type)
  "True when TYPE names a condition class."
  (let ((class (and (symbolp type) (%find-class type))))
    (and class (%subclassp class (%find-class 'condition)))))

(defun initarg-value (initargs names)
  "First value in the property list under one of NAMES. Second value: whether there is one."
  (if (null names)
      (values nil nil)
      (do ((rest initargs (cddr rest)))
          ((null rest) (values nil nil))
        (when (%memq (car rest) names)
          (return (values (cadr rest) t))))))

(defun default-condition-initargs (class initargs)
  "INITARGS followed by the class's default initargs that are not among them."
  (let ((defaults '()))
    (dolist (default (%class-default-initargs class))
      (unless (nth-value 1 (initarg-value initargs (list (first default))))
        (push (first default) defaults)
        (push (funcall (third default)) defaults)))
    (if defaults (append initargs (nreverse defaults)) initargs)))

(defun fill-condition-slots (condition initargs)
  "Sets each slot from the initargs, else from its initform."
  (dolist (slot (%fill-slots condition initargs) condition)
    (let ((location (%slot-location slot)) (value (funcall (%slot-initfunction slot))))
      (if (consp location)
          (setf (car location) value)
          (%set-instance-ref condition location value)))))

(defun make-condition (type &rest initargs)
  "A new condition of the type named, its slots filled from the initialisation arguments."
  (or (%quick-condition type initargs) (make-condition-of type initargs)))

(defun make-condition-of (type initargs)
  "What MAKE-CONDITION does when there is more to do than to fill slots."
  (let ((class (condition-class-named type)))
    (unless (%class-finalized class) (finalize-class class))
    (unless (evenp (length initargs))
      (error 'simple-program-error
             :format-control "MAKE-CONDITION of ~S got an odd number of initialisation arguments."
             :format-arguments (list type)))
    (let ((initargs (if (%class-default-initargs class) (default-condition-initargs class initargs) initargs)))
      (fill-condition-slots (%allocate-instance class) initargs))))

(defun finalize-class (class)
  "Computes precedence list, slots and layout of a class whose superclasses are known. The object system replaces this."
  class)

;;; Reports

(defmacro set-condition-report (name report)
  `(%set-class-report (%find-class ,name) ,report))

(defun report-condition (condition stream)
  "Writes the report of the most specific class that has one."
  (dolist (class (%class-precedence-list (class-of condition))
                 (format stream "Condition ~S was signalled." (%class-name (class-of condition))))
    (let ((report (%class-report class)))
      (when report
        (if (stringp report)
            (write-string report stream)
            (funcall report condition stream))
        (return nil))))
  condition)

(defun report-simple-condition (condition stream)
  (let ((control (simple-condition-format-control condition)))
    (if control
        (apply #'format stream control (simple-condition-format-arguments condition))
        (format stream "Condition ~S was signalled." (%class-name (class-of condition)))))
  nil)

(set-condition-report 'simple-condition #'report-simple-condition)

(defmacro define-standard-report (name (condition stream) &body body)
  (multiple-value-bind (declarations forms)
      (if (and (consp (car body)) (eq (caar body) 'declare))
          (values (list (car body)) (cdr body))
          (values '() body))
    `(set-condition-report ',name
                           (lambda (,condition ,stream)
                             ,@declarations
                             ;; One line: reports are shown in places of their own.
                             (let ((*print-pretty* nil)) ,@forms nil)))))

(define-standard-report type-error (condition stream)
  (let ((datum (type-error-datum condition)) (expected (type-error-expected-type condition)))
    (if (equal expected '(and list (satisfies list-length)))
        (let ((*print-circle* t) (*print-length* (or *print-length* 10)))
          (format stream "The list ~S is circular; a list with an end is needed." datum))
        (format stream "The value ~S is not of type ~S." datum expected))))

(define-standard-report case-failure (condition stream)
  (format stream "~S fell through a form that accepts only ~{~S~^, ~}."
          (type-error-datum condition) (case-failure-possibilities condition)))

(define-standard-report cell-error (condition stream)
  (format stream "Access to ~S failed." (cell-error-name condition)))

(define-standard-report unbound-variable (condition stream)
  (format stream "The variable ~S is unbound." (cell-error-name condition)))

(define-standard-report undefined-function (condition stream)
  (format stream "The function ~S is undefined." (cell-error-name condition)))

(define-standard-report unbound-slot (condition stream)
  (format stream "The slot ~S is unbound in the object ~S."
          (cell-error-name condition) (unbound-slot-instance condition)))

(defun report-arithmetic-error (condition stream what)
  (format stream "~A was signalled" what)
  (when (arithmetic-error-operation condition)
    (format stream " by ~S with the operands ~S"
            (arithmetic-error-operation condition) (coerce (arithmetic-error-operands condition) 'list)))
  (write-string "." stream))

(define-standard-report arithmetic-error (condition stream)
  (report-arithmetic-error condition stream (%class-name (class-of condition))))

(define-standard-report division-by-zero (condition stream)
  (report-arithmetic-error condition stream "Division by zero"))

(define-standard-report file-error (condition stream)
  (format stream "The file system refused an operation on ~S." (file-error-pathname condition)))

(define-standard-report package-error (condition stream)
  (format stream "An operation on the package ~S failed." (package-error-package condition)))

(define-standard-report print-not-readable (condition stream)
  (let ((object (print-not-readable-object condition)))
    (let ((*print-readably* nil))
      (format stream "~S cannot be printed readably." object))))

(define-standard-report stream-error (condition stream)
  (format stream "An operation on the stream ~S failed." (stream-error-stream condition)))

(define-standard-report end-of-file (condition stream)
  (format stream "End of file on ~S." (stream-error-stream condition)))

(define-standard-report control-error (condition stream)
  (declare (ignore condition))
  (write-string "A transfer of control failed." stream))

(define-standard-report internal-error (condition stream)
  (format stream "The Lisp system itself failed: ~A" (%instance-ref condition 0)))

(define-standard-report program-error (condition stream)
  (declare (ignore condition))
  (write-string "The program is wrong." stream))

(define-standard-report parse-error (condition stream)
  (declare (ignore condition))
  (write-string "The text could not be parsed." stream))

(define-standard-report storage-condition (condition stream)
  (declare (ignore condition))
  (write-string "A bound on memory was reached." stream))

(define-standard-report no-applicable-method-error (condition stream)
  (format stream "There is no applicable method of ~S for the arguments ~S."
          (%instance-ref condition 0) (%instance-ref condition 1)))

(define-standard-report no-next-method-error (condition stream)
  (format stream "There is no next method of ~S after ~S for the arguments ~S."
          (%instance-ref condition 0) (%instance-ref condition 1) (%instance-ref condition 2)))

;;; The types whose classes are simple conditions beside another type report as simple conditions do: a class in front of
;;; SIMPLE-CONDITION in a precedence list must not hide its report.
(dolist (name '(simple-warning simple-style-warning simple-error simple-control-error simple-file-error
                simple-package-error simple-parse-error simple-program-error simple-stream-error
                simple-reader-error simple-type-error simple-storage-condition format-error))
  (set-condition-report name #'report-simple-condition))
