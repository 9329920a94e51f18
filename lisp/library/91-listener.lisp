;;;; The listener: what happens to conditions nobody handles, ends of evaluations, the read-eval-print loop.

(in-package "AUTOLITH-SYSTEM")

(defvar *listener-debugger* nil "Function of a condition that talks to the person at the terminal, in the listener.")

(defvar *level-restart* nil "The restart that returns to the innermost level of the listener or its debugger.")
(defvar *evaluating* nil "True while the listener evaluates a form, as against reading one.")
(defvar *debugger-level* 0 "Conditions the listener's debugger is talking about, one within the other.")

(defun interrupted (kind)
  "Answer an interrupt of KIND: 1 from the person at the terminal, 2 when nobody reads the output any more, 3 and 4 when the
program is told to end (SIGTERM, SIGHUP). An evaluation of the listener is stopped in the debugger, and goes on with CONTINUE; while it reads, the listener goes back to its innermost
level; everything else ends. Cleanup forms run."
  (cond ((not (eql kind 1)) (%quit (case kind (2 141) (3 143) (t 129))))
        ((null *listener-debugger*) (%quit 130))
        (*evaluating*
         (with-simple-restart (continue "Go on with the evaluation.")
           (funcall *listener-debugger*
                    (make-condition 'simple-condition :format-control "Interrupted." :format-arguments '()))))
        (*level-restart*
         (clear-input *terminal-io*)
         (format *terminal-io* "~%; Interrupted.~%")
         (invoke-restart *level-restart*))))

(defun enter-debugger (condition)
  "Offer CONDITION and the live restarts to whoever runs this evaluation; without anybody the evaluation ends."
  (cond (*argument-debugger* (funcall *argument-debugger* condition))
        (*listener-debugger* (funcall *listener-debugger* condition))
        ((%has-debugger) (ask-host condition))
        (t (%enter-debugger condition (condition-text condition) (type-text condition))))
  ;; A restart that returns leaves the error where it was.
  (enter-debugger condition))

