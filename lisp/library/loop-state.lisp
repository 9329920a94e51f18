;;;; LOOP, part 1: the state of one expansion, its tokens, its variables, and destructuring.

(in-package "AUTOLITH-SYSTEM")

(defvar *loop-tokens* nil "What is left of the LOOP form being expanded.")
(defvar *loop-name* nil "Name of its block.")
(defvar *loop-bindings* nil "Groups of parallel bindings, last group first; a group is a list of (variable form declarations).")
(defvar *loop-variables* nil "Names bound by iteration and WITH clauses.")
(defvar *loop-prologue* nil "INITIALLY forms, last first.")
(defvar *loop-first-steps* nil "Statements that prepare the first round, last first.")
(defvar *loop-next-steps* nil "Statements that prepare a further round, last first.")
(defvar *loop-body* nil "Statements of the main body, last first.")
(defvar *loop-body-p* nil "True when the main body has more than the tests WHILE and UNTIL.")
(defvar *loop-epilogue* nil "FINALLY forms, last first.")
(defvar *loop-accumulators* nil "Descriptions of the variables that accumulate, see ACCUMULATOR.")
(defvar *loop-result* nil "Form of the value when no clause returns another.")
(defvar *loop-default-clause* nil "Name of the clause that decides the default value, or NIL.")
(defvar *loop-it* nil "Variable that stands for IT in the first clause of a conditional, or NIL.")

