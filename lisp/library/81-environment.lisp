;;; Chapter 25: what one can ask the system about its objects, and watching functions.

(in-package "AUTOLITH-SYSTEM")

;;; APROPOS

(defun apropos-list (string &optional package)
  "The symbols whose names contain a text. Those of the system itself are found only when its package is asked for or current."
  (let* ((text (string string)) (result '())
         (internals (find-package "AUTOLITH-SYSTEM"))
         (hidden (if (or package (eq *package* internals)) nil internals)))
    (flet ((consider (symbol)
             (when (and (search text (symbol-name symbol) :test #'char-equal)
                        (not (and hidden (eq (symbol-package symbol) hidden))))
               (pushnew symbol result))))
      (if package
          (do-symbols (symbol package) (consider symbol))
          (do-all-symbols (symbol) (consider symbol))))
    result))

(defun describe-binding-briefly (symbol)
  (when (boundp symbol) (write-string " (bound)"))
  (cond ((special-operator-p symbol) (write-string " (special operator)"))
        ((macro-function symbol) (write-string " (macro)"))
        ((fboundp symbol) (write-string " (function)"))))

(defun apropos (string &optional package)
  "Prints the symbols whose names contain a text. Returns no values."
  (dolist (symbol (sort (apropos-list string package) #'string< :key #'symbol-name))
    (fresh-line)
    (prin1 symbol)
    (describe-binding-briefly symbol)
    (terpri))
  (values))

;;; DESCRIBE

(define-protocol describe-object (object stream)
  (:method ((object t) stream)
    (format stream "~&~S~%  is an object of type ~S.~%" object (type-of object))
    nil)
  (:method ((object symbol) stream)
    (describe-symbol object stream)
    nil)
  (:method ((object function) stream)
    (format stream "~&~S~%  is a function." object)
    (describe-function-details object stream)
    nil)
  (:method ((object generic-function) stream)
    (format stream "~&~S~%  is a generic function.~%" object)
    (format stream "  Lambda list: ~S~%" (%generic-lambda-list object))
    (when (%generic-documentation object)
      (format stream "  Documentation: ~A~%" (%generic-documentation object)))
    (dolist (method (%generic-methods object)) (format stream "  ~S~%" method))
    nil)
  (:method ((object standard-object) stream)
    (describe-slots object stream))
  (:method ((object condition) stream)
    (describe-slots object stream))
  (:method ((object structure-object) stream)
    (describe-slots object stream))
  (:method ((object class) stream)
    (format stream "~&~S~%  is a class.~%" object)
    (when (%class-documentation object) (format stream "  Documentation: ~A~%" (%class-documentation object)))
    (format stream "  Direct superclasses: ~{~S~^, ~}~%" (mapcar #'%class-name (%class-direct-superclasses object)))
    (when (%class-finalized object)
      (format stream "  Class precedence list: ~{~S~^, ~}~%" (mapcar #'%class-name (%class-precedence-list object)))
      (format stream "  Slots: ~{~S~^, ~}~%" (mapcar #'%slot-name (%class-slots object))))
    nil)
  (:method ((object package) stream)
    (format stream "~&~S~%  is a package.~%  Uses: ~{~A~^, ~}~%" object
            (mapcar #'package-name (package-use-list object)))
    nil)
  (:method ((object hash-table) stream)
    (format stream "~&~S~%  is a hash table with ~D entr~:@P.~%" object (hash-table-count object))
    nil))

(defun describe-slots (object stream)
  (format stream "~&~S~%  is an object of class ~S.~%" object (%class-name (class-of object)))
  (dolist (slot (%class-slots (class-of object)))
    (let ((name (%slot-name slot)))
      (if (slot-bound-at-p object slot)
          (format stream "  ~S = ~S~%" name (slot-value-at object (class-of object) slot))
          (format stream "  ~S is unbound~%" name))))
  nil)

(defun %readable-lambda-list (function)
  "The lambda list; the parameters of an operator of the host as symbols of the present package."
  (labels ((local (x)
             (cond ((consp x) (cons (local (car x)) (local (cdr x))))
                   ((and x (symbolp x) (eq (symbol-package x) (find-package "AUTOLITH-SYSTEM")))
                    (values (intern (symbol-name x))))
                   (t x))))
    (let ((list (%function-lambda-list function)))
      (if (eq *package* (find-package "AUTOLITH-SYSTEM")) list (local list)))))

(defun describe-function-details (function stream)
  (format stream "~%  Lambda list: ~S~%" (%readable-lambda-list function))
  (when (%function-documentation function)
    (format stream "  Documentation: ~A~%" (%function-documentation function))))

(defun describe-named-class (class stream)
  (format stream "  It names the class ~S.~%" class)
  (when (%class-documentation class) (format stream "  Documentation: ~A~%" (%class-documentation class)))
  (when (and (%class-finalized class) (%class-slots class))
    (format stream "  Slots: ~{~S~^, ~}~%" (mapcar #'%slot-name (%class-slots class)))))

(defun describe-symbol (symbol stream)
  (format stream "~&~S~%  is a symbol" symbol)
  (when (symbol-package symbol) (format stream " of the package ~A" (package-name (symbol-package symbol))))
  (format stream ".~%")
  (when (boundp symbol)
    (format stream "  ~:[Its value is~;It is a constant; its value is~] ~S.~%" (%symbol-constant-p symbol)
            (symbol-value symbol)))
  (when (documentation symbol 'variable)
    (format stream "  Documentation as a variable: ~A~%" (documentation symbol 'variable)))
  (cond ((special-operator-p symbol) (format stream "  It names a special operator.~%"))
        ((macro-function symbol)
         (format stream "  It names a macro.")
         (describe-function-details (macro-function symbol) stream))
        ((and (fboundp symbol) (%generic-function-p (fdefinition symbol)))
         (let ((function (fdefinition symbol)))
           (format stream "  It names a generic function.~%  Lambda list: ~S~%" (%generic-lambda-list function))
           (when (%generic-documentation function)
             (format stream "  Documentation: ~A~%" (%generic-documentation function)))
           (format stream "  Methods: ~D~%" (length (%generic-methods function)))))
        ((fboundp symbol)
         (format stream "  It names a function.")
         (describe-function-details (fdefinition symbol) stream)))
  (when (find-class symbol nil) (describe-named-class (find-class symbol) stream))
  (when (symbol-plist symbol)
    (let ((plist (remove-property (symbol-plist symbol) '%documentation)))
      (when plist (format stream "  Its property list is ~S.~%" plist)))))

(defun describe (object &optional stream)
  "Writes a description of an object. Returns no values."
  (describe-object object (cond ((null stream) *standard-output*) ((eq stream t) *terminal-io*) (t stream)))
  (values))

(defun inspect (object)
  "Writes a description of an object and its parts."
  (describe object)
  (when (and (consp object) (ignore-errors (list-length object)))
    (let ((index -1))
      (dolist (part object) (format t "  ~D: ~S~%" (incf index) part))))
  (when (simple-vector-p object)
    (dotimes (index (length object)) (format t "  ~D: ~S~%" index (svref object index))))
  (values))

;;; Tracing

(defvar *trace-depth* 0)

(defun begin-trace-line ()
  "The indentation and the depth of a traced call."
  (fresh-line *trace-output*)
  (dotimes (i (* 2 *trace-depth*)) (write-char #\Space *trace-output*))
  (format *trace-output* "~D: " *trace-depth*))

(defun traced-call (name function arguments)
  (begin-trace-line)
  (format *trace-output* "~S~%" (cons name arguments))
  (let ((values (let ((*trace-depth* (1+ *trace-depth*)))
                  (multiple-value-list (apply function arguments)))))
    (begin-trace-line)
    (format *trace-output* "~S returned~{ ~S~}~%" name values)
    (values-list values)))

(defun trace-function (name)
  (unless (fboundp name) (error 'undefined-function :name name))
  (let ((entry (assoc name *traced* :test #'equal))
        (function (fdefinition name)))
    ;; A function that was defined anew lost its report: it is traced like one that never was.
    (unless (and entry (eq function (third entry)))
      (let ((report (lambda (&rest arguments) (traced-call name function arguments))))
        (setq *traced* (cons (list name function report) (remove entry *traced*)))
        (%set-traced-function report name))))
  name)

(defun untrace-function (name)
  (let ((entry (assoc name *traced* :test #'equal)))
    (when entry
      (when (and (fboundp name) (eq (fdefinition name) (third entry)))
        (%set-traced-function (second entry) name))
      (setq *traced* (remove entry *traced*)))
    name))

(defmacro trace (&rest names)
  "Reports calls of the functions named; without names, gives those that are traced."
  (if names
      `(progn (mapc #'trace-function ',names) ',names)
      '(mapcar #'car *traced*)))

(defmacro untrace (&rest names)
  "Ends reporting calls of the functions named, or of all."
  (if names
      `(progn (mapc #'untrace-function ',names) t)
      '(progn (mapc #'untrace-function (mapcar #'car *traced*)) t)))

(defmacro step (form)
  "Evaluates a form and says that it does so in one step: there is no stepper."
  `(progn
     (format *trace-output* "~&; STEP: there is no stepper here, so ~S is evaluated as a whole.~%" ',form)
     ,form))

;;; The rest

(defun room (&optional (detail :default))
  "Writes how much memory the image uses. Returns no values."
  (declare (ignore detail))
  (format t "~&Heap in use: ~:D bytes~%Memory of the process: ~:D bytes~%" (%heap-used) (%heap-limit))
  (values))

(defun ed (&optional x)
  "There is no editor in this system."
  (declare (ignore x))
  (error 'simple-error :format-control "There is no resident editor." :format-arguments '()))

(defun disassemble (function)
  "Writes what is known about the code of a function."
  (let ((function (cond ((functionp function) function)
                        ((and (consp function) (eq (car function) 'lambda)) (compile nil function))
                        ((function-name-p function) (fdefinition function))
                        (t (error 'type-error :datum function
                                             :expected-type '(or function symbol (cons (member setf lambda) (cons t t))))))))
    (format t "~&~S is compiled to JavaScript; its code is not kept in a form that can be listed.~%" function)
    nil))

(defun function-lambda-expression (function)
  "Values: the source of a function when it is kept, whether it closes over something, its name."
  (unless (functionp function) (error 'type-error :datum function :expected-type 'function))
  (values nil t (if (%generic-function-p function) (%generic-name function) (%function-name function))))

(defvar *dribble-stream* nil)
(defvar *dribble-output* nil)

(defun dribble (&optional pathname)
  "Copies standard output to a file; without a name, ends that."
  (when *dribble-stream*
    (setq *standard-output* *dribble-output*)
    (close *dribble-stream*)
    (setq *dribble-stream* nil))
  (when pathname
    (setq *dribble-output* *standard-output*)
    (setq *dribble-stream* (open pathname :direction :output :if-exists :append :if-does-not-exist :create))
    (setq *standard-output* (make-broadcast-stream *dribble-output* *dribble-stream*)))
  (values))

(defun posix-getenv (name)
  "The value of an environment variable, or NIL."
  (%getenv name))

(offer-symbols "SB-EXT" '(posix-getenv))
