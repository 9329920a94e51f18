;;;; Chapter 8: DEFSTRUCT, part 3: accessors, predicate, copier, and the macro. Leaves of lisp/structures make and read the
;;;; objects; a *cell* stands for a structure name and holds its present layout, so that code compiled before a redefinition
;;;; goes on working.

(in-package "AUTOLITH-SYSTEM")

(defun structure-reader (cell slot)
  "Function that reads SLOT of a structure of CELL."
  (let ((index (structure-slot-index slot)))
    (case (slot-reference-operator slot)
      (structure-double-ref (lambda (structure) (structure-double-ref cell index structure)))
      (structure-single-ref (lambda (structure) (structure-single-ref cell index structure)))
      (t (lambda (structure) (structure-ref cell index structure))))))

(defun structure-writer (cell slot)
  "Function that writes SLOT of a structure of CELL."
  (let ((index (structure-slot-index slot)) (type (structure-slot-type slot)))
    (flet ((check (value)
             (unless (or (eq type t) (typep value type)) (error 'type-error :datum value :expected-type type))))
      (case (slot-assignment-operator slot)
        (structure-double-set
         (lambda (value structure) (check value) (structure-double-set cell index structure value)))
        (structure-single-set
         (lambda (value structure) (check value) (structure-single-set cell index structure value)))
        (t (lambda (value structure) (check value) (structure-set cell index structure value)))))))

(defun structure-predicate-function (cell)
  "Function that tells whether its argument is a structure of CELL."
  (lambda (object) (if (structure-of-cell-p object cell) t nil)))

(defun structure-copier-function (cell)
  "Function that copies a structure of CELL."
  (lambda (structure)
    (if (structure-of-cell-p structure cell)
        (copy-structure structure)
        (error 'type-error :datum structure :expected-type (structure-cell-name cell)))))

(defun slot-reference-form (slot cell-form object)
  "Form that reads SLOT of OBJECT. That a slot holds an array of a kind is told to the compiler, which looks at the array."
  (let ((form (list (slot-reference-operator slot) cell-form (structure-slot-index slot) object))
        (type (structure-slot-type slot)))
    (if (and (consp type) (eq (car type) 'simple-array) (cddr type)) (list 'the type form) form)))

(defun install-structure-accessor (accessor cell slot)
  "Define ACCESSOR, and unless SLOT is read-only its SETF function, with inline code for calls while nobody redefines them."
  (let ((reader (structure-reader cell slot))
        (index (structure-slot-index slot))
        (cell-form (list 'load-time-value (list 'structure-cell (list 'quote (structure-cell-name cell))))))
    (setf (fdefinition accessor) reader)
    (setf (compiler-macro-function accessor)
          (lambda (form environment)
            (declare (ignore environment))
            (if (and (eq (car form) accessor) (consp (cdr form)) (null (cddr form))
                     (fboundp accessor) (eq (symbol-function accessor) reader))
                (slot-reference-form slot cell-form (cadr form))
                form)))
    (unless (structure-slot-read-only slot)
      (let ((writer (structure-writer cell slot)))
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
                  (list (slot-assignment-operator slot) cell-form index object
                        (if (plain-float-slot-p slot) store (slot-value-form slot store)))
                  (slot-reference-form slot cell-form object)))
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
    (%refuse-standard-name name)
    (when (null (structure-kind description))
      (let ((slot-names nil) (float-types nil))
        (dolist (slot (structure-slots description))
          (setq slot-names (cons (structure-slot-name slot) slot-names)
                float-types (cons (slot-float-type slot) float-types)))
        (define-structure-layout name
            (if (structure-include description) (structure-cell (car (structure-include description))) nil)
          (nreverse slot-names)
          (nreverse float-types))))
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
      (when (atom (cdr tail))
        (error 'simple-reader-error :format-control "#S(~S …) has no value for the slot ~S."
                                    :format-arguments (list name (car tail))))
      (setq keywords (list* (cadr tail) (intern (string (car tail)) "KEYWORD") keywords)))
    (apply constructor (nreverse keywords))))

(defun keyword-constructor-name (description)
  "The name of the first keyword constructor of DESCRIPTION, or NIL."
  (dolist (constructor (structure-constructors description) nil)
    (cond ((eq constructor :default)
           (return (intern (join-strings "MAKE-" (symbol-name (structure-name description)))
                           (symbol-package (structure-name description)))))
          ((null (cdr constructor)) (return (car constructor))))))
