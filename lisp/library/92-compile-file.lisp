;;;; COMPILE-FILE. What it writes is a module: text with the forms to run when it is loaded, which have been read, expanded at top
;;;; level and freed of what is for compile time only. Symbols are written with their packages, and objects that cannot be read
;;;; back as the forms that make them. So a module is data: to load one is no more than to load source.

(in-package "AUTOLITH-SYSTEM")

(defmacro with-compilation-unit ((&rest options) &body body)
  "Run BODY; there is nothing to defer."
  (declare (ignore options))
  `(progn ,@body))

;;; Literal objects

;;; What is printed as #.FORM.
(define-structure-layout 'module-literal nil '(form))

(defmacro module-literal-cell ()
  '(load-time-value (structure-cell 'module-literal)))

(defun make-module-literal (form)
  (make-structure (module-literal-cell) form))

(defmethod print-object ((literal module-literal) stream)
  (write-string "#." stream)
  (prin1 (structure-ref (module-literal-cell) 0 literal) stream))

(defvar *module-objects* nil "Table from objects of the form being written to what is written for them.")

(defun module-object (object)
  "What to print for a literal object, so that reading it gives a similar one."
  (cond ((or (symbolp object) (numberp object) (characterp object) (pathnamep object) (random-state-p object)
             (stringp object) (bit-vector-p object))
         object)
        ((gethash object *module-objects*))
        ((consp object) (module-cons object))
        ((simple-vector-p object)
         (let ((copy (make-array (length object))))
           (setf (gethash object *module-objects*) copy)
           (dotimes (i (length object) copy) (setf (svref copy i) (module-object (svref object i))))))
        (t (setf (gethash object *module-objects*) (make-module-literal (module-object (literal-form object)))))))

(defun module-cons (list)
  "A copy of LIST with what to print for its elements; walks along the list, which may be long or circular."
  (let* ((first (cons nil nil)) (copy first))
    (loop
      (setf (gethash list *module-objects*) copy)
      (setf (car copy) (module-object (car list)))
      (let ((rest (cdr list)))
        (when (or (atom rest) (gethash rest *module-objects*))
          (setf (cdr copy) (module-object rest))
          (return first))
        (setf (cdr copy) (cons nil nil) copy (cdr copy) list rest)))))

(defun literal-form (object)
  "A form that makes an object similar to OBJECT, which has no syntax of its own."
  (typecase object
    (package `(find-package ,(package-name object)))
    (class `(find-class ',(or (class-name object) (no-literal object))))
    (array (array-literal-form object))
    (hash-table (table-literal-form object))
    ((or structure-object standard-object condition) (made-literal-form object))
    (t (no-literal object))))

(defun no-literal (object)
  (error 'simple-error
         :format-control "~S cannot be a literal object in a compiled file. Make it when the file is loaded, for instance with LOAD-TIME-VALUE."
         :format-arguments (list object)))

(defun array-literal-form (array)
  (let ((elements '()))
    (dotimes (i (array-total-size array)) (push (row-major-aref array i) elements))
    `(let ((array (make-array ',(array-dimensions array) :element-type ',(array-element-type array))) (index -1))
       (dolist (element ',(nreverse elements) array) (setf (row-major-aref array (incf index)) element)))))

(defun table-literal-form (table)
  (let ((entries '()))
    (maphash (lambda (key value) (push (cons key value) entries)) table)
    `(let ((table (make-hash-table :test ',(hash-table-test table))))
       (dolist (entry ',entries table) (setf (gethash (car entry) table) (cdr entry))))))

(defun made-literal-form (object)
  "What MAKE-LOAD-FORM says, as one form."
  (multiple-value-bind (creation initialization) (make-load-form object nil)
    (if initialization
        (let ((made (gensym "MADE")))
          `(let ((,made ,creation)) ,(substitute-literal made object initialization) ,made))
        creation)))

(defun substitute-literal (new object form)
  "FORM with NEW in the places of the literal OBJECT, quoted or not."
  (cond ((eq form object) new)
        ((and (consp form) (eq (car form) 'quote) (consp (cdr form)) (eq (cadr form) object)) new)
        ((consp form) (cons (substitute-literal new object (car form)) (substitute-literal new object (cdr form))))
        (t form)))

;;; Top-level forms

(defvar *module-stream* nil "Where COMPILE-FILE writes.")
(defvar *compile-failures* nil "True when a form of the file could not be compiled.")

(defmacro expansion-here (form &environment environment)
  "FORM expanded in the environment of the place, and quoted."
  (list 'quote (top-level-expansion form environment)))

(defun compile-time-definer-p (name)
  "True for the macros whose forms are evaluated at compile time too, because later forms of the file may need what they define."
  (member name '(in-package defpackage defmacro deftype declaim defsetf define-setf-expander define-modify-macro
                 define-symbol-macro define-compiler-macro defstruct defconstant)))

(defun top-level-expansion (form environment)
  "FORM expanded until it is none of the user's macros."
  (loop
    (unless (and (consp form) (symbolp (car form)) (macro-function (car form) environment)
                 (not (eq (symbol-package (car form)) (load-time-value (find-package "COMMON-LISP")))))
      (return form))
    (setq form (macroexpand-1 form environment))))

(defun within (wrappers form)
  "FORM inside the MACROLET, SYMBOL-MACROLET and LOCALLY forms it stands in; WRAPPERS has their heads, the innermost first."
  (dolist (wrapper wrappers form)
    (setq form (append wrapper (list form)))))

(defun compile-top-level (form wrappers at-compile-time)
  "Handle a top-level form; AT-COMPILE-TIME says whether it is evaluated as well."
  (setq form (if wrappers (eval (within wrappers `(expansion-here ,form))) (top-level-expansion form nil)))
  (flet ((each (forms wrappers at-compile-time)
           (dolist (item forms) (compile-top-level item wrappers at-compile-time))))
    (case (if (consp form) (car form) nil)
      (progn (each (cdr form) wrappers at-compile-time))
      (eval-when (compile-eval-when (cadr form) (cddr form) wrappers at-compile-time))
      ((locally macrolet symbol-macrolet)
       (let* ((locally (eq (car form) 'locally))
              (body (member-if-not #'declaration-form-p (if locally (cdr form) (cddr form)))))
         (each body (cons (ldiff form body) wrappers) at-compile-time)))
      ((defvar defparameter)
       (proclaim `(special ,(cadr form)))
       (compile-plain form wrappers at-compile-time))
      (t (compile-plain form wrappers
                        (or at-compile-time (and (consp form) (compile-time-definer-p (car form)))))))))

(defun declaration-form-p (form)
  (and (consp form) (eq (car form) 'declare)))

(defun compile-eval-when (situations forms wrappers at-compile-time)
  (flet ((situation (new old) (or (member new situations) (member old situations))))
    (let ((compile (situation :compile-toplevel 'compile))
          (load (situation :load-toplevel 'load))
          (execute (situation :execute 'eval)))
      (cond (load
             (dolist (form forms)
               (compile-top-level form wrappers (or compile (and execute at-compile-time)))))
            ((or compile (and execute at-compile-time))
             (eval (within wrappers `(progn ,@forms))))))))

(defun compile-plain (form wrappers at-compile-time)
  "Compile a form to see whether that works, evaluate it if it is to be, and write it."
  (let ((whole (within wrappers form)))
    (note-definitions form)
    (when at-compile-time (eval whole))
    (when (consp form)
      (handler-case
          (let ((*module-objects* (make-hash-table :test 'eq)))
            (unless at-compile-time (compile-noting-names form whole))
            (write-module-form (module-object whole)))
        (error (problem)
          (setq *compile-failures* t)
          (format *error-output* "~&; ~A:~%; ~A~%" (form-place form) problem)
          (write-module-form
           `(error "This form could not be compiled: ~A" ,(princ-to-string problem))))))))

(defun form-place (form)
  "Where the form being compiled is, as text: its beginning, the file and the line."
  (let ((place (%set-source-place nil 0 0)))
    (apply #'%set-source-place place)
    (format nil "in ~A at ~A:~D"
            (let ((*print-length* 3) (*print-level* 2) (*print-pretty* nil) (*print-circle* t))
              (if (and (consp form) (consp (cdr form)))
                  (format nil "(~S ~S …)" (car form) (cadr form))
                  (prin1-to-string form)))
            (first place) (second place))))

;;; What may be undefined

(defvar *defined-in-file* nil "Table from the names of the functions that the file defines to their lambda lists, T when one is not known.")
(defvar *names-used* nil "What code of the file uses: lists of a symbol, the number of arguments of the call, and the place.")

(defun compile-noting-names (form whole)
  "Compile WHOLE, and note the global functions that it calls and the variables that nobody declared."
  (%note-name-uses)
  (unwind-protect (compile nil `(lambda () ,whole))
    (let ((uses (%name-uses)))
      (when *defined-in-file*
        (let ((place (form-place form)))
          (dolist (use uses)
            (unless (member (symbol-package (car use)) (load-time-value (list (find-package "AUTOLITH-SYSTEM") nil)))
              (if (cdr use)
                  (push (list (car use) (cdr use) place) *names-used*)
                  (warn 'simple-warning :format-control "~A: the variable ~S is not defined."
                                        :format-arguments (list place (car use)))))))))))

(defun note-definitions (form)
  "Note the functions that FORM, which may hold definitions at any depth, defines."
  (let ((seen (make-hash-table :test 'eq)))
    (labels ((note (name lambda-list)
               (when (and *defined-in-file* (symbolp name)) (setf (gethash name *defined-in-file*) lambda-list)))
             (walk (form)
               (loop
                 (when (or (atom form) (gethash form seen)) (return))
                 (setf (gethash form seen) t)
                 (when (and (symbolp (car form)) (consp (cdr form)))
                   (case (car form)
                     (defun (note (cadr form) (if (consp (cddr form)) (caddr form) t)))
                     ((defgeneric defmethod) (note (cadr form) t))
                     ((:reader :accessor :writer) (note (cadr form) t))))
                 (walk (car form))
                 (setq form (cdr form)))))
      (walk form))))

(defun lambda-list-bounds (lambda-list)
  "Fewest and most arguments (NIL for no bound) of a function with LAMBDA-LIST."
  (let ((least 0) (most 0) (optional nil))
    (dolist (item lambda-list (values least most))
      (case item
        (&optional (setq optional t))
        ((&rest &key &body &allow-other-keys) (return (values least nil)))
        (&aux (return (values least most)))
        (t (incf most) (unless optional (incf least)))))))

(defun warn-of-names ()
  "Warn of the calls in *NAMES-USED* of functions that are not defined, or that take another number of arguments."
  (let ((told '()))
    (dolist (use (reverse *names-used*))
      (destructuring-bind (name count place) use
        (multiple-value-bind (lambda-list in-file) (gethash name *defined-in-file*)
          (cond ((or in-file (fboundp name))
                 (let ((lambda-list (cond (in-file lambda-list)
                                          ((or (macro-function name) (special-operator-p name)) t)
                                          (t (function-lambda-list (fdefinition name))))))
                   (when (and (listp lambda-list) (list-length lambda-list))
                     (multiple-value-bind (least most) (lambda-list-bounds lambda-list)
                       (unless (and (<= least count) (or (null most) (<= count most)))
                         (warn 'simple-warning
                               :format-control "~A: ~S is called with ~D argument~:P; it takes ~A."
                               :format-arguments (list place name count (bounds-text least most))))))))
                ((not (member name told))
                 (push name told)
                 (warn 'simple-style-warning :format-control "~A: the function ~S is not defined."
                                             :format-arguments (list place name)))))))))

(defun function-lambda-list (function)
  (if (typep function 'generic-function) t (%function-lambda-list function)))

(defun bounds-text (least most)
  (cond ((null most) (format nil "at least ~D" least))
        ((eql least most) (format nil "~D" least))
        (t (format nil "~D to ~D" least most))))

(defun write-module-form (form)
  (with-standard-io-syntax
    (let ((*package* (find-package "KEYWORD")) (*print-circle* t))
      (prin1 form *module-stream*)
      (terpri *module-stream*))))

;;; Modules

(defvar *module-header* ";;;; A module of autolith lisp, format 1, written by COMPILE-FILE." "First line of a module.")

(defun module-text-p (text)
  (let ((end (length *module-header*)))
    (and (>= (length text) end) (string= text *module-header* :end1 end))))

(defun read-of-module (&rest arguments)
  "READ, whatever syntax the program has set."
  (with-standard-io-syntax (apply #'read arguments)))

(defun compile-file-pathname (input-file &key (output-file nil) &allow-other-keys)
  "Where COMPILE-FILE writes."
  (let ((default (make-pathname :type "fasl" :defaults (merge-pathnames input-file))))
    (if output-file (merge-pathnames output-file default) default)))

(defun source-truename (input-file)
  "The file COMPILE-FILE is to read: INPUT-FILE, or when that has no type, the one of type lisp or lsp."
  (let ((pathname (merge-pathnames input-file)))
    (truename (or (and (pathname-type pathname) pathname)
                  (probe-file pathname)
                  (probe-file (make-pathname :type "lsp" :defaults pathname))
                  (make-pathname :type "lisp" :defaults pathname)))))

(defun compile-file (input-file &key output-file (verbose *compile-verbose*) (print *compile-print*)
                                  (external-format :default))
  "Write a module that LOAD accepts. Values: its name, whether there were warnings, whether there were others than style warnings."
  (let* ((input (source-truename input-file))
         (output (compile-file-pathname input-file :output-file output-file))
         (text (source-text input external-format))
         (warnings nil) (failure nil) (*compile-failures* nil))
    (when verbose (format t "~&; compiling ~A~%" (namestring input)))
    (with-open-file (*module-stream* output :direction :output :if-exists :supersede)
      (write-line *module-header* *module-stream*)
      (let ((*package* *package*) (*readtable* *readtable*)
            (*defined-in-file* (make-hash-table :test 'eq)) (*names-used* '())
            (*compile-file-pathname* (merge-pathnames input-file))
            (*compile-file-truename* input))
        (flet ((give-up (condition)
                 (let ((place (%set-source-place nil 0 0)))
                   (format *error-output* "~&; ~A:~D: ~A~%; Nothing was written.~%" (namestring input) (second place) condition)
                   (return-from compile-file (values nil t t)))))
          (handler-bind ((simple-end-of-file #'give-up)
                         (reader-error #'give-up)
                         (warning (lambda (condition)
                                    (setq warnings t)
                                    (unless (typep condition 'style-warning) (setq failure t)))))
            (map-source-forms (lambda (form)
                                (when print (format t "~&; ~S~%" form))
                                (compile-top-level form '() nil))
                              text (namestring input) :note nil)
            (warn-of-names)))))
    (values (truename output) (or warnings *compile-failures*) (or failure *compile-failures*))))
