;;;; LOOP, part 3: the clauses of the main body, accumulation, and the macro itself.

(in-package "AUTOLITH-SYSTEM")

;;; Accumulation. An ACCUMULATOR is a list: name given with INTO (or NIL), category (LIST, NUMBER or EXTREME),
;;; the variable, the variable of the last cons (of lists), the type.

(defun loop-accumulator (name category type clause)
  "The accumulator for INTO name (NIL for the loop's value), made if it is new. CLAUSE is for messages."
  (let ((known (assoc name *loop-accumulators*)))
    (cond ((null known)
           (if name
               (loop-note-variable name)
               (loop-note-default-clause clause))
           (let ((accumulator (list name category (or name (gensym "VALUE")) (gensym "LAST") type)))
             (setq *loop-accumulators* (append *loop-accumulators* (list accumulator)))
             accumulator))
          ((eq (second known) category) known)
          (t (loop-error "~A cannot accumulate into the same value as another clause of this loop." clause)))))

(defun loop-note-default-clause (clause)
  "Record that CLAUSE decides the loop's value; only clauses of one kind may."
  (when (and *loop-default-clause* (not (eq *loop-default-clause* clause)))
    (loop-error "~A and ~A both decide the value of the loop." *loop-default-clause* clause))
  (setq *loop-default-clause* clause))

(defun loop-take-into (list-p)
  "INTO name, if given; a list may have a type."
  (if (loop-accept "INTO")
      (let ((name (loop-take "a variable")))
        (unless (and name (symbolp name)) (loop-error "INTO ~S: not a variable." name))
        (when (and list-p (loop-accept "OF-TYPE")) (loop-take "a type"))
        name)
      nil))

