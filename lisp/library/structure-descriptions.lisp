;;;; Chapter 8: DEFSTRUCT, part 1: descriptions of structures, and how they are read off the options and slots.

(in-package "AUTOLITH-SYSTEM")

;;; Descriptions. One is a simple-vector kept as a datum of the structure's name.

(defmacro define-vector-record (prefix &rest fields)
  "Define macros PREFIX-FIELD that read (and with SETF write) the elements of a simple-vector in the order of FIELDS."
  (let ((index -1) (definitions nil))
    (dolist (field fields (list* 'progn (nreverse definitions)))
      (setq index (+ index 1)
            definitions (cons (list 'defmacro
                                    (intern (join-strings (symbol-name prefix) "-" (symbol-name field)) "AUTOLITH-SYSTEM")
                                    '(record)
                                    (list 'list ''svref 'record index))
                              definitions)))))

(define-vector-record structure name kind slots include offset named conc-name constructors predicate copier
  print-function print-object documentation own-names)
(define-vector-record structure-slot name initform initform-p type read-only index accessor)

(defun make-slot (name initform initform-p type read-only)
  "A slot description whose place is not known yet."
  (vector name initform initform-p type read-only nil nil))

(defun structure-description (name)
  "The description of the structure NAME, or NIL."
  (symbol-datum name "STRUCTURE-DESCRIPTION"))

(defun initial-slot-values (name count)
  "What the COUNT slots of a structure made by MAKE-INSTANCE hold: what their initforms give, or NIL."
  (let ((description (structure-description name)))
    (if description
        (mapcar (lambda (slot) (eval (structure-slot-initform slot))) (structure-slots description))
        (make-list count))))

(defun allocate-structure (class)
  "A structure as MAKE-INSTANCE makes it of CLASS."
  (let ((structure (%allocate-structure class)) (place 0))
    (dolist (value (initial-slot-values (%class-name class) (length (%class-slots class))) structure)
      (%set-instance-ref structure place value)
      (setq place (+ place 1)))))

(defun structure-error (control &rest arguments)
  "Signal a PROGRAM-ERROR about a DEFSTRUCT form."
  (error 'simple-program-error :format-control (join-strings "DEFSTRUCT: " control) :format-arguments arguments))

;;; Slots of floats

(defun slot-float-type (slot)
  "DOUBLE-FLOAT or SINGLE-FLOAT when SLOT is declared to be one, else NIL."
  (let* ((type (typexpand (structure-slot-type slot))) (name (if (consp type) (car type) type)))
    (cond ((member name '(double-float long-float)) 'double-float)
          ((member name '(single-float short-float)) 'single-float)
          (t nil))))

(defun slot-reference-operator (slot)
  "The operator that reads SLOT."
  (case (slot-float-type slot)
    (double-float 'structure-double-ref)
    (single-float 'structure-single-ref)
    (t 'structure-ref)))

(defun slot-assignment-operator (slot)
  "The operator that stores into SLOT; those for floats check that they get one."
  (case (slot-float-type slot)
    (double-float 'structure-double-set)
    (single-float 'structure-single-set)
    (t 'structure-set)))

(defun plain-float-slot-p (slot)
  "True when every float of its format may be the value of SLOT, so that the operator's check is enough."
  (and (slot-float-type slot) (symbolp (typexpand (structure-slot-type slot)))))

;;; Parsing

(defun parse-structure-slot (form)
  "The slot description that FORM, a slot of a DEFSTRUCT form, gives."
  (if (symbolp form)
      (make-slot form nil nil t nil)
      (let ((name (car form)) (type t) (read-only nil))
        (do ((options (cddr form) (cddr options)))
            ((endp options))
          (when (null (cdr options)) (structure-error "the option ~S of slot ~S has no value." (car options) name))
          (cond ((string= (car options) "TYPE") (setq type (cadr options)))
                ((string= (car options) "READ-ONLY") (setq read-only (cadr options)))
                (t (structure-error "unknown option ~S of slot ~S." (car options) name))))
        (make-slot name (cadr form) (and (cdr form) t) type read-only))))

(defun structure-option-symbol (value default)
  "The symbol that the arguments VALUE of an option name: DEFAULT when there are none."
  (if value (car value) default))

(defun symbol-in-package (&rest parts)
  "The symbol of the current package named by the string designators PARTS together."
  (intern (apply #'join-strings (mapcar #'string parts)) *package*))

(defun parse-structure-options (name options)
  "A description of the structure NAME with what OPTIONS say; slots and include are the forms still."
  (let ((description (make-array 14 :initial-element nil))
        (constructors nil) (constructor-p nil) (predicate-p nil) (seen nil)
        (default-predicate (symbol-in-package name "-P")))
    (setf (structure-name description) name
          (structure-conc-name description) (join-strings (symbol-name name) "-")
          (structure-offset description) 0
          (structure-copier description) (symbol-in-package "COPY-" name)
          (structure-predicate description) default-predicate)
    (dolist (option options)
      (let ((key (if (consp option) (car option) option))
            (arguments (if (consp option) (cdr option) nil)))
        (when (member key seen) (structure-error "the option ~S of ~S is given twice." key name))
        (unless (member key '(:constructor :named)) (push key seen))
        (case key
          (:conc-name
           (setf (structure-conc-name description)
                 (if (and arguments (car arguments)) (string (car arguments)) nil)))
          (:constructor
           (setq constructor-p t)
           (cond ((null arguments) (setq constructors (cons :default constructors)))
                 ((and (null (car arguments)) (null (cdr arguments))) nil)
                 (t (setq constructors (cons arguments constructors)))))
          (:copier
           (setf (structure-copier description) (structure-option-symbol arguments (structure-copier description))))
          (:predicate
           (setq predicate-p (and arguments (car arguments)))
           (setf (structure-predicate description) (structure-option-symbol arguments default-predicate)))
          (:include
           (unless arguments (structure-error ":INCLUDE needs the name of a structure."))
           (setf (structure-include description) arguments))
          (:type (setf (structure-kind description) (car arguments)))
          (:named (setf (structure-named description) t))
          (:initial-offset (setf (structure-offset description) (car arguments)))
          (:print-function (setf (structure-print-function description) (or arguments '(nil))))
          (:print-object (setf (structure-print-object description) (or arguments '(nil))))
          (t (structure-error "unknown option ~S of ~S." option name)))))
    (setf (structure-constructors description)
          (if constructor-p (nreverse constructors) (list :default)))
    (when (and (structure-kind description) (not (structure-named description)))
      (when predicate-p
        (error 'simple-error :format-control "DEFSTRUCT: ~S is not :NAMED and cannot have a predicate."
                             :format-arguments (list name)))
      (setf (structure-predicate description) nil))
    description))

(defun included-slots (description)
  "Copies of the slots that the structure of DESCRIPTION inherits, changed as its :INCLUDE option says."
  (let ((include (structure-include description)))
    (if (null include)
        nil
        (let ((parent (structure-description (car include))) (slots nil))
          (unless parent (structure-error "the structure ~S to be included is not defined." (car include)))
          (unless (equal (structure-kind parent) (structure-kind description))
            (structure-error "~S and ~S have different :TYPE options." (structure-name description) (car include)))
          (dolist (slot (structure-slots parent)) (setq slots (cons (copy-seq slot) slots)))
          (setq slots (nreverse slots))
          (dolist (form (cdr include) slots)
            (override-included-slot slots form))))))

(defun override-included-slot (slots form)
  "Change the slot among SLOTS that FORM, of an :INCLUDE option, names."
  (let* ((new (parse-structure-slot form))
         (old (find-slot (structure-slot-name new) slots)))
    (unless old (structure-error "there is no slot ~S to be inherited." (structure-slot-name new)))
    (when (and (structure-slot-read-only old) (consp form) (not (structure-slot-read-only new))
               (getf-string (cddr form) "READ-ONLY"))
      (structure-error "the inherited slot ~S is read-only." (structure-slot-name new)))
    (setf (structure-slot-initform old) (structure-slot-initform new)
          (structure-slot-initform-p old) (structure-slot-initform-p new)
          (structure-slot-read-only old) (or (structure-slot-read-only new) (structure-slot-read-only old)))
    (unless (eq (structure-slot-type new) t) (setf (structure-slot-type old) (structure-slot-type new)))))

(defun getf-string (options name)
  "True when the option NAME (a string) occurs in the property list OPTIONS."
  (do ((tail options (cddr tail)))
      ((endp tail) nil)
    (when (string= (car tail) name) (return t))))

(defun find-slot (name slots)
  "The slot named like the symbol NAME among SLOTS, or NIL."
  (dolist (slot slots nil)
    (when (string= (structure-slot-name slot) name) (return slot))))

(defun place-structure-slots (description own-slots)
  "Complete DESCRIPTION with all slots, their places and accessors."
  (let* ((inherited (included-slots description))
         (parent (if (structure-include description) (structure-description (car (structure-include description))) nil))
         (next (+ (if parent (structure-size parent) 0)
                  (structure-offset description)
                  (if (and (structure-kind description) (structure-named description)) 1 0))))
    (dolist (slot own-slots)
      (when (find-slot (structure-slot-name slot) inherited)
        (structure-error "the slot ~S occurs twice." (structure-slot-name slot)))
      (setf (structure-slot-index slot) next)
      (setq next (+ next 1)))
    (do ((tail own-slots (cdr tail)))
        ((null tail))
      (when (find-slot (structure-slot-name (car tail)) (cdr tail))
        (structure-error "the slot ~S occurs twice." (structure-slot-name (car tail)))))
    (setf (structure-slots description) (append inherited own-slots))
    (dolist (slot (structure-slots description))
      (let ((accessor (structure-accessor-name description slot)))
        (unless (and parent (eq (inherited-accessor parent slot) accessor))
          (setf (structure-own-names description) (cons (cons accessor slot) (structure-own-names description))))
        (setf (structure-slot-accessor slot) accessor)))
    (setf (structure-own-names description) (nreverse (structure-own-names description)))
    description))

(defun structure-accessor-name (description slot)
  "The name of the accessor of SLOT."
  (if (structure-conc-name description)
      (symbol-in-package (structure-conc-name description) (structure-slot-name slot))
      (structure-slot-name slot)))

(defun inherited-accessor (parent slot)
  "The accessor of the slot of the description PARENT that has SLOT's name, or NIL."
  (let ((found (find-slot (structure-slot-name slot) (structure-slots parent))))
    (and found (structure-slot-accessor found))))

(defun structure-size (description)
  "Number of elements of an object of DESCRIPTION, of which the type is LIST or VECTOR."
  (let ((size (+ (if (structure-include description)
                     (structure-size (structure-description (car (structure-include description))))
                     0)
                 (structure-offset description)
                 (if (and (structure-kind description) (structure-named description)) 1 0))))
    (dolist (slot (structure-slots description) size)
      (when (>= (structure-slot-index slot) size) (setq size (+ (structure-slot-index slot) 1))))))

(defun structure-name-places (description)
  "List of (index . name) of the elements of an object of a :NAMED DESCRIPTION that hold names, also inherited ones."
  (let* ((parent (if (structure-include description) (structure-description (car (structure-include description))) nil))
         (places (if parent (structure-name-places parent) nil)))
    (if (structure-named description)
        (append places
                (list (cons (+ (if parent (structure-size parent) 0) (structure-offset description))
                            (structure-name description))))
        places)))
