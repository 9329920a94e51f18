;;; Generic functions and methods: lambda lists, applicable methods, effective methods.
;;;
;;; A method's maker takes the function that calls the next method (or NIL) and the method itself, and returns the
;;; function of the arguments. So effective methods are plain chains of closures and calls without next methods cost nothing.

(in-package "AUTOLITH-SYSTEM")

;;; Section 3.4.
(unless (boundp 'lambda-list-keywords)
  (defconstant lambda-list-keywords
    '(&allow-other-keys &aux &body &environment &key &optional &rest &whole)))

(defun required-parameters (lambda-list)
  "The required parameters of a lambda list, specialized or not."
  (let ((result '()))
    (do ((rest lambda-list (cdr rest)))
        ((or (atom rest) (member (car rest) lambda-list-keywords :test #'eq)) (nreverse result))
      (push (car rest) result))))

(defun lambda-list-section (keyword lambda-list)
  "The parameters after KEYWORD up to the next lambda list keyword."
  (let ((tail (cdr (member keyword lambda-list :test #'eq))) (result '()))
    (do ((rest tail (cdr rest)))
        ((or (atom rest) (member (car rest) lambda-list-keywords :test #'eq)) (nreverse result))
      (push (car rest) result))))

(defun parameter-keyword (parameter)
  "The keyword of an &key parameter."
  (let ((name (if (consp parameter) (car parameter) parameter)))
    (if (consp name) (car name) (intern (symbol-name name) "KEYWORD"))))

(defun lambda-list-keys (lambda-list)
  (mapcar #'parameter-keyword (lambda-list-section '&key lambda-list)))

(defun has-keyword-p (keyword lambda-list)
  (and (member keyword lambda-list :test #'eq) t))

(defun lambda-lists-congruent-p (generic method)
  "True when a method's lambda list may belong to a generic function's."
  (and (= (length (required-parameters generic)) (length (required-parameters method)))
       (= (length (lambda-list-section '&optional generic)) (length (lambda-list-section '&optional method)))
       (let ((generic-keys (has-keyword-p '&key generic))
             (generic-rest (has-keyword-p '&rest generic))
             (method-keys (has-keyword-p '&key method))
             (method-rest (has-keyword-p '&rest method)))
         (and (eq (or generic-keys generic-rest) (or method-keys method-rest))
              (or (not generic-keys)
                  (has-keyword-p '&allow-other-keys method)
                  (and method-rest (not method-keys))
                  (every (lambda (key) (member key (lambda-list-keys method)))
                         (lambda-list-keys generic)))))))

;;; What a lambda list of a generic function may be

(defun generic-sections-p (lambda-list)
  "True when LAMBDA-LIST has only parts that a generic function may have, in their order, each with what it needs."
  (let ((expected '(&optional &rest &key &allow-other-keys)))
    (dolist (item lambda-list)
      (when (member item lambda-list-keywords :test #'eq)
        (let ((found (member item expected :test #'eq)))
          (unless found (return-from generic-sections-p nil))
          (setq expected (cdr found)))))
    (and (= (length (lambda-list-section '&rest lambda-list)) (if (has-keyword-p '&rest lambda-list) 1 0))
         (null (lambda-list-section '&allow-other-keys lambda-list))
         (or (has-keyword-p '&key lambda-list) (not (has-keyword-p '&allow-other-keys lambda-list))))))

(defun check-generic-lambda-list (name lambda-list)
  "Signals a PROGRAM-ERROR when a generic function cannot have LAMBDA-LIST."
  (dolist (item lambda-list)
    (when (eq item '&aux)
      (error 'simple-program-error :format-control "The lambda list of the generic function ~S has &AUX."
             :format-arguments (list name))))
  (unless (generic-sections-p lambda-list)
    (error 'simple-program-error :format-control "The parts of the lambda list ~S of ~S are incomplete or out of order."
           :format-arguments (list lambda-list name)))
  (dolist (section '(&optional &key))
    (dolist (parameter (lambda-list-section section lambda-list))
      (when (and (consp parameter) (or (cdr parameter) (and (eq section '&optional) (null parameter))))
        (error 'simple-program-error
               :format-control "The parameter ~S of the generic function ~S may not have a default."
               :format-arguments (list parameter name)))))
  (let ((required (required-parameters lambda-list)))
    (dolist (parameter required)
      (unless (symbolp parameter)
        (error 'simple-program-error :format-control "~S is no required parameter for the generic function ~S."
               :format-arguments (list parameter name))))
    (unless (= (length required) (length (remove-duplicates required)))
      (error 'simple-program-error :format-control "A parameter occurs twice in the lambda list ~S of ~S."
             :format-arguments (list lambda-list name)))))

;;; Generic function objects

(defvar *eql-specializers* (make-hash-table :test 'eql)
  "The EQL specializer of each object that has one.")

(defun intern-eql-specializer (object)
  (or (gethash object *eql-specializers*)
      (setf (gethash object *eql-specializers*) (%make-eql-specializer object))))

(defun update-generic-function (gf)
  "Recomputes what dispatch needs to know after a change of lambda list or methods."
  (let* ((lambda-list (%generic-lambda-list gf))
         (required (length (required-parameters lambda-list)))
         (variadic (/= (length lambda-list) required))
         (specialized '()) (objects '()) (uncacheable nil))
    (dotimes (position required)
      (let ((found nil) (eql-objects '()))
        (dolist (method (%generic-methods gf))
          (let ((specializer (nth position (%method-specializer-list method))))
            (cond ((%eql-specializer-p specializer)
                   (setq found t)
                   (push (%eql-object specializer) eql-objects)
                   (when (and (numberp (%eql-object specializer)) (not (integerp (%eql-object specializer))))
                     (setq uncacheable t)))
                  ((not (eq specializer (load-time-value (%find-class 't))))
                   (setq found t)))))
        (when found
          (push position specialized)
          (push eql-objects objects))))
    ;; With only unspecialized methods, dispatch on the first argument all the same: the cache then has a key.
    (when (and (null specialized) (> required 0))
      (setq specialized (list 0) objects (list nil)))
    (if uncacheable
        (%update-generic-function gf required variadic '() '())
        (%update-generic-function gf required variadic (nreverse specialized) (nreverse objects)))
    gf))

(defun generic-argument-order (gf)
  "Positions of the required arguments in the order of their precedence; NIL means as they come."
  (let ((order (%generic-precedence-order gf))
        (names (required-parameters (%generic-lambda-list gf))))
    (if (or (null order) (equal order names))
        nil
        (mapcar (lambda (name) (position name names)) order))))

;;; Applicable methods

(defun specializer-accepts-p (specializer argument class)
  (if (%eql-specializer-p specializer)
      (eql argument (%eql-object specializer))
      (%subclassp class specializer)))

(defun method-applicable-p (method arguments)
  (do ((specializers (%method-specializer-list method) (cdr specializers))
       (arguments arguments (cdr arguments)))
      ((null specializers) t)
    (unless (specializer-accepts-p (car specializers) (car arguments) (class-of (car arguments)))
      (return nil))))

(defun compare-specializers (a b class)
  "-1 when A is more specific than B for an instance of CLASS, 1 when B is, 0 when they are the same."
  (cond ((eq a b) 0)
        ((%eql-specializer-p a) -1)
        ((%eql-specializer-p b) 1)
        (t (if (member b (cdr (member a (%class-precedence-list class) :test #'eq)) :test #'eq) -1 1))))

(defun more-specific-method-p (a b arguments order)
  (if order
      (dolist (position order nil)
        (let ((result (compare-specializers (nth position (%method-specializer-list a))
                                            (nth position (%method-specializer-list b))
                                            (class-of (nth position arguments)))))
          (unless (eql result 0) (return (eql result -1)))))
      (do ((as (%method-specializer-list a) (cdr as))
           (bs (%method-specializer-list b) (cdr bs))
           (arguments arguments (cdr arguments)))
          ((null as) nil)
        (let ((result (compare-specializers (car as) (car bs) (class-of (car arguments)))))
          (unless (eql result 0) (return (eql result -1)))))))

(defun insert-method (method sorted arguments order)
  (if (or (null sorted) (more-specific-method-p method (car sorted) arguments order))
      (cons method sorted)
      (cons (car sorted) (insert-method method (cdr sorted) arguments order))))

(defun applicable-methods (gf arguments)
  "The applicable methods, most specific first."
  (let ((sorted '()) (order (generic-argument-order gf)))
    (dolist (method (%generic-methods gf))
      (when (method-applicable-p method arguments)
        (setq sorted (insert-method method sorted arguments order))))
    sorted))

;;; Effective methods

(defun method-chain (methods last)
  "One function out of METHODS, each of which may call the next; LAST (or NIL) is what the last of them calls."
  (if (null methods)
      last
      (funcall (%method-maker (car methods)) (method-chain (cdr methods) last) (car methods))))

(defmacro around-primary (befores primary afters parameters)
  "A function of PARAMETERS that calls BEFORES, PRIMARY and AFTERS, variables with functions, with them."
  `(if (null ,afters)
       (lambda ,parameters
         (dolist (before ,befores) (funcall before ,@parameters))
         (funcall ,primary ,@parameters))
       (lambda ,parameters
         (dolist (before ,befores) (funcall before ,@parameters))
         (multiple-value-prog1 (funcall ,primary ,@parameters)
           (dolist (after ,afters) (funcall after ,@parameters))))))

(defun with-before-and-after (befores primary afters count)
  "A function that calls BEFORES, PRIMARY and AFTERS with the same arguments and returns what PRIMARY does.
COUNT is the number of arguments, or NIL when it differs from call to call."
  (let ((befores (mapcar (lambda (m) (method-chain (list m) nil)) befores))
        (afters (mapcar (lambda (m) (method-chain (list m) nil)) (reverse afters))))
    (cond ((eql count 1) (around-primary befores primary afters (a)))
          ((eql count 2) (around-primary befores primary afters (a b)))
          ((eql count 3) (around-primary befores primary afters (a b c)))
          ((and (null afters) (null (cdr befores)))
           (let ((before (car befores)))
             (lambda (&rest arguments)
               (apply before arguments)
               (apply primary arguments))))
          ((and (null befores) (null (cdr afters)))
           (let ((after (car afters)))
             (lambda (&rest arguments)
               (multiple-value-prog1 (apply primary arguments)
                 (apply after arguments)))))
          (t (lambda (&rest arguments)
               (dolist (before befores) (apply before arguments))
               (multiple-value-prog1 (apply primary arguments)
                 (dolist (after afters) (apply after arguments))))))))

(defun methods-with-qualifiers (qualifiers methods)
  (remove-if-not (lambda (m) (equal (%method-qualifier-list m) qualifiers)) methods))

(defun no-primary-method (gf arguments)
  (error 'simple-error
         :format-control "There is no primary method of ~S for the arguments ~S."
         :format-arguments (list gf arguments)))

(defun check-standard-qualifiers (gf methods)
  (dolist (method methods)
    (unless (member (%method-qualifier-list method) '(() (:before) (:after) (:around)) :test #'equal)
      (error 'simple-error
             :format-control "The qualifiers ~S of a method of ~S are not allowed in its method combination."
             :format-arguments (list (%method-qualifier-list method) gf)))))

(defun fixed-argument-count (gf)
  "The number of arguments that every call of GF has, or NIL."
  (let ((lambda-list (%generic-lambda-list gf)))
    (and (every (lambda (parameter) (not (%memq parameter lambda-list-keywords))) lambda-list)
         (length lambda-list))))

(defun standard-effective-function (gf methods arguments)
  (check-standard-qualifiers gf methods)
  (let ((primary (methods-with-qualifiers '() methods))
        (befores (methods-with-qualifiers '(:before) methods))
        (afters (methods-with-qualifiers '(:after) methods))
        (arounds (methods-with-qualifiers '(:around) methods)))
    (when (null primary) (no-primary-method gf arguments))
    (let* ((main (method-chain primary nil))
           (main (if (or befores afters)
                     (with-before-and-after befores main afters (fixed-argument-count gf))
                     main)))
      (method-chain arounds main))))

(defun accepted-keywords (gf methods)
  "The keywords a call may have, or T when any."
  (let ((keys '()))
    (dolist (lambda-list (cons (%generic-lambda-list gf) (mapcar #'%method-parameters methods)) keys)
      (when (has-keyword-p '&allow-other-keys lambda-list) (return t))
      (when (has-keyword-p '&key lambda-list)
        (setq keys (union (lambda-list-keys lambda-list) keys))))))

(defun check-keyword-arguments (gf keywords arguments)
  "Signals a program-error for an odd list of keyword arguments or one that no method accepts."
  (unless (evenp (length arguments))
    (error 'simple-program-error :format-control "~S got an odd number of keyword arguments: ~S"
           :format-arguments (list gf arguments)))
  (unless (getf arguments :allow-other-keys)
    (do ((rest arguments (cddr rest)))
        ((null rest))
      (unless (or (member (car rest) keywords :test #'eq) (eq (car rest) :allow-other-keys))
        (error 'simple-program-error
               :format-control "~S got the keyword argument ~S; the applicable methods accept ~S."
               :format-arguments (list gf (car rest) keywords))))))

(defun checking-keywords (gf methods function)
  "FUNCTION, with a check of the keyword arguments in front when the generic function has any."
  (let ((lambda-list (%generic-lambda-list gf)))
    (if (not (or (has-keyword-p '&key lambda-list)
                 (some (lambda (m) (has-keyword-p '&key (%method-parameters m))) methods)))
        function
        (let ((keywords (accepted-keywords gf methods))
              (before (+ (length (required-parameters lambda-list))
                         (length (lambda-list-section '&optional lambda-list)))))
          (if (eq keywords t)
              function
              (lambda (&rest arguments)
                (check-keyword-arguments gf keywords (nthcdr before arguments))
                (apply function arguments)))))))

(defun call-method-form-function (form)
  "The function a form in a method list of CALL-METHOD stands for: a method, (MAKE-METHOD form), or a function."
  (cond ((%methodp form) (lambda (next) (funcall (%method-maker form) next form)))
        ((and (consp form) (eq (car form) 'make-method))
         (lambda (next) (declare (ignore next)) (effective-form-function (second form))))
        (t (error 'simple-error :format-control "~S cannot be called by CALL-METHOD." :format-arguments (list form)))))

(defun call-method-chain (methods)
  (if (null methods)
      nil
      (funcall (call-method-form-function (car methods)) (call-method-chain (cdr methods)))))

(defvar *combination-arguments* '()
  "The :ARGUMENTS lambda list of the long method combination whose form is being compiled; MAKE-METHOD forms see its variables too.")

(defun effective-form-function (form)
  "A function of the generic function's arguments out of the form a method combination made."
  (when *combination-arguments*
    (setq form `(destructuring-bind ,(relaxed-lambda-list *combination-arguments*) %arguments
                  (declare (ignorable ,@(lambda-list-variables (remove '&whole *combination-arguments*))))
                  ,form)))
  (funcall (compile nil
                    `(lambda ()
                       (lambda (&rest %arguments)
                         (declare (ignorable %arguments))
                         (macrolet ((call-method (method &optional next)
                                      (list 'apply
                                            (list 'quote (call-method-chain (cons method next)))
                                            '%arguments)))
                           ,form))))))

(defun effective-method-function (gf methods arguments)
  "The function to call for ARGUMENTS and all others with the same applicable METHODS."
  (let ((combination (%generic-combination gf)))
    (checking-keywords
     gf methods
     (cond ((eq combination 'standard)
            (or (accessor-effective-function gf methods arguments)
                (standard-effective-function gf methods arguments)))
           (t (combined-effective-function gf combination methods arguments))))))

(defun accessor-effective-function (gf methods arguments)
  "When the only method is a slot accessor of a plain class: direct access to the slot's location."
  (declare (ignore gf))
  (let ((method (car methods)))
    (and (null (cdr methods))
         (%method-slot method)
         (null (%method-qualifier-list method))
         (let* ((writer (eq (%class-name (class-of method)) 'standard-writer-method))
                (object (if writer (second arguments) (first arguments)))
                (class (class-of object))
                (slot (class-slot-named class (%slot-name (%method-slot method)))))
           (and slot
                (plain-class-p class)
                (integerp (%slot-location slot))
                (if writer
                    (%make-slot-writer (%slot-location slot))
                    (let ((name (%slot-name slot)))
                      (%make-slot-reader (%slot-location slot)
                                         (lambda (object) (slot-value object name))))))))))

(defun check-argument-count (gf arguments)
  (let* ((lambda-list (%generic-lambda-list gf))
         (required (length (required-parameters lambda-list)))
         (given (length arguments))
         (most (if (or (has-keyword-p '&rest lambda-list) (has-keyword-p '&key lambda-list))
                   nil
                   (+ required (length (lambda-list-section '&optional lambda-list))))))
    (when (or (< given required) (and most (> given most)))
      (error 'simple-program-error
             :format-control "~S got ~D argument~:P; its lambda list is ~S."
             :format-arguments (list gf given lambda-list)))))

(defun dispatch-miss (gf arguments)
  "Called when a generic function has no effective method for its arguments yet."
  (check-argument-count gf arguments)
  (dolist (argument arguments)
    (unless (%current-instance-p argument) (update-obsolete-instance argument)))
  (let ((methods (find-applicable-methods gf arguments)))
    (if (null methods)
        (apply #'no-applicable-method gf arguments)
        (let ((function (effective-method-function gf methods arguments)))
          (%cache-effective-method gf arguments function)
          (apply function arguments)))))

(defun find-applicable-methods (gf arguments)
  (applicable-methods gf arguments))

(%set-dispatch-miss #'dispatch-miss)
