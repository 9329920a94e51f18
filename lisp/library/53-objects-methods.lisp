;;; DEFGENERIC, DEFMETHOD and their functions.

(in-package "AUTOLITH-SYSTEM")

;;; Defining generic functions

(defvar *traced* '()
  "Traced functions: lists of name, original definition and the function that reports calls.")

(defun untraced-definition (name)
  "The definition of NAME, without the function that TRACE put around it; NIL where it has none or is a special operator."
  (when (and (fboundp name) (not (and (symbolp name) (special-operator-p name))))
    (let ((function (fdefinition name))
          (entry (assoc name *traced* :test #'equal)))
      (if (and entry (eq function (third entry))) (second entry) function))))

(defun function-name-p (name)
  (or (symbolp name)
      (and (consp name) (eq (car name) 'setf) (consp (cdr name)) (symbolp (cadr name)) (null (cddr name)))))

(defun check-precedence-order (name order lambda-list)
  (let ((required (required-parameters lambda-list)))
    (unless (and (= (length order) (length required))
                 (every (lambda (parameter) (= 1 (count parameter order))) required))
      (error 'simple-program-error
             :format-control "~S is no permutation of the required parameters ~S of ~S."
             :format-arguments (list order required name)))))

(defun generic-class-named (class)
  (if (symbolp class) (find-class class) class))

(defun refuse-generic-name (name)
  (when (and (symbolp name) (or (special-operator-p name) (macro-function name)))
    (error 'simple-program-error :format-control "~S names ~:[a macro~;a special operator~], so it cannot name a generic function."
           :format-arguments (list name (special-operator-p name))))
  (when (and (fboundp name) (not (%generic-function-p (fdefinition name))))
    (error 'simple-program-error :format-control "~S already names an ordinary function."
           :format-arguments (list name))))

(defun ensure-generic-function (name &rest options
                                &key (lambda-list nil lambda-list-given) argument-precedence-order
                                  (method-combination 'standard combination-given) generic-function-class
                                  method-class declare documentation environment &allow-other-keys)
  "Makes NAME a generic function, or changes the one it names."
  (declare (ignore environment options))
  (let ((gf (untraced-definition name)))
    (unless (%generic-function-p gf)
      (refuse-generic-name name)
      (setq gf (make-generic-function (generic-class-named (or generic-function-class 'standard-generic-function)) name))
      (unless lambda-list-given (%update-generic-function gf -1 t '() '()))
      (setf (fdefinition name) gf))
    (when lambda-list-given
      (check-generic-lambda-list name lambda-list)
      (dolist (method (%generic-methods gf))
        (unless (lambda-lists-congruent-p lambda-list (%method-parameters method))
          (error 'simple-error
                 :format-control "The lambda list ~S is not congruent with that of the method ~S of ~S."
                 :format-arguments (list lambda-list method gf))))
      (%set-generic-lambda-list gf lambda-list))
    (when argument-precedence-order
      (check-precedence-order name argument-precedence-order lambda-list))
    (%set-generic-precedence-order gf argument-precedence-order)
    (when combination-given (%set-generic-combination gf (normal-combination method-combination)))
    (when method-class (%set-generic-method-class gf (generic-class-named method-class)))
    (when declare (%set-generic-declarations gf declare))
    (when documentation (%set-generic-documentation gf documentation))
    (when (or lambda-list-given (not (%generic-without-lambda-list-p gf)))
      (update-generic-function gf))
    gf))

(defun normal-combination (combination)
  (cond ((or (eq combination 'standard) (and (consp combination) (%instancep (car combination)))) combination)
        ((symbolp combination) (combination-with-options combination '()))
        ((consp combination) (combination-with-options (car combination) (cdr combination)))
        (t combination)))

(defun make-generic-function (class name)
  (let ((gf (%make-generic-function class name)))
    (%set-generic-combination gf 'standard)
    (%set-generic-method-class gf (%find-class 'standard-method))
    (unless (eq class (%find-class 'standard-generic-function))
      (initialize-funcallable-slots gf class))
    gf))

(defun initialize-funcallable-slots (gf class)
  (dolist (slot (%class-slots class))
    (when (and (%slot-initfunction slot) (integerp (%slot-location slot)))
      (%set-instance-ref gf (%slot-location slot) (funcall (%slot-initfunction slot))))))

(defun parse-generic-options (name options)
  "Values: keyword arguments for ENSURE-GENERIC-FUNCTION as forms, method descriptions."
  (let ((arguments '()) (methods '()) (declarations '()) (seen '()))
    (dolist (option options)
      (unless (consp option)
        (error 'simple-program-error :format-control "~S is no option of DEFGENERIC ~S." :format-arguments (list option name)))
      (unless (member (car option) '(:method declare))
        (when (member (car option) seen)
          (error 'simple-program-error :format-control "The option ~S occurs twice in DEFGENERIC ~S."
                 :format-arguments (list (car option) name)))
        (push (car option) seen))
      (case (car option)
        (:method (push (cdr option) methods))
        (declare
         (dolist (declaration (cdr option))
           (unless (and (consp declaration) (eq (car declaration) 'optimize))
             (error 'simple-program-error :format-control "The declaration ~S is not allowed in DEFGENERIC ~S."
                    :format-arguments (list declaration name)))
           (push declaration declarations)))
        (:argument-precedence-order (setq arguments (list* :argument-precedence-order `',(cdr option) arguments)))
        (:method-combination (setq arguments (list* :method-combination `',(cdr option) arguments)))
        (:documentation (setq arguments (list* :documentation (second option) arguments)))
        (:generic-function-class (setq arguments (list* :generic-function-class `',(second option) arguments)))
        (:method-class (setq arguments (list* :method-class `',(second option) arguments)))
        (t (error 'simple-program-error :format-control "~S is no option of DEFGENERIC ~S."
                  :format-arguments (list (car option) name)))))
    (when declarations (setq arguments (list* :declare `',(reverse declarations) arguments)))
    (values arguments (nreverse methods))))

(defmacro defgeneric (name lambda-list &body options)
  "Defines a generic function, its options and the methods given with it."
  (unless (function-name-p name)
    (error 'simple-program-error :format-control "~S is no name for a generic function." :format-arguments (list name)))
  (multiple-value-bind (arguments methods) (parse-generic-options name options)
    (check-generic-lambda-list name lambda-list)
    `(progn
       (eval-when (:compile-toplevel) (note-function-name ',name))
       (let ((gf (load-generic-function ',name ',lambda-list ,@arguments)))
         (declare (ignorable gf))
         ,@(when methods
             `((note-initial-methods
                gf
                (list ,@(mapcar (lambda (method) `(defmethod ,name ,@method)) methods)))))
         gf))))

(defun note-function-name (name) name)

(defun load-generic-function (name lambda-list &rest options)
  "What DEFGENERIC does: methods that an earlier DEFGENERIC of the name made go away first."
  (let ((old (untraced-definition name)))
    (if (%generic-function-p old)
        (progn
          (dolist (method (getf (%generic-caches old) :initial-methods))
            (when (member method (%generic-methods old)) (uninstall-method old method)))
          (setf (getf-initial-methods old) nil)
          (unless (getf options :method-combination) (%set-generic-combination old 'standard)))
        (refuse-generic-name name)))
  (apply #'ensure-generic-function name :lambda-list lambda-list options))

(defun (setf getf-initial-methods) (methods gf)
  (%set-generic-caches gf (list :initial-methods methods)))

(defun note-initial-methods (gf methods)
  (setf (getf-initial-methods gf) methods))

;;; Defining methods

(defun parse-method-lambda-list (lambda-list)
  "Values: the lambda list without specializers, the specializer forms, the names of specialized parameters."
  (let ((plain '()) (specializers '()) (specialized '()) (rest lambda-list))
    (do () ((or (atom rest) (member (car rest) lambda-list-keywords :test #'eq)))
      (let ((parameter (pop rest)))
        (cond ((consp parameter)
               (push (first parameter) plain)
               (push (first parameter) specialized)
               (push (second parameter) specializers))
              (t (push parameter plain)
                 (push 't specializers)))))
    (values (append (nreverse plain) rest) (nreverse specializers) (nreverse specialized))))

(defun specializer-form (specializer)
  "A form that makes what LOAD-METHOD takes for a specializer."
  (cond ((and (consp specializer) (eq (car specializer) 'eql))
         `(list 'eql ,(second specializer)))
        (t `',specializer)))

(defun mentions-next-method-p (form environment)
  "True when CALL-NEXT-METHOD or NEXT-METHOD-P may be used in FORM; a macro that is not the standard's might use them."
  (or (mentions-name-p form) (uses-unknown-macro-p form environment)))

(defun next-method-only-called-p (form)
  "True when CALL-NEXT-METHOD and NEXT-METHOD-P occur in FORM only as operators."
  (cond ((symbolp form) (not (member form '(call-next-method next-method-p) :test #'eq)))
        ((consp form)
         (and (or (member (car form) '(call-next-method next-method-p) :test #'eq)
                  (next-method-only-called-p (car form)))
              (do ((rest (cdr form) (cdr rest)))
                  ((atom rest) (next-method-only-called-p rest))
                (unless (next-method-only-called-p (car rest)) (return nil)))))
        ((simple-vector-p form) (every #'next-method-only-called-p form))
        (t t)))

(defun uses-unknown-macro-p (form environment)
  "True when FORM mentions a macro that is not the standard's, which may expand into anything."
  (cond ((symbolp form)
         (and (macro-function form environment)
              (not (eq (symbol-package form) (load-time-value (find-package "COMMON-LISP"))))))
        ((consp form)
         (do ((rest form (cdr rest)))
             ((atom rest) (uses-unknown-macro-p rest environment))
           (when (uses-unknown-macro-p (car rest) environment) (return t))))
        ((simple-vector-p form) (some (lambda (part) (uses-unknown-macro-p part environment)) form))
        (t nil)))

(defun mentions-name-p (form)
  "True when FORM mentions CALL-NEXT-METHOD or NEXT-METHOD-P."
  (cond ((symbolp form) (or (eq form 'call-next-method) (eq form 'next-method-p)))
        ((consp form)
         (do ((rest form (cdr rest)))
             ((atom rest) (mentions-name-p rest))
           (when (mentions-name-p (car rest)) (return t))))
        ((simple-vector-p form) (some #'mentions-name-p form))
        (t nil)))

(defun open-keywords (lambda-list)
  "The lambda list such that it accepts any keyword: the generic function checks them."
  (if (and (has-keyword-p '&key lambda-list) (not (has-keyword-p '&allow-other-keys lambda-list)))
      (let ((aux (member '&aux lambda-list)))
        (append (ldiff lambda-list aux) '(&allow-other-keys) aux))
      lambda-list))

(defun method-block-name (name)
  (if (consp name) (second name) name))

(defun method-maker-form (name lambda-list specialized body environment)
  "The form of the maker of a method; see 51-objects-generic."
  (multiple-value-bind (forms declarations documentation) (split-method-body body)
    (declare (ignore documentation))
    (let* ((open (open-keywords lambda-list))
           (required (required-parameters lambda-list))
           (block `(block ,(method-block-name name) ,@forms))
           (ignorable `(declare (ignorable ,@specialized))))
      (if (not (mentions-next-method-p (list lambda-list body) environment))
          `(lambda (%next %method)
             (declare (ignore %next %method))
             (lambda ,open ,ignorable ,@declarations ,block))
          (let* ((names (mapcar (lambda (p) (gensym (symbol-name p))) required))
                 (variadic (/= (length required) (length lambda-list)))
                 (more (if variadic (list (gensym "MORE")) '()))
                 (pass (if variadic
                           `(apply %next ,@names ,@more)
                           `(funcall %next ,@names))))
            `(lambda (%next %method)
               (declare (ignorable %method))
               (lambda (,@names ,@(when variadic `(&rest ,@more)))
                 ,(with-next-method-functions
                   (and (next-method-only-called-p (list lambda-list body))
                        (not (uses-unknown-macro-p (list lambda-list body) environment)))
                   names more pass
                   (if variadic
                       `(apply (lambda ,open ,ignorable ,@declarations ,block) ,@names ,@more)
                       `(let ,(mapcar #'list required names)
                          ,ignorable ,@declarations
                          ,@(let ((aux (member '&aux lambda-list)))
                              (if aux `((let* ,(cdr aux) ,block)) (list block)))))))))))))

(defun next-call-form (arguments names more pass)
  "What CALL-NEXT-METHOD with ARGUMENTS expands to in a method whose parameters are in NAMES and MORE."
  (let ((missing '(no-next-method (%method-generic %method) %method)))
    (if arguments
        `(if %next
             (funcall %next ,@arguments)
             (,@missing ,@arguments))
        `(if %next
             ,pass
             ,(if more
                  `(apply #'no-next-method (%method-generic %method) %method ,@names ,@more)
                  `(,@missing ,@names))))))

(defun with-next-method-functions (only-called names more pass form)
  "FORM with CALL-NEXT-METHOD and NEXT-METHOD-P: as local macros when they are only called, else as local functions."
  (if only-called
      `(macrolet ((call-next-method (&rest arguments) (next-call-form arguments ',names ',more ',pass))
                  (next-method-p () '(not (null %next))))
         ,form)
      `(flet ((call-next-method (&rest arguments)
                (if (and arguments %next)
                    (apply %next arguments)
                    (if arguments
                        (apply #'no-next-method (%method-generic %method) %method arguments)
                        ,(next-call-form '() names more pass))))
              (next-method-p () (not (null %next))))
         (declare (ignorable #'call-next-method #'next-method-p))
         ,form)))

(defun check-method-lambda-list (name plain)
  (let ((required (required-parameters plain)))
    (dolist (parameter required)
      (unless (and (symbolp parameter) parameter)
        (error 'simple-program-error :format-control "~S is no parameter for a method of ~S." :format-arguments (list parameter name))))))

(defmacro defmethod (name &rest rest &environment environment)
  "Defines a method: DEFMETHOD name qualifier* specialized-lambda-list [[declaration | documentation]] form*"
  (unless (function-name-p name)
    (error 'simple-program-error :format-control "~S is no name for a generic function." :format-arguments (list name)))
  (let ((qualifiers '()))
    (do () ((listp (car rest)))
      (push (pop rest) qualifiers))
    (setq qualifiers (nreverse qualifiers))
    (let ((lambda-list (pop rest)))
      (multiple-value-bind (plain specializers specialized) (parse-method-lambda-list lambda-list)
        (check-method-lambda-list name plain)
        `(load-method ',name ',qualifiers (list ,@(mapcar #'specializer-form specializers)) ',plain
                      ,(method-maker-form name plain specialized rest environment)
                      ,(nth-value 2 (split-method-body rest)))))))

(defun find-specializer (specializer)
  (cond ((%classp specializer) specializer)
        ((%eql-specializer-p specializer) specializer)
        ((and (consp specializer) (eq (car specializer) 'eql) (consp (cdr specializer)))
         (intern-eql-specializer (second specializer)))
        ((symbolp specializer) (find-class specializer))
        (t (error 'simple-error :format-control "~S is no specializer." :format-arguments (list specializer)))))

(defun generic-lambda-list-for (plain)
  "The lambda list of a generic function made for a method with this one."
  (let ((mode nil) (result '()))
    (dolist (item plain (nreverse result))
      (cond ((eq item '&aux) (return (nreverse result)))
            ((member item lambda-list-keywords)
             (setq mode item)
             (push item result)
             (when (eq item '&key) (return (nreverse result))))
            ((and (eq mode '&optional) (consp item)) (push (first item) result))
            (t (push item result))))))

(defun load-method (name qualifiers specializers lambda-list maker documentation)
  "What DEFMETHOD does when it is evaluated."
  (let* ((existing (untraced-definition name))
         (specializers (mapcar #'find-specializer specializers))
         (gf (if (%generic-function-p existing)
                 existing
                 (ensure-generic-function name :lambda-list (generic-lambda-list-for lambda-list)))))
    (when (%generic-without-lambda-list-p gf)
      (%set-generic-lambda-list gf (generic-lambda-list-for lambda-list)))
    (let ((method (make-method-object (%generic-method-class gf) qualifiers specializers lambda-list maker documentation)))
      (install-method gf method)
      method)))

(defun make-method-object (class qualifiers specializers lambda-list maker documentation)
  (let ((method (%make-method class)))
    (%set-method-qualifier-list method qualifiers)
    (%set-method-specializer-list method specializers)
    (%set-method-parameters method lambda-list)
    (%set-method-maker method maker)
    (%set-method-documentation method documentation)
    (unless (eq class (%find-class 'standard-method))
      (initialize-funcallable-slots method class))
    method))

(defun same-method-key-p (method qualifiers specializers)
  (and (equal (%method-qualifier-list method) qualifiers)
       (= (length (%method-specializer-list method)) (length specializers))
       (every #'eq (%method-specializer-list method) specializers)))

(defun find-method-with-key (gf qualifiers specializers)
  (find-if (lambda (m) (same-method-key-p m qualifiers specializers)) (%generic-methods gf)))

(defvar *object-epoch* 0
  "Grows with each change to generic functions or classes that could change how instances are made.")

(defun forget-recipes ()
  "Makes everything found out about making instances out of date."
  (setq *object-epoch* (1+ *object-epoch*)))

(defun plain-add-method (gf method)
  (when (and (%method-generic method) (not (eq (%method-generic method) gf)))
    (error 'simple-error :format-control "The method ~S already belongs to ~S."
           :format-arguments (list method (%method-generic method))))
  (unless (lambda-lists-congruent-p (%generic-lambda-list gf) (%method-parameters method))
    (error 'simple-program-error
           :format-control "The lambda list ~S of a method is not congruent with ~S of the generic function ~S."
           :format-arguments (list (%method-parameters method) (%generic-lambda-list gf) gf)))
  (let ((old (find-method-with-key gf (%method-qualifier-list method) (%method-specializer-list method))))
    (when old (plain-remove-method gf old)))
  (%set-method-generic method gf)
  (%set-generic-methods gf (cons method (%generic-methods gf)))
  (dolist (specializer (%method-specializer-list method))
    (if (%classp specializer)
        (%set-class-direct-methods specializer (cons method (%class-direct-methods specializer)))
        (%set-eql-direct-methods specializer (cons method (%eql-direct-methods specializer)))))
  (forget-recipes)
  (update-generic-function gf)
  gf)

(defun plain-remove-method (gf method)
  (when (eq (%method-generic method) gf)
    (%set-generic-methods gf (remove method (%generic-methods gf) :test #'eq))
    (%set-method-generic method nil)
    (dolist (specializer (%method-specializer-list method))
      (if (%classp specializer)
          (%set-class-direct-methods specializer (remove method (%class-direct-methods specializer)))
          (%set-eql-direct-methods specializer (remove method (%eql-direct-methods specializer)))))
    (forget-recipes)
    (update-generic-function gf))
  gf)

(defun standard-metaobjects-p (gf method)
  "True when neither object is of a user's class, so that ADD-METHOD and REMOVE-METHOD cannot be customised."
  (and (eq (class-of gf) (load-time-value (%find-class 'standard-generic-function)))
       (member (%class-name (class-of method)) '(standard-method standard-reader-method standard-writer-method))))

(defun install-method (gf method)
  (if (standard-metaobjects-p gf method) (plain-add-method gf method) (add-method gf method)))

(defun uninstall-method (gf method)
  (if (standard-metaobjects-p gf method) (plain-remove-method gf method) (remove-method gf method)))

(defmacro define-protocol (name lambda-list &body methods)
  "Makes NAME a generic function in place of the ordinary function that did its work until now."
  `(progn
     (fmakunbound ',name)
     (defgeneric ,name ,lambda-list ,@methods)))
