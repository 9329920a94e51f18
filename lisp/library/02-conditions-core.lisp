;;;; Handlers, restarts and signalling. Handlers run on the stack of the signaller; a cluster is a list of (test . function).

(in-package "AUTOLITH-SYSTEM")

(defun condition-matches-p (condition type)
  "True when CONDITION is of TYPE; a class name needs no type system."
  (let ((class (and (symbolp type) (%find-class type))))
    (if class
        (%subclassp (class-of condition) class)
        (typep condition type))))

(defmacro handler-bind (bindings &body body)
  "Run BODY with handlers in force: each binding is (type function)."
  (if (null bindings)
      `(progn ,@body)
      `(let ((*handler-clusters*
               (cons (list ,@(handler-entries bindings)) *handler-clusters*)))
         ,@body)))

(defun handler-entries (bindings)
  (if (consp bindings)
      (let ((binding (car bindings)))
        (unless (and (consp binding) (consp (cdr binding)) (null (cddr binding)))
          (error 'simple-program-error :format-control "malformed handler binding ~S" :format-arguments (list binding)))
        (cons `(cons ',(car binding) ,(cadr binding)) (handler-entries (cdr bindings))))
      nil))

(defmacro handler-case (form &rest clauses)
  "Evaluate FORM; a condition that a clause names ends it, and the clause's forms give the values."
  (let ((no-error (find-clause :no-error clauses)))
    (if no-error
        (let ((normal (gensym "NORMAL")) (failed (gensym "FAILED")))
          `(block ,failed
             (multiple-value-call (lambda ,(cadr no-error) ,@(cddr no-error))
               (block ,normal
                 (return-from ,failed
                   (handler-case (return-from ,normal ,form)
                     ,@(clauses-except no-error clauses)))))))
        (expand-handler-case form clauses))))

(defun find-clause (key clauses)
  (cond ((null clauses) nil)
        ((eq (caar clauses) key) (car clauses))
        (t (find-clause key (cdr clauses)))))

(defun clauses-except (clause clauses)
  (cond ((null clauses) nil)
        ((eq (car clauses) clause) (clauses-except clause (cdr clauses)))
        (t (cons (car clauses) (clauses-except clause (cdr clauses))))))

(defun expand-handler-case (form clauses)
  (if (null clauses)
      form
      (let ((done (gensym "DONE")) (condition (gensym "CONDITION")) (tags (fresh-names clauses)))
        `(block ,done
           (let ((,condition nil))
             (declare (ignorable ,condition))
             (tagbody
                (handler-bind ,(handler-case-bindings clauses tags condition)
                  (return-from ,done ,form))
                ,@(handler-case-bodies clauses tags condition done)))))))

(defun handler-case-bindings (clauses tags condition)
  (if (consp clauses)
      (cons (list (caar clauses)
                  `(lambda (c)
                     ,@(if (cadr (car clauses)) `((setq ,condition c)) '((declare (ignore c))))
                     (go ,(car tags))))
            (handler-case-bindings (cdr clauses) (cdr tags) condition))
      nil))

(defun handler-case-bodies (clauses tags condition done)
  (if (consp clauses)
      (let ((variables (cadr (car clauses))) (body (cddr (car clauses))))
        (list* (car tags)
               `(return-from ,done
                  ,(if variables
                       `(let ((,(car variables) ,condition)) ,@body)
                       `(locally ,@body)))
               (handler-case-bodies (cdr clauses) (cdr tags) condition done)))
      nil))

(defmacro ignore-errors (&body forms)
  "Evaluate FORMS; an error makes the values NIL and the condition."
  `(handler-case (progn ,@forms)
     (error (condition) (values nil condition))))

;;; Restart macros

(defmacro restart-bind (bindings &body body)
  "Run BODY with restarts in force: each binding is (name function key value …)."
  (if (null bindings)
      `(progn ,@body)
      `(let ((*restart-clusters* (cons (list ,@(restart-entries bindings)) *restart-clusters*)))
         ,@body)))

(defun restart-entries (bindings)
  (if (consp bindings)
      (cons (restart-entry (caar bindings) (cadar bindings) (cddar bindings)) (restart-entries (cdr bindings)))
      nil))

(defun restart-entry (name function options)
  "A form that makes a restart; without a call that sorts keywords when the options are functions written out."
  (if (plain-restart-options-p options)
      `(%make-restart ',name ,function ,(getf options :report-function) ,(getf options :interactive-function)
                      ,(getf options :test-function) ,@(member-eq-tail :parameters options))
      `(make-restart ',name ,function ,@options)))

(defun member-eq-tail (key options)
  "A list of the value of KEY in OPTIONS, or NIL."
  (let ((found (member-eq key options))) (and found (list (cadr found)))))

(defun plain-restart-options-p (options)
  (cond ((null options) t)
        ((and (consp options) (consp (cdr options))
              (member-eq (car options) '(:report-function :interactive-function :test-function :parameters)))
         (and (consp (cadr options))
              (member-eq (car (cadr options)) '(lambda function quote))
              (plain-restart-options-p (cddr options))))
        (t nil)))

(defvar *condition-restarts* nil "Pairs of a condition and restarts that are only for it.")

(defmacro with-condition-restarts (condition restarts &body body)
  "Run BODY with RESTARTS associated with CONDITION."
  `(let ((*condition-restarts* (cons (cons ,condition ,restarts) *condition-restarts*)))
     ,@body))

(defmacro with-simple-restart ((name control &rest arguments) &body body)
  "Run BODY with a restart that returns NIL and T from this form."
  (let ((done (gensym "DONE")))
    `(block ,done
       (restart-bind ((,name (lambda () (return-from ,done (values nil t)))
                             :report-function (lambda (stream) (format stream ,control ,@arguments))))
         ,@body))))

(defun clause-option (option list)
  "Value of OPTION in the options that begin LIST."
  (cond ((not (and (consp list) (member-eq (car list) '(:report :interactive :test)))) nil)
        ((eq (car list) option) (cadr list))
        (t (clause-option option (cddr list)))))

(defun clause-body (list)
  (if (and (consp list) (member-eq (car list) '(:report :interactive :test)) (consp (cdr list)))
      (clause-body (cddr list))
      list))

(defun member-eq (item list)
  (cond ((null list) nil)
        ((eq item (car list)) list)
        (t (member-eq item (cdr list)))))

(defmacro restart-case (form &rest clauses &environment environment)
  "Evaluate FORM with restarts in force; invoking one ends FORM and its clause gives the values."
  (if (null clauses)
      form
      (let ((done (gensym "DONE")) (arguments (gensym "ARGUMENTS")) (tags (fresh-names clauses)))
        `(block ,done
           (let ((,arguments nil))
             (declare (ignorable ,arguments))
             (tagbody
                (restart-bind ,(restart-case-bindings clauses tags arguments)
                  (return-from ,done ,(with-associated-restarts form environment)))
                ,@(restart-case-bodies clauses tags arguments done)))))))

(defun with-associated-restarts (form environment)
  "When FORM is a call of SIGNAL, ERROR, CERROR or WARN, associate the restarts with its condition."
  (let* ((expansion (macroexpand form environment))
         (name (and (consp expansion) (car expansion))))
    (cond ((member-eq name '(signal error warn))
           (let ((condition (gensym "CONDITION")))
             `(let ((,condition (coerce-to-condition ,(cadr expansion) (list ,@(cddr expansion))
                                                     ',(cdr (assoc-eq name '((signal . simple-condition)
                                                                             (error . simple-error)
                                                                             (warn . simple-warning)))))))
                (with-condition-restarts ,condition (car *restart-clusters*)
                  (,name ,condition)))))
          ((eq name 'cerror)
           (let ((condition (gensym "CONDITION")) (arguments (gensym "ARGUMENTS")))
             `(let* ((,arguments (list ,@(cdddr expansion)))
                     (,condition (coerce-to-condition ,(caddr expansion) ,arguments 'simple-error)))
                (with-condition-restarts ,condition (car *restart-clusters*)
                  (cerror-condition ,(cadr expansion) ,condition ,arguments)))))
          (t form))))

(defun assoc-eq (key alist)
  (cond ((null alist) nil)
        ((eq key (caar alist)) (car alist))
        (t (assoc-eq key (cdr alist)))))

(defun restart-case-bindings (clauses tags arguments)
  (if (consp clauses)
      (let* ((clause (car clauses))
             (options (cddr clause))
             (report (clause-option :report options))
             (interactive (clause-option :interactive options))
             (test (clause-option :test options)))
        (cons `(,(car clause)
                (lambda (&rest given) (setq ,arguments given) (go ,(car tags)))
                :parameters '(,(cadr clause))
                ,@(if report
                      `(:report-function
                        ,(if (stringp report)
                             `(lambda (stream) (write-string ,report stream))
                             `(function ,report)))
                      nil)
                ,@(if interactive `(:interactive-function (function ,interactive)) nil)
                ,@(if test `(:test-function (function ,test)) nil))
              (restart-case-bindings (cdr clauses) (cdr tags) arguments)))
      nil))

(defun restart-case-bodies (clauses tags arguments done)
  (if (consp clauses)
      (let ((clause (car clauses)))
        (list* (car tags)
               `(return-from ,done
                  (apply (lambda ,(cadr clause) ,@(clause-body (cddr clause))) ,arguments))
               (restart-case-bodies (cdr clauses) (cdr tags) arguments done)))
      nil))

;;; Signalling

(defun coerce-to-condition (datum arguments default-type)
  "The condition a designator of SIGNAL, ERROR, WARN or CERROR stands for."
  (or (%designated-condition datum arguments default-type)
      (cond ((symbolp datum) (make-condition-of datum arguments))
            ((or (stringp datum) (functionp datum))
             (make-condition-of default-type (list :format-control datum :format-arguments arguments)))
            ((condition-object-p datum)
             (if arguments
                 (error 'simple-type-error :datum arguments :expected-type 'null
                                           :format-control "~S cannot be given with a condition object"
                                           :format-arguments (list arguments))
                 datum))
            (t (error 'simple-type-error :datum datum :expected-type '(or symbol string function condition)
                                         :format-control "~S does not designate a condition"
                                         :format-arguments (list datum))))))

(defun condition-object-p (object)
  (%subclassp (class-of object) (%find-class 'condition)))

(defvar *break-on-signals* nil "Type of conditions that enter the debugger when they are signalled.")

(defun break-on-p (condition type)
  "True when CONDITION is of TYPE, the value of *BREAK-ON-SIGNALS*; what is no type is an error that breaks for nothing."
  (let ((*break-on-signals* nil))
    (handler-case (typep condition type)
      (error ()
        (error 'simple-type-error :datum type :expected-type '(or symbol list class)
                                  :format-control "The value of *BREAK-ON-SIGNALS* is no type: ~S"
                                  :format-arguments (list type))))))

(defun signal-condition (condition)
  "Run the applicable handlers, innermost first, each with only the outer ones in force."
  (do ((clusters (%applicable-clusters condition *handler-clusters*)
                 (%applicable-clusters condition (cdr clusters))))
      ((null clusters) nil)
    (run-handlers condition (car clusters) (cdr clusters))))

(defun run-handlers (condition cluster outer)
  "Run the handlers of one cluster that apply."
  (let ((*handler-clusters* outer))
    (dolist (entry cluster)
      (when (condition-matches-p condition (car entry))
        (funcall (cdr entry) condition)))))

(defun signal (datum &rest arguments)
  "Signal a condition: run handlers, and return NIL when all decline."
  (let ((condition (coerce-to-condition datum arguments 'simple-condition)))
    (when (and *break-on-signals* (break-on-p condition *break-on-signals*))
      (break "~A~%BREAK was entered because of *BREAK-ON-SIGNALS*." condition))
    (signal-condition condition)
    nil))

(defun error (datum &rest arguments)
  "Signal an error: run handlers; when all decline, enter the debugger."
  (let ((condition (coerce-to-condition datum arguments 'simple-error)))
    (when (and *break-on-signals* (break-on-p condition *break-on-signals*))
      (break "~A~%BREAK was entered because of *BREAK-ON-SIGNALS*." condition))
    (signal-condition condition)
    (invoke-debugger condition)))

(defun signal-leaf-error (type initargs &optional (arguments nil call))
  "ERROR on behalf of an operator written in TypeScript, or of the call of an undefined function with ARGUMENTS."
  (let ((condition (or (%quick-condition type initargs) (make-condition-of type initargs))))
    (cond ((eq type 'unbound-variable) (signal-unbound-variable condition (cell-error-name condition)))
          ((eq type 'undefined-function)
           (signal-undefined-function condition (cell-error-name condition) call arguments))
          (t (error condition)))))

(defun signal-unbound-variable (condition name)
  "ERROR with restarts; the value to use in place of the variable's."
  (do () (nil)
    (restart-case (error condition)
      (continue ()
        :report (lambda (stream) (format stream "Retry using ~S." name)))
      (use-value (value)
        :report "Use specified value."
        :interactive ask-for-evaluated
        (return value))
      (store-value (value)
        :report (lambda (stream) (format stream "Set ~S to a value and use it." name))
        :interactive ask-for-evaluated
        (return (set name value))))
    (when (boundp name) (return (symbol-value name)))))

(defun signal-undefined-function (condition name call arguments)
  "ERROR with restarts; the values of the function called with ARGUMENTS when CALL is true, else the function to use."
  (do () (nil)
    (restart-case (error condition)
      (continue ()
        :report (lambda (stream) (format stream "Retry using the function ~S." name)))
      (use-value (function)
        :report "Use specified function."
        :interactive ask-for-evaluated
        (let ((function (coerce function 'function)))
          (return (if call (apply function arguments) function))))
      (return-value (&rest values)
        :report "Return specified values from the call."
        :interactive ask-for-evaluated
        :test (lambda (condition) (declare (ignore condition)) call)
        (return (values-list values))))
    (when (and (fboundp name) (not (and (symbolp name) (macro-function name))))
      (return (if call (apply (fdefinition name) arguments) (fdefinition name))))))

(defun ask-for-evaluated ()
  "A list of the value of a form read from *QUERY-IO*."
  (format *query-io* "~&Enter a form to be evaluated: ")
  (list (eval (read *query-io*))))

(defun format-restart-report (control &rest arguments)
  (apply #'format nil control arguments))

(defvar *debugger-hook* nil "Function of a condition and a hook, called before the debugger.")

(defun invoke-debugger (condition)
  "Enter the debugger: *DEBUGGER-HOOK* first, then what the host offers."
  (when *debugger-hook*
    (let ((hook *debugger-hook*) (*debugger-hook* nil))
      (funcall hook condition hook)))
  (%enter-debugger condition))

(defun break (&optional (control "break") &rest arguments)
  "Enter the debugger without signalling."
  (with-simple-restart (continue "Return from BREAK.")
    (let ((*debugger-hook* nil))
      (invoke-debugger (make-condition 'simple-condition :format-control control :format-arguments arguments))))
  nil)

;;; Restarts

(defun make-restart (name function &key report-function interactive-function test-function parameters)
  (%make-restart name function report-function interactive-function test-function parameters))

(defun cerror-condition (continue-control condition arguments)
  (with-simple-restart (continue "~A" (apply #'format-restart-report continue-control arguments))
    (with-condition-restarts condition (list (find-restart 'continue))
      (error condition)))
  nil)

(defun cerror (continue-control datum &rest arguments)
  "Signal an error that can be continued with the restart CONTINUE."
  (with-simple-restart (continue "~A" (apply #'format-restart-report continue-control arguments))
    (let ((condition (coerce-to-condition datum (if (condition-object-p datum) nil arguments) 'simple-error)))
      (with-condition-restarts condition (list (find-restart 'continue))
        (error condition))))
  nil)

(defun restart-applicable-p (restart condition)
  (and (or (null condition) (restart-meant-for-p restart condition))
       (let ((test (%restart-test restart)))
         (or (null test) (funcall test condition)))))

(defun restart-meant-for-p (restart condition)
  "True unless RESTART is associated with other conditions only."
  (let ((associated nil))
    (dolist (pair *condition-restarts* (not associated))
      (when (member-eq restart (cdr pair))
        (when (eq (car pair) condition) (return t))
        (setq associated t)))))

(defun compute-restarts (&optional condition)
  "The restarts in force that apply, innermost first."
  (let ((found nil))
    (dolist (cluster *restart-clusters*)
      (dolist (restart cluster)
        (when (restart-applicable-p restart condition)
          (setq found (cons restart found)))))
    (reverse-list found nil)))

(defun find-restart (identifier &optional condition)
  "The innermost restart of that name (or that restart itself) that is in force and applies."
  (dolist (cluster *restart-clusters* nil)
    (dolist (restart cluster)
      (when (and (or (eq restart identifier) (eq (%restart-name restart) identifier))
                 (restart-applicable-p restart condition))
        (return-from find-restart restart)))))

(defun find-restart-or-fail (identifier condition)
  (or (find-restart identifier condition)
      (error 'simple-control-error :format-control "no restart ~S is in force" :format-arguments (list identifier))))

(defun restart-name (restart) "Name of a restart." (%restart-name restart))

(defun invoke-restart (restart &rest arguments)
  "Call the function of a restart."
  (apply (%restart-function (find-restart-or-fail restart nil)) arguments))

(defun invoke-restart-interactively (restart)
  "Call the function of a restart with arguments that its interactive function asks for."
  (let* ((found (find-restart-or-fail restart nil)) (interactive (%restart-interactive found)))
    (apply (%restart-function found) (if interactive (funcall interactive) nil))))

(defun abort (&optional condition)
  "Invoke the restart ABORT."
  (invoke-restart (find-restart-or-fail 'abort condition)))

(defun muffle-warning (&optional condition)
  "Invoke the restart MUFFLE-WARNING."
  (invoke-restart (find-restart-or-fail 'muffle-warning condition)))

(defun continue (&optional condition)
  "Invoke the restart CONTINUE if there is one."
  (let ((restart (find-restart 'continue condition)))
    (when restart (invoke-restart restart))))

(defun use-value (value &optional condition)
  "Invoke the restart USE-VALUE if there is one."
  (let ((restart (find-restart 'use-value condition)))
    (when restart (invoke-restart restart value))))

(defun store-value (value &optional condition)
  "Invoke the restart STORE-VALUE if there is one."
  (let ((restart (find-restart 'store-value condition)))
    (when restart (invoke-restart restart value))))

(defun warn (datum &rest arguments)
  "Signal a warning; when no handler takes it, report it on *ERROR-OUTPUT*."
  (let ((condition (coerce-to-condition datum arguments 'simple-warning)))
    (unless (%subclassp (class-of condition) (%find-class 'warning))
      (error 'simple-type-error :datum condition :expected-type 'warning
                                :format-control "~S is not a warning" :format-arguments (list condition)))
    (restart-case
        (with-condition-restarts condition (list (find-restart 'muffle-warning))
          (when (and *break-on-signals* (break-on-p condition *break-on-signals*))
            (break "~A~%BREAK was entered because of *BREAK-ON-SIGNALS*." condition))
          (signal-condition condition)
          (format *error-output* "~&WARNING: ~A~%" condition))
      (muffle-warning () :report "Skip warning." nil))
    nil))

(defmacro assert (test &optional places datum &rest arguments)
  "Signal a correctable error unless TEST is true."
  `(do ()
       (,test nil)
     (restart-case
         ,(if datum
              `(error ,datum ,@arguments)
              `(error 'simple-error :format-control "the assertion ~S failed" :format-arguments (list ',test)))
       (continue ()
         :report "Retry assertion."
         ,@(if places `((setf ,@(assert-places places))) nil)))))

(defun assert-places (places)
  "Arguments of SETF that ask for new values of PLACES."
  (if (consp places)
      (list* (car places) `(ask-for-value ',(car places) ,(car places)) (assert-places (cdr places)))
      nil))

(defun ask-for-value (place old)
  (format *query-io* "~&The old value of ~S is ~S.~%New value (evaluated): " place old)
  (eval (read *query-io*)))

(defmacro ccase (keyplace &body clauses)
  "Like ECASE, but a new key can be stored with the restart STORE-VALUE."
  (let ((done (gensym "DONE")) (again (gensym "AGAIN")) (key (gensym "KEY")))
    `(block ,done
       (tagbody
          ,again
          (let ((,key ,keyplace))
            (return-from ,done
              (cond ,@(strict-case-clauses key clauses)
                    (t (restart-case
                           (error 'case-failure :datum ,key :expected-type '(member ,@(all-case-keys clauses))
                                                :name 'ccase :possibilities ',(all-case-keys clauses))
                         (store-value (value)
                           :report "Supply a new key."
                           :interactive (lambda () (list (ask-for-value ',keyplace ,key)))
                           ;; A constant cannot be stored into: the restart then only tries the new key.
                           ,(if (constantp keyplace) `(setq ,key value) `(setf ,keyplace value))
                           (go ,again)))))))))))
