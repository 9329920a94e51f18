;;;; What init files and forms extend a session by: the Lisp half. The host calls it by %SERVE, which fetches its request from the host
;;;; and gives the answer back. As in 96-prompt, names that begin with % and are not defined here are the host's.

(in-package "AUTOLITH")

(export '(define-application-command application-present application-configuration application-conversation
          *active-application* define-context-contributor unregister-contributor make-context-contribution
          request-context-latest-user-text request-context-workspace request-context-role request-context-model
          request-context-paths request-context-languages request-context-tools request-context-namespaces
          request-context-diagnostics request-context-events request-context-recent-output
          request-context-conversation request-context-request-of-turn
          register-context-rule unregister-context-rule context-status register-openai-compatible-provider))

(defvar *servants* (make-hash-table :test 'equal) "What the host can call, by name.")

(defun %serve ()
  (let ((request (rest (%request))))
    (%answer (apply (gethash (first request) *servants*) (rest request)))))

;;; The application

(defvar *active-application* :autolith "The session that runs what is evaluated.")

(defun %check-application (application)
  (unless (eq application *active-application*)
    (error 'type-error :datum application :expected-type (list 'eql *active-application*))))

(defun application-present (application text)
  "Shows TEXT to whoever called the command."
  (%check-application application)
  (format t "~&~A~%" text)
  (values))

(defun application-configuration (application)
  "The settings in force, as an independent copy; (setf (config NAME) VALUE) changes them."
  (%check-application application)
  (configuration-copy))

(defun application-conversation (application)
  "The identifier of the conversation."
  (%check-application application)
  (%conversation))

;;; Commands

(defvar *commands* (make-hash-table :test 'equal))

(defun %arity (lambda-list)
  "How many positional arguments fit: the least number, and the greatest or NIL. The first parameter is the application."
  (let ((state :required) (required 0) (optional 0) (open nil))
    (dolist (parameter lambda-list)
      (case parameter
        (&optional (setf state :optional))
        ((&rest &body &key) (setf state :rest open t))
        (&aux (setf state :aux))
        (&allow-other-keys)
        (t (case state
             (:required (incf required))
             (:optional (incf optional))))))
    (values (max 0 (1- required)) (if open nil (max 0 (+ required optional -1))))))

(defun %command-name (name)
  (string-left-trim "/" (string-downcase (string name))))

(defun %option-texts (options)
  (coerce (mapcar (lambda (option)
                    (cond ((eq option t) "t")
                          ((null option) "nil")
                          ((keywordp option) (format nil ":~(~A~)" option))
                          (t (string option))))
                  options)
          'vector))

(defun %define-command (handler lambda-list documentation options)
  (destructuring-bind (&key name (argument "") (static-options nil static-options-given) description tip
                         (busy-behavior :hold) (terminal-behavior :shared) aliases callable slash-parser)
      options
    (when (and static-options-given (string/= argument ""))
      (error "A command has :ARGUMENT or :STATIC-OPTIONS, not both: ~S." name))
    (multiple-value-bind (minimum maximum) (%arity lambda-list)
      (let* ((plain (%command-name name))
             (symbol (intern (string-upcase plain) "AUTOLITH"))
             (command (list handler (and slash-parser (coerce slash-parser 'function)) minimum)))
        (%register-command plain (coerce (mapcar #'%command-name aliases) 'vector) argument
                           (%option-texts static-options)
                           (or description documentation "") (or tip "")
                           busy-behavior terminal-behavior minimum (or maximum -1) (and slash-parser t))
        (setf (gethash plain *commands*) command)
        (when callable
          (export symbol "AUTOLITH")
          (setf (fdefinition symbol)
                (lambda (&rest arguments) (%call-command plain handler minimum arguments)))
          (setf (documentation symbol 'function) (or description documentation)))
        plain))))

(defmacro define-application-command (name options lambda-list &body body)
  "Defines NAME as the handler of a command: (:name \"/x\" …) in OPTIONS. Its first parameter is the application; it returns :CONTINUE or :QUIT."
  (let ((documentation (and (stringp (first body)) (rest body) (first body)))
        (evaluated (loop for (key value) on options by #'cddr
                         collect key
                         collect (if (member key '(:static-options :aliases :slash-parser :busy-behavior :terminal-behavior))
                                     (list 'quote (%unquoted value))
                                     value))))
    (list 'progn
          (list* 'defun name lambda-list body)
          (list '%define-command (list 'function name) (list 'quote lambda-list) documentation (cons 'list evaluated))
          (list 'quote name))))

(defun %unquoted (form)
  (if (and (consp form) (member (first form) '(quote function)) (consp (rest form))) (second form) form))

(defun %call-command (name handler minimum arguments)
  "Calls the handler; with too few arguments others can be supplied."
  (loop while (< (length arguments) minimum)
        do (restart-case
               (error "~A takes ~D argument~:P, and ~D came." name minimum (length arguments))
             (supply-arguments (new)
               :report "Supply the arguments: one form, whose value is the argument or the list of them."
               (setf arguments (if (listp new) new (list new))))))
  (apply handler *active-application* arguments))

(defun %run-command (name remainder words)
  (destructuring-bind (handler parser minimum) (gethash name *commands*)
    (let ((arguments (if parser (funcall parser remainder) (rest words))))
      (if (eq (%call-command name handler minimum arguments) :quit) "quit" "continue"))))

(setf (gethash "command" *servants*) #'%run-command)

;;; Context contributions

(defun %field (object name)
  (let ((value (second (assoc name (rest object) :test #'string=))))
    (if (and (consp value) (eq (first value) :array)) (copy-list (rest value)) value)))

(defun request-context-conversation (request) (%field request "conversationId"))
(defun request-context-workspace (request) (%field request "workspace"))
(defun request-context-role (request) (%field request "role"))
(defun request-context-model (request) (%field request "model"))
(defun request-context-request-of-turn (request) (%field request "requestOfTurn"))
(defun request-context-latest-user-text (request) (%field request "latestUserText"))
(defun request-context-paths (request) (%field request "paths"))
(defun request-context-languages (request) (%field request "languages"))
(defun request-context-tools (request) (%field request "tools"))
(defun request-context-namespaces (request) (%field request "namespaces"))
(defun request-context-diagnostics (request) (%field request "diagnostics"))
(defun request-context-events (request) (%field request "events"))
(defun request-context-recent-output (request) (%field request "recentOutput"))

(defun make-context-contribution (&key identifier instruction (evidence "") (lifetime :while-relevant) (priority 0)
                                    deduplicate supersedes conflicts mandatory)
  "A note for the requests of the model: never part of the conversation."
  (check-type identifier (or string symbol))
  (check-type instruction string)
  (let ((table (dict "identifier" (string-downcase identifier) "instruction" instruction "evidence" evidence
                     "lifetime" lifetime "priority" priority
                     "supersedes" (coerce supersedes 'vector) "conflicts" (coerce conflicts 'vector)
                     "mandatory" (and mandatory t))))
    (when deduplicate (setf (gethash "deduplicate" table) deduplicate))
    table))

(defvar *contributors* (make-hash-table :test 'equal))

(defmacro define-context-contributor (name (request) &body body)
  "Defines NAME as a function that is asked before each request of the model: it returns no note, one, or a list of them."
  (list 'progn
        (list* 'defun name (list request) body)
        (list '%define-contributor (list 'quote name) (list 'function name))
        (list 'quote name)))

(defun %define-contributor (name function)
  (let ((text (string-downcase name)))
    (setf (gethash text *contributors*) function)
    (%register-contributor text)))

(defun unregister-contributor (name)
  "Removes a contributor, which is not asked any more; T when there was one. Its function stays."
  (let ((text (string-downcase name)))
    (remhash text *contributors*)
    (%unregister-contributor text)))

(defun %contribute (name request)
  (let ((given (funcall (gethash name *contributors*) request)))
    (if (listp given) (coerce given 'vector) (vector given))))

(setf (gethash "contribute" *servants*) #'%contribute)

(defun register-context-rule (rule)
  "Registers a rule: a property list with :ID, :WHEN, :INSTRUCTION, :PRIORITY, :LIFETIME. Replaces the one of its :ID, which is returned."
  (%register-rule (with-standard-io-syntax (let ((*package* (find-package "KEYWORD"))) (prin1-to-string rule)))))

(defun unregister-context-rule (id)
  "Removes a registered rule; T when there was one."
  (%unregister-rule id))

(defun register-openai-compatible-provider (&key name (description "") endpoint models-endpoint headers models)
  "Registers a provider that speaks the Chat Completions protocol. Returns its name."
  (%register-provider name description endpoint (or models-endpoint "")
                      (apply #'dict (loop for (key . value) in headers
                                          collect (string key)
                                          collect (if (consp value) (first value) value)))
                      (map 'vector (lambda (model)
                                     (if (stringp model)
                                         (dict "name" model)
                                         (apply #'dict (loop for (key value) on model by #'cddr
                                                             collect (string-downcase key) collect value))))
                           models)))
