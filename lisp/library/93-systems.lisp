;;;; Systems: a part of ASDF with which programs of Lisp source load from a registry. Files are loaded as source, one after the
;;;; other as their dependencies say; what has not changed since is not loaded again.

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

(defmethod print-object ((object component) stream)
  (print-unreadable-object (object stream :type t) (prin1 (component-name object) stream)))

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
                                                (mapcar #'namestring (registry-directories)))))))))

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

;;; Loading

(defvar *systems-in-progress* '() "Names of the systems being loaded, the innermost first.")

(defvar *loaded-now* nil "During an operation: from names of systems it has loaded to whether that loaded any file.")

(defun load-system (name &key force &allow-other-keys)
  "Load a system after those it depends on; again only what has changed, or everything with FORCE."
  (let ((*loaded-now* (or *loaded-now* (make-hash-table :test 'equal))))
    (load-system-once (find-system name) force))
  t)

(defun load-system-once (system force)
  "Load SYSTEM unless this operation has done so. True when any of its files was loaded."
  (let ((name (component-name system)))
    (when (member name *systems-in-progress* :test #'string=)
      (error 'circular-dependency
             :format-control "The systems ~{~A~^ → ~} depend on each other in a circle."
             :format-arguments (list (reverse (cons name *systems-in-progress*)))))
    (multiple-value-bind (result known) (gethash name *loaded-now*)
      (if known
          result
          (let ((*systems-in-progress* (cons name *systems-in-progress*)) (changed (and force t)))
            (dolist (dependency (component-depends-on system))
              (when (load-dependency dependency system) (setq changed t)))
            (when (featurep (component-if-feature system))
              (setq changed (load-components system changed)))
            (provide name)
            (setf (gethash name *loaded-now*) (and changed t)))))))

(defun load-dependency (dependency system)
  "Load what an element of :DEPENDS-ON asks for. True when files were loaded."
  (cond ((atom dependency) (load-required-system (coerce-name dependency) system))
        ((eq (car dependency) :feature)
         (if (featurep (second dependency)) (load-dependency (third dependency) system) nil))
        ((eq (car dependency) :version)
         (let ((required (find-system (second dependency))))
           (unless (version-satisfies (component-version required) (third dependency))
             (error 'missing-dependency
                    :requires (second dependency) :required-by system
                    :format-control "~S needs version ~A of ~S; version ~A is there."
                    :format-arguments (list system (third dependency) required (component-version required))))
           (load-dependency (second dependency) system)))
        ((eq (car dependency) :require) (require (second dependency)) nil)
        (t (system-problem "~S is no dependency of a system: give a name, (:version …), (:feature …) or (:require …)."
                           dependency))))

(defun load-required-system (name system)
  (if (member name '("asdf" "uiop") :test #'string=)
      nil
      (load-system-once
       (or (find-system name nil)
           (error 'missing-dependency
                  :requires name :required-by system
                  :format-control "~S depends on the system ~S, which no file in ~:[the registry, which is empty,~;~:*~{~A~^ or ~}~] defines."
                  :format-arguments (list system name (mapcar #'namestring (registry-directories)))))
       nil)))

(defun load-components (module changed)
  "Load what is in MODULE; CHANGED says that all of it is to be loaded. True when anything was."
  (let ((done '()) (before '()))
    (labels ((visit (component path)
               (unless (member component done :test #'eq)
                 (when (member component path :test #'eq)
                   (error 'circular-dependency
                          :format-control "The components ~{~A~^ → ~} depend on each other in a circle."
                          :format-arguments (list (mapcar #'component-name (reverse (cons component path))))))
                 (dolist (name (component-depends-on component))
                   (visit (find-component module name) (cons component path)))
                 (push component done)
                 (when (and (featurep (component-if-feature component)) (load-component component changed))
                   (setq changed t)))))
      (dolist (component (module-components module))
        (when (module-serial module) (dolist (earlier (reverse before)) (visit earlier '())))
        (visit component '())
        (push component before)))
    changed))

(defun load-component (component changed)
  (typecase component
    (module (load-components component changed))
    (cl-source-file (load-source component changed))
    (t nil)))

(defun load-source (file changed)
  "Load a source file unless it has been loaded as it is. True when it was loaded."
  (let* ((pathname (component-pathname file))
         (truename (or (probe-file pathname)
                       (system-problem "The file ~A of the component ~S is not there." (namestring pathname) file)))
         (name (namestring truename)) (written (file-write-date truename)))
    (if (and (not changed) (eql (gethash name *loaded-sources*) written))
        nil
        (let ((*package* (find-package "COMMON-LISP-USER")))
          (load truename)
          (setf (gethash name *loaded-sources*) written)
          t))))

;;; Operations

(defun run-performs (operation system)
  "Run what :PERFORM says for an operation; true when it says anything."
  (let ((perform (cdr (assoc operation (system-performs system) :test #'string-equal))))
    (when perform
      (funcall perform operation system)
      t)))

(defun test-system (name &key &allow-other-keys)
  "Load a system and run its tests: what :IN-ORDER-TO names for TEST-OP, and what :PERFORM says."
  (let ((system (find-system name)))
    (load-system system)
    (dolist (clause (system-in-order-to system))
      (when (string-equal (car clause) 'test-op)
        (dolist (step (cdr clause))
          (dolist (other (cdr step)) (operate (car step) other)))))
    (run-performs 'test-op system)
    t))

(defun operate (operation name &rest arguments)
  "Do an operation on a system: LOAD-OP, LOAD-SOURCE-OP, COMPILE-OP, PREPARE-OP or TEST-OP."
  (cond ((string-equal operation 'test-op) (apply #'test-system name arguments))
        ((member operation '(load-op load-source-op compile-op prepare-op) :test #'string-equal)
         (let ((system (find-system name)))
           (apply #'load-system system arguments)
           (run-performs operation system)
           t))
        (t (system-problem "The operation ~S is not known; LOAD-OP and TEST-OP are." operation))))

(defun version-satisfies (version required)
  "True when VERSION, a text like 1.2.3 or a component with one, is at least REQUIRED."
  (flet ((numbers (text)
           (mapcar (lambda (part) (or (parse-integer part :junk-allowed t) 0)) (split-string text :separator "."))))
    (let ((version (if (typep version 'system) (component-version version) version)))
      (and version
           (let ((have (numbers version)) (want (numbers required)))
             (loop
               (let ((a (or (pop have) 0)) (b (or (pop want) 0)))
                 (cond ((> a b) (return t))
                       ((< a b) (return nil))
                       ((and (null have) (null want)) (return t))))))))))

(defun system-source-directory (name)
  "The directory of the file that defines a system."
  (let ((file (system-source-file (find-system name))))
    (and file (make-pathname :name nil :type nil :version nil :defaults file))))

(defun system-relative-pathname (name relative &key type)
  "The pathname of something beside the file that defines a system."
  (let ((pathname (merge-pathnames relative (system-source-directory name))))
    (if type (make-pathname :type type :defaults pathname) pathname)))

(offer-symbols "ASDF"
               '(defsystem load-system test-system operate find-system load-asd find-component clear-system
                 registered-systems *central-registry* initialize-source-registry primary-system-name coerce-name
                 system-source-file system-source-directory system-relative-pathname version-satisfies
                 component module system cl-source-file static-file component-name component-pathname component-parent
                 component-version system-description system-long-description system-author system-license
                 load-op load-source-op compile-op prepare-op test-op
                 system-definition-error missing-component missing-dependency circular-dependency
                 missing-requires missing-required-by))

;;; The next file has symbols of it.
(make-package "UIOP" :use '())
