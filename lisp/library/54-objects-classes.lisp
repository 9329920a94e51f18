;;; Classes: DEFCLASS, DEFINE-CONDITION, inheritance of slots and options, redefinition.

(in-package "AUTOLITH-SYSTEM")

;;; Slot specifications and class options at macro expansion time

(defun class-definition-problem (control &rest arguments)
  (error 'simple-program-error :format-control control :format-arguments arguments))

(defun parse-slot-specification (class-name specification extra-allowed)
  "A form that makes the property list of a direct slot."
  (let ((name (if (consp specification) (car specification) specification))
        (options (if (consp specification) (cdr specification) '()))
        (plist '()) (extra '()) (initargs '()) (readers '()) (writers '()))
    (unless (symbolp name) (class-definition-problem "~S is no name of a slot of ~S." name class-name))
    (when (oddp (length options)) (class-definition-problem "The options of the slot ~S of ~S are no pairs." name class-name))
    (do ((rest options (cddr rest))) ((null rest))
      (let ((key (car rest)) (value (cadr rest)))
        (when (and (member key '(:allocation :initform :type :documentation)) (getf plist key))
          (class-definition-problem "The option ~S occurs twice in the slot ~S of ~S." key name class-name))
        (case key
          (:initarg
           (unless (symbolp value) (class-definition-problem "~S is no initarg name." value))
           (push value initargs))
          (:reader
           (unless (symbolp value) (class-definition-problem "~S is no name for a reader." value))
           (push value readers))
          (:writer
           (unless (function-name-p value) (class-definition-problem "~S is no name for a writer." value))
           (push value writers))
          (:accessor
           (unless (symbolp value) (class-definition-problem "~S is no name for an accessor." value))
           (push value readers)
           (push `(setf ,value) writers))
          (:initform
           (when (member :initform plist)
             (class-definition-problem "The option :INITFORM occurs twice in the slot ~S of ~S." name class-name))
           (setq plist (list* :initform `',value :initfunction `(lambda () ,value)
                              (if (literal-form-p value) (list* :constant `(list ,value) plist) plist))))
          (:type (setq plist (list* :type `',value plist)))
          (:documentation
           (unless (stringp value) (class-definition-problem "The documentation of the slot ~S is no string." name))
           (setq plist (list* :documentation value plist)))
          (:allocation
           (unless (member value '(:instance :class))
             (unless extra-allowed (class-definition-problem "~S is no allocation of a slot." value)))
           (setq plist (list* :allocation `',value plist)))
          (t (unless extra-allowed
               (class-definition-problem "~S is no option for the slot ~S of ~S." key name class-name))
             (let ((known (assoc key extra)))
               (if known (push value (cdr known)) (push (list key value) extra)))))))
    `(list :name ',name
           :initargs ',(nreverse initargs) :readers ',(nreverse readers) :writers ',(nreverse writers)
           ,@plist
           ,@(when extra
               `(:extra ',(let ((result '()))
                            (dolist (entry (reverse extra) (nreverse result))
                              (push (first entry) result)
                              (push (if (cddr entry) (reverse (cdr entry)) (second entry)) result))))))))

(defun literal-form-p (form)
  "True when a form's value is the same object each time."
  (or (numberp form) (stringp form) (characterp form) (keywordp form) (null form) (eq form t)
      (and (consp form) (eq (car form) 'quote))))

(defun parse-default-initargs (class-name arguments)
  "Forms of the (name form function) lists of default initargs."
  (let ((result '()) (seen '()))
    (when (oddp (length arguments)) (class-definition-problem "The default initargs of ~S are no pairs." class-name))
    (do ((rest arguments (cddr rest))) ((null rest) (nreverse result))
      (when (member (car rest) seen)
        (class-definition-problem "The default initarg ~S of ~S occurs twice." (car rest) class-name))
      (push (car rest) seen)
      (push `(list ',(first rest) ',(second rest) (lambda () ,(second rest))) result))))

(defun check-slot-names (class-name specifications)
  (let ((seen '()))
    (dolist (specification specifications)
      (let ((name (if (consp specification) (car specification) specification)))
        (when (member name seen) (class-definition-problem "The slot ~S of ~S is defined twice." name class-name))
        (push name seen)))))

(defmacro defclass (name direct-superclasses direct-slots &rest options)
  "Defines a class, or changes the one of that name."
  (unless (and name (symbolp name)) (class-definition-problem "~S is no name for a class." name))
  (unless (listp direct-superclasses) (class-definition-problem "~S is no list of superclasses." direct-superclasses))
  (check-slot-names name direct-slots)
  (dolist (slot direct-slots)
    (let ((slot-name (if (consp slot) (car slot) slot)))
      (when (and (symbolp slot-name) (or (keywordp slot-name) (eq (%variable-kind slot-name) :constant)))
        (class-definition-problem "~S is a constant and cannot name a slot of ~S." slot-name name))))
  (let ((metaclass 'standard-class) (documentation nil) (defaults '()) (extra '()) (seen '()))
    (dolist (option options)
      (unless (consp option) (class-definition-problem "~S is no class option." option))
      (when (member (car option) seen) (class-definition-problem "The class option ~S occurs twice." (car option)))
      (push (car option) seen))
    (let ((metaclass-option (assoc :metaclass options)))
      (when metaclass-option (setq metaclass (second metaclass-option))))
    (dolist (option options)
      (case (car option)
        (:metaclass)
        (:documentation (setq documentation (second option)))
        (:default-initargs (setq defaults (parse-default-initargs name (cdr option))))
        (t (when (eq metaclass 'standard-class)
             (class-definition-problem "~S is no class option of ~S." (car option) name))
           (setq extra (append extra `(,(car option) ',(cdr option)))))))
    `(progn
       (eval-when (:compile-toplevel) (note-class-name ',name))
       (load-class ',name ',metaclass
                   :direct-superclasses ',direct-superclasses
                   :direct-slots (list ,@(mapcar (lambda (slot)
                                                   (parse-slot-specification name slot (not (eq metaclass 'standard-class))))
                                                 direct-slots))
                   :direct-default-initargs (list ,@defaults)
                   :documentation ,documentation
                   ,@extra))))

(defun note-class-name (name) name)

;;; Making and changing classes

(defun load-class (name metaclass &rest arguments)
  (apply #'ensure-class name :metaclass metaclass arguments))

(defun designated-superclass (designator)
  "The class a superclass name stands for; a forward reference is made when there is none."
  (cond ((%classp designator) designator)
        ((find-class designator nil))
        (t (let ((class (%make-class designator :forward (%find-class 'forward-referenced-class))))
             (%set-find-class designator class)
             class))))

(defun metaclass-kind (metaclass)
  (cond ((%subclassp metaclass (%find-class 'funcallable-standard-class)) :funcallable)
        ((%subclassp metaclass (%find-class 'condition-class)) :condition)
        ((%subclassp metaclass (%find-class 'standard-class)) :standard)
        (t :standard)))

(defun default-superclass (kind)
  (%find-class (case kind
                 (:funcallable 'funcallable-standard-object)
                 (:condition 'condition)
                 (t 'standard-object))))

(defun ensure-class (name &rest arguments &key (metaclass 'standard-class) &allow-other-keys)
  "Makes or changes the class named NAME."
  (%refuse-standard-name name)
  (let ((metaclass (if (symbolp metaclass) (find-class metaclass) metaclass))
        (existing (find-class name nil))
        (arguments (remove-property arguments :metaclass)))
    (when (and existing (member (%class-kind existing) '(:built-in :structure)))
      (error 'simple-error :format-control "The class ~S cannot be redefined by DEFCLASS." :format-arguments (list existing)))
    (when (and existing (not (eq (%class-name existing) name))) (setq existing nil))
    (cond ((null existing)
           (let ((class (make-class-object metaclass name arguments)))
             (%set-find-class name class)
             class))
          ((eq (%class-kind existing) :forward)
           (%change-metaclass existing metaclass (metaclass-kind metaclass))
           (apply #'initialize-class-object existing :name name arguments)
           existing)
          (t (unless (eq (class-of existing) metaclass)
               (error 'simple-error :format-control "The metaclass of ~S cannot be changed to ~S."
                      :format-arguments (list existing metaclass)))
             (apply #'reinitialize-class-object existing arguments)
             existing))))

(defun remove-property (plist key)
  (let ((result '()))
    (do ((rest plist (cddr rest))) ((null rest) (nreverse result))
      (unless (eq (car rest) key)
        (push (car rest) result)
        (push (cadr rest) result)))))

(defun make-class-object (metaclass name arguments)
  "A new class; through MAKE-INSTANCE when the metaclass is a user's."
  (if (standard-metaclass-p metaclass)
      (let ((class (%make-class name (metaclass-kind metaclass) metaclass)))
        (apply #'initialize-class-object class :name name arguments)
        class)
      (apply #'make-instance metaclass :name name arguments)))

(defun standard-metaclass-p (metaclass)
  (member (%class-name metaclass) '(standard-class funcallable-standard-class condition-class)))

(defun reinitialize-class-object (class &rest arguments)
  (if (standard-metaclass-p (class-of class))
      (apply #'initialize-class-object class arguments)
      (apply #'reinitialize-instance class arguments)))

(defun make-direct-slot (class plist)
  (let* ((slot-class (direct-slot-class class plist))
         (slot (%make-slot-definition slot-class)))
    (%set-slot-name slot (getf plist :name))
    (%set-slot-initargs slot (getf plist :initargs))
    (%set-slot-initform slot (getf plist :initform))
    (%set-slot-initfunction slot (getf plist :initfunction))
    (%set-slot-constant slot (getf plist :constant))
    (%set-slot-type slot (getf plist :type t))
    (%set-slot-allocation slot (getf plist :allocation :instance))
    (%set-slot-readers slot (getf plist :readers))
    (%set-slot-writers slot (getf plist :writers))
    (%set-slot-documentation slot (getf plist :documentation))
    (%set-slot-owner slot class)
    (unless (eq slot-class (%find-class 'standard-direct-slot-definition))
      (initialize-extra-slots slot slot-class (append (getf plist :extra) plist)))
    slot))

(defun initialize-extra-slots (object class initargs)
  "Slots that a user's subclass adds to a metaobject class."
  (dolist (slot (%class-slots class))
    (when (integerp (%slot-location slot))
      (multiple-value-bind (value supplied) (initarg-value initargs (%slot-initargs slot))
        (cond (supplied (%set-instance-ref object (%slot-location slot) value))
              ((%slot-initfunction slot)
               (%set-instance-ref object (%slot-location slot) (funcall (%slot-initfunction slot)))))))))

(defun direct-slot-class (class plist)
  (if (standard-metaclass-p (class-of class))
      (%find-class 'standard-direct-slot-definition)
      (apply #'direct-slot-definition-class class (append (getf plist :extra) plist))))

(defun check-superclass (class superclass)
  (let ((kind (%class-kind superclass)))
    (when (or (member kind '(:built-in :structure))
              (and (eq (%class-kind class) :standard) (member kind '(:condition)))
              (and (eq (%class-kind class) :condition) (not (member kind '(:condition :forward)))))
      (unless (or (member (%class-name superclass) '(t stream function))
                  (and (not (plain-class-p class)) (validate-superclass class superclass)))
        (error 'simple-error :format-control "~S cannot be a superclass of ~S."
               :format-arguments (list superclass class))))
    (unless (or (plain-class-p class) (eq kind :forward) (validate-superclass class superclass))
      (error 'simple-error :format-control "~S is not a valid superclass of ~S."
             :format-arguments (list superclass class)))))

(defun initialize-class-object (class &key (name nil name-given) (direct-superclasses '() supers-given)
                                        (direct-slots '() slots-given) (direct-default-initargs '() defaults-given)
                                        (documentation nil documentation-given) report &allow-other-keys)
  "Fills in or changes a class and everything that depends on it."
  (when name-given (%set-class-name class name))
  (when (or supers-given name-given)
    (let ((supers (or (mapcar #'designated-superclass direct-superclasses)
                      (list (default-superclass (%class-kind class))))))
      (dolist (super supers) (check-superclass class super))
      (check-no-circle class supers)
      (unless (= (length supers) (length (remove-duplicates supers)))
        (class-definition-problem "A superclass of ~S is given twice." class))
      (dolist (old (%class-direct-superclasses class)) (%remove-direct-subclass old class))
      (%set-class-direct-superclasses class supers)
      (dolist (super supers) (%add-direct-subclass super class))))
  (when (or slots-given name-given)
    (remove-slot-accessors class)
    (%set-class-direct-slots class (mapcar (lambda (plist) (make-direct-slot class plist)) direct-slots)))
  (when (or defaults-given name-given)
    (%set-class-direct-default-initargs class direct-default-initargs))
  (when (or documentation-given name-given) (%set-class-documentation class documentation))
  (%set-class-report class report)
  (finalize-class-tree class)
  (when (or slots-given name-given) (add-slot-accessors class))
  class)

;;; Finalization

(defun check-no-circle (class supers)
  "Signals an error when CLASS would be a superclass of itself."
  (let ((seen '()) (work supers))
    (do () ((null work))
      (let ((next (pop work)))
        (when (eq next class)
          (class-definition-problem "~S would be a superclass of itself." class))
        (unless (%memq next seen)
          (push next seen)
          (setq work (append (%class-direct-superclasses next) work)))))))

(defun class-ready-p (class)
  "True when all superclasses are defined, so that the class can be finalized."
  (and (not (eq (%class-kind class) :forward))
       (every #'class-ready-p (%class-direct-superclasses class))))

(defun finalize-class-tree (class)
  "Finalizes CLASS, and again those of its subclasses that were."
  (forget-recipes)
  (when (class-ready-p class)
    (finalize-class class)
    (dolist (subclass (%class-direct-subclasses class))
      (when (class-ready-p subclass) (finalize-class-tree subclass)))))

(defun finalize-class (class)
  "Computes precedence list, effective slots, default initargs and a new layout."
  (unless (class-ready-p class)
    (error 'simple-error :format-control "~S cannot be used yet: a superclass of it is not defined."
           :format-arguments (list class)))
  (dolist (super (%class-direct-superclasses class))
    (unless (%class-finalized super) (finalize-class super)))
  (%compute-precedence class)
  (let ((old-slots (%class-slots class))
        (slots (if (plain-class-p class) (effective-slots class) (compute-slots class))))
    (assign-locations class slots old-slots)
    (%set-class-slots class slots)
    (%set-class-default-initargs class (effective-default-initargs class))
    (%set-class-caches class '())
    (%set-class-recipe class nil)
    (%set-class-prototype class nil)
    (let ((names (mapcar #'%slot-name (remove-if-not (lambda (slot) (integerp (%slot-location slot))) slots))))
      (%new-layout class names))
    (%set-class-custom-access class (not (plain-class-p class)))
    (%set-class-finalized class t)
    class))

(defun slot-names-in-order (class)
  "Names of all slots: those of the least specific classes first."
  (let ((names '()))
    (dolist (each (reverse (%class-precedence-list class)))
      (dolist (slot (%class-direct-slots each))
        (unless (member (%slot-name slot) names) (push (%slot-name slot) names))))
    (nreverse names)))

(defun direct-slots-named (name class)
  "The direct slots of that name, most specific first."
  (let ((result '()))
    (dolist (each (%class-precedence-list class) (nreverse result))
      (dolist (slot (%class-direct-slots each))
        (when (eq (%slot-name slot) name) (push slot result))))))

(defun effective-slots (class)
  (mapcar (lambda (name) (effective-slot class name (direct-slots-named name class)))
          (slot-names-in-order class)))

(defun effective-slot (class name direct-slots)
  (if (plain-class-p class)
      (merge-direct-slots (%find-class 'standard-effective-slot-definition) class name direct-slots)
      (compute-effective-slot-definition class name direct-slots)))

(defun merge-direct-slots (slot-class class name direct-slots)
  (let ((slot (%make-slot-definition slot-class))
        (first (car direct-slots))
        (with-initform (find-if #'%slot-initfunction direct-slots))
        (documented (find-if #'%slot-documentation direct-slots)))
    (declare (ignorable class))
    (%set-slot-name slot name)
    (%set-slot-allocation slot (%slot-allocation first))
    (%set-slot-owner slot (%slot-owner first))
    (%set-slot-initargs slot (remove-duplicates (mapcan (lambda (s) (copy-list (%slot-initargs s))) direct-slots) :from-end t))
    (when with-initform
      (%set-slot-initform slot (%slot-initform with-initform))
      (%set-slot-initfunction slot (%slot-initfunction with-initform))
      (%set-slot-constant slot (%slot-constant with-initform)))
    (%set-slot-type slot (merged-slot-type (mapcar #'%slot-type direct-slots)))
    (when documented (%set-slot-documentation slot (%slot-documentation documented)))
    slot))

(defun merged-slot-type (types)
  (let ((types (remove-duplicates (remove t types) :test #'equal)))
    (cond ((null types) t)
          ((null (cdr types)) (car types))
          (t `(and ,@types)))))

(defun assign-locations (class slots old-slots)
  "Instance slots get numbers; shared slots a cell, which is that of the owner or the old one when there is one."
  (let ((position -1))
    (dolist (slot slots)
      (if (eq (%slot-allocation slot) :class)
          (%set-slot-location slot (shared-cell class slot old-slots))
          (when (eq (%slot-allocation slot) :instance)
            (%set-slot-location slot (incf position)))))))

(defun shared-cell (class slot old-slots)
  (let ((owner (%slot-owner slot)))
    (if (eq owner class)
        (let ((old (find (%slot-name slot) old-slots :key #'%slot-name)))
          (if (and old (consp (%slot-location old)) (eq (%slot-owner old) class))
              (%slot-location old)
              (list (if (%slot-initfunction slot) (funcall (%slot-initfunction slot)) '%no-slot-value))))
        (let ((inherited (class-slot-named owner (%slot-name slot))))
          (if (and inherited (consp (%slot-location inherited)))
              (%slot-location inherited)
              (list '%no-slot-value))))))

(defun effective-default-initargs (class)
  (let ((result '()))
    (dolist (each (%class-precedence-list class) (nreverse result))
      (dolist (default (%class-direct-default-initargs each))
        (unless (assoc (first default) result) (push default result))))))
