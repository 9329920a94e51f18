;;;; The listener: debugger, ends of evaluations, evaluation of source texts for the host.

(in-package "AUTOLITH-SYSTEM")

(defun %enter-debugger-for (condition)
  "Offer CONDITION and the live restarts to whoever runs this evaluation; without anybody the evaluation ends."
  (if (%has-debugger)
      (let ((choice (%ask-debugger condition (condition-text condition)
                                   (mapcar #'restart-row (compute-restarts condition)))))
        (apply #'invoke-restart choice)
        ;; A restart that returns leaves the error where it was.
        (%enter-debugger-for condition))
      (%enter-debugger condition)))

(defun condition-text (condition)
  "What CONDITION reports; a report that fails itself is replaced by the type."
  (handler-case (let ((*print-length* 100) (*print-level* 12) (*print-circle* t) (*print-readably* nil))
                  (princ-to-string condition))
    (error () (format nil "a condition of type ~S (its report failed)" (type-of condition)))))

(defun restart-row (restart)
  (list restart
        (let ((name (restart-name restart))) (if name (symbol-name name) ""))
        (handler-case (princ-to-string restart) (error () ""))))

(defun invoke-debugger (condition)
  "Enter the debugger: *DEBUGGER-HOOK* first, then what the host offers."
  (when *debugger-hook*
    (let ((hook *debugger-hook*) (*debugger-hook* nil))
      (funcall hook condition hook)))
  (%enter-debugger-for condition))

(defun sleep (seconds)
  "Do nothing for SECONDS; other evaluations go on."
  (unless (and (realp seconds) (not (minusp seconds)))
    (error 'type-error :datum seconds :expected-type '(real 0)))
  (%sleep (ceiling (* seconds 1000)))
  nil)

(defun sb-ext::exit (&key code abort timeout)
  "End the program with an exit code."
  (declare (ignore timeout))
  (unless abort (finish-output *standard-output*))
  (%quit (cond ((integerp code) code) (code 0) (abort 1) (t 0))))

(defun sb-ext::quit (&optional (code 0) &key unix-status recklessly-p)
  "End the program with an exit code."
  (declare (ignore recklessly-p))
  (finish-output *standard-output*)
  (%quit (or unix-status code)))

(export '(sb-ext::exit sb-ext::quit) "SB-EXT")

(defun evaluate-forms (stream)
  "Read and evaluate the forms of STREAM one after the other; the values of the last."
  (let ((values nil) (end (list nil)))
    (loop
      (let ((form (read stream nil end)))
        (when (eq form end) (return (values-list values)))
        (setq values (multiple-value-list (eval-interactively form)))))))

(defun eval-interactively (form)
  "EVAL that keeps the variables of the listener."
  (setq - form)
  (let ((values (multiple-value-list (eval form))))
    (psetq *** ** ** * * (car values)
           /// // // / / values
           +++ ++ ++ + + form)
    (values-list values)))
