;;;; Loading and testing systems, and the package ASDF. Files are loaded as source, one after the other as their dependencies say;
;;;; what has not changed since is not loaded again.

(in-package "AUTOLITH-SYSTEM")

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
                  :format-arguments (list system name (registry-names))))
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

(defun operation-class (designator)
  "The name of the class of operations that a symbol, of whatever package, or an operation stands for."
  (or (find (if (typep designator 'operation) (class-name (class-of designator)) designator)
            '(load-op load-source-op compile-op prepare-op test-op) :test #'string-equal)
      (system-problem "The operation ~S is not known; LOAD-OP and TEST-OP are." designator)))

(defun run-performs (operation system)
  "Do what :PERFORM, or a method of PERFORM, says for an operation."
  (let ((perform (cdr (assoc operation (system-performs system) :test #'string-equal)))
        (instance (make-instance operation)))
    (if perform (funcall perform instance system) (perform instance system))))

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
  (let ((class (operation-class operation)))
    (if (eq class 'test-op)
        (apply #'test-system name arguments)
        (let ((system (find-system name)))
          (apply #'load-system system arguments)
          (run-performs class system)
          t))))

(defun oos (operation name &rest arguments)
  "OPERATE under its old name."
  (apply #'operate operation name arguments))

(defun component-loaded-p (name)
  "True when a system has been loaded."
  (and (member (coerce-name name) *modules* :test #'string=) t))

(defun require-system (name)
  "Load a system unless it has been loaded."
  (unless (component-loaded-p name) (load-system name)))

(defun load-systems (&rest names)
  (mapc #'load-system names))

(defun asdf-version ()
  "The version of ASDF whose part this is."
  "3.1")

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
               '(defsystem load-system load-systems require-system test-system operate oos perform operation
                 operation-done-p component-loaded-p asdf-version find-system load-asd find-component clear-system
                 registered-systems *central-registry* initialize-source-registry primary-system-name coerce-name
                 system-source-file system-source-directory system-relative-pathname version-satisfies
                 component module system cl-source-file static-file component-name component-pathname component-parent
                 component-version system-description system-long-description system-author system-license
                 load-op load-source-op compile-op prepare-op test-op
                 system-definition-error missing-component missing-dependency circular-dependency
                 missing-requires missing-required-by))

;;; The next file has symbols of it.
(make-package "UIOP" :use '())
