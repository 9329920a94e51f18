;;;; LOOP, part 2: the iteration clauses. Each gives two rounds (first and later ones); a round is a list of
;;;; test before, steps, test after, further steps. A true test ends the loop; steps are (pattern form).

(in-package "AUTOLITH-SYSTEM")

(defun loop-end-test (test)
  "Statements that end the loop when TEST, a form or NIL, is true."
  (if test (list (list 'when test '(go end-loop))) nil))

(defun loop-round-statements (rounds)
  "The statements of parallel ROUNDS."
  (let ((before nil) (steps nil) (after nil) (more nil))
    (dolist (round rounds)
      (setq before (append before (loop-end-test (first round)))
            steps (append steps (second round))
            after (append after (loop-end-test (third round)))
            more (append more (fourth round))))
    (append before (loop-assign-parallel steps) after (loop-assign-parallel more))))

(defun loop-for-clause ()
  "FOR or AS and what AND joins to it."
  (let ((firsts nil) (nexts nil) (bindings nil))
    (do ((again t))
        ((not again))
      (let* ((pattern (loop-take "a variable"))
             (type (loop-take-type pattern)))
        (multiple-value-bind (new-bindings first next) (loop-for-subclause pattern type)
          (setq bindings (append bindings new-bindings)
                firsts (cons first firsts)
                nexts (cons next nexts))))
      (setq again (loop-accept "AND"))
      (when (and again (loop-peek-p "FOR" "AS"))
        (loop-take "FOR")))
    (loop-bind bindings)
    (loop-add-rounds (nreverse firsts) (nreverse nexts))))

(defun loop-add-rounds (firsts nexts)
  "Add the statements of the parallel rounds to the steps of the loop."
  (let* ((first (loop-round-statements firsts))
         (next (if (equal firsts nexts) first (loop-round-statements nexts))))
    (loop-move-tests)
    (setq *loop-first-steps* (cons first *loop-first-steps*)
          *loop-next-steps* (cons next *loop-next-steps*))))

(defun loop-move-tests ()
  "Make the WHILE and UNTIL that are the whole body so far tests between the steps: another iteration clause follows them."
  (when (and *loop-body* (not *loop-body-p*))
    (let ((tests (reverse *loop-body*)))
      (setq *loop-first-steps* (cons tests *loop-first-steps*)
            *loop-next-steps* (cons tests *loop-next-steps*)
            *loop-body* nil))))

(defun loop-for-subclause (pattern type)
  "What follows FOR PATTERN TYPE: the bindings to be made in parallel, the first round, the later rounds."
  (cond ((loop-accept "IN") (loop-for-in pattern type))
        ((loop-accept "ON") (loop-for-on pattern type))
        ((loop-accept "=") (loop-for-equals pattern type))
        ((loop-accept "ACROSS") (loop-for-across pattern type))
        ((loop-accept "BEING") (loop-for-being pattern type))
        ((loop-peek-p "FROM" "DOWNFROM" "UPFROM" "TO" "DOWNTO" "UPTO" "BELOW" "ABOVE" "BY")
         (loop-for-arithmetic pattern type))
        (t (loop-error "unknown iteration ~S after FOR ~S."
                       (if *loop-tokens* (car *loop-tokens*) "(nothing)") pattern))))

