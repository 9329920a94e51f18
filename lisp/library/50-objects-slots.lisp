;;; Slots: access by name, missing and unbound slots, obsolete instances.

(in-package "AUTOLITH-SYSTEM")

(defun find-class (name &optional (errorp t) environment)
  "The class named NAME; an error, or NIL when ERRORP is NIL, if there is none."
  (declare (ignore environment))
  (unless (symbolp name)
    (error 'type-error :datum name :expected-type 'symbol))
  (or (%find-class name)
      (if errorp
          (error 'simple-error :format-control "There is no class named ~S." :format-arguments (list name))
          nil)))

(defun (setf find-class) (class name &optional errorp environment)
  "Makes NAME the name of CLASS, or of no class when it is NIL."
  (declare (ignore errorp environment))
  (unless (or (null class) (%classp class))
    (error 'type-error :datum class :expected-type 'class))
  (let ((existing (%find-class name)))
    (when (and existing (not (eq existing class)) (eq (%class-kind existing) :built-in))
      (error 'simple-error :format-control "The name ~S of a built-in class cannot be given to ~S."
                           :format-arguments (list name class))))
  (%refuse-standard-name name)
  (%set-find-class name class)
  (forget-recipes)
  class)

(defun class-slot-named (class name)
  "The effective slot definition of that name, or NIL."
  (do ((slots (%class-slots class) (cdr slots)))
      ((null slots) nil)
    (when (eq (%slot-name (car slots)) name) (return (car slots)))))

(defun plain-class-p (class)
  "True when slot access of instances of CLASS cannot be customised: its metaclass is a standard one."
  (let ((meta (class-of class)))
    (or (eq meta (load-time-value (%find-class 'standard-class)))
        (eq meta (load-time-value (%find-class 'condition-class)))
        (eq meta (load-time-value (%find-class 'structure-class)))
        (eq meta (load-time-value (%find-class 'funcallable-standard-class)))
        (not (%subclassp meta (load-time-value (%find-class 'std-class)))))))

(defun ensure-current-instance (object)
  "Updates an instance whose class was redefined since it was made or last used."
  (unless (%current-instance-p object) (update-obsolete-instance object))
  object)

(defun slot-value (object name)
  "The value of the slot named NAME."
  (let ((value (%fast-slot-value object name)))
    (if (eq value '%no-slot-value)
        (slow-slot-value object name)
        value)))

(define-compiler-macro slot-value (&whole form &rest arguments)
  (if (constant-slot-name-p arguments)
      (let ((object (gensym "OBJECT")) (value (gensym "VALUE")) (name (cadr arguments)))
        `(let* ((,object ,(car arguments)) (,value (%cached-slot-value (%cache) ,object ,name)))
           (if (eq ,value '%no-slot-value) (slow-slot-value ,object ,name) ,value)))
      form))

(defun constant-slot-name-p (arguments)
  "True for two arguments, the second of which is a quoted symbol."
  (and (consp arguments) (consp (cdr arguments)) (null (cddr arguments))
       (let ((name (cadr arguments)))
         (and (consp name) (eq (car name) 'quote) (consp (cdr name)) (symbolp (cadr name)) (null (cddr name))))))

(defun slow-slot-value (object name)
  (ensure-current-instance object)
  (let* ((class (class-of object))
         (slot (class-slot-named class name)))
    (cond ((null slot) (values (slot-missing class object name 'slot-value)))
          ((plain-class-p class) (slot-value-at object class slot))
          (t (slot-value-using-class class object slot)))))

(defun slot-value-at (object class slot)
  "The value of a slot given by its effective definition."
  (let* ((location (%slot-location slot))
         (value (if (consp location) (car location) (%instance-ref object location))))
    (if (eq value '%no-slot-value)
        (values (slot-unbound class object (%slot-name slot)))
        value)))

(defun (setf slot-value) (value object name)
  "Stores VALUE in the slot named NAME."
  (when (eq (%fast-set-slot-value object name value) '%no-slot-value)
    (slow-set-slot-value object name value))
  value)

(define-setf-expander slot-value (&whole place &rest arguments)
  (if (constant-slot-name-p arguments)
      (let ((object (gensym "OBJECT")) (value (gensym "VALUE")) (name (cadr arguments)))
        (values (list object)
                (list (car arguments))
                (list value)
                `(if (eq (%cached-set-slot-value (%cache) ,object ,name ,value) '%no-slot-value)
                     (slow-set-slot-value ,object ,name ,value)
                     ,value)
                `(slot-value ,object ,name)))
      (function-setf-expansion place)))

(defun slow-set-slot-value (object name value)
  (ensure-current-instance object)
  (let* ((class (class-of object))
         (slot (class-slot-named class name)))
    (cond ((null slot) (slot-missing class object name 'setf value))
          ((plain-class-p class) (set-slot-value-at object slot value))
          (t (funcall #'(setf slot-value-using-class) value class object slot)))
    value))

(defun set-slot-value-at (object slot value)
  (let ((location (%slot-location slot)))
    (if (consp location)
        (setf (car location) value)
        (%set-instance-ref object location value))
    value))

(defun slot-boundp (object name)
  "True when the slot named NAME has a value."
  (ensure-current-instance object)
  (let* ((class (class-of object))
         (slot (class-slot-named class name)))
    (cond ((null slot) (and (slot-missing class object name 'slot-boundp) t))
          ((plain-class-p class) (slot-bound-at-p object slot))
          (t (slot-boundp-using-class class object slot)))))

(defun slot-bound-at-p (object slot)
  (let ((location (%slot-location slot)))
    (not (eq (if (consp location) (car location) (%instance-ref object location)) '%no-slot-value))))

(defun slot-makunbound (object name)
  "Makes the slot named NAME unbound."
  (ensure-current-instance object)
  (let* ((class (class-of object))
         (slot (class-slot-named class name)))
    (cond ((null slot) (slot-missing class object name 'slot-makunbound))
          ((plain-class-p class) (slot-makunbound-at object slot))
          (t (slot-makunbound-using-class class object slot)))
    object))

(defun slot-makunbound-at (object slot)
  (let ((location (%slot-location slot)))
    (if (consp location)
        (setf (car location) '%no-slot-value)
        (%set-instance-ref object location '%no-slot-value))
    object))

(defun slot-exists-p (object name)
  "True when the object has a slot of that name."
  (ensure-current-instance object)
  (and (class-slot-named (class-of object) name) t))

(defmacro with-slots (slot-entries instance-form &body body)
  "Evaluates BODY with names that stand for slots of an instance."
  (let ((instance (gensym "INSTANCE")))
    `(let ((,instance ,instance-form))
       (declare (ignorable ,instance))
       (symbol-macrolet ,(mapcar (lambda (entry)
                                   (if (consp entry)
                                       `(,(first entry) (slot-value ,instance ',(second entry)))
                                       `(,entry (slot-value ,instance ',entry))))
                                 slot-entries)
         ,@body))))

(defmacro with-accessors (slot-entries instance-form &body body)
  "Evaluates BODY with names that stand for calls of accessors on an instance."
  (let ((instance (gensym "INSTANCE")))
    `(let ((,instance ,instance-form))
       (declare (ignorable ,instance))
       (symbol-macrolet ,(mapcar (lambda (entry) `(,(first entry) (,(second entry) ,instance))) slot-entries)
         ,@body))))
