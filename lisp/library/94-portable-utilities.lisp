;;;; A part of UIOP: what programs that load from a registry use of it most.

(in-package "AUTOLITH-SYSTEM")

;;; Texts and lists

(defun strcat (&rest strings)
  "The texts, characters and NILs one after the other as a string."
  (apply #'concatenate 'string (mapcar (lambda (part) (if (characterp part) (string part) (or part ""))) strings)))

(defun emptyp (sequence)
  "True for NIL and for a vector without elements."
  (or (null sequence) (and (vectorp sequence) (zerop (length sequence)))))

(defun string-prefix-p (prefix string)
  "True when STRING begins with PREFIX."
  (let ((mismatch (mismatch prefix string))) (or (null mismatch) (= mismatch (length prefix)))))

(defun string-suffix-p (string suffix)
  "True when STRING ends with SUFFIX."
  (let ((start (- (length string) (length suffix)))) (and (>= start 0) (string= string suffix :start1 start))))

(defun first-char (string)
  (and (stringp string) (plusp (length string)) (char string 0)))

(defun last-char (string)
  (and (stringp string) (plusp (length string)) (char string (1- (length string)))))

(defun split-string (string &key max (separator '(#\Space #\Tab)))
  "The parts of STRING between separators; with MAX, at most so many, the first with all that is left."
  (let ((parts '()) (end (length string)))
    (loop
      (let ((start (if (and max (>= (1+ (length parts)) max))
                       nil
                       (position-if (lambda (char) (find char separator)) string :end end :from-end t))))
        (push (subseq string (if start (1+ start) 0) end) parts)
        (unless start (return parts))
        (setq end start)))))

(defun ensure-list (object) (if (listp object) object (list object)))

(defmacro if-let (bindings &body (then &optional else))
  "Bind, and take THEN when all values are true."
  (let ((bindings (if (and (consp bindings) (symbolp (car bindings))) (list bindings) bindings)))
    `(let ,bindings (if (and ,@(mapcar #'car bindings)) ,then ,else))))

(defmacro nest (&rest forms)
  "Each form with the next one as its last argument."
  (reduce (lambda (outer inner) (append outer (list inner))) forms :from-end t))

(defmacro while-collecting (collectors &body body)
  "Run BODY with local functions that collect their arguments into lists, which are the values."
  (let ((lists (mapcar (lambda (name) (gensym (symbol-name name))) collectors)))
    `(let ,(mapcar (lambda (list) `(,list '())) lists)
       (flet ,(mapcar (lambda (name list) `(,name (item) (push item ,list))) collectors lists)
         ,@body
         (values ,@(mapcar (lambda (list) `(nreverse ,list)) lists))))))

;;; Symbols and features

(defun find-symbol* (name package &optional (error t))
  "The symbol of that name in a package; an error, or NIL, when there is none."
  (let ((package (find-package package)))
    (multiple-value-bind (symbol status) (if package (find-symbol (string name) package) (values nil nil))
      (cond (status (values symbol status))
            (error (error 'simple-error :format-control "There is no symbol ~A in the package ~A."
                                        :format-arguments (list name package)))
            (t (values nil nil))))))

(defun symbol-call (package name &rest arguments)
  "Call the function that a symbol of a package names."
  (apply (find-symbol* name package) arguments))

(defun featurep (expression &optional (features *features*))
  "True when a feature expression, as after #+, holds; T always does."
  (cond ((eq expression t) t)
        ((atom expression) (and (member expression features :test #'string-equal) t))
        (t (case (intern (string (car expression)) "KEYWORD")
             (:not (not (featurep (second expression) features)))
             (:and (every (lambda (each) (featurep each features)) (cdr expression)))
             (:or (some (lambda (each) (featurep each features)) (cdr expression)))
             (t (error 'simple-error :format-control "~S is no feature expression."
                                     :format-arguments (list expression)))))))

(defmacro uiop::define-package (name &rest clauses)
  "DEFPACKAGE, with the clauses :MIX, :REEXPORT, :USE-REEXPORT, :MIX-REEXPORT and :UNINTERN as well."
  (let ((plain '()) (again '()))
    (dolist (clause clauses)
      (let ((names (cdr clause)))
        (case (car clause)
          (:mix (push `(:use ,@names) plain))
          ((:use-reexport :mix-reexport) (push `(:use ,@names) plain) (setq again (append again names)))
          (:reexport (setq again (append again names)))
          ((:unintern :recycle) nil)
          (t (push clause plain)))))
    `(eval-when (:compile-toplevel :load-toplevel :execute)
       (prog1 (defpackage ,name ,@(nreverse plain))
         ,@(mapcar (lambda (package) `(reexport ',package ',name)) again)))))

(defun reexport (from to)
  "Export from the package TO what the package FROM exports."
  (let ((to (find-package to)))
    (do-external-symbols (symbol from)
      (import (list symbol) to)
      (export (list symbol) to))))

;;; Pathnames and files

(defun ensure-directory-pathname (designator)
  "The pathname of a directory, whether its name ends with a slash or not."
  (let ((pathname (pathname designator)))
    (if (or (pathname-name pathname) (pathname-type pathname))
        (make-pathname :directory (append (or (pathname-directory pathname) (list :relative))
                                          (list (file-namestring pathname)))
                       :name nil :type nil :version nil :defaults pathname)
        pathname)))

(defun directory-pathname-p (designator)
  (let ((pathname (pathname designator))) (and (null (pathname-name pathname)) (null (pathname-type pathname)))))

(defun pathname-directory-pathname (designator)
  "The directory a pathname is in."
  (make-pathname :name nil :type nil :version nil :defaults (pathname designator)))

(defun pathname-parent-directory-pathname (designator)
  "The directory above the one a pathname is in."
  (let ((pathname (pathname-directory-pathname designator)))
    (make-pathname :directory (butlast (pathname-directory pathname)) :defaults pathname)))

(defun merge-pathnames* (specified &optional (defaults *default-pathname-defaults*))
  (merge-pathnames specified defaults))

(defun subpathname (base relative &key type)
  "What RELATIVE names in the directory of BASE."
  (let ((pathname (merge-pathnames relative (pathname-directory-pathname base))))
    (if type (make-pathname :type type :defaults pathname) pathname)))

(defun file-exists-p (designator)
  "The true name of a file that exists and is no directory, or NIL."
  (let ((found (and designator (not (wild-pathname-p designator)) (probe-file designator))))
    (and found (not (directory-pathname-p found)) found)))

(defun directory-exists-p (designator)
  "The true name of a directory that exists, or NIL."
  (let ((found (and designator (probe-file (ensure-directory-pathname designator)))))
    (and found (directory-pathname-p found) found)))

(defun directory-files (directory &optional (pattern "*.*"))
  "The files in a directory."
  (remove-if #'directory-pathname-p (directory (merge-pathnames pattern (ensure-directory-pathname directory)))))

(defun subdirectories (directory)
  "The directories in a directory."
  (directory (merge-pathnames "*/" (ensure-directory-pathname directory))))

(defun native-namestring (designator) (%native-name (pathname designator)))

(defun parse-native-namestring (name)
  "The pathname of a name of the system, in which no character means anything but itself."
  (check-type name string)
  (%native-pathname name))

(defun command-line-arguments ()
  "The arguments that the command line has for the program."
  (rest sb-ext::*posix-argv*))

(defun getcwd () (truename (make-pathname :name nil :type nil)))

(defun delete-file-if-exists (designator) (and designator (probe-file designator) (delete-file designator)))

(defun read-file-string (file &key (external-format :default))
  "The text of a file."
  (file-text file external-format))

(defun read-file-lines (file &key (external-format :default))
  "The lines of a file."
  (with-open-file (stream file :external-format external-format)
    (let ((lines '()))
      (do ((line (read-line stream nil) (read-line stream nil)))
          ((null line) (nreverse lines))
        (push line lines)))))

(defun read-file-form (file &key (external-format :default))
  "The first form of a file."
  (with-open-file (stream file :external-format external-format) (read stream)))

(defun read-file-forms (file &key (external-format :default))
  "The forms of a file."
  (with-open-file (stream file :external-format external-format)
    (let ((forms '()) (end (list nil)))
      (do ((form (read stream nil end) (read stream nil end)))
          ((eq form end) (nreverse forms))
        (push form forms)))))

(defmacro with-output-file ((stream file &rest options) &body body)
  `(with-open-file (,stream ,file :direction :output ,@options) ,@body))

(defmacro with-input-file ((stream file &rest options) &body body)
  `(with-open-file (,stream ,file :direction :input ,@options) ,@body))

;;; The system

(defun getenv (name) (%getenv name))

(defun getenvp (name) (let ((value (%getenv name))) (and (not (emptyp value)) value)))

(defun os-unix-p () t)
(defun os-windows-p () nil)
(defun os-macosx-p () (and (string-equal (software-type) "Darwin") t))

(defun run-program (command &key &allow-other-keys)
  "Refused: programs are started by the host, under its permissions."
  (error 'simple-error
         :format-control "The Lisp starts no programs, so ~S was not run: commands go through the host and its permissions. In an agent's image call the function of the host's tool for commands."
         :format-arguments (list command)))

(offer-symbols "UIOP"
               '(strcat emptyp string-prefix-p string-suffix-p first-char last-char split-string ensure-list if-let nest
                 while-collecting find-symbol* symbol-call featurep ensure-directory-pathname
                 directory-pathname-p pathname-directory-pathname pathname-parent-directory-pathname merge-pathnames*
                 subpathname file-exists-p directory-exists-p directory-files subdirectories native-namestring
                 parse-native-namestring getcwd delete-file-if-exists read-file-string read-file-lines read-file-form
                 read-file-forms with-output-file with-input-file getenv getenvp os-unix-p os-windows-p os-macosx-p
                 command-line-arguments run-program))
(import '(sb-ext::quit) "UIOP")
(export '(sb-ext::quit uiop::define-package) "UIOP")
(unless (find-package "ASDF-USER") (make-package "ASDF-USER" :use '("COMMON-LISP" "ASDF" "UIOP")))
(setq *features* (append *features* '(:asdf :uiop)))