(defun loop-take-step-function ()
  "BY and its function: a function of a form that makes the form of the next list."
  (if (loop-accept "BY")
      (let ((form (loop-take-form)))
        (if (and (consp form) (eq (car form) 'function) (symbolp (cadr form)))
            (values (cadr form) nil)
            (let ((variable (gensym "STEP")))
              (values variable (list (list variable form nil))))))
      (values 'cdr nil)))

(defun loop-step-form (stepper bindings list)
  "The form of what follows the list variable LIST; BINDINGS are those of LOOP-TAKE-STEP-FUNCTION."
  (if bindings (list 'funcall stepper list) (list stepper list)))

(defun loop-for-in (pattern type)
  "FOR x IN list [BY function]."
  (let ((list (gensym "LIST"))
        (form (loop-take-form)))
    (multiple-value-bind (stepper step-bindings) (loop-take-step-function)
      (let ((round (list (list 'endp list)
                         (if (loop-pattern-empty-p pattern) nil (list (list pattern (list 'car list))))
                         nil
                         (list (list list (loop-step-form stepper step-bindings list))))))
        (values (append (list (list list form nil)) step-bindings (loop-pattern-bindings pattern type))
                round round)))))

(defun loop-for-on (pattern type)
  "FOR x ON list [BY function]."
  (let* ((form (loop-take-form))
         (own (and (symbolp pattern) pattern))
         (list (if own pattern (gensym "LIST"))))
    (when own (loop-note-variable own))
    (multiple-value-bind (stepper step-bindings) (loop-take-step-function)
      (let ((next (loop-step-form stepper step-bindings list))
            (bindings (append (list (list list form nil)) step-bindings)))
        (if own
            (values bindings
                    (list nil nil (list 'atom list) nil)
                    (list nil (list (list list next)) (list 'atom list) nil))
            (let ((round (list (list 'atom list)
                               (if (loop-pattern-empty-p pattern) nil (list (list pattern list)))
                               nil
                               (list (list list next)))))
              (values (append bindings (loop-pattern-bindings pattern type)) round round)))))))

(defun loop-for-equals (pattern type)
  "FOR x = form [THEN form]."
  (let* ((first (loop-take-form))
         (then (if (loop-accept "THEN") (loop-take-form) first)))
    (values (loop-pattern-bindings pattern type)
            (list nil (list (list pattern first)) nil nil)
            (list nil (list (list pattern then)) nil nil))))

(defun across-length (vector)
  "The length of VECTOR, which is to be a vector."
  (if (vectorp vector) (length vector) (error 'type-error :datum vector :expected-type 'vector)))

(defun loop-for-across (pattern type)
  "FOR x ACROSS vector."
  (let* ((form (loop-take-form))
         (vector (loop-temporary "VECTOR" form))
         (length (loop-temporary "LENGTH" (list 'across-length vector)))
         (index (gensym "INDEX"))
         (round (list (list '>= index length)
                      (if (loop-pattern-empty-p pattern) nil (list (list pattern (list 'aref vector index))))
                      nil
                      (list (list index (list '+ index 1))))))
    (values (append (list (list index 0 (list (list 'type 'fixnum index)))) (loop-pattern-bindings pattern type))
            round round)))

;;; FOR x FROM … TO … BY …

(defun loop-for-arithmetic (pattern type)
  "FOR x with any of FROM, TO, BY and their variants, evaluated in the order in which they are written."
  (let ((variable (or pattern (gensym "INDEX"))) (start 0) (start-p nil) (limit nil) (limit-test nil) (step 1) (step-p nil)
        (down nil) (up nil) (bindings nil))
    (unless (symbolp variable) (loop-error "~S is not a variable." variable))
    (flet ((once (form name)
             (if (loop-constant-p form)
                 form
                 (let ((temporary (gensym name)))
                   (setq bindings (append bindings (list (list temporary form nil))))
                   temporary))))
      (do () (nil)
        (cond ((loop-peek-p "FROM" "UPFROM" "DOWNFROM")
               (when start-p (loop-error "two starting points for ~S." variable))
               (when (loop-peek-p "DOWNFROM") (setq down t))
               (when (loop-peek-p "UPFROM") (setq up t))
               (loop-take "a keyword")
               (setq start-p t start (once (loop-take-form) "START")))
              ((loop-peek-p "TO" "UPTO" "BELOW" "DOWNTO" "ABOVE")
               (when limit-test (loop-error "two limits for ~S." variable))
               (setq limit-test (if (loop-peek-p "BELOW" "ABOVE") :excluding :including))
               (when (loop-peek-p "DOWNTO" "ABOVE") (setq down t))
               (when (loop-peek-p "UPTO" "BELOW") (setq up t))
               (loop-take "a keyword")
               (setq limit (once (loop-take-form) "LIMIT")))
              ((loop-peek-p "BY")
               (when step-p (loop-error "two steps for ~S." variable))
               (loop-take "BY")
               (setq step-p t step (once (loop-positive-step (loop-take-form)) "STEP")))
              (t (return nil)))))
    (when (and down up) (loop-error "~S is to go up and down." variable))
    (when (and down (not start-p)) (loop-error "~S goes down from nowhere: FROM is missing." variable))
    (loop-arithmetic-rounds variable type start limit limit-test step down bindings)))

(defun loop-positive-step (form)
  "A form of the step that FORM gives, which must be positive: any other would never end."
  (if (and (realp form) (plusp form)) form (list 'check-loop-step form)))

(defun check-loop-step (step)
  (if (and (realp step) (plusp step))
      step
      (error 'type-error :datum step :expected-type '(real (0)))))

(defun loop-arithmetic-rounds (variable type start limit limit-test step down bindings)
  "Bindings and rounds of FOR VARIABLE with the parts given; BINDINGS are made before the variable's."
  (dolist (binding bindings) (loop-bind (list binding)))
  (loop-note-variable variable)
  (let ((test (cond ((null limit-test) nil)
                    ((eq limit-test :including) (list (if down '< '>) variable limit))
                    (t (list (if down '<= '>=) variable limit))))
        (next (list (if down '- '+) variable step)))
    (values (list (list variable (loop-start-form start type) (loop-declarations variable type)))
            (list nil nil test nil)
            (list nil (list (list variable next)) test nil))))

(defun loop-start-form (start type)
  "START, as a float when it is an integer and the variable's TYPE a float type."
  (if (and (integerp start) (floatp (loop-initial-value type)))
      (float start (loop-initial-value type))
      start))

;;; FOR x BEING …

(defun loop-for-being (pattern type)
  "FOR x BEING {EACH|THE} hash keys, hash values or symbols."
  (unless (loop-accept "EACH" "THE") (loop-error "BEING needs EACH or THE."))
  (let ((kind (loop-take "what to iterate over")))
    (cond ((loop-keyword-p kind "HASH-KEY" "HASH-KEYS") (loop-for-hash pattern type 'key))
          ((loop-keyword-p kind "HASH-VALUE" "HASH-VALUES") (loop-for-hash pattern type 'value))
          ((loop-keyword-p kind "SYMBOL" "SYMBOLS") (loop-for-symbols pattern type 'accessible-symbols))
          ((loop-keyword-p kind "PRESENT-SYMBOL" "PRESENT-SYMBOLS") (loop-for-symbols pattern type 'present-symbols))
          ((loop-keyword-p kind "EXTERNAL-SYMBOL" "EXTERNAL-SYMBOLS") (loop-for-symbols pattern type 'external-symbols))
          (t (loop-error "unknown iteration BEING EACH ~S." kind)))))

(defun loop-take-using (other-names)
  "USING (OTHER variable), if given: the variable or pattern; NIL otherwise."
  (if (loop-accept "USING")
      (let ((using (loop-take "a list after USING")))
        (unless (and (consp using) (consp (cdr using)) (null (cddr using))
                     (apply #'loop-keyword-p (car using) other-names))
          (loop-error "~S is no USING part for this iteration." using))
        (cadr using))
      nil))

(defun loop-for-hash (pattern type kind)
  "Hash keys or hash values (KIND) of a table. It walks a copy of the entries, so the body may remove them."
  (unless (loop-accept "IN" "OF") (loop-error "a hash table iteration needs IN or OF."))
  (let* ((form (loop-take-form))
         (other (loop-take-using (if (eq kind 'key) '("HASH-VALUE" "HASH-VALUES") '("HASH-KEY" "HASH-KEYS"))))
         (entries (loop-temporary "ENTRIES" (list 'hash-table-entries form)))
         (length (loop-temporary "LENGTH" (list 'length entries)))
         (index (gensym "INDEX"))
         (key (list 'svref entries index))
         (value (list 'svref entries (list '+ index 1)))
         (steps nil))
    (unless (loop-pattern-empty-p other)
      (setq steps (list (list other (if (eq kind 'key) value key)))))
    (unless (loop-pattern-empty-p pattern)
      (setq steps (cons (list pattern (if (eq kind 'key) key value)) steps)))
    (let ((round (list (list '>= index length) steps nil (list (list index (list '+ index 2))))))
      (values (append (list (list index 0 (list (list 'type 'fixnum index))))
                      (loop-pattern-bindings pattern type)
                      (loop-pattern-bindings other t))
              round round))))

(defun loop-for-symbols (pattern type lister)
  "Symbols of a package; LISTER names the function that lists them."
  (let* ((form (if (loop-accept "IN" "OF") (loop-take-form) '*package*))
         (list (gensym "SYMBOLS"))
         (round (list (list 'null list)
                      (if (loop-pattern-empty-p pattern) nil (list (list pattern (list 'car list))))
                      nil
                      (list (list list (list 'cdr list))))))
    (values (append (list (list list (list lister form) nil)) (loop-pattern-bindings pattern type))
            round round)))

;;; REPEAT and WITH

(defun loop-repeat-clause ()
  "REPEAT n."
  (let* ((count (loop-temporary "COUNT" (loop-take-form)))
         (round (list (list '<= count 0) nil nil (list (list count (list '- count 1))))))
    (loop-add-rounds (list round) (list round))))

(defun loop-with-clause ()
  "WITH variable [type] [= form] and what AND joins to it."
  (let ((bindings nil) (patterns nil))
    (do ((again t))
        ((not again))
      (let* ((pattern (loop-take "a variable"))
             (type (loop-take-type pattern))
             (form-p (loop-accept "="))
             (form (if form-p (loop-take-form) nil)))
        (cond ((not form-p)
               (setq bindings (append bindings (loop-pattern-bindings pattern type))))
              ((and pattern (symbolp pattern))
               (loop-note-variable pattern)
               (setq bindings (append bindings (list (list pattern form (loop-declarations pattern type))))))
              (t
               (let ((whole (gensym "WHOLE")))
                 (setq bindings (append bindings (list (list whole form nil)))
                       patterns (append patterns (list (list pattern whole type))))))))
      (setq again (loop-accept "AND"))
      (when (and again (loop-peek-p "WITH")) (loop-take "WITH")))
    (loop-bind bindings)
    (loop-bind-patterns patterns)))

(defun loop-bind-patterns (patterns)
  "Bind the variables of PATTERNS, (pattern variable type) each, to the parts of the variables' values."
  (dolist (entry patterns)
    (let ((bindings nil) (pattern (first entry)))
      (labels ((walk (part form type)
                 (let ((tree-p (and (consp type) (loop-type-tree-p type))))
                   (cond ((null part) nil)
                         ((symbolp part)
                          (loop-note-variable part)
                          (setq bindings (cons (list part form nil) bindings)))
                         ((consp part)
                          (walk (car part) (list 'car form) (if tree-p (car type) type))
                          (walk (cdr part) (list 'cdr form) (if tree-p (cdr type) type)))
                         (t (loop-error "~S is not a variable or destructuring pattern." part))))))
        (walk pattern (second entry) (third entry)))
      (loop-bind (nreverse bindings)))))
