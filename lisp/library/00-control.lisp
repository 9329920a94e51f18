;;;; Control macros of chapters 5 and 6 that everything after them uses: DO and its family, CASE, PSETQ, PROG.

(in-package "AUTOLITH-SYSTEM")

(defun split-declarations (body)
  "Two values: the DECLARE forms at the head of BODY, and the rest of it."
  (let ((declarations nil))
    (block nil
      (tagbody
       next
         (if (and (consp body) (consp (car body)) (eq (caar body) 'declare))
             (progn
               (setq declarations (cons (car body) declarations))
               (setq body (cdr body))
               (go next)))))
    (values (reverse-list declarations nil) body)))

(defun reverse-list (list tail)
  "The elements of LIST in reverse order, followed by TAIL."
  (block nil
    (tagbody
     next
       (if (consp list)
           (progn
             (setq tail (cons (car list) tail))
             (setq list (cdr list))
             (go next)))))
  tail)

(defun do-bindings (specs)
  "LET bindings of the variable specifications of DO."
  (if (consp specs)
      (cons (if (consp (car specs))
                (if (cdr (cdr (cdr (car specs))))
                    (error 'simple-program-error :format-control "malformed variable ~S in DO"
                                                 :format-arguments (list (car specs)))
                    (list (caar specs) (cadr (car specs))))
                (list (car specs) nil))
            (do-bindings (cdr specs)))
      nil))

(defun do-steps (specs)
  "Arguments of PSETQ that step the variables of DO."
  (cond ((not (consp specs)) nil)
        ((and (consp (car specs)) (cddr (car specs)))
         (cons (caar specs) (cons (caddr (car specs)) (do-steps (cdr specs)))))
        (t (do-steps (cdr specs)))))

(defun expand-do (specs end body binder stepper)
  (multiple-value-bind (declarations forms) (split-declarations body)
    (let ((top (gensym "TOP"))
          (steps (do-steps specs)))
      (list 'block nil
            (cons binder
                  (cons (do-bindings specs)
                        (append declarations
                                (list (list 'tagbody
                                            top
                                            (list 'when (car end) (list 'return-from nil (cons 'progn (cdr end))))
                                            (cons 'tagbody forms)
                                            (cons stepper steps)
                                            (list 'go top))))))))))

(defmacro do (specs end &body body)
  "Iterate: bind and step the variables in parallel until the end test is true."
  (expand-do specs end body 'let 'psetq))

(defmacro do* (specs end &body body)
  "Iterate: bind and step the variables one after the other until the end test is true."
  (expand-do specs end body 'let* 'setq))

(defun some-symbol-macro-p (pairs environment)
  "True if one of the variables of PAIRS is a symbol macro."
  (block nil
    (tagbody
     next
       (if (null pairs) (return-from nil nil))
       (if (symbolp (car pairs))
           (multiple-value-bind (expansion expanded) (macroexpand-1 (car pairs) environment)
             (declare (ignore expansion))
             (if expanded (return-from nil t))))
       (setq pairs (cddr pairs))
       (go next))))

(defmacro psetq (&rest pairs &environment environment)
  "Assign variables in parallel."
  (cond ((null pairs) nil)
        ((null (cdr pairs))
         (error 'simple-program-error :format-control "odd number of arguments for PSETQ" :format-arguments nil))
        ((null (cddr pairs)) (list 'progn (list 'setq (car pairs) (cadr pairs)) nil))
        ((some-symbol-macro-p pairs environment) (cons 'psetf pairs))
        (t (list 'psetf-or-psetq (cons 'quote (list pairs))))))

(defmacro psetf-or-psetq (quoted)
  (let ((pairs (cadr quoted)) (temps nil) (sets nil))
    (block nil
      (tagbody
       next
         (if (null pairs) (return-from nil nil))
         (let ((temp (gensym "NEW")))
           (setq temps (cons (list temp (cadr pairs)) temps))
           (setq sets (cons (list 'setq (car pairs) temp) sets)))
         (setq pairs (cddr pairs))
         (go next)))
    (list 'let* (reverse-list temps nil) (cons 'progn (reverse-list sets nil)) nil)))

(defun special-declarations (declarations)
  "The DECLARE forms with what DECLARATIONS say of special variables, which holds for a result form too."
  (let ((specials nil))
    (block nil
      (tagbody
       next
         (if (null declarations) (return-from nil specials))
         (let ((specifiers (cdr (car declarations))))
           (block nil
             (tagbody
              next
                (if (null specifiers) (return-from nil nil))
                (if (eq (car (car specifiers)) 'special)
                    (setq specials (cons (list 'declare (car specifiers)) specials)))
                (setq specifiers (cdr specifiers))
                (go next))))
         (setq declarations (cdr declarations))
         (go next)))))

(defmacro dolist ((var list &optional result) &body body)
  "Run BODY with VAR bound to each element of LIST."
  (multiple-value-bind (declarations forms) (split-declarations body)
    (let ((tail (gensym "TAIL")) (top (gensym "TOP")))
      `(block nil
         (let ((,tail ,list))
           (tagbody
              ,top
              (when (endp ,tail) (go end-of-list))
              (let ((,var (car ,tail)))
                ,@declarations
                (setq ,tail (cdr ,tail))
                (tagbody ,@forms))
              (go ,top)
            end-of-list))
         ,(if result
              `(let ((,var nil)) (declare (ignorable ,var)) ,@(special-declarations declarations) ,result)
              nil)))))

(defmacro dotimes ((var count &optional result) &body body)
  "Run BODY with VAR bound to the integers from 0 below COUNT."
  (multiple-value-bind (declarations forms) (split-declarations body)
    (let ((limit (if (integerp count) count (gensym "LIMIT"))) (top (gensym "TOP")) (end (gensym "END")))
      `(block nil
         (let (,@(if (integerp count) nil `((,limit ,count))) (,var 0))
           (declare (ignorable ,var))
           ,@declarations
           (tagbody
              ,@(if (integerp count)
                    nil
                    `((unless (integerp ,limit) (error 'type-error :datum ,limit :expected-type 'integer))))
              ,top
              (when (>= ,var ,limit) (go ,end))
              (tagbody ,@forms)
              (setq ,var (1+ ,var))
              (go ,top)
              ,end)
           ,result)))))

(defun case-test (key keys)
  "Form that tests the variable KEY against the keys of a CASE clause."
  (cond ((null keys) nil)
        ((consp keys)
         (if (cdr keys)
             (cons 'or (case-tests key keys))
             (list 'eql key (list 'quote (car keys)))))
        (t (list 'eql key (list 'quote keys)))))

(defun case-tests (key keys)
  (if (consp keys)
      (cons (list 'eql key (list 'quote (car keys))) (case-tests key (cdr keys)))
      nil))

(defun case-clauses (key clauses)
  (if (consp clauses)
      (let* ((clause (car clauses)) (keys (car clause)) (forms (or (cdr clause) (list nil))))
        (cons (cons (if (and (or (eq keys t) (eq keys 'otherwise)) (null (cdr clauses)))
                        t
                        (case-test key keys))
                    forms)
              (case-clauses key (cdr clauses))))
      nil))

(defmacro case (keyform &body clauses)
  "Run the forms of the first clause with a key EQL to the value of KEYFORM."
  (let ((key (gensym "KEY")))
    `(let ((,key ,keyform))
       (declare (ignorable ,key))
       (cond ,@(case-clauses key clauses)))))

(defun all-case-keys (clauses)
  (if (consp clauses)
      (let ((keys (caar clauses)))
        (append (if (listp keys) keys (list keys)) (all-case-keys (cdr clauses))))
      nil))

(defun strict-case-clauses (key clauses)
  "Like CASE-CLAUSES, but T and OTHERWISE are ordinary keys."
  (if (consp clauses)
      (cons (cons (case-test key (if (listp (caar clauses)) (caar clauses) (list (caar clauses))))
                  (or (cdar clauses) (list nil)))
            (strict-case-clauses key (cdr clauses)))
      nil))

(defmacro ecase (keyform &body clauses)
  "Like CASE, but a key that no clause has is an error."
  (let ((key (gensym "KEY")))
    `(let ((,key ,keyform))
       (cond ,@(strict-case-clauses key clauses)
             (t (error 'case-failure :datum ,key :expected-type '(member ,@(all-case-keys clauses))
                                     :name 'ecase :possibilities ',(all-case-keys clauses)))))))

(defmacro prog (bindings &body body)
  "LET, BLOCK NIL and TAGBODY in one."
  (multiple-value-bind (declarations forms) (split-declarations body)
    `(block nil (let ,bindings ,@declarations (tagbody ,@forms)))))

(defmacro prog* (bindings &body body)
  "LET*, BLOCK NIL and TAGBODY in one."
  (multiple-value-bind (declarations forms) (split-declarations body)
    `(block nil (let* ,bindings ,@declarations (tagbody ,@forms)))))

(defmacro multiple-value-setq (vars form)
  "Assign the values of FORM to the places VARS."
  (if (null vars)
      `(values ,form)
      `(values (setf (values ,@vars) ,form))))

(defmacro nth-value (n form)
  "Value number N of FORM."
  (if (eql n 0)
      `(values ,form)
      `(nth ,n (multiple-value-list ,form))))

(defmacro define-symbol-macro (symbol expansion)
  "Make SYMBOL a global symbol macro."
  `(eval-when (:compile-toplevel :load-toplevel :execute)
     (%define-symbol-macro ',symbol ',expansion)))

