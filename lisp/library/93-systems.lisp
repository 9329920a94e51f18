;;;; Systems: a part of ASDF with which programs of Lisp source load from a registry. Here is what systems are, where they are
;;;; looked for, and how they are defined.

(in-package "AUTOLITH-SYSTEM")

;;; Classes and conditions

(defclass component ()
  ((name :initarg :name :reader component-name)
   (parent :initarg :parent :initform nil :reader component-parent)
   (pathname :initarg :pathname :reader component-pathname)
   (depends-on :initarg :depends-on :initform '() :reader component-depends-on)
   (if-feature :initarg :if-feature :initform t :reader component-if-feature)))

(defclass static-file (component) ())
(defclass cl-source-file (component) ())

(defclass module (component)
  ((components :initform '() :accessor module-components)
   (serial :initarg :serial :initform nil :reader module-serial)))

(defclass system (module)
  ((version :initarg :version :initform nil :reader component-version)
   (description :initarg :description :initform nil :reader system-description)
   (long-description :initarg :long-description :initform nil :reader system-long-description)
   (author :initarg :author :initform nil :reader system-author)
   (license :initarg :license :initform nil :reader system-license)
   (source-file :initarg :source-file :initform nil :reader system-source-file)
   (in-order-to :initarg :in-order-to :initform '() :reader system-in-order-to)
   (performs :initarg :performs :initform '() :reader system-performs)))

(defclass operation () ())
(defclass load-op (operation) ())
(defclass load-source-op (operation) ())
(defclass compile-op (operation) ())
(defclass prepare-op (operation) ())
(defclass test-op (operation) ())

(defgeneric perform (operation component)
  (:documentation "Do what an operation asks for a system, besides loading it; systems have methods of their own.")
  (:method ((operation t) (component t)) nil))

(defgeneric operation-done-p (operation component)
  (:documentation "Here for methods of old definitions; nothing asks.")
  (:method ((operation t) (component t)) nil))

(defmethod print-object ((object component) stream)
  (print-unreadable-object (object stream)
    (format stream "~A ~S" (class-name (class-of object)) (component-name object))))

(define-condition system-definition-error (simple-error) ())
(define-condition missing-component (system-definition-error)
  ((requires :initarg :requires :reader missing-requires)))
(define-condition missing-dependency (missing-component)
  ((required-by :initarg :required-by :reader missing-required-by)))
(define-condition circular-dependency (system-definition-error) ())

(defun system-problem (control &rest arguments)
  (error 'system-definition-error :format-control control :format-arguments arguments))

;;; The registry

(defvar *central-registry* '(*default-pathname-defaults*)
  "Directories in which system definitions, files of type asd, are looked for: pathnames, strings, or forms that give them.")

(defvar *registered-systems* (make-hash-table :test 'equal) "From names to systems.")

(defvar *loaded-sources* (make-hash-table :test 'equal) "From names of files that systems have loaded to their write dates then.")

(defvar *source-registry* '() "Directories that INITIALIZE-SOURCE-REGISTRY was given.")

(defun coerce-name (designator)
  "The name of a component: a string as it is, a symbol in lower case."
  (typecase designator
    (string designator)
    (symbol (string-downcase designator))
    (component (component-name designator))
    (t (system-problem "~S is no name of a system: give a string or a symbol." designator))))

(defun primary-system-name (designator)
  "The name of the file that defines a system: what stands before the first slash of its name."
  (let ((name (coerce-name designator))) (subseq name 0 (position #\/ name))))

(defun registry-directories ()
  (let ((directories (copy-list *source-registry*)))
    (dolist (entry *central-registry* (nreverse directories))
      (let ((directory (if (or (stringp entry) (pathnamep entry)) entry (eval entry))))
        (when directory (push (ensure-directory-pathname directory) directories))))))

(defun registry-names ()
  "The directories of the registry as they are told to people."
  (mapcar (lambda (directory)
            (let ((name (namestring directory))) (if (string= name "") "the current directory" name)))
          (registry-directories)))

(defun initialize-source-registry (&optional parameter)
  "Look for systems in the directories of PARAMETER, (:source-registry (:directory \"…\") (:tree \"…\") …), as well."
  (setq *source-registry* '())
  (dolist (entry (if (consp parameter) (cdr parameter) '()) *source-registry*)
    (when (consp entry)
      (let ((directory (ensure-directory-pathname (second entry))))
        (case (first entry)
          (:directory (push directory *source-registry*))
          (:tree (dolist (file (directory (merge-pathnames "**/*.asd" directory)))
                   (pushnew (make-pathname :name nil :type nil :version nil :defaults file) *source-registry*
                            :test #'equal)))
          (t (system-problem "~S is no entry of a source registry here: use (:directory …) or (:tree …)." entry)))))))

(defun system-definition-file (name)
  "The file of the registry that defines the system NAME, or NIL."
  (let ((file (make-pathname :name (primary-system-name name) :type "asd")))
    (dolist (directory (registry-directories) nil)
      (let ((found (probe-file (merge-pathnames file directory))))
        (when found (return found))))))

(defun load-asd (pathname &key name)
  "Load a file of system definitions."
  (declare (ignore name))
  (let ((*package* (find-package "ASDF-USER")) (*readtable* (copy-readtable nil)))
    (load pathname)))

(defun find-system (name &optional (error-p t))
  "The system of that name, whose definition is loaded when it has to be; NIL, or an error, when there is none."
  (if (typep name 'system)
      name
      (let ((name (coerce-name name)))
        (unless (gethash name *registered-systems*)
          (let ((file (system-definition-file name))) (when file (load-asd file))))
        (or (gethash name *registered-systems*)
            (and error-p
                 (error 'missing-component
                        :requires name
                        :format-control "There is no system ~S: no file ~A.asd that defines it is in ~:[the registry, which is empty~;~:*~{~A~^ or ~}~]. Add its directory to ASDF:*CENTRAL-REGISTRY*, or load its definition with ASDF:LOAD-ASD."
                        :format-arguments (list name (primary-system-name name)
                                                (registry-names))))))))

(defun registered-systems ()
  "Names of the systems whose definitions are known."
  (let ((names '())) (maphash (lambda (name system) (declare (ignore system)) (push name names)) *registered-systems*) names))

(defun clear-system (name)
  "Forget the definition of a system."
  (remhash (coerce-name name) *registered-systems*))

;;; Definitions

(defmacro defsystem (name &body options)
  "Define a system: what it consists of, what it depends on, and what is known of it."
  (let ((performs '()) (plain '()))
    (do ((tail options (cddr tail))) ((endp tail))
      (unless (and (keywordp (car tail)) (consp (cdr tail)))
        (error 'system-definition-error :format-control "DEFSYSTEM ~S: ~S is no option with a value."
                                        :format-arguments (list name tail)))
      (if (eq (car tail) :perform)
          (destructuring-bind (operation parameters &rest body) (cadr tail)
            (push `(cons ',operation (lambda ,parameters (declare (ignorable ,@parameters)) ,@body)) performs))
          (setq plain (list* (cadr tail) (car tail) plain))))
    `(define-system ',(coerce-name name) ',(nreverse plain) (list ,@(nreverse performs)))))

(defun define-system (name options performs)
  (let* ((file (or *load-truename* *default-pathname-defaults*))
         (directory (make-pathname :name nil :type nil :version nil :defaults file))
         (pathname (getf options :pathname)))
    (unless (member (getf options :class 'system) '(system "system" "asdf:system") :test #'string-equal)
      (system-problem "~S is of the class ~S: only plain systems, with the files they consist of, are known here."
                      name (getf options :class)))
    (dolist (dependency (getf options :defsystem-depends-on)) (load-system dependency))
    (let ((system (make-instance 'system
                                 :name name :source-file *load-truename* :performs performs
                                 :pathname (if pathname
                                               (merge-pathnames (ensure-directory-pathname pathname) directory)
                                               directory)
                                 :depends-on (getf options :depends-on) :serial (getf options :serial)
                                 :version (system-version (getf options :version) directory)
                                 :description (getf options :description)
                                 :long-description (getf options :long-description)
                                 :author (getf options :author)
                                 :license (or (getf options :license) (getf options :licence))
                                 :in-order-to (getf options :in-order-to))))
      (define-components system (getf options :components))
      (setf (gethash name *registered-systems*) system))))

(defun system-version (version directory)
  "The version text: VERSION, or what a file or its first line says."
  (cond ((or (null version) (stringp version)) version)
        ((and (consp version) (eq (car version) :read-file-form))
         (with-open-file (stream (merge-pathnames (second version) directory)) (read stream)))
        ((and (consp version) (eq (car version) :read-file-line))
         (with-open-file (stream (merge-pathnames (second version) directory)) (read-line stream)))
        (t (system-problem "~S is no version: give a string, (:read-file-form …) or (:read-file-line …)." version))))

(defun define-components (module descriptions)
  (setf (module-components module)
        (mapcar (lambda (description) (define-component module description)) descriptions))
  (dolist (component (module-components module))
    (dolist (name (component-depends-on component))
      (unless (find-component module name)
        (error 'missing-dependency
               :requires name :required-by component
               :format-control "~S depends on ~S, which is no component of ~S."
               :format-arguments (list component name module))))))

(defun define-component (parent description)
  (destructuring-bind (kind name &key pathname depends-on components serial (if-feature t) &allow-other-keys)
      description
    (let* ((name (coerce-name name)) (directory (component-pathname parent)))
      (flet ((make (class pathname &rest more)
               (apply #'make-instance class :name name :parent parent :depends-on (mapcar #'coerce-name depends-on)
                                            :if-feature if-feature :pathname (merge-pathnames pathname directory) more)))
        (case kind
          ((:file :cl-source-file)
           (make 'cl-source-file (or pathname (source-pathname name))))
          (:module
           (let ((module (make 'module (ensure-directory-pathname (or pathname name)) :serial serial)))
             (define-components module components)
             module))
          ((:static-file :doc-file :html-file) (make 'static-file (or pathname name)))
          (t (system-problem "~S: components of kind ~S are not known; :file, :module and :static-file are." name kind)))))))

(defun source-pathname (name)
  "The pathname of a source file from a component name, which may have directories and dots."
  (let ((slash (position #\/ name :from-end t)))
    (merge-pathnames (make-pathname :name (subseq name (if slash (1+ slash) 0)) :type "lisp")
                     (if slash (pathname (subseq name 0 (1+ slash))) (make-pathname)))))

(defun find-component (base path)
  "The component of BASE, a system or module, that a name, or a list of names from outside in, leads to."
  (let ((base (if (typep base 'component) base (find-system base nil))))
    (cond ((null base) nil)
          ((null path) base)
          ((consp path) (find-component (find-component base (car path)) (cdr path)))
          (t (find (coerce-name path) (module-components base) :key #'component-name :test #'string=)))))