(defun loop-list-clause (operation)
  "COLLECT, APPEND or NCONC form [INTO name]."
  (let* ((form (loop-take-form))
         (name (loop-take-into t))
         (accumulator (loop-accumulator name 'list t "list accumulation"))
         (variable (third accumulator))
         (last (fourth accumulator)))
    (if (null name)
        (if (eq operation 'collect)
            (list 'setq last (list 'setf (list 'cdr last) (list 'cons form nil)))
            (list 'setq last (list (if (eq operation 'append) 'add-copied-tail 'add-tail) last form)))
        (let ((value (gensym "VALUE")))
          (list 'let (list (list value (cond ((eq operation 'collect) (list 'cons form nil))
                                             ((eq operation 'append) (list 'append form nil))
                                             (t form))))
                (list 'when value
                      (list 'if last
                            (list 'setf (list 'cdr last) value)
                            (list 'setq variable value))
                      (list 'when (list 'consp value)
                            (list 'setq last (if (eq operation 'collect) value (list 'last value))))))))))

(defun add-tail (last list)
  "Make LIST follow the cons LAST; the new last cons."
  (cond ((null list) last)
        (t (setf (cdr last) list)
           (if (consp list) (last list) last))))

(defun add-copied-tail (last list)
  "Make a copy of LIST follow the cons LAST; the new last cons. Only the last list of all may end in an atom."
  (when (cdr last) (error 'type-error :datum (cdr last) :expected-type 'list))
  (do ((tail list (cdr tail)))
      ((atom tail)
       (when tail (setf (cdr last) tail))
       last)
    (setq last (setf (cdr last) (cons (car tail) nil)))))

(defun loop-take-number-type ()
  "The optional type of a numeric accumulation."
  (cond ((loop-accept "OF-TYPE") (loop-take "a type"))
        ((and *loop-tokens* (member (car *loop-tokens*) '(fixnum float t nil))) (loop-take "a type"))
        ((and *loop-tokens* (consp (car *loop-tokens*))) (loop-error "~S where a clause should begin." (car *loop-tokens*)))
        (t 'number)))

(defun loop-number-clause (operation)
  "SUM, COUNT, MAXIMIZE or MINIMIZE form [INTO name] [type]."
  (let* ((form (loop-take-form))
         (name (loop-take-into nil))
         (type (loop-take-number-type))
         (extreme-p (member operation '(maximize minimize)))
         (accumulator (loop-accumulator name (if extreme-p 'extreme 'number) type
                                        (if extreme-p "MAXIMIZE or MINIMIZE" "SUM or COUNT")))
         (variable (third accumulator)))
    (cond ((eq operation 'sum) (list 'setq variable (list '+ variable form)))
          ((eq operation 'count) (list 'when form (list 'setq variable (list '+ variable 1))))
          (t (let ((value (gensym "VALUE")))
               (list 'let (list (list value (list 'the 'real form)))
                     (list 'when (list 'or (list 'null variable)
                                       (list (if (eq operation 'maximize) '> '<) value variable))
                           (list 'setq variable value))))))))

(defun loop-accumulator-bindings ()
  "The bindings that the accumulators need."
  (let ((bindings nil))
    (dolist (accumulator *loop-accumulators* (nreverse bindings))
      (let* ((name (first accumulator)) (category (second accumulator))
             (variable (third accumulator)) (last (fourth accumulator)) (type (fifth accumulator)))
        (cond ((eq category 'list)
               (cond (name
                      (setq bindings (list* (list last nil nil) (list variable nil nil) bindings)))
                     (t
                      (setq bindings (cons (list variable '(cons nil nil) nil) bindings)))))
              ((eq category 'extreme)
               (setq bindings (cons (list variable nil nil) bindings)))
              (t
               (setq bindings (cons (list variable (or (loop-initial-value type) 0) (loop-declarations variable type))
                                    bindings))))))))

(defun loop-last-bindings ()
  "Bindings of the last conses of the anonymous list, inside those of LOOP-ACCUMULATOR-BINDINGS."
  (let ((accumulator (assoc nil *loop-accumulators*)))
    (if (and accumulator (eq (second accumulator) 'list))
        (list (list (fourth accumulator) (third accumulator) nil))
        nil)))

(defun loop-value-form ()
  "The form of the loop's value at its normal end."
  (let ((accumulator (assoc nil *loop-accumulators*)))
    (cond ((null accumulator) *loop-result*)
          ((eq (second accumulator) 'list) (list 'cdr (third accumulator)))
          (t (third accumulator)))))

;;; Clauses of the main body

(defun loop-selectable-clause ()
  "Take one clause that a conditional may hold; the statement it stands for, or NIL and nothing taken."
  (cond ((loop-accept "DO" "DOING") (list* 'progn (loop-take-compound-forms "DO")))
        ((loop-accept "COLLECT" "COLLECTING") (loop-list-clause 'collect))
        ((loop-accept "APPEND" "APPENDING") (loop-list-clause 'append))
        ((loop-accept "NCONC" "NCONCING") (loop-list-clause 'nconc))
        ((loop-accept "SUM" "SUMMING") (loop-number-clause 'sum))
        ((loop-accept "COUNT" "COUNTING") (loop-number-clause 'count))
        ((loop-accept "MAXIMIZE" "MAXIMIZING") (loop-number-clause 'maximize))
        ((loop-accept "MINIMIZE" "MINIMIZING") (loop-number-clause 'minimize))
        ((loop-accept "RETURN") (list 'return-from *loop-name* (loop-take-form)))
        ((loop-accept "IF" "WHEN") (loop-conditional nil))
        ((loop-accept "UNLESS") (loop-conditional t))
        (t nil)))

(defun loop-clause-group (it)
  "Clauses joined by AND, as one statement. IT is the cell for the symbol IT, which only the first may use."
  (let ((statements nil))
    (do ((again t) (*loop-it* it nil))
        ((not again))
      (let ((statement (loop-selectable-clause)))
        (unless statement
          (loop-error "~S where a conditional clause is needed."
                      (if *loop-tokens* (car *loop-tokens*) "the end of the form")))
        (setq statements (cons statement statements)
              again (loop-accept "AND"))))
    (if (cdr statements)
        (list* 'progn (nreverse statements))
        (car statements))))

(defun loop-conditional (negated)
  "What follows IF, WHEN or (NEGATED) UNLESS."
  (let* ((test (let ((*loop-it* nil)) (loop-take-form)))
         (it (cons (gensym "IT") nil))
         (then (loop-clause-group it))
         (else (if (loop-accept "ELSE") (loop-clause-group it) nil)))
    (loop-accept "END")
    (let ((condition (if (cdr it) (car it) test)))
      (let ((form (if negated
                      (list 'if condition else then)
                      (list 'if condition then else))))
        (if (cdr it)
            (list 'let (list (list (car it) test)) form)
            form)))))

(defun loop-body-clause ()
  "Take one clause of the main body; true if there was one."
  (let* ((test-p (loop-peek-p "WHILE" "UNTIL"))
         (statement
          (cond ((loop-accept "WHILE") (list 'unless (loop-take-form) '(go end-loop)))
                ((loop-accept "UNTIL") (list 'when (loop-take-form) '(go end-loop)))
                ((loop-accept "ALWAYS")
                 (loop-note-test-clause t)
                 (list 'unless (loop-take-form) (list 'return-from *loop-name* nil)))
                ((loop-accept "NEVER")
                 (loop-note-test-clause t)
                 (list 'when (loop-take-form) (list 'return-from *loop-name* nil)))
                ((loop-accept "THEREIS")
                 (loop-note-test-clause nil)
                 (let ((value (gensym "VALUE")))
                   (list 'let (list (list value (loop-take-form)))
                         (list 'when value (list 'return-from *loop-name* value)))))
                (t (loop-selectable-clause)))))
    (when statement
      (setq *loop-body* (cons statement *loop-body*)
            *loop-body-p* (or *loop-body-p* (not test-p)))
      t)))

(defun loop-note-test-clause (result)
  "Record that ALWAYS, NEVER or THEREIS decides the loop's value, which is RESULT at the normal end."
  (loop-note-default-clause "a test clause")
  (setq *loop-result* result))

(defun loop-parse ()
  "Take all clauses."
  (when (loop-accept "NAMED")
    (let ((name (loop-take "a name")))
      (unless (symbolp name) (loop-error "NAMED ~S: not a symbol." name))
      (setq *loop-name* name)))
  (do () ((endp *loop-tokens*))
    (cond ((loop-accept "FOR" "AS") (loop-for-clause))
          ((loop-accept "WITH") (loop-with-clause))
          ((loop-accept "REPEAT") (loop-repeat-clause))
          ((loop-accept "INITIALLY")
           (setq *loop-prologue* (append (reverse (loop-take-compound-forms "INITIALLY")) *loop-prologue*)))
          ((loop-accept "FINALLY")
           (setq *loop-epilogue* (append (reverse (loop-take-compound-forms "FINALLY")) *loop-epilogue*)))
          ((loop-body-clause) nil)
          (t (loop-error "~S does not begin a clause." (car *loop-tokens*))))))

;;; Assembly

(defun loop-wrap-bindings (group body)
  "A LET of the bindings of GROUP around the list BODY."
  (let ((bindings nil) (declarations nil) (names nil))
    (dolist (binding group)
      (setq bindings (cons (list (first binding) (second binding)) bindings)
            declarations (append declarations (third binding))
            names (cons (first binding) names)))
    (list* 'let (nreverse bindings)
           (list* 'declare (list* 'ignorable names) declarations)
           body)))

(defun loop-flatten-steps (steps)
  "The statements of STEPS, lists of statements in reverse order."
  (let ((result nil))
    (dolist (statements steps result)
      (setq result (append statements result)))))

(defun loop-assemble ()
  "The expansion of the parsed loop."
  (let* ((same (equal *loop-first-steps* *loop-next-steps*))
         (body (list (list* 'tagbody
                            (append (reverse *loop-prologue*)
                                    (if same nil (loop-flatten-steps *loop-first-steps*))
                                    '(next-loop)
                                    (if same (loop-flatten-steps *loop-next-steps*) nil)
                                    (reverse *loop-body*)
                                    (if same nil (loop-flatten-steps *loop-next-steps*))
                                    '((go next-loop) end-loop)
                                    (reverse *loop-epilogue*)
                                    (list (list 'return-from *loop-name* (loop-value-form)))))))
         (last-bindings (loop-last-bindings))
         (accumulator-bindings (loop-accumulator-bindings)))
    (when last-bindings (setq body (list (loop-wrap-bindings last-bindings body))))
    (when accumulator-bindings (setq body (list (loop-wrap-bindings accumulator-bindings body))))
    (dolist (group *loop-bindings*)
      (setq body (list (loop-wrap-bindings group body))))
    (list 'block *loop-name* (list* 'macrolet '((loop-finish () '(go end-loop))) body))))

(defun expand-extended-loop (forms)
  "The expansion of (LOOP . FORMS) with keywords."
  (let ((*loop-tokens* forms) (*loop-name* nil) (*loop-bindings* nil) (*loop-variables* nil) (*loop-prologue* nil)
        (*loop-first-steps* nil) (*loop-next-steps* nil) (*loop-body* nil) (*loop-body-p* nil) (*loop-epilogue* nil)
        (*loop-accumulators* nil) (*loop-result* nil) (*loop-default-clause* nil) (*loop-it* nil))
    (loop-parse)
    (loop-assemble)))

(defun loop-simple-p (forms)
  "True when FORMS are all compound."
  (dolist (form forms t)
    (when (atom form) (return nil))))

(defmacro loop (&rest forms)
  "Iterate: for ever with compound FORMS only, else as the clauses say."
  (if (loop-simple-p forms)
      (list 'block nil (list* 'tagbody 'next-loop (append forms '((go next-loop)))))
      (expand-extended-loop forms)))

(defmacro loop-finish ()
  "End the innermost extended LOOP normally."
  (error 'simple-program-error :format-control "LOOP-FINISH is not inside a LOOP." :format-arguments nil))
