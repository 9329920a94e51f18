;;; Method combination: the built-in short forms and DEFINE-METHOD-COMBINATION.
;;; A generic function's combination is the symbol STANDARD or (combination . options).

(in-package "AUTOLITH-SYSTEM")

(defvar *method-combinations* (make-hash-table :test 'eq)
  "Method combinations by name; see MAKE-COMBINATION.")

(defun make-combination (name expander &optional kind)
  "A method combination. KIND is :SHORT for the short form. EXPANDER takes (generic-function methods options arguments) and returns the effective function."
  (let ((combination (%allocate-instance (%find-class 'method-combination))))
    (%set-instance-ref combination 0 name)
    (%set-instance-ref combination 1 kind)
    (%set-instance-ref combination 2 expander)
    (setf (gethash name *method-combinations*) combination)
    combination))

(defun combination-with-options (name options)
  "The method combination of a generic function whose :METHOD-COMBINATION option is NAME with OPTIONS."
  (if (eq name 'standard)
      (progn
        (when options (error 'simple-error :format-control "STANDARD method combination takes no options."
                             :format-arguments '()))
        'standard)
      (let ((known (or (gethash name *method-combinations*) (built-in-combination name))))
        (unless known
          (error 'simple-error :format-control "There is no method combination named ~S." :format-arguments (list name)))
        (when (eq (%instance-ref known 1) :short) (check-short-options name options))
        (cons known options))))

(defun combined-effective-function (gf combination methods arguments)
  (let* ((current (gethash (%instance-ref (car combination) 0) *method-combinations* (car combination))))
    (funcall (%instance-ref current 2) gf methods (cdr combination) arguments)))

;;; Short form

(defun check-short-options (name options)
  (unless (or (null options)
              (and (null (cdr options)) (member (car options) '(:most-specific-first :most-specific-last))))
    (error 'simple-error :format-control "The options ~S of method combination ~S are not allowed."
           :format-arguments (list options name))))

(defun check-short-qualifiers (gf name methods)
  (dolist (method methods)
    (unless (or (equal (%method-qualifier-list method) (list name))
                (equal (%method-qualifier-list method) '(:around)))
      (error 'simple-error
             :format-control "The qualifiers ~S of a method of ~S are not allowed in method combination ~S."
             :format-arguments (list (%method-qualifier-list method) gf name)))))

(defun short-main-function (operator functions identity-with-one)
  "A function that applies OPERATOR to the values of FUNCTIONS."
  (cond ((and identity-with-one (null (cdr functions))) (car functions))
        ((eq operator 'progn)
         (lambda (&rest arguments)
           (do ((rest functions (cdr rest)))
               ((null (cdr rest)) (apply (car rest) arguments))
             (apply (car rest) arguments))))
        ((eq operator 'and)
         (lambda (&rest arguments)
           (do ((rest functions (cdr rest)))
               ((null (cdr rest)) (apply (car rest) arguments))
             (unless (apply (car rest) arguments) (return nil)))))
        ((eq operator 'or)
         (lambda (&rest arguments)
           (do ((rest functions (cdr rest)))
               ((null (cdr rest)) (apply (car rest) arguments))
             (let ((value (apply (car rest) arguments)))
               (when value (return value))))))
        ((and (fboundp operator) (not (macro-function operator)) (not (special-operator-p operator)))
         (lambda (&rest arguments)
           (apply operator (mapcar (lambda (function) (apply function arguments)) functions))))
        (t (compile nil `(lambda (&rest %arguments)
                           (,operator ,@(mapcar (lambda (function) `(apply ',function %arguments)) functions)))))))

(defun short-effective-function (name operator identity-with-one gf methods options arguments)
  (check-short-options name options)
  (check-short-qualifiers gf name methods)
  (let ((primary (methods-with-qualifiers (list name) methods))
        (arounds (methods-with-qualifiers '(:around) methods)))
    (when (null primary) (no-primary-method gf arguments))
    (when (eq (car options) :most-specific-last) (setq primary (reverse primary)))
    (method-chain arounds
                  (short-main-function operator
                                       (mapcar (lambda (m) (method-chain (list m) nil)) primary)
                                       identity-with-one))))

(defun define-short-combination (name operator identity-with-one documentation)
  (make-combination name
                    (lambda (gf methods options arguments)
                      (short-effective-function name operator identity-with-one gf methods options arguments))
                    :short)
  (set-documentation documentation name 'method-combination)
  name)

(defun set-documentation (documentation name kind)
  "Stores a documentation string with a symbol; (SETF DOCUMENTATION) ends here too."
  (if documentation
      (setf (getf (get name '%documentation) kind) documentation)
      (when (get name '%documentation) (remf (get name '%documentation) kind)))
  documentation)

(defun built-in-combination (name)
  "The built-in method combination of that name, made when first asked for; NIL when there is none."
  (let ((entry (assoc name '((+ t) (and t) (append t) (list nil) (max t) (min t) (nconc t) (or t) (progn t)))))
    (when entry
      (define-short-combination name name (second entry) nil)
      (gethash name *method-combinations*))))

;;; Long form

(defun method-matches-group-p (method group)
  "GROUP is (name pattern… . keyword options); a pattern is *, a list with * for any rest, or a predicate's name."
  (let ((qualifiers (%method-qualifier-list method)))
    (some (lambda (pattern)
            (cond ((eq pattern '*) t)
                  ((null pattern) (null qualifiers))
                  ((consp pattern)
                   (do ((pattern pattern (cdr pattern)) (qualifiers qualifiers (cdr qualifiers)))
                       ((atom pattern) (or (eq pattern '*) (and (null pattern) (null qualifiers))))
                     (unless (and qualifiers (or (eq (car pattern) '*) (equal (car pattern) (car qualifiers))))
                       (return nil))))
                  (t (funcall pattern qualifiers))))
          (group-patterns group))))

(defun group-patterns (group)
  (let ((result '()))
    (dolist (item (cdr group) (nreverse result))
      (when (member item '(:description :order :required)) (return (nreverse result)))
      (push item result))))

(defun group-option (group key default)
  (let ((tail (member key (cdr group))))
    (if tail (second tail) default)))

(defun invalid-combination-method (gf method name)
  (error 'simple-error :format-control "The method ~S of ~S fits no method group of method combination ~S."
         :format-arguments (list method gf name)))

(defun sort-into-groups (gf name groups methods)
  "Methods of each group, in a list as long as GROUPS."
  (let ((lists (mapcar (lambda (group) (declare (ignore group)) '()) groups)))
    (dolist (method methods)
      (let ((position (position-if (lambda (group) (method-matches-group-p method group)) groups)))
        (if position
            (push method (nth position lists))
            (invalid-combination-method gf method name))))
    lists))

(defun ordered-group (gf name group order required methods)
  "METHODS come most specific first."
  (when (and required (null methods))
    (error 'simple-error :format-control "~S has no applicable method in the group ~S that method combination ~S needs."
           :format-arguments (list gf (car group) name)))
  (case order
    (:most-specific-first methods)
    (:most-specific-last (reverse methods))
    (t (error 'simple-error :format-control "~S is no order of methods." :format-arguments (list order)))))

(defmacro define-long-combination (name lambda-list groups options)
  (let* ((arguments-option (assoc :arguments (remove-if-not #'consp options)))
         (generic-option (assoc :generic-function (remove-if-not #'consp options)))
         (body (remove-if (lambda (form) (and (consp form) (member (car form) '(:arguments :generic-function)))) options))
         (lists (gensym "LISTS"))
         (gf (if generic-option (second generic-option) (gensym "GF")))
         (methods (gensym "METHODS")) (given (gensym "OPTIONS")) (arguments (gensym "ARGUMENTS")))
    (multiple-value-bind (forms declarations documentation) (split-method-body body)
      `(progn
         (make-combination
          ',name
          (lambda (,gf ,methods ,given ,arguments)
            (declare (ignorable ,gf ,arguments))
            (combination-function
             (apply (lambda ,lambda-list
                      (let* ((,lists (sort-into-groups ,gf ',name ',groups (reverse ,methods)))
                             ,@(let ((position -1))
                                 (mapcar (lambda (group)
                                           (incf position)
                                           `(,(car group)
                                             (ordered-group ,gf ',name ',group
                                                            ,(group-option group :order :most-specific-first)
                                                            ,(group-option group :required nil)
                                                            (nth ,position ,lists))))
                                         groups)))
                        (declare (ignorable ,lists ,@(mapcar #'car groups)))
                        ,(if arguments-option
                             `(let ,(mapcar (lambda (variable) `(,variable ',variable))
                                            (lambda-list-variables (cdr arguments-option)))
                                ,@declarations ,@forms)
                             `(let () ,@declarations ,@forms))))
                    ,given)
             ',(cdr arguments-option))))
         (set-documentation ,documentation ',name 'method-combination)
         ',name))))

(defun lambda-list-variables (lambda-list)
  "All variables of a lambda list, supplied-p ones included."
  (let ((result '()) (mode :required))
    (dolist (item (proper-part lambda-list) (nreverse result))
      (cond ((member item lambda-list-keywords) (setq mode item))
            ((atom item) (push item result))
            (t (push (if (and (consp (car item)) (eq mode '&key)) (second (car item)) (car item)) result)
               (when (third item) (push (third item) result)))))))

(defun proper-part (list)
  (let ((result '()))
    (do ((rest list (cdr rest)))
        ((atom rest) (nreverse (if rest (cons rest result) result)))
      (push (car rest) result))))

(defun combination-function (form arguments-lambda-list)
  "The effective function of the FORM a long method combination made; its :ARGUMENTS variables are bound around it."
  (let ((*combination-arguments* arguments-lambda-list)) (effective-form-function form)))

(defun relaxed-lambda-list (lambda-list)
  "The lambda list such that it accepts any number of arguments, as :ARGUMENTS asks."
  (cond ((or (member '&rest lambda-list) (member '&key lambda-list))
         (if (and (member '&key lambda-list) (not (member '&allow-other-keys lambda-list)))
             (let ((aux (member '&aux lambda-list)))
               (append (ldiff lambda-list aux) '(&allow-other-keys) aux))
             lambda-list))
        (t (let ((aux (member '&aux lambda-list)))
             (append (ldiff lambda-list aux) (list '&rest (gensym "REST")) aux)))))

(defun split-method-body (body)
  "Values: forms, declarations, documentation string."
  (let ((declarations '()) (documentation nil))
    (do () ((null body))
      (let ((form (car body)))
        (cond ((and (consp form) (eq (car form) 'declare)) (push form declarations))
              ((and (stringp form) (cdr body) (null documentation)) (setq documentation form))
              (t (return))))
      (pop body))
    (values body (nreverse declarations) documentation)))

(defmacro define-method-combination (name &rest options)
  "Defines a method combination: an operator applied to all methods (short form), or method groups and a form (long form)."
  (cond ((and options (listp (car options)))
         `(define-long-combination ,name ,(first options) ,(second options) ,(cddr options)))
        (t `(define-short-combination ',name ',(getf options :operator name)
              ,(getf options :identity-with-one-argument) ,(getf options :documentation)))))

(defun method-combination-error (control &rest arguments)
  "Signals an error about method combination, for use in the body of DEFINE-METHOD-COMBINATION."
  (error 'simple-error :format-control control :format-arguments arguments))

(defun invalid-method-error (method control &rest arguments)
  "Signals an error about a method that does not fit its method combination."
  (error 'simple-error :format-control "The method ~S is invalid: ~?" :format-arguments (list method control arguments)))

(defmacro call-method (method &optional next-methods)
  "Calls a method from the form of a method combination; an error elsewhere."
  (declare (ignore method next-methods))
  (error 'simple-program-error :format-control "CALL-METHOD outside of a method combination's effective method."
         :format-arguments '()))