(defun type-text (condition)
  "The name of the type of CONDITION; of the types of the system without a package."
  (let ((type (type-of condition)) (system '("COMMON-LISP" "AUTOLITH-SYSTEM")))
    (if (and (symbolp type) (symbol-package type) (member (package-name (symbol-package type)) system :test #'string=))
        (symbol-name type)
        ;; As the current package writes it, whatever the variables of the printer are.
        (let ((package (if (packagep *package*) *package* (find-package "COMMON-LISP-USER"))))
          (with-standard-io-syntax
            (let ((*print-readably* nil) (*package* package))
              (prin1-to-string type)))))))

(defun ask-host (condition)
  "Let the host choose a restart of CONDITION, again when an argument it gives has no value; its refusal ends the evaluation."
  (let ((text (condition-text condition))
        (type (type-text condition))
        (slots (handler-case (condition-slots condition) (error () nil)))
        (restarts (mapcar #'restart-row (compute-restarts condition)))
        (note nil))
    (loop
      (let ((choice (%ask-debugger condition text type slots restarts note)))
        (unless choice (%enter-debugger condition))
        (multiple-value-bind (arguments problem) (argument-values (cdr choice))
          (let ((problem (or problem (arity-problem (car choice) (length arguments)))))
            (unless problem (return (apply #'invoke-restart (car choice) arguments)))
            (setf note problem)))))))

(defvar *argument-debugger* nil "Function of a condition that would enter the debugger while an argument of a restart is evaluated.")

(defun argument-values (texts)
  "Values of all forms in TEXTS, arguments of a restart. Second value: what is wrong with one of them, NIL when nothing is."
  (let ((arguments '()))
    (dolist (text texts (values (nreverse arguments) nil))
      ;; One condition is asked about at a time: what would ask about another one has no value.
      (block argument
        (let* ((give-up (lambda (problem)
                          (return-from argument-values (values nil (argument-problem text problem)))))
               (*argument-debugger* give-up) (start 0) (end (list nil)))
          (handler-case
              (loop
                (multiple-value-bind (form next) (read-from-string text nil end :start start)
                  (when (eq form end) (return-from argument))
                  (setf start next)
                  (push (eval form) arguments)))
            (serious-condition (problem) (funcall give-up problem))))))))

(defun argument-problem (text problem)
  (format nil "The argument ~A has no value: ~A: ~A"
          (if (> (length text) 200)
              (format nil "~A... (~D more characters)" (subseq text 0 200) (- (length text) 200))
              text)
          (type-text problem)
          (condition-text problem)))

(defun restart-parameters (restart)
  "The lambda list of a restart."
  (let ((known (%restart-parameters restart)))
    (if known (first known) (%function-lambda-list (%restart-function restart)))))

(defun restart-arity (restart)
  "How many arguments a restart takes: the least number, and the greatest or NIL."
  (let ((state :required) (least 0) (most 0))
    (dolist (parameter (restart-parameters restart) (values least most))
      (cond ((eq parameter '&optional) (setf state :optional))
            ((member parameter '(&rest &body &key)) (return (values least nil)))
            ((member parameter lambda-list-keywords) (setf state :other))
            ((eq state :required) (incf least) (incf most))
            ((eq state :optional) (incf most))))))

(defun arity-problem (restart count)
  "What is wrong with invoking RESTART with COUNT arguments, NIL when nothing is."
  (multiple-value-bind (least most) (restart-arity restart)
    (unless (and (>= count least) (or (null most) (<= count most)))
      (format nil "~A takes ~A, and ~[none came~:;~:*~D came~]. Its parameters are (~{~(~A~)~^ ~})."
              (or (restart-name restart) "The restart")
              (cond ((eql most 0) "no arguments")
                    ((eql least most) (format nil "~D argument~:P" least))
                    (most (format nil "~D to ~D arguments" least most))
                    (t (format nil "at least ~D argument~:P" least)))
              count (restart-parameters restart)))))

(defun condition-text (condition)
  "What CONDITION reports; a report that fails itself is replaced by the type."
  (handler-case (with-standard-io-syntax
                  (let ((*print-readably* nil) (*print-length* 100) (*print-level* 12) (*print-circle* t)
                        (*package* (find-package "COMMON-LISP-USER")))
                    (princ-to-string condition)))
    (error () (format nil "a condition of type ~S (its report failed)" (type-of condition)))))

(defun restart-row (restart)
  (list restart
        (let ((name (restart-name restart))) (if name (symbol-name name) ""))
        (restart-text restart)
        (format nil "~{~(~A~)~^ ~}" (restart-parameters restart))))

(defun restart-text (restart)
  (handler-case (princ-to-string restart) (error () "")))

(defun invoke-debugger (condition)
  "Enter the debugger: *DEBUGGER-HOOK* first, then what the host offers."
  (when *debugger-hook*
    (let ((hook *debugger-hook*) (*debugger-hook* nil))
      (funcall hook condition hook)))
  (enter-debugger condition))

(defun sleep (seconds)
  "Do nothing for SECONDS; other evaluations go on."
  (unless (and (realp seconds) (not (minusp seconds)))
    (error 'type-error :datum seconds :expected-type '(real 0)))
  (%flush-terminal)
  (%sleep (ceiling (* (rational seconds) 1000)))
  (%take-interrupt)
  nil)

(defun finish-all-output ()
  "See to it that all output has reached its destination; what is no open stream has none."
  (dolist (stream (list *standard-output* *error-output*))
    (when (and (streamp stream) (open-stream-p stream) (output-stream-p stream))
      (finish-output stream)))
  (%flush-terminal))

(defun exit-code (code)
  (unless (typep code '(or null (signed-byte 32)))
    (error 'type-error :datum code :expected-type '(or null (signed-byte 32))))
  code)

(defun sb-ext::exit (&key code abort timeout)
  "End the program with an exit code."
  (declare (ignore timeout))
  (exit-code code)
  (unless abort (finish-all-output))
  (%quit (cond (code code) (abort 1) (t 0))))

(defun sb-ext::quit (&optional (code 0) &key recklessly-p)
  "End the program with an exit code."
  (declare (ignore recklessly-p))
  (exit-code code)
  (finish-all-output)
  (%quit (or code 0)))

(export '(sb-ext::exit sb-ext::quit) "SB-EXT")

(defvar - nil) (defvar + nil) (defvar ++ nil) (defvar +++ nil)
(defvar * nil) (defvar ** nil) (defvar *** nil)
(defvar / nil) (defvar // nil) (defvar /// nil)

(defun eval-interactively (form)
  "EVAL that keeps the variables of the listener. A form that does not return has no values, but it was the one before."
  (setq +++ ++ ++ + + - - form)
  (let ((values (multiple-value-list (eval form))))
    (setq *** ** ** * * (car values)
          /// // // / / values)
    (values-list values)))

(defun evaluate-text (text file)
  "Read and evaluate the forms of TEXT one after the other; the values of the last."
  (let ((values nil))
    (map-source-forms (lambda (form)
                        (setq values (multiple-value-list (eval-interactively form)))
                        (%flush-terminal))
                      text file)
    (values-list values)))

(defvar *start-package* nil "The package in which a restored image begins.")

(defvar sb-ext::*posix-argv* (list "autolith") "The name of the program, and the arguments that the command line has for the Lisp program.")
(export 'sb-ext::*posix-argv* "SB-EXT")

(defun run-actions (actions arguments)
  "What `autolith lisp` was asked to do: (:load file), (:eval text), (:input), (:listen). Returns when all is done."
  (setq sb-ext::*posix-argv* (cons "autolith" arguments))
  (let ((*package* (or *start-package* (find-package "COMMON-LISP-USER")))
        ;; Reading waits in its place; it comes back without input when there is an interrupt.
        (*input-waiter* (lambda (stream) (declare (ignore stream)) (%take-interrupt))))
    (dolist (action actions)
      (case (first action)
        (:load (load (%native-pathname (second action))))
        (:eval (print-values (multiple-value-list (evaluate-text (second action) "<argument>")) (third action)))
        (:input (load *standard-input*))
        (:listen (listen-and-answer))))
    (finish-all-output)
    t))

(defun print-values (values wanted)
  (when wanted
    (dolist (value values) (format t "~&~S~%" value))))

(defun prompt-text ()
  (let ((nicknames (package-nicknames *package*)) (name (package-name *package*)))
    (dolist (nickname nicknames name)
      (when (< (length nickname) (length name)) (setq name nickname)))))

(defun usable-stream-p (stream input output &optional (depth 0))
  "True when STREAM, or what it stands for, is an open stream for INPUT and OUTPUT as asked."
  (handler-case
      (cond ((or (> depth 20) (not (streamp stream)) (not (open-stream-p stream))) nil)
            ((typep stream 'synonym-stream)
             (usable-stream-p (symbol-value (synonym-stream-symbol stream)) input output (1+ depth)))
            ((typep stream 'two-way-stream)
             (and (or (not input) (usable-stream-p (two-way-stream-input-stream stream) t nil (1+ depth)))
                  (or (not output) (usable-stream-p (two-way-stream-output-stream stream) nil t (1+ depth)))))
            (t (and (or (not input) (input-stream-p stream)) (or (not output) (output-stream-p stream)))))
    (error () nil)))

(defun repair-variables ()
  "Give the variables that the listener needs a value that works, where a program has spoilt them, and say so."
  (let ((repaired '()))
    (flet ((repair (variable usable value)
             (unless usable
               (set variable (funcall value))
               (push variable repaired))))
      (dolist (entry '((*terminal-io* t t) (*standard-input* t nil) (*standard-output* nil t) (*error-output* nil t)
                       (*query-io* t t) (*debug-io* t t) (*trace-output* nil t)))
        (let ((variable (first entry)))
          (repair variable (usable-stream-p (symbol-value variable) (second entry) (third entry))
                  (lambda () (%terminal-stream variable)))))
      (repair '*package* (and (packagep *package*) (package-name *package*))
              (lambda () (find-package "COMMON-LISP-USER")))
      (repair '*readtable* (readtablep *readtable*) (lambda () (copy-readtable nil)))
      (repair '*print-pprint-dispatch* (or (null *print-pprint-dispatch*) (dispatch-table-p *print-pprint-dispatch*))
              (lambda () (copy-pprint-dispatch nil))))
    (when repaired
      (format *terminal-io* "~&; ~{~A~^, ~} had no usable value and ~:[has~;have~] the standard one again.~%"
              (reverse repaired) (rest repaired)))))

(defun print-answer (form)
  "Evaluate FORM and print its values, each on a line."
  (let ((values (let ((*evaluating* t)) (multiple-value-list (eval-interactively form)))))
    (repair-variables)
    (dolist (value values) (format t "~&~S~%" value)))
  (note-read-definition form "<listener>" nil)
  (finish-output))

(defun listen-and-answer ()
  "The read-eval-print loop on a terminal."
  (let ((end (list nil)) (*listener-debugger* #'talk-about-condition))
    (loop
      (with-simple-restart (abort "Return to the listener.")
        (let ((*level-restart* (find-restart 'abort)))
          (repair-variables)
          (format t "~&~A> " (prompt-text))
          (finish-output)
          (let ((form (read *standard-input* nil end)))
            (when (eq form end)
              (terpri)
              (return t))
            (print-answer form)))))))

(defun show-condition (condition restarts)
  (let ((number 0))
    (format t "~&~A~%  of type ~A~%" (condition-text condition) (type-text condition))
    (dolist (restart restarts)
      (format t "~3D: [~A] ~A~%" number (restart-name restart) (restart-text restart))
      (setq number (1+ number))))
  (when (= *debugger-level* 1) (format t "Type the number of a restart, a form, :abort to go back, or :help.~%")))

(defun show-debugger-help (condition restarts)
  (show-condition condition restarts)
  (format t "A number takes that restart. A form is evaluated and its values are printed.~@
             :abort, or the end of input (Ctrl-D), goes back one level. :help shows this.~%"))

(defun talk-about-condition (condition)
  "Show the condition and the restarts; take the number of a restart, or evaluate a form. :ABORT and the end of input go back
one level."
  (let* ((restarts (compute-restarts condition)) (level (1+ *debugger-level*)) (*debugger-level* level) (end (list nil))
         (*evaluating* nil))
    (repair-variables)
    (show-condition condition restarts)
    (loop
      (repair-variables)
      (format t "~&debug[~D]> " level)
      (finish-output)
      (let ((outer *level-restart*))
        (with-simple-restart (abort "Return to debugger level ~D." level)
          (let* ((*level-restart* (find-restart 'abort)) (form (read *standard-input* nil end)))
            (cond ((eq form end)
                   (terpri)
                   (invoke-restart outer))
                  ((eq form :abort) (invoke-restart outer))
                  ((eq form :help) (show-debugger-help condition restarts))
                  ((and (integerp form) (< -1 form (length restarts)))
                   (invoke-restart-interactively (nth form restarts)))
                  (t (print-answer form)))))))))
