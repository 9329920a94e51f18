;;; Classes, continued: accessors of slots, and DEFINE-CONDITION.

(in-package "AUTOLITH-SYSTEM")

;;; Accessors

(defun reader-maker (name)
  (lambda (next method)
    (declare (ignore next method))
    (lambda (object) (slot-value object name))))

(defun writer-maker (name)
  (lambda (next method)
    (declare (ignore next method))
    (lambda (value object) (setf (slot-value object name) value))))

(defun add-accessor (class slot function-name writer)
  (let* ((lambda-list (if writer '(value object) '(object)))
         (existing (untraced-definition function-name))
         (gf (if (%generic-function-p existing)
                 existing
                 (ensure-generic-function function-name :lambda-list lambda-list)))
         (method (make-method-object
                  (%find-class (if writer 'standard-writer-method 'standard-reader-method))
                  '()
                  (if writer (list (%find-class 't) class) (list class))
                  lambda-list
                  (if writer (writer-maker (%slot-name slot)) (reader-maker (%slot-name slot)))
                  nil)))
    (%set-method-slot method slot)
    (install-method gf method)))

(defun add-slot-accessors (class)
  (dolist (slot (%class-direct-slots class))
    (dolist (reader (%slot-readers slot)) (add-accessor class slot reader nil))
    (dolist (writer (%slot-writers slot)) (add-accessor class slot writer t))))

(defun remove-accessor (class function-name writer)
  (let ((gf (untraced-definition function-name)))
    (when (%generic-function-p gf)
      (let ((method (find-method-with-key gf '() (if writer (list (%find-class 't) class) (list class)))))
        (when (and method (%method-slot method)) (uninstall-method gf method))))))

(defun remove-slot-accessors (class)
  "Takes away the accessors of an earlier definition of the class."
  (dolist (slot (%class-direct-slots class))
    (dolist (reader (%slot-readers slot)) (remove-accessor class reader nil))
    (dolist (writer (%slot-writers slot)) (remove-accessor class writer t))))

;;; Conditions

(defmacro define-condition (name parent-types slot-specifications &rest options)
  "Defines a condition type."
  (unless (and name (symbolp name)) (class-definition-problem "~S is no name for a condition type." name))
  (check-slot-names name slot-specifications)
  (let ((report nil) (documentation nil) (defaults '()) (seen '()))
    (dolist (option options)
      (unless (consp option) (class-definition-problem "~S is no option of DEFINE-CONDITION." option))
      (when (member (car option) seen) (class-definition-problem "The option ~S occurs twice." (car option)))
      (push (car option) seen)
      (case (car option)
        (:report (setq report (second option)))
        (:documentation (setq documentation (second option)))
        (:default-initargs (setq defaults (parse-default-initargs name (cdr option))))
        (t (class-definition-problem "~S is no option of DEFINE-CONDITION." (car option)))))
    `(progn
       (eval-when (:compile-toplevel) (note-class-name ',name))
       (load-class ',name 'condition-class
                   :direct-superclasses ',(or parent-types '(condition))
                   :direct-slots (list ,@(mapcar (lambda (slot) (parse-slot-specification name slot nil))
                                                 slot-specifications))
                   :direct-default-initargs (list ,@defaults)
                   :documentation ,documentation
                   :report ,(cond ((stringp report) report)
                                  ((null report) nil)
                                  (t `(function ,report))))
       ',name)))
