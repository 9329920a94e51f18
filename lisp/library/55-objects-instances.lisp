;;; Instances: the protocol of MAKE-INSTANCE, CHANGE-CLASS and redefinition.

(in-package "AUTOLITH-SYSTEM")

(define-protocol slot-missing (class object slot-name operation &optional new-value)
  (:method ((class t) object slot-name operation &optional new-value)
    (declare (ignore operation new-value))
    (error 'simple-error :format-control "~S has no slot named ~S (an object of ~S)."
           :format-arguments (list object slot-name class))))

(define-protocol slot-unbound (class object slot-name)
  (:method ((class t) object slot-name)
    (restart-case (error 'unbound-slot :name slot-name :instance object)
      (use-value (value)
        :report (lambda (stream) (format stream "Use a value instead."))
        :interactive read-one-value
        value)
      (store-value (value)
        :report (lambda (stream) (format stream "Store a value in the slot and use it."))
        :interactive read-one-value
        (setf (slot-value object slot-name) value)))))

(defun read-one-value ()
  "Reads a form from *QUERY-IO* and gives the list of its value."
  (format *query-io* "~&Value: ")
  (finish-output *query-io*)
  (list (eval (read *query-io*))))

(define-protocol no-applicable-method (generic-function &rest arguments)
  (:method ((generic-function t) &rest arguments)
    (error 'no-applicable-method-error :generic-function generic-function :arguments arguments)))

(define-protocol no-next-method (generic-function method &rest arguments)
  (:method ((generic-function t) (method t) &rest arguments)
    (error 'no-next-method-error :generic-function generic-function :method method :arguments arguments)))

(define-protocol slot-value-using-class (class object slot)
  (:method ((class t) object slot) (slot-value-at object class slot)))

(define-protocol (setf slot-value-using-class) (new-value class object slot)
  (:method (new-value (class t) object slot) (set-slot-value-at object slot new-value)))

(define-protocol slot-boundp-using-class (class object slot)
  (:method ((class t) object slot) (slot-bound-at-p object slot)))

(define-protocol slot-makunbound-using-class (class object slot)
  (:method ((class t) object slot) (slot-makunbound-at object slot)))

(define-protocol validate-superclass (class superclass)
  (:method ((class t) (superclass t))
    (or (eq (class-of class) (class-of superclass))
        (member (%class-name superclass) '(t standard-object funcallable-standard-object))
        (and (member (%class-name (class-of superclass)) '(standard-class funcallable-standard-class))
             (eq (%class-kind class) (%class-kind superclass))
             nil))))

(define-protocol direct-slot-definition-class (class &rest initargs)
  (:method ((class t) &rest initargs)
    (declare (ignore initargs))
    (%find-class 'standard-direct-slot-definition)))

(define-protocol effective-slot-definition-class (class &rest initargs)
  (:method ((class t) &rest initargs)
    (declare (ignore initargs))
    (%find-class 'standard-effective-slot-definition)))

(define-protocol compute-effective-slot-definition (class name direct-slots)
  (:method ((class t) name direct-slots)
    (merge-direct-slots (effective-slot-definition-class class) class name direct-slots)))

(define-protocol compute-slots (class)
  (:method ((class t)) (effective-slots class)))

;;; Initialisation arguments

(defun check-initargs-even (initargs)
  (when (oddp (length initargs))
    (error 'simple-program-error :format-control "Odd number of initialisation arguments: ~S" :format-arguments (list initargs)))
  (do ((rest initargs (cddr rest)))
      ((null rest))
    (unless (symbolp (car rest))
      (error 'simple-program-error :format-control "The name of an initialisation argument is a symbol, not ~S."
             :format-arguments (list (car rest))))))

(defun slot-initarg-names (class)
  (let ((result '()))
    (dolist (slot (%class-slots class) result)
      (dolist (name (%slot-initargs slot)) (push name result)))))

(defun methods-initarg-names (calls)
  "Keywords that the methods applicable to CALLS, lists of (generic-function . arguments), accept; T when any."
  (let ((result '()))
    (dolist (call calls result)
      (dolist (method (find-applicable-methods (car call) (cdr call)))
        (let ((lambda-list (%method-parameters method)))
          (when (has-keyword-p '&allow-other-keys lambda-list) (return-from methods-initarg-names t))
          (setq result (append (lambda-list-keys lambda-list) result)))))))

(defun check-initargs (class calls initargs)
  "Signals an error when an initialisation argument is declared neither by a slot nor by a method of CALLS."
  (unless (getf initargs :allow-other-keys)
    (let ((slot-names (slot-initarg-names class)) (method-names :unknown))
      (do ((rest initargs (cddr rest))) ((null rest))
        (unless (or (member (car rest) slot-names :test #'eq) (eq (car rest) :allow-other-keys))
          (when (eq method-names :unknown) (setq method-names (methods-initarg-names calls)))
          (when (eq method-names t) (return))
          (unless (member (car rest) method-names :test #'eq)
            (error 'simple-program-error
                   :format-control "~S is no valid initialisation argument for ~S."
                   :format-arguments (list (car rest) class))))))))

(defun add-default-initargs (class initargs)
  (let ((defaults '()))
    (dolist (default (%class-default-initargs class))
      (when (eq (getf initargs (first default) '%no-slot-value) '%no-slot-value)
        (push (first default) defaults)
        (push (funcall (third default)) defaults)))
    (if defaults (append initargs (nreverse defaults)) initargs)))

;;; SHARED-INITIALIZE and its callers

(defun set-effective-slot (class object slot value)
  (if (plain-class-p class)
      (set-slot-value-at object slot value)
      (funcall #'(setf slot-value-using-class) value class object slot)))

(defun effective-slot-bound-p (class object slot)
  (if (plain-class-p class)
      (slot-bound-at-p object slot)
      (slot-boundp-using-class class object slot)))

(defun initialize-slots (object slot-names initargs)
  (let* ((class (class-of object)))
    (when (and (eq slot-names t) (plain-class-p class) (%memq (%class-kind class) '(:standard :condition)))
      (dolist (slot (%fill-slots object initargs))
        (set-slot-value-at object slot (slot-initial-value slot)))
      (return-from initialize-slots object))
    (dolist (slot (%class-slots class) object)
      (multiple-value-bind (value supplied) (initarg-value initargs (%slot-initargs slot))
        (cond (supplied (set-effective-slot class object slot value))
              ((and (%slot-initfunction slot)
                    (or (eq slot-names t) (member (%slot-name slot) slot-names :test #'eq))
                    (not (effective-slot-bound-p class object slot)))
               (set-effective-slot class object slot (slot-initial-value slot))))))))

(defun slot-initial-value (slot)
  (let ((function (%slot-initfunction slot)))
    (if (eq function t) nil (funcall function))))

(define-protocol shared-initialize (instance slot-names &rest initargs &key &allow-other-keys)
  (:method ((instance t) slot-names &rest initargs)
    (ensure-current-instance instance)
    (check-initargs-even initargs)
    (initialize-slots instance slot-names initargs)))

(define-protocol initialize-instance (instance &rest initargs &key &allow-other-keys)
  (:method ((instance t) &rest initargs)
    (apply #'shared-initialize instance t initargs)))

(define-protocol reinitialize-instance (instance &rest initargs &key &allow-other-keys)
  (:method ((instance t) &rest initargs)
    (check-initargs-even initargs)
    (check-initargs (class-of instance)
                    (list (list* #'reinitialize-instance instance initargs)
                          (list* #'shared-initialize instance '() initargs))
                    initargs)
    (apply #'shared-initialize instance '() initargs)))

(define-protocol allocate-instance (class &rest initargs &key &allow-other-keys)
  (:method ((class standard-class) &rest initargs)
    (declare (ignore initargs))
    (ensure-finalized class)
    (if (%subclassp class (load-time-value (%find-class 'class)))
        (%make-class nil (metaclass-kind class) class)
        (%allocate-instance class)))
  (:method ((class funcallable-standard-class) &rest initargs)
    (declare (ignore initargs))
    (ensure-finalized class)
    (if (%subclassp class (%find-class 'generic-function))
        (make-generic-function class nil)
        (%make-funcallable-instance class)))
  (:method ((class structure-class) &rest initargs)
    (declare (ignore initargs))
    (allocate-structure class))
  (:method ((class condition-class) &rest initargs)
    (declare (ignore initargs))
    (ensure-finalized class)
    (%allocate-instance class)))

(defun ensure-finalized (class)
  (unless (%class-finalized class) (finalize-class class))
  class)

(define-protocol make-instance (class &rest initargs &key &allow-other-keys)
  (:method ((class symbol) &rest initargs)
    (let ((class (find-class class)))
      (if (and (plain-class-p class) (%class-finalized class) (svref (instance-recipe class) 3))
          (make-standard-instance class initargs)
          (apply #'make-instance class initargs))))
  (:method ((class std-class) &rest initargs)
    (make-standard-instance class initargs))
  (:method ((class condition-class) &rest initargs)
    (make-standard-instance class initargs)))

(define-compiler-macro make-instance (&whole form &rest arguments)
  (if (not (constant-initargs-p arguments))
      form
      (let ((keys '()) (names '()) (values '()) (instance (gensym "INSTANCE")))
        (do ((rest (cdr arguments) (cddr rest)))
            ((null rest))
          (push (car rest) keys)
          (push (gensym "VALUE") names)
          (push (cadr rest) values))
        (setq keys (nreverse keys) names (nreverse names) values (nreverse values))
        `(let* (,@(mapcar #'list names values)
                (,instance (%cached-instance (%cache) ,(car arguments) ',keys ,@names)))
           (if (eq ,instance '%no-slot-value)
               (funcall #'make-instance ,(car arguments) ,@(mapcan #'list keys names))
               (let ((after (%instance-after ,instance)))
                 (when after (funcall after ,instance ,@(mapcan #'list keys names)))
                 ,instance))))))

(defun constant-initargs-p (arguments)
  "True for the quoted name of a class and a few distinct keywords with values."
  (and (consp arguments)
       (let ((name (car arguments)))
         (and (consp name) (eq (car name) 'quote) (consp (cdr name)) (null (cddr name)) (symbolp (cadr name))))
       (let ((seen '()))
         (do ((rest (cdr arguments) (cddr rest)))
             ((atom rest) (and (null rest) (< (length seen) 16)))
           (unless (and (keywordp (car rest)) (consp (cdr rest)) (not (%memq (car rest) seen)))
             (return nil))
           (push (car rest) seen)))))

;;; The usual case: no methods of the protocol but the standard ones apply, so that slots can be filled directly.
;;; What is known about a class is kept in its recipe: #(epoch simple checked-initarg-lists plain-make-instance-p). SIMPLE is a
;;; function when methods :AFTER of INITIALIZE-INSTANCE are to be called with the instance and the initargs once the slots are filled.

(defun instance-recipe (class)
  (let ((recipe (%class-recipe class)))
    (if (and recipe (eql (svref recipe 0) *object-epoch*))
        recipe
        (%set-class-recipe class (vector *object-epoch* (simple-instances-p class) '() (plain-make-instance-p class))))))

(defun plain-make-instance-p (class)
  "True when no method of a program applies to MAKE-INSTANCE of the class."
  (null (cdr (find-applicable-methods #'make-instance (list class)))))

(defun only-standard-method-p (gf arguments)
  (let ((methods (find-applicable-methods gf arguments)))
    (and methods
         (null (cdr methods))
         (eq (car (%method-specializer-list (car methods))) (load-time-value (%find-class 't))))))

(defun after-filling (gf arguments)
  "What follows the standard method of GF, when but :AFTER methods go with it: a function of ARGUMENTS and others, or T; else NIL."
  (let ((afters '()) (primaries 0))
    (dolist (method (find-applicable-methods gf arguments))
      (let ((qualifiers (%method-qualifier-list method)))
        (cond ((equal qualifiers '(:after)) (push (method-chain (list method) nil) afters))
              ((or qualifiers (not (eq (car (%method-specializer-list method)) (load-time-value (%find-class 't)))))
               (return-from after-filling nil))
              (t (setq primaries (1+ primaries))))))
    (cond ((not (eql primaries 1)) nil)
          ((null afters) t)
          ((null (cdr afters)) (car afters))
          (t (lambda (&rest arguments)
               (dolist (after afters) (apply after arguments)))))))

(defun simple-instances-p (class)
  "What follows when instances of the class are made by allocating them and filling their slots: T for nothing, or a function to call
with the instance and the initargs; else NIL."
  (and (plain-class-p class)
       (member (%class-kind class) '(:standard :condition))
       (not (%subclassp class (load-time-value (%find-class 'metaobject))))
       (let ((prototype (%allocate-instance class)))
         (and (eq (%generic-combination #'initialize-instance) 'standard)
              (only-standard-method-p #'shared-initialize (list prototype t))
              (null (cdr (find-applicable-methods #'allocate-instance (list class))))
              (after-filling #'initialize-instance (list prototype))))))

(defun remember-initargs (recipe initargs)
  (let ((names '()))
    (do ((rest initargs (cddr rest))) ((null rest))
      (push (car rest) names))
    (when (< (length (svref recipe 2)) 20)
      (unless (member :allow-other-keys names)
        (push (nreverse names) (svref recipe 2))))))

(defun make-standard-instance (class initargs)
  (ensure-finalized class)
  (let ((recipe (instance-recipe class)))
    (when (%class-default-initargs class)
      (check-initargs-even initargs)
      (setq initargs (add-default-initargs class initargs)))
    (unless (or (null initargs) (%initargs-checked-p (svref recipe 2) initargs))
      (check-initargs-even initargs)
      (check-initargs class
                      (list (list* #'allocate-instance class initargs)
                            (list* #'initialize-instance (class-prototype class) initargs)
                            (list* #'shared-initialize (class-prototype class) t initargs))
                      initargs)
      (remember-initargs recipe initargs))
    (if (svref recipe 1)
        (let ((instance (%allocate-instance class)))
          (dolist (slot (%fill-slots instance initargs))
            (set-slot-value-at instance slot (slot-initial-value slot)))
          (when (functionp (svref recipe 1)) (apply (svref recipe 1) instance initargs))
          instance)
        (let ((instance (apply #'allocate-instance class initargs)))
          (apply #'initialize-instance instance initargs)
          instance))))

(defun class-prototype (class)
  "An instance to look up methods with; its slots are unbound."
  (ensure-finalized class)
  (or (%class-prototype class)
      (let ((prototype (if (member (%class-kind class) '(:standard :condition))
                           (%allocate-instance class)
                           (allocate-instance class))))
        (%set-class-prototype class prototype)
        prototype)))

;;; CHANGE-CLASS and redefinition

(define-protocol update-instance-for-different-class (previous current &rest initargs &key &allow-other-keys)
  (:method ((previous t) (current t) &rest initargs)
    (check-initargs-even initargs)
    (check-initargs (class-of current)
                    (list (list* #'update-instance-for-different-class previous current initargs)
                          (list* #'shared-initialize current '() initargs))
                    initargs)
    (let ((old-slots (mapcar #'%slot-name (%class-slots (class-of previous)))))
      (apply #'shared-initialize current
             (remove-if (lambda (name) (member name old-slots))
                        (mapcar #'%slot-name
                                (remove-if-not (lambda (slot) (integerp (%slot-location slot)))
                                               (%class-slots (class-of current)))))
             initargs))))

(defun slot-values-in-layout (object class slot-names)
  "Values for the instance slots of CLASS, in their order: those of OBJECT in slots of the same name, else unbound."
  (let ((old (class-of object)))
    (mapcar (lambda (name)
              (if (member name slot-names)
                  (let ((slot (class-slot-named old name)))
                    (if slot
                        (let ((location (%slot-location slot)))
                          (if (consp location) (car location) (%instance-ref object location)))
                        '%no-slot-value))
                  '%no-slot-value))
            (%layout-slot-names class))))

(defun change-class-of (instance class initargs)
  (ensure-current-instance instance)
  (ensure-finalized class)
  (let* ((old-class (class-of instance))
         (previous (%allocate-like instance))
         (values (slot-values-in-layout instance class (mapcar #'%slot-name (%class-slots old-class)))))
    (%change-instance instance class values)
    (apply #'update-instance-for-different-class previous instance initargs)
    instance))

(define-protocol change-class (instance new-class &rest initargs &key &allow-other-keys)
  (:method ((instance t) (new-class symbol) &rest initargs)
    (apply #'change-class instance (find-class new-class) initargs))
  (:method ((instance standard-object) (new-class std-class) &rest initargs)
    (change-class-of instance new-class initargs))
  (:method ((instance t) (new-class class) &rest initargs)
    (declare (ignore initargs))
    (error 'simple-error :format-control "The class of ~S cannot be changed to ~S."
           :format-arguments (list instance new-class))))

(define-protocol update-instance-for-redefined-class
    (instance added-slots discarded-slots property-list &rest initargs &key &allow-other-keys)
  (:method ((instance t) added-slots discarded-slots property-list &rest initargs)
    (declare (ignore discarded-slots property-list))
    (check-initargs-even initargs)
    (check-initargs (class-of instance)
                    (list (list* #'update-instance-for-redefined-class instance '() '() '() initargs)
                          (list* #'shared-initialize instance '() initargs))
                    initargs)
    (apply #'shared-initialize instance added-slots initargs)))

(defun update-obsolete-instance (object)
  "Brings an instance made before its class was redefined to the class's present layout."
  (let* ((class (class-of object))
         (old-names (%instance-layout-slot-names object))
         (new-names (%layout-slot-names class))
         (position -1) (old-values '()))
    (dolist (name old-names)
      (push (cons name (%instance-ref object (incf position))) old-values))
    (setq old-values (nreverse old-values))
    (%change-instance object class
                      (mapcar (lambda (name)
                                (let ((old (assoc name old-values)))
                                  (if old (cdr old) '%no-slot-value)))
                              new-names))
    (let ((discarded (remove-if (lambda (entry) (member (car entry) new-names)) old-values))
          (shared (mapcar #'%slot-name (remove-if-not (lambda (slot) (consp (%slot-location slot))) (%class-slots class)))))
      (update-instance-for-redefined-class
       object
       (set-difference new-names old-names)
       (mapcar #'car (remove-if (lambda (entry) (member (car entry) shared)) discarded))
       (let ((plist '()))
         (dolist (entry discarded plist)
           (unless (eq (cdr entry) '%no-slot-value)
             (setq plist (list* (car entry) (cdr entry) plist)))))))
    object))

(define-protocol make-instances-obsolete (class)
  (:method ((class symbol))
    (make-instances-obsolete (find-class class))
    class)
  (:method ((class std-class))
    (%new-layout class (%layout-slot-names class))
    class))

;;; Classes as instances, for users' metaclasses

(defmethod shared-initialize :after ((class std-class) slot-names &rest initargs &key &allow-other-keys)
  (if (eq slot-names t)
      (apply #'initialize-class-object class (if (getf initargs :name) initargs (list* :name nil initargs)))
      (when initargs (apply #'initialize-class-object class initargs))))

(defmethod shared-initialize :after ((gf generic-function) slot-names &rest initargs
                                     &key name (lambda-list nil lambda-list-given) &allow-other-keys)
  (declare (ignore slot-names initargs))
  (when name (%set-generic-name gf name))
  (when lambda-list-given
    (%set-generic-lambda-list gf lambda-list)
    (update-generic-function gf)))
