;;;; Chapter 11: the package operators that run code or ask: DEFPACKAGE, DELETE-PACKAGE, iteration.

(in-package "AUTOLITH-SYSTEM")

(defun delete-package (package)
  "Delete PACKAGE: T, or NIL when it was deleted before. A correctable error when it does not exist or is used."
  (let ((found (if (packagep package) package (find-package package))))
    (cond ((null found)
           (cerror "Return NIL." 'simple-package-error :package package
                   :format-control "There is no package named ~S." :format-arguments (list package))
           nil)
          ((package-deleted-p found) nil)
          (t
           (%check-removable found "deleting it")
           (let ((users (package-used-by-list found)))
             (when users
               (cerror "Remove the dependency in the other packages." 'simple-package-error :package found
                       :format-control "The package ~A is used by ~{~A~^, ~}."
                       :format-arguments (list (package-name found) (mapcar #'package-name users)))
               (dolist (user users) (unuse-package found user))))
           (%delete-package found)))))

;;; Operators whose conflicts a person or a program may resolve

(defun make-package (name &key nicknames use)
  "A new package. A correctable error when one of its names is taken."
  (do () (nil)
    (restart-case (return (%make-package name :nicknames nicknames :use use))
      (use-other-name (other)
        :report "Make the package under another name, without nicknames."
        :interactive read-replacement-value
        (setq name other nicknames nil)))))

(defun import-one (symbol package)
  "Import SYMBOL; a conflict may be resolved by shadowing, or by leaving it."
  (restart-case (%import symbol package)
    (shadowing-import ()
      :report (lambda (stream) (format stream "Import ~S and shadow the other symbol." symbol))
      (shadowing-import symbol package))
    (skip ()
      :report (lambda (stream) (format stream "Leave ~S out." symbol)))))

(defun import (symbols &optional (package *package*))
  "Make SYMBOLS internal symbols of PACKAGE. A correctable error when another symbol of the name is accessible there."
  (if (listp symbols)
      (dolist (symbol symbols t) (import-one symbol package))
      (progn (import-one symbols package) t)))

(defun export (symbols &optional (package *package*))
  "Make SYMBOLS external in PACKAGE. A correctable error when one is not accessible, or conflicts in a package that uses it."
  (do () (nil)
    (restart-case (return (%export symbols package))
      (import-first ()
        :report "Import the symbols, then export them."
        (import symbols package))
      (skip ()
        :report "Export none of the symbols that are left."
        (return t)))))

(defun use-package (packages &optional (package *package*))
  "Make the external symbols of PACKAGES accessible in PACKAGE. A correctable error when names conflict."
  (restart-case (%use-package packages package)
    (skip () :report "Do not use the packages that are left." t)))

;;; Iteration

(defmacro do-package-list ((variable list result) body)
  "The loop of the DO-SYMBOLS family."
  (multiple-value-bind (forms declarations) (split-body-without-documentation body)
    (let ((symbols (gensym "SYMBOLS")))
      `(block nil
         (let ((,symbols ,list))
           (tagbody
              next
              (when ,symbols
                (let ((,variable (car ,symbols)))
                  ,@declarations
                  (setq ,symbols (cdr ,symbols))
                  (tagbody ,@forms))
                (go next))))
         (let ((,variable nil))
           (declare (ignorable ,variable))
           ,@(special-declarations declarations)
           ,result)))))

(defun split-body-without-documentation (body)
  "Two values: the statements and the declarations of BODY, in which a string is a statement."
  (let ((declarations nil))
    (do ((tail body (cdr tail)))
        ((not (and (consp tail) (consp (car tail)) (eq (car (car tail)) 'declare)))
         (values tail (nreverse declarations)))
      (setq declarations (cons (car tail) declarations)))))

(defmacro do-symbols ((variable &optional (package '*package*) result) &body body)
  "Run BODY for each symbol accessible in PACKAGE."
  `(do-package-list (,variable (accessible-symbols ,package) ,result) ,body))

(defmacro do-external-symbols ((variable &optional (package '*package*) result) &body body)
  "Run BODY for each external symbol of PACKAGE."
  `(do-package-list (,variable (external-symbols ,package) ,result) ,body))

(defmacro do-all-symbols ((variable &optional result) &body body)
  "Run BODY for each symbol present in some package."
  `(do-package-list (,variable (all-present-symbols) ,result) ,body))

(defun all-present-symbols ()
  "The symbols present in the packages of the image; some may occur more than once."
  (mapcan #'present-symbols (list-all-packages)))

(defun package-iteration-entries (packages types)
  "List of (symbol accessibility package) for the symbols of PACKAGES, a designator or a list of them, that TYPES include."
  (let ((entries nil))
    (dolist (designator (if (listp packages) packages (list packages)) (nreverse entries))
      (let ((package (if (packagep designator) designator (find-package designator))))
        (unless package
          (error 'simple-package-error :package designator
                 :format-control "There is no package named ~S." :format-arguments (list designator)))
        (dolist (symbol (accessible-symbols package))
          (multiple-value-bind (found status) (find-symbol (symbol-name symbol) package)
            (declare (ignore found))
            (when (member status types)
              (setq entries (cons (list symbol status package) entries)))))))))

(defmacro with-package-iterator ((name package-list-form &rest symbol-types) &body body)
  "Run BODY with the local macro NAME, which gives T, a symbol, its accessibility and package, one after the other, then NIL."
  (when (null symbol-types)
    (error 'simple-program-error :format-control "WITH-PACKAGE-ITERATOR needs at least one of :INTERNAL, :EXTERNAL, :INHERITED."
                                 :format-arguments nil))
  (dolist (type symbol-types)
    (unless (member type '(:internal :external :inherited))
      (error 'simple-program-error :format-control "WITH-PACKAGE-ITERATOR: ~S is none of :INTERNAL, :EXTERNAL, :INHERITED."
                                   :format-arguments (list type))))
  (let ((entries (gensym "ENTRIES")) (next (gensym "NEXT")) (entry (gensym "ENTRY")))
    `(let ((,entries (package-iteration-entries ,package-list-form ',symbol-types)))
       (flet ((,next ()
                (if ,entries
                    (let ((,entry (car ,entries)))
                      (setq ,entries (cdr ,entries))
                      (values t (first ,entry) (second ,entry) (third ,entry)))
                    nil)))
         (declare (ignorable #',next))
         (macrolet ((,name () '(,next)))
           ,@body)))))

;;; DEFPACKAGE

(defun defpackage-error (control &rest arguments)
  "Signal a PROGRAM-ERROR about a DEFPACKAGE form."
  (error 'simple-program-error :format-control (join-strings "DEFPACKAGE: " control) :format-arguments arguments))

(defun check-disjoint-names (option-1 names-1 option-2 names-2)
  "A PROGRAM-ERROR when a name is in both lists of names."
  (dolist (name names-1)
    (when (member name names-2 :test #'string=)
      (defpackage-error "~A is in ~S and in ~S." name option-1 option-2))))

(defun parse-defpackage-options (options)
  "Property list of what the OPTIONS of a DEFPACKAGE form say, with names as strings."
  (let ((nicknames nil) (use nil) (use-p nil) (shadow nil) (shadowing-import nil) (import nil) (intern nil) (export nil)
        (local nil) (documentation nil) (size nil))
    (dolist (option options)
      (unless (consp option) (defpackage-error "~S is not an option." option))
      (let ((names (cdr option)))
        (case (car option)
          (:nicknames (setq nicknames (append nicknames (mapcar #'string names))))
          (:use (setq use-p t use (append use (mapcar #'package-designator-name names))))
          (:shadow (setq shadow (append shadow (mapcar #'string names))))
          (:intern (setq intern (append intern (mapcar #'string names))))
          (:export (setq export (append export (mapcar #'string names))))
          (:shadowing-import-from
           (setq shadowing-import
                 (append shadowing-import (list (cons (package-designator-name (car names)) (mapcar #'string (cdr names)))))))
          (:import-from
           (setq import (append import (list (cons (package-designator-name (car names)) (mapcar #'string (cdr names)))))))
          (:local-nicknames
           (setq local (append local (mapcar (lambda (pair) (list (string (first pair)) (string (second pair)))) names))))
          (:documentation
           (when documentation (defpackage-error "two :DOCUMENTATION options."))
           (setq documentation (car names)))
          (:size
           (when size (defpackage-error "two :SIZE options."))
           (setq size t))
          (:lock nil)
          (t (defpackage-error "unknown option ~S." (car option))))))
    (let ((imported (mapcan (lambda (entry) (copy-list (cdr entry))) import))
          (shadowing (mapcan (lambda (entry) (copy-list (cdr entry))) shadowing-import)))
      (check-disjoint-names :shadow shadow :intern intern)
      (check-disjoint-names :shadow shadow :import-from imported)
      (check-disjoint-names :shadow shadow :shadowing-import-from shadowing)
      (check-disjoint-names :intern intern :import-from imported)
      (check-disjoint-names :intern intern :shadowing-import-from shadowing)
      (check-disjoint-names :import-from imported :shadowing-import-from shadowing)
      (check-disjoint-names :intern intern :export export))
    (list :nicknames nicknames :use use :use-p use-p :shadow shadow :shadowing-import-from shadowing-import
          :import-from import :intern intern :export export :local-nicknames local :documentation documentation)))

(defun package-designator-name (designator)
  "The name that a package designator in DEFPACKAGE stands for."
  (if (packagep designator) (package-name designator) (string designator)))

(defun symbol-to-import (name package)
  "The symbol called NAME of PACKAGE; a correctable PACKAGE-ERROR when there is none, after which it is interned."
  (multiple-value-bind (symbol status) (find-symbol name package)
    (cond (status symbol)
          (t (cerror "Intern it there." 'simple-package-error :package (find-package package)
                     :format-control "There is no symbol called ~S in ~A." :format-arguments (list name package))
             (values (intern name package))))))

(defun define-package (name options)
  "Make or change the package NAME as the parsed OPTIONS of DEFPACKAGE say; the package."
  (let ((package (or (find-package name) (make-package name))))
    (when (getf options :nicknames) (add-package-nicknames package (getf options :nicknames)))
    (shadow (getf options :shadow) package)
    (dolist (entry (getf options :shadowing-import-from))
      (dolist (symbol-name (cdr entry))
        (shadowing-import (list (symbol-to-import symbol-name (car entry))) package)))
    (when (getf options :use-p)
      (dolist (used (package-use-list package))
        (unless (member (package-name used) (getf options :use) :test #'string=)
          (unuse-package used package))))
    (use-package (getf options :use) package)
    (dolist (entry (getf options :import-from))
      (dolist (symbol-name (cdr entry))
        (import (list (symbol-to-import symbol-name (car entry))) package)))
    (dolist (symbol-name (getf options :intern)) (intern symbol-name package))
    (dolist (symbol-name (getf options :export))
      (export (list (intern symbol-name package)) package))
    (dolist (pair (getf options :local-nicknames))
      (add-package-local-nickname (first pair) (second pair) package))
    (when (getf options :documentation)
      (set-package-documentation package (getf options :documentation)))
    package))

(defmacro defpackage (name &rest options)
  "Define a package."
  (let ((parsed (parse-defpackage-options options)))
    `(eval-when (:compile-toplevel :load-toplevel :execute)
       (define-package ,(string name) ',parsed))))

(defvar *gentemp-counter* 0 "Number of the last name that GENTEMP tried.")

(defun gentemp (&optional (prefix "T") (package *package*))
  "A new symbol interned in PACKAGE, named PREFIX and a number."
  (unless (stringp prefix) (error 'type-error :datum prefix :expected-type 'string))
  (do () (nil)
    (setq *gentemp-counter* (+ *gentemp-counter* 1))
    (let ((name (join-strings prefix (princ-to-string *gentemp-counter*))))
      (multiple-value-bind (symbol status) (find-symbol name package)
        (declare (ignore symbol))
        (unless status (return (values (intern name package))))))))
