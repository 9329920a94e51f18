;;;; Chapter 8: DEFSTRUCT. Leaves of lisp/structures make and read the objects; a *cell* stands for a structure name and
;;;; holds its present layout, so that code compiled before a redefinition goes on working.

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

(defun structure-error (control &rest arguments)
  "Signal a PROGRAM-ERROR about a DEFSTRUCT form."
  (error 'simple-program-error :format-control (join-strings "DEFSTRUCT: " control) :format-arguments arguments))

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
        (constructors nil) (constructor-p nil) (predicate-p nil)
        (default-predicate (symbol-in-package name "-P")))
    (setf (structure-name description) name
          (structure-conc-name description) (join-strings (symbol-name name) "-")
          (structure-offset description) 0
          (structure-copier description) (symbol-in-package "COPY-" name)
          (structure-predicate description) default-predicate)
    (dolist (option options)
      (let ((key (if (consp option) (car option) option))
            (arguments (if (consp option) (cdr option) nil)))
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

;;; Constructors

(defun structure-make-form (description values)
  "Form that makes an object of DESCRIPTION; VALUES are forms in the order of its slots."
  (let ((kind (structure-kind description)))
    (if (null kind)
        (list* 'make-structure (list 'load-time-value (list 'structure-cell (list 'quote (structure-name description))))
               values)
        (let ((elements (make-list (structure-size description) :initial-element nil)))
          (do ((slots (structure-slots description) (cdr slots))
               (rest values (cdr rest)))
              ((null slots))
            (setf (nth (structure-slot-index (car slots)) elements) (car rest)))
          (dolist (place (structure-name-places description))
            (setf (nth (car place) elements) (list 'quote (cdr place))))
          (cond ((eq kind 'list) (list* 'list elements))
                ((eq kind 'vector) (list* 'vector elements))
                (t (list 'make-array (length elements)
                         :element-type (list 'quote (vector-kind-element-type kind))
                         :initial-contents (list* 'list elements))))))))

(defun vector-kind-element-type (kind)
  "Element type of the :TYPE option KIND."
  (if (and (consp kind) (eq (car kind) 'vector) (cdr kind) (not (eq (cadr kind) '*))) (cadr kind) t))

(defun slot-value-form (slot form)
  "FORM with a check of SLOT's type around it."
  (if (or (eq (structure-slot-type slot) t))
      form
      (list 'check-slot-value form (list 'quote (structure-slot-type slot)) (list 'quote (structure-slot-name slot)))))

(defmacro check-slot-value (form type name)
  "The value of FORM, after a TYPE-ERROR unless it is of TYPE (quoted). NAME (quoted) is the slot's."
  (declare (ignore name))
  (let ((value (gensym "VALUE")))
    `(let ((,value ,form))
       (if (typep ,value ,type)
           ,value
           (error 'type-error :datum ,value :expected-type ,type)))))

(defun keyword-constructor (description name)
  "DEFUN form of the keyword constructor NAME."
  (let ((parameters nil) (values nil))
    (dolist (slot (structure-slots description))
      (let ((variable (make-symbol (symbol-name (structure-slot-name slot)))))
        (setq parameters (cons (list (list (intern (symbol-name (structure-slot-name slot)) "KEYWORD") variable)
                                     (structure-slot-initform slot))
                               parameters)
              values (cons (if (or (structure-slot-initform-p slot) (eq (structure-slot-type slot) t))
                               (slot-value-form slot variable)
                               variable)
                           values))))
    (list 'defun name (list* '&key (nreverse parameters))
          (structure-make-form description (nreverse values)))))

(defun positional-constructor (description name lambda-list)
  "DEFUN form of the constructor NAME with the LAMBDA-LIST."
  (let ((names nil) (mode nil) (parameters nil) (slots (structure-slots description)))
    (labels ((note (variable) (setq names (cons variable names)))
             (initform (variable)
               (let ((slot (find-slot variable slots)))
                 (if slot (structure-slot-initform slot) nil)))
             (with-default (parameter)
               (let* ((specification (if (consp parameter) (car parameter) parameter))
                      (variable (if (consp specification) (cadr specification) specification)))
                 (note variable)
                 (if (and (consp parameter) (cdr parameter))
                     (progn
                       (when (cddr parameter) (note (caddr parameter)))
                       parameter)
                     (list specification (initform variable))))))
      (do ((tail lambda-list (cdr tail)))
          ((atom tail)
           (when tail
             (note tail)
             (setq parameters (list* tail '&rest parameters))))
        (let ((parameter (car tail)))
          (cond ((member parameter lambda-list-keywords)
                 (setq mode parameter parameters (cons parameter parameters)))
                ((member mode '(nil &rest &body))
                 (note parameter)
                 (setq parameters (cons parameter parameters)))
                ((eq mode '&aux)
                 (let ((variable (if (consp parameter) (car parameter) parameter)))
                   (note variable)
                   (setq parameters (cons parameter parameters))))
                (t (setq parameters (cons (with-default parameter) parameters)))))))
    (let ((values nil) (uninitialized (aux-without-value lambda-list)))
      (dolist (slot slots)
        (let ((variable (car (member (structure-slot-name slot) names :test #'string=))))
          (setq values (cons (cond ((null variable)
                                    (if (structure-slot-initform-p slot)
                                        (slot-value-form slot (structure-slot-initform slot))
                                        nil))
                                   ((member variable uninitialized) variable)
                                   (t (slot-value-form slot variable)))
                             values))))
      (list 'defun name (nreverse parameters)
            (structure-make-form description (nreverse values))))))

(defun aux-without-value (lambda-list)
  "The &AUX variables of LAMBDA-LIST that have no value form: slots that stay uninitialised."
  (let ((result nil))
    (dolist (parameter (cdr (member '&aux lambda-list)) result)
      (when (or (symbolp parameter) (null (cdr parameter)))
        (setq result (cons (if (consp parameter) (car parameter) parameter) result))))))

(defun constructor-forms (description)
  "DEFUN forms of all constructors."
  (let ((forms nil))
    (dolist (constructor (structure-constructors description) (nreverse forms))
      (setq forms
            (cons (cond ((eq constructor :default)
                         (keyword-constructor description (symbol-in-package "MAKE-" (structure-name description))))
                        ((null (cdr constructor)) (keyword-constructor description (car constructor)))
                        (t (positional-constructor description (car constructor) (cadr constructor))))
                  forms)))))

(defun install-constructor-macros (name)
  "Give the keyword constructors of the structure class NAME compiler macros."
  (dolist (constructor (structure-constructors (structure-description name)))
    (when (or (eq constructor :default) (null (cdr constructor)))
      (let ((function-name (if (eq constructor :default) (symbol-in-package "MAKE-" name) (car constructor))))
        (setf (compiler-macro-function function-name)
              (constructor-compiler-macro (structure-description name) (symbol-function function-name)))))))

(defun constructor-compiler-macro (description function)
  "Compiler macro that makes the structure in place while the keyword constructor is FUNCTION and DESCRIPTION is in force."
  (lambda (form environment)
    (declare (ignore environment))
    (if (and (symbolp (car form)) (fboundp (car form)) (eq (symbol-function (car form)) function)
             (eq (structure-description (structure-name description)) description))
        (inline-constructor-form form description)
        form)))

(defun inline-constructor-form (form description)
  "FORM, a call of a keyword constructor, as an allocation; or FORM itself when it is not simple enough."
  (let ((given (keyword-argument-forms (cdr form))) (bindings nil) (variables nil) (values nil))
    (when (eq given :none) (return-from inline-constructor-form form))
    (dolist (entry given)
      (unless (find-slot (car entry) (structure-slots description)) (return-from inline-constructor-form form))
      (let ((variable (gensym "SLOT")))
        (setq bindings (cons (list variable (cdr entry)) bindings)
              variables (cons (cons (car entry) variable) variables))))
    (dolist (slot (structure-slots description))
      (let ((entry (slot-argument slot variables)))
        (cond (entry (setq values (cons (slot-value-form slot (cdr entry)) values)))
              ((constant-initform-p slot) (setq values (cons (structure-slot-initform slot) values)))
              (t (return-from inline-constructor-form form)))))
    (list 'let (nreverse bindings) (structure-make-form description (nreverse values)))))

(defun slot-argument (slot variables)
  "The entry (keyword . variable) of SLOT in VARIABLES, or NIL."
  (dolist (entry variables nil)
    (when (string= (car entry) (structure-slot-name slot)) (return entry))))

(defun constant-initform-p (slot)
  "True when the initial value of SLOT is a constant that means the same everywhere and needs no check."
  (let ((form (structure-slot-initform slot)))
    (and (or (null (structure-slot-initform-p slot)) (eq (structure-slot-type slot) t))
         (or (null form) (eq form t) (numberp form) (characterp form) (keywordp form)))))

;;; Accessors, predicate, copier

(defun structure-reader (cell index)
  "Function that reads slot INDEX of a structure of CELL."
  (lambda (structure) (structure-ref cell index structure)))

(defun structure-writer (cell index type)
  "Function that writes slot INDEX of a structure of CELL, which is to be of TYPE."
  (if (eq type t)
      (lambda (value structure) (structure-set cell index structure value))
      (lambda (value structure)
        (unless (typep value type) (error 'type-error :datum value :expected-type type))
        (structure-set cell index structure value))))

(defun structure-predicate-function (cell)
  "Function that tells whether its argument is a structure of CELL."
  (lambda (object) (if (structure-of-cell-p object cell) t nil)))

(defun structure-copier-function (cell)
  "Function that copies a structure of CELL."
  (lambda (structure)
    (if (structure-of-cell-p structure cell)
        (copy-structure structure)
        (error 'type-error :datum structure :expected-type (structure-cell-name cell)))))

(defun install-structure-accessor (accessor cell slot)
  "Define ACCESSOR, and unless SLOT is read-only its SETF function, with inline code for calls while nobody redefines them."
  (let ((reader (structure-reader cell (structure-slot-index slot)))
        (index (structure-slot-index slot))
        (cell-form (list 'load-time-value (list 'structure-cell (list 'quote (structure-cell-name cell))))))
    (setf (fdefinition accessor) reader)
    (setf (compiler-macro-function accessor)
          (lambda (form environment)
            (declare (ignore environment))
            (if (and (eq (car form) accessor) (consp (cdr form)) (null (cddr form))
                     (fboundp accessor) (eq (symbol-function accessor) reader))
                (list 'structure-ref cell-form index (cadr form))
                form)))
    (unless (structure-slot-read-only slot)
      (let ((writer (structure-writer cell index (structure-slot-type slot))))
        (setf (fdefinition (list 'setf accessor)) writer)
        (%set-symbol-info accessor 'setf-expander
                          (lambda (place environment)
                            (declare (ignore environment))
                            (structure-setf-expansion place cell-form slot reader writer)))))))

(defun structure-setf-expansion (place cell-form slot reader writer)
  "Setf expansion of PLACE, an accessor call, in line as long as the accessor's functions are READER and WRITER."
  (let ((accessor (car place)))
    (if (and (consp (cdr place)) (null (cddr place))
             (fboundp accessor) (eq (symbol-function accessor) reader)
             (fboundp (list 'setf accessor)) (eq (fdefinition (list 'setf accessor)) writer))
        (let ((object (gensym "STRUCTURE")) (store (gensym "NEW")) (index (structure-slot-index slot)))
          (values (list object)
                  (list (cadr place))
                  (list store)
                  (list 'structure-set cell-form index object (slot-value-form slot store))
                  (list 'structure-ref cell-form index object)))
        (function-setf-expansion place))))

(defun install-structure-functions (name)
  "Define the accessors, the predicate and the copier of the structure class NAME."
  (let ((description (structure-description name)) (cell (structure-cell name)))
    (dolist (entry (structure-own-names description))
      (let ((accessor (car entry)) (slot (cdr entry)))
        (install-structure-accessor accessor cell slot)))
    (when (structure-predicate description)
      (setf (fdefinition (structure-predicate description)) (structure-predicate-function cell)))
    (when (structure-copier description)
      (setf (fdefinition (structure-copier description)) (structure-copier-function cell)))
    name))

(defun typed-accessor-forms (description)
  "DEFUN forms of the accessors, the predicate and the copier of a structure that is a list or vector."
  (let ((forms nil) (list-p (eq (structure-kind description) 'list)))
    (dolist (entry (structure-own-names description))
      (let* ((accessor (car entry)) (slot (cdr entry)) (index (structure-slot-index slot))
             (place (if list-p (list 'nth index 'structure) (list 'elt 'structure index))))
        (setq forms (cons (list 'defun accessor '(structure) place) forms))
        (unless (structure-slot-read-only slot)
          (setq forms (cons (list 'defun (list 'setf accessor) '(value structure) (list 'setf place 'value)) forms)))))
    (when (structure-predicate description)
      (let ((place (car (last (structure-name-places description)))))
        (setq forms
              (cons (list 'defun (structure-predicate description) '(object)
                          (list 'typed-structure-p 'object (car place) (list 'quote (cdr place)) list-p))
                    forms))))
    (when (structure-copier description)
      (setq forms (cons (list 'defun (structure-copier description) '(structure) '(copy-seq structure)) forms)))
    (nreverse forms)))

(defun typed-structure-p (object index name list-p)
  "True when element INDEX of OBJECT, a list (LIST-P) or vector, is NAME."
  (if list-p
      (do ((tail object (cdr tail)) (left index (- left 1)))
          ((atom tail) nil)
        (when (eql left 0) (return (eq (car tail) name))))
      (and (vectorp object) (> (length object) index) (eq (aref object index) name))))

;;; Definition

(defun register-structure (description)
  "Make DESCRIPTION the definition of its structure, with a new layout unless an equal one exists."
  (let ((name (structure-name description)))
    (when (null (structure-kind description))
      (let ((slot-names nil))
        (dolist (slot (structure-slots description)) (setq slot-names (cons (structure-slot-name slot) slot-names)))
        (define-structure-layout name
            (if (structure-include description) (structure-cell (car (structure-include description))) nil)
          (nreverse slot-names))))
    (set-symbol-datum name "STRUCTURE-DESCRIPTION" description)
    (note-structure-defined name)
    name))

(defun note-structure-defined (name)
  "Called when the structure NAME has been defined; the object system replaces it to make the class."
  name)

(defun structure-print-method (description)
  "The method of PRINT-OBJECT that the printing options ask for, in a list."
  (let ((function-option (structure-print-function description))
        (object-option (structure-print-object description))
        (name (structure-name description)))
    (flet ((call (function &rest more)
             (if (and (consp function) (eq (car function) 'lambda))
                 (list* 'funcall (list 'function function) 'object 'stream more)
                 (list* 'funcall (list 'function function) 'object 'stream more))))
      (cond ((and function-option (car function-option))
             `((defmethod print-object ((object ,name) stream) ,(call (car function-option) '(current-print-depth)))))
            ((and object-option (car object-option))
             `((defmethod print-object ((object ,name) stream) ,(call (car object-option)))))
            ((or function-option object-option)
             `((defmethod print-object ((object ,name) stream) (print-structure-default object stream))))
            (t nil)))))

(defun parse-defstruct (name-and-options slots)
  "The description that a DEFSTRUCT form gives."
  (let* ((name (if (consp name-and-options) (car name-and-options) name-and-options))
         (options (if (consp name-and-options) (cdr name-and-options) nil))
         (documentation (if (stringp (car slots)) (car slots) nil)))
    (unless (and name (symbolp name)) (structure-error "~S cannot name a structure." name))
    (let ((description (parse-structure-options name options))
          (own-slots nil))
      (dolist (form (if documentation (cdr slots) slots))
        (setq own-slots (cons (parse-structure-slot form) own-slots)))
      (setf (structure-documentation description) documentation)
      (place-structure-slots description (nreverse own-slots)))))

(defmacro defstruct (name-and-options &rest slots)
  "Define a structure type with constructors, accessors, predicate, copier."
  (let* ((description (parse-defstruct name-and-options slots))
         (name (structure-name description)))
    `(progn
       (eval-when (:compile-toplevel :load-toplevel :execute)
         (register-structure ',description))
       ,@(if (structure-kind description)
             (typed-accessor-forms description)
             (list (list 'install-structure-functions (list 'quote name))))
       ,@(constructor-forms description)
       ,@(if (structure-kind description)
             nil
             (list (list 'install-constructor-macros (list 'quote name))))
       ,@(structure-print-method description)
       ,@(if (structure-documentation description)
             `((setf (documentation ',name 'structure) ,(structure-documentation description)
                     (documentation ',name 'type) ,(structure-documentation description)))
             nil)
       ',name)))

(defun make-structure-from-plist (name arguments)
  "An object of the structure NAME made with its keyword constructor, as #S demands. ARGUMENTS are slot names and values."
  (let* ((description (structure-description name))
         (constructor (if description (keyword-constructor-name description) nil))
         (keywords nil))
    (unless description
      (error 'simple-reader-error :format-control "~S is not the name of a structure." :format-arguments (list name)))
    (unless constructor
      (error 'simple-reader-error :format-control "The structure ~S has no keyword constructor." :format-arguments (list name)))
    (do ((tail arguments (cddr tail)))
        ((endp tail))
      (setq keywords (list* (cadr tail) (intern (string (car tail)) "KEYWORD") keywords)))
    (apply constructor (nreverse keywords))))

(defun keyword-constructor-name (description)
  "The name of the first keyword constructor of DESCRIPTION, or NIL."
  (dolist (constructor (structure-constructors description) nil)
    (cond ((eq constructor :default)
           (return (intern (join-strings "MAKE-" (symbol-name (structure-name description)))
                           (symbol-package (structure-name description)))))
          ((null (cdr constructor)) (return (car constructor))))))