(defun loop-error (control &rest arguments)
  "Signal a PROGRAM-ERROR about the LOOP form being expanded."
  (error 'simple-program-error :format-control (join-strings "LOOP: " control) :format-arguments arguments))

;;; Tokens

(defun loop-keyword-p (token &rest names)
  "True when TOKEN is a symbol with one of NAMES (strings), in whatever package."
  (and (symbolp token)
       (let ((name (symbol-name token)))
         (dolist (candidate names nil)
           (when (string= name candidate) (return t))))))

(defun loop-peek-p (&rest names)
  "True when the next token is one of the keywords NAMES."
  (and *loop-tokens* (apply #'loop-keyword-p (car *loop-tokens*) names)))

(defun loop-accept (&rest names)
  "Take the next token and answer T if it is one of the keywords NAMES."
  (when (and *loop-tokens* (apply #'loop-keyword-p (car *loop-tokens*) names))
    (setq *loop-tokens* (cdr *loop-tokens*))
    t))

(defun loop-take (what)
  "Take the next token, which is to be WHAT."
  (when (endp *loop-tokens*) (loop-error "the form ends where ~A is needed." what))
  (let ((token (car *loop-tokens*)))
    (setq *loop-tokens* (cdr *loop-tokens*))
    token))

(defun loop-take-form ()
  "Take a form; the symbol IT stands for the value of the condition where that is allowed."
  (let ((form (loop-take "a form")))
    (if (and *loop-it* (loop-keyword-p form "IT"))
        (progn (setf (cdr *loop-it*) t) (car *loop-it*))
        form)))

(defun loop-take-compound-forms (clause)
  "Take one or more compound forms after the keyword CLAUSE."
  (unless (and *loop-tokens* (consp (car *loop-tokens*)))
    (loop-error "~A needs a compound form, not ~S." clause (if *loop-tokens* (car *loop-tokens*) "the end of the form")))
  (let ((forms nil))
    (do () ((or (endp *loop-tokens*) (atom (car *loop-tokens*))) (nreverse forms))
      (setq forms (cons (loop-take "a form") forms)))))

;;; Types and variables

(defun loop-take-type (variable)
  "Take the optional type of VARIABLE (a pattern): a type specifier, a tree of them, or T."
  (cond ((endp *loop-tokens*) t)
        ((loop-accept "OF-TYPE") (loop-take "a type"))
        ((and (symbolp (car *loop-tokens*))
              (loop-peek-p "FIXNUM" "FLOAT" "T" "NIL")
              (loop-standard-symbol-p (car *loop-tokens*)))
         (loop-take "a type"))
        ((and (consp variable) (consp (car *loop-tokens*))) (loop-take "a type"))
        (t t)))

(defun loop-standard-symbol-p (symbol)
  "True for FIXNUM, FLOAT, T and NIL of COMMON-LISP, the types that need no OF-TYPE."
  (or (eq symbol 'fixnum) (eq symbol 'float) (eq symbol t) (eq symbol nil)))

(defun loop-initial-value (type)
  "The form of the value that a variable of TYPE has before it gets one."
  (cond ((member type '(t nil)) nil)
        ((member type '(fixnum integer number real rational bit unsigned-byte signed-byte bignum)) 0)
        ((member type '(float single-float short-float)) 0.0)
        ((member type '(double-float long-float)) 0.0d0)
        ((and (consp type) (member (car type) '(integer unsigned-byte signed-byte mod rational real))) 0)
        ((and (consp type) (member (car type) '(float single-float short-float))) 0.0)
        ((and (consp type) (member (car type) '(double-float long-float))) 0.0d0)
        ((and (consp type) (eq (car type) 'complex)) 0)
        ((eq type 'complex) 0)
        (t nil)))

(defun loop-declarations (variable type)
  "Declarations of VARIABLE with TYPE which the compiler profits from."
  (if (member type '(fixnum single-float double-float))
      (list (list 'type type variable))
      nil))

(defun loop-note-variable (name)
  "Record that an iteration or WITH clause binds NAME; once only."
  (unless (symbolp name) (loop-error "~S is not a variable name." name))
  (when (member name *loop-variables*) (loop-error "the variable ~S is bound twice." name))
  (setq *loop-variables* (cons name *loop-variables*)))

(defun loop-pattern-bindings (pattern type &optional tail-p)
  "Bindings of all variables of the destructuring PATTERN to their initial values. TYPE is one type or a tree of them;
with TAIL-P it is the rest of a tree, so that its first element is the type of a variable."
  (cond ((null pattern) nil)
        ((symbolp pattern)
         (loop-note-variable pattern)
         (list (list pattern (loop-initial-value type) (loop-declarations pattern type))))
        ((consp pattern)
         (let ((tree-p (and (consp type) (or tail-p (loop-type-tree-p type)))))
           (append (loop-pattern-bindings (car pattern) (if tree-p (car type) type))
                   (loop-pattern-bindings (cdr pattern) (if tree-p (cdr type) type) tree-p))))
        (t (loop-error "~S is not a variable or destructuring pattern." pattern))))

(defun loop-type-tree-p (type)
  "True when the list TYPE is a tree of types and not a compound type specifier."
  (not (member (car type) '(integer unsigned-byte signed-byte mod rational real float single-float double-float
                            short-float long-float complex or and not member eql satisfies cons vector array
                            simple-array simple-vector string simple-string bit-vector simple-bit-vector function values))))

(defun loop-bind (bindings)
  "Add a group of parallel BINDINGS, innermost so far."
  (when bindings (setq *loop-bindings* (cons bindings *loop-bindings*))))

(defun loop-temporary (prefix form)
  "Bind a new variable to FORM in a group of its own; the variable."
  (let ((variable (gensym prefix)))
    (loop-bind (list (list variable form nil)))
    variable))

(defun loop-constant-p (form)
  "True for forms that need no variable to be evaluated once."
  (or (numberp form) (stringp form) (characterp form) (keywordp form) (null form) (eq form t)
      (and (consp form) (eq (car form) 'quote))))

;;; Assignment

(defun loop-pattern-empty-p (pattern)
  "True when PATTERN has no variable."
  (or (null pattern)
      (and (consp pattern) (loop-pattern-empty-p (car pattern)) (loop-pattern-empty-p (cdr pattern)))))

(defun loop-destructure (pattern source)
  "Statements that assign the parts of the value of the variable SOURCE to the variables of PATTERN."
  (cond ((null pattern) nil)
        ((symbolp pattern) (list (list 'setq pattern source)))
        (t (append (loop-destructure-part (car pattern) (list 'car source))
                   (loop-destructure-part (cdr pattern) (list 'cdr source))))))

(defun loop-destructure-part (pattern form)
  "Statements that assign the parts of FORM, which is cheap, to the variables of PATTERN."
  (cond ((loop-pattern-empty-p pattern) nil)
        ((symbolp pattern) (list (list 'setq pattern form)))
        (t (let ((part (gensym "PART")))
             (list (list* 'let (list (list part form)) (loop-destructure pattern part)))))))

(defun loop-assign (pattern form)
  "A statement that assigns the value of FORM to PATTERN."
  (cond ((null pattern) form)
        ((symbolp pattern) (list 'setq pattern form))
        (t (let ((whole (gensym "WHOLE")))
             (list* 'let (list (list whole form))
                    (append (loop-destructure pattern whole) (list nil)))))))

(defun loop-assign-parallel (steps)
  "A list of statements for STEPS, (pattern form) each: all forms are evaluated before anything is assigned."
  (cond ((null steps) nil)
        ((null (cdr steps)) (list (loop-assign (car (car steps)) (cadr (car steps)))))
        (t (let ((bindings nil) (statements nil))
             (dolist (step steps)
               (let ((value (gensym "VALUE")))
                 (setq bindings (cons (list value (cadr step)) bindings)
                       statements (append (reverse (loop-destructure (car step) value)) statements))))
             (list (list* 'let (nreverse bindings) (append (nreverse statements) (list nil))))))))
