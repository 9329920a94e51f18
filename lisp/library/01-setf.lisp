;;;; Places: SETF and the macros built on it, expanders, DEFSETF.

(in-package "AUTOLITH-SYSTEM")

(defun global-symbol-macro-p (symbol)
  (eq (%variable-kind symbol) :symbol-macro))

(defun get-setf-expansion (place &optional environment)
  "Five values that tell how to read and write PLACE."
  (cond ((symbolp place)
         (multiple-value-bind (expansion expanded) (macroexpand-1 place environment)
           (if expanded
               (get-setf-expansion expansion environment)
               (let ((store (gensym "NEW")))
                 (values nil nil (list store) (list 'setq place store) place)))))
        ((not (and (consp place) (symbolp (car place))))
         (error 'simple-program-error :format-control "~S is not a place" :format-arguments (list place)))
        (t
         (let ((expander (and (not (%locally-defined-p (car place) environment))
                              (%symbol-info (car place) 'setf-expander))))
           (if expander
               (funcall expander place environment)
               (multiple-value-bind (expansion expanded) (macroexpand-1 place environment)
                 (if expanded
                     (get-setf-expansion expansion environment)
                     (function-setf-expansion place))))))))

(defun fresh-names (list)
  "A list of as many fresh symbols as LIST has elements."
  (if (consp list) (cons (gensym "ARG") (fresh-names (cdr list))) nil))

(defun function-setf-expansion (place)
  "Expansion of a place written by a function named (SETF name)."
  (let ((temps (fresh-names (cdr place))) (store (gensym "NEW")))
    (values temps
            (cdr place)
            (list store)
            (cons 'funcall (cons (list 'function (list 'setf (car place))) (cons store temps)))
            (cons (car place) temps))))

(defun pair-up (names forms)
  (if (consp names)
      (cons (list (car names) (car forms)) (pair-up (cdr names) (cdr forms)))
      nil))

(defun expand-setf-1 (place value environment)
  (if (and (symbolp place)
           (not (nth-value 1 (macroexpand-1 place environment))))
      (list 'setq place value)
      (multiple-value-bind (temps forms stores writer) (get-setf-expansion place environment)
        (list 'let* (pair-up temps forms)
              (if (and (consp stores) (null (cdr stores)))
                  (list 'let (list (list (car stores) value)) writer)
                  (list 'multiple-value-bind stores value writer))))))

(defun expand-setf-pairs (pairs environment)
  (cond ((null pairs) nil)
        ((null (cdr pairs))
         (error 'simple-program-error :format-control "odd number of arguments for SETF" :format-arguments nil))
        (t (cons (expand-setf-1 (car pairs) (cadr pairs) environment)
                 (expand-setf-pairs (cddr pairs) environment)))))

(defmacro setf (&rest pairs &environment environment)
  "Store values in places."
  (let ((forms (expand-setf-pairs pairs environment)))
    (if (and (consp forms) (null (cdr forms))) (car forms) (cons 'progn forms))))

(defun expand-psetf (pairs environment)
  (cond ((null pairs) nil)
        ((null (cdr pairs))
         (error 'simple-program-error :format-control "odd number of arguments for PSETF" :format-arguments nil))
        (t
         (multiple-value-bind (temps forms stores writer) (get-setf-expansion (car pairs) environment)
           (list 'let* (pair-up temps forms)
                 (list 'multiple-value-bind stores (cadr pairs)
                       (expand-psetf (cddr pairs) environment)
                       writer))))))

(defmacro psetf (&rest pairs &environment environment)
  "Store values in places after all subforms have been evaluated."
  (list 'progn (expand-psetf pairs environment) nil))

(defmacro define-setf-expander (name lambda-list &body body)
  "Define how SETF expands for places (NAME …): BODY returns the five values of a setf expansion."
  `(eval-when (:compile-toplevel :load-toplevel :execute)
     (%set-symbol-info ',name 'setf-expander (macro-lambda ,name ,lambda-list ,@body))
     (%set-symbol-info ',name 'setf-documentation ,(split-documentation body))
     ',name))

(defun split-documentation (body)
  "Two values: documentation string or NIL, and the body without it."
  (cond ((atom body) (values nil body))
        ((and (stringp (car body)) (cdr body)) (values (car body) (cdr body)))
        ((and (consp (car body)) (eq (caar body) 'declare))
         (multiple-value-bind (documentation rest) (split-documentation (cdr body))
           (values documentation (cons (car body) rest))))
        (t (values nil body))))

(defun body-in-block (name body)
  "BODY without documentation, its forms in a block and its declarations before it."
  (multiple-value-bind (documentation body) (split-documentation body)
    (declare (ignore documentation))
    (do ((declarations nil) (rest body (cdr rest)))
        ((not (and (consp rest) (consp (car rest)) (eq (caar rest) 'declare)))
         (append (reverse-list declarations nil) (list (list* 'block name rest))))
      (setq declarations (cons (car rest) declarations)))))

(defmacro defsetf (access-function &rest rest)
  "Define how SETF expands for places (ACCESS-FUNCTION …): short form with an update function, or long form with a body."
  (if (and (car rest) (symbolp (car rest)))
      `(eval-when (:compile-toplevel :load-toplevel :execute)
         (%set-symbol-info ',access-function 'setf-expander
                           (lambda (place environment)
                             (declare (ignore environment))
                             (update-function-expansion place ',(car rest))))
         (%set-symbol-info ',access-function 'setf-documentation ,(cadr rest))
         ',access-function)
      (let ((lambda-list (car rest)) (stores (cadr rest)) (body (cddr rest)) (temps (gensym "TEMPS")))
        (multiple-value-bind (clean environment-variable) (without-environment lambda-list)
          (let ((environment (or environment-variable (gensym "ENVIRONMENT"))))
            `(eval-when (:compile-toplevel :load-toplevel :execute)
               (%set-symbol-info
                ',access-function 'setf-expander
                (lambda (place ,environment)
                  (declare (ignorable ,environment))
                  (let ((,temps (fresh-names (cdr place)))
                        ,@(pair-up stores (store-names stores)))
                    (values ,temps
                            (cdr place)
                            (list ,@stores)
                            (apply (lambda ,clean ,@(body-in-block access-function body)) ,temps)
                            (cons ',access-function ,temps)))))
               (%set-symbol-info ',access-function 'setf-documentation ,(split-documentation body))
               ',access-function))))))

(defun store-names (stores)
  (if (consp stores) (cons '(gensym "NEW") (store-names (cdr stores))) nil))

(defun without-environment (lambda-list)
  "Two values: LAMBDA-LIST without &ENVIRONMENT and its variable, and that variable or NIL."
  (cond ((not (consp lambda-list)) (values lambda-list nil))
        ((eq (car lambda-list) '&environment) (values (cddr lambda-list) (cadr lambda-list)))
        (t (multiple-value-bind (rest variable) (without-environment (cdr lambda-list))
             (values (cons (car lambda-list) rest) variable)))))

(defun update-function-expansion (place update)
  (let ((temps (fresh-names (cdr place))) (store (gensym "NEW")))
    (values temps (cdr place) (list store)
            (cons update (append temps (list store)))
            (cons (car place) temps))))

;;; Read-modify-write macros

(defun expand-modify (place environment make-value)
  "Form that stores in PLACE what the function MAKE-VALUE gives for its reader form."
  (if (and (symbolp place) (not (nth-value 1 (macroexpand-1 place environment))))
      (list 'setq place (funcall make-value place))
      (multiple-value-bind (temps forms stores writer reader) (get-setf-expansion place environment)
        (list 'let* (append (pair-up temps forms) (list (list (car stores) (funcall make-value reader))))
              writer))))

(defmacro incf (place &optional (delta 1) &environment environment)
  "Add DELTA to the number in PLACE."
  (if (integerp delta)
      (expand-modify place environment (lambda (reader) (list '+ reader delta)))
      (expand-modify-with place environment delta (lambda (reader delta) (list '+ reader delta)))))

(defmacro decf (place &optional (delta 1) &environment environment)
  "Subtract DELTA from the number in PLACE."
  (if (integerp delta)
      (expand-modify place environment (lambda (reader) (list '- reader delta)))
      (expand-modify-with place environment delta (lambda (reader delta) (list '- reader delta)))))

(defun expand-modify-with (place environment argument make-value)
  "Like EXPAND-MODIFY; ARGUMENT is evaluated after the subforms of the place."
  (let ((value (gensym "ARG")))
    (if (and (symbolp place) (not (nth-value 1 (macroexpand-1 place environment))))
        (list 'let (list (list value argument))
              (list 'setq place (funcall make-value place value)))
        (multiple-value-bind (temps forms stores writer reader) (get-setf-expansion place environment)
          (list 'let* (append (pair-up temps forms)
                              (list (list value argument)
                                    (list (car stores) (funcall make-value reader value))))
                writer)))))

(defmacro push (item place &environment environment)
  "Put ITEM in front of the list in PLACE."
  (let ((value (gensym "ITEM")))
    (list 'let (list (list value item))
          (expand-modify place environment (lambda (reader) (list 'cons value reader))))))

(defmacro pop (place &environment environment)
  "Take the first element off the list in PLACE and return it."
  (let ((old (gensym "OLD")))
    (if (and (symbolp place) (not (nth-value 1 (macroexpand-1 place environment))))
        `(let ((,old ,place)) (setq ,place (cdr ,old)) (car ,old))
        (multiple-value-bind (temps forms stores writer reader) (get-setf-expansion place environment)
          `(let* (,@(pair-up temps forms) (,old ,reader) (,(car stores) (cdr ,old)))
             ,writer
             (car ,old))))))

(defmacro pushnew (item place &rest keys &environment environment)
  "Put ITEM in front of the list in PLACE unless it is there already."
  (let ((value (gensym "ITEM")))
    (list 'let (list (list value item))
          (expand-modify place environment (lambda (reader) `(adjoin ,value ,reader ,@keys))))))

(defmacro define-modify-macro (name lambda-list function &optional documentation)
  "Define a read-modify-write macro that stores what FUNCTION returns for the old value and the arguments."
  (let ((arguments (modify-arguments lambda-list)))
    `(defmacro ,name (place ,@lambda-list &environment environment)
       ,@(if documentation (list documentation) nil)
       (expand-modify-by-function place environment ',function (list* ,@arguments)))))

(defun modify-arguments (lambda-list)
  "Forms whose LIST* is the list of arguments given for LAMBDA-LIST."
  (cond ((null lambda-list) (list nil))
        ((eq (car lambda-list) '&optional) (modify-arguments (cdr lambda-list)))
        ((eq (car lambda-list) '&rest) (list (cadr lambda-list)))
        (t (cons (if (consp (car lambda-list)) (caar lambda-list) (car lambda-list))
                 (modify-arguments (cdr lambda-list))))))

(defun expand-modify-by-function (place environment function arguments)
  (let ((temps (fresh-names arguments)))
    (multiple-value-bind (place-temps forms stores writer reader) (get-setf-expansion place environment)
      `(let* (,@(pair-up place-temps forms)
              ,@(pair-up temps arguments)
              (,(car stores) (,function ,reader ,@temps)))
         ,writer))))

(defun all-expansions (places environment)
  "List of the setf expansions of PLACES, each a list of five."
  (if (consp places)
      (cons (multiple-value-list (get-setf-expansion (car places) environment))
            (all-expansions (cdr places) environment))
      nil))

;; The value of the first place goes to the last place, that of each other place to the one before it.
(defmacro rotatef (&rest places &environment environment)
  "Each place gets the value of the next, the last that of the first."
  (if (or (null places) (null (cdr places)))
      `(progn ,@places nil)
      (let ((expansions (all-expansions places environment)))
        (labels ((nest (rest stores)
                   (if (consp rest)
                       `(multiple-value-bind ,stores ,(car (cddddr (car rest)))
                          ,(nest (cdr rest) (third (car rest))))
                       `(progn ,@(rotate-writers expansions)))))
          `(let* ,(all-bindings expansions)
             ,(nest expansions (third (car (last-cons expansions))))
             nil)))))

(defun all-bindings (expansions)
  "LET* bindings of the temporaries of all expansions."
  (if (consp expansions)
      (append (pair-up (car (car expansions)) (cadr (car expansions))) (all-bindings (cdr expansions)))
      nil))

(defun rotate-writers (expansions)
  (if (consp expansions)
      (cons (cadddr (car expansions)) (rotate-writers (cdr expansions)))
      nil))

(defun last-cons (list)
  (if (consp (cdr list)) (last-cons (cdr list)) list))

(defmacro shiftf (place &rest more &environment environment)
  "Each place gets the value of the next, the last that of the final form; returns the value of the first."
  (let* ((all (cons place more))
         (places (all-but-last all))
         (expansions (all-expansions places environment))
         (result (gensym "RESULT")))
    (labels ((nest (rest)
               (if (consp rest)
                   `(multiple-value-bind ,(third (car rest))
                        ,(if (consp (cdr rest)) (car (cddddr (cadr rest))) (car (last-cons all)))
                      ,(nest (cdr rest)))
                   `(progn ,@(rotate-writers expansions)))))
      `(let* ,(all-bindings expansions)
         (let ((,result (multiple-value-list ,(car (cddddr (car expansions))))))
           ,(nest expansions)
           (values-list ,result))))))

(defun all-but-last (list)
  (if (consp (cdr list)) (cons (car list) (all-but-last (cdr list))) nil))

;;; Places of the standard that are not plain functions

(define-setf-expander values (&rest places &environment environment)
  (let ((expansions (all-expansions places environment)))
    (labels ((collect (index rest)
               (if (consp rest) (append (nth index (car rest)) (collect index (cdr rest))) nil))
             (first-stores (rest)
               (if (consp rest) (cons (car (third (car rest))) (first-stores (cdr rest))) nil))
             (other-stores (rest)
               (if (consp rest)
                   (append (pair-up (cdr (third (car rest))) nil) (other-stores (cdr rest)))
                   nil))
             (readers (rest)
               (if (consp rest) (cons (car (cddddr (car rest))) (readers (cdr rest))) nil)))
      (values (append (collect 0 expansions) (let ((o (other-stores expansions))) (firsts o)))
              (append (collect 1 expansions) (let ((o (other-stores expansions))) (nils o)))
              (first-stores expansions)
              `(values ,@(rotate-writers expansions))
              `(values ,@(readers expansions))))))

(defun firsts (list) (if (consp list) (cons (caar list) (firsts (cdr list))) nil))
(defun nils (list) (if (consp list) (cons nil (nils (cdr list))) nil))

(define-setf-expander the (type place &environment environment)
  (multiple-value-bind (temps forms stores writer reader) (get-setf-expansion place environment)
    (values temps forms stores
            `(multiple-value-bind ,stores (the ,type (values ,@stores)) ,writer)
            `(the ,type ,reader))))

(define-setf-expander apply (function &rest arguments)
  (let ((temps (fresh-names arguments)) (store (gensym "NEW")))
    (unless (and (consp function) (eq (car function) 'function) (symbolp (cadr function)))
      (error 'simple-program-error :format-control "~S is not a place" :format-arguments (list (list* 'apply function arguments))))
    (values temps arguments (list store)
            `(apply #'(setf ,(cadr function)) ,store ,@temps)
            `(apply ,function ,@temps))))

(define-setf-expander getf (place indicator &optional default &environment environment)
  (multiple-value-bind (temps forms stores writer reader) (get-setf-expansion place environment)
    (let ((i (gensym "INDICATOR")) (d (gensym "DEFAULT")) (new (gensym "NEW")))
      (values (append temps (list i) (if default (list d) nil))
              (append forms (list indicator) (if default (list default) nil))
              (list new)
              `(let ((,(car stores) (%put-in-plist ,reader ,i ,new))) ,writer ,new)
              `(getf ,reader ,i ,@(if default (list d) nil))))))

(defmacro remf (place indicator &environment environment)
  "Remove the property INDICATOR from the property list in PLACE; true when there was one."
  (multiple-value-bind (temps forms stores writer reader) (get-setf-expansion place environment)
    (let ((i (gensym "INDICATOR")) (found (gensym "FOUND")))
      `(let* (,@(pair-up temps forms) (,i ,indicator))
         (multiple-value-bind (,(car stores) ,found) (%remove-from-plist ,reader ,i)
           ,writer
           ,found)))))

(define-setf-expander ldb (bytespec place &environment environment)
  (byte-setf-expansion 'dpb 'ldb bytespec place environment))

(define-setf-expander mask-field (bytespec place &environment environment)
  (byte-setf-expansion 'deposit-field 'mask-field bytespec place environment))

(defun byte-setf-expansion (writer-name reader-name bytespec place environment)
  (multiple-value-bind (temps forms stores writer reader) (get-setf-expansion place environment)
    (let ((b (gensym "BYTE")) (new (gensym "NEW")))
      (values (cons b temps)
              (cons bytespec forms)
              (list new)
              `(let ((,(car stores) (,writer-name ,new ,b ,reader))) ,writer ,new)
              `(,reader-name ,b ,reader)))))

(defun (setf macro-function) (function symbol &optional environment)
  (declare (ignore environment))
  (%set-macro-function function symbol))

(defun (setf symbol-value) (value symbol) (set symbol value))

(defun (setf compiler-macro-function) (function name &optional environment)
  (declare (ignore environment))
  (%set-symbol-info (if (consp name) (%setf-cell (cadr name)) name) 'compiler-macro function))

(defun compiler-macro-function (name &optional environment)
  "The compiler macro function of NAME, or NIL."
  (declare (ignore environment))
  (%symbol-info (if (consp name) (%setf-cell (cadr name)) name) 'compiler-macro))

(defmacro define-compiler-macro (name lambda-list &body body)
  "Define a compiler macro for calls of NAME."
  `(eval-when (:compile-toplevel :load-toplevel :execute)
     (setf (compiler-macro-function ',name) (macro-lambda ,name ,lambda-list ,@body))
     (%set-symbol-info ',(if (consp name) (cadr name) name)
                       ',(if (consp name) 'setf-compiler-macro-documentation 'compiler-macro-documentation)
                       ,(split-documentation body))
     ',name))
