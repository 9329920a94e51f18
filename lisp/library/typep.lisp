;;;; Chapter 4: TYPEP, TYPE-OF, COERCE, and the macros on types. A constant type becomes inline code.

(in-package "AUTOLITH-SYSTEM")

;;; The names of the predicates are kept with the symbols that name types.
(dolist (entry
  '((fixnum . fixnump) (integer . integerp) (bignum . bignump) (ratio . ratiop) (rational . rationalp) (real . realp)
    (number . numberp) (float . floatp) (single-float . single-float-p) (short-float . single-float-p)
    (double-float . double-float-p) (long-float . double-float-p) (complex . complexp) (bit . bitp)
    (unsigned-byte . unsigned-byte-p) (signed-byte . integerp)
    (cons . consp) (list . listp) (null . null) (atom . atom) (symbol . symbolp) (keyword . keywordp)
    (character . characterp) (base-char . base-char-p) (extended-char . extended-char-p)
    (standard-char . standard-character-p)
    (string . stringp) (simple-string . simple-string-p) (base-string . base-string-p)
    (simple-base-string . simple-base-string-p)
    (vector . vectorp) (simple-vector . simple-vector-p) (array . arrayp) (simple-array . simple-array-p)
    (bit-vector . bit-vector-p) (simple-bit-vector . simple-bit-vector-p)
    (function . functionp) (compiled-function . compiled-function-p) (hash-table . hash-table-p) (package . packagep)
    (stream . streamp) (pathname . pathnamep) (random-state . random-state-p) (readtable . readtablep)
    (sequence . sequencep) (boolean . booleanp) (structure-object . structure-p)))
  (set-symbol-datum (car entry) "TYPE-PREDICATE" (cdr entry)))

(defun standard-character-p (object) "True for a STANDARD-CHAR." (and (characterp object) (standard-char-p object)))
(defun sequencep (object) "True for a list or vector." (or (listp object) (vectorp object)))
(defun booleanp (object) "True for T and NIL." (or (eq object t) (eq object nil)))

(defun type-predicate-name (type)
  "The name of the predicate of the type named TYPE, or NIL."
  (symbol-datum type "TYPE-PREDICATE"))

(defun unknown-type (specifier)
  "Signal that SPECIFIER names no type."
  (error 'simple-error :format-control "~S is not a known type." :format-arguments (list specifier)))

(defun typep (object type &optional environment)
  "True when OBJECT is of TYPE."
  (declare (ignore environment))
  (typep-specifier object type))

(defun typep-specifier (object type)
  "TYPEP as a function without inline code."
  (cond ((symbolp type) (typep-name object type))
        ((consp type) (typep-compound object type))
        ((%classp type) (%instance-of-p object type))
        (t (unknown-type type))))

(defun typep-name (object type)
  "True when OBJECT is of the type that the symbol TYPE names."
  (let ((predicate (symbol-datum type "TYPE-PREDICATE")))
    (cond (predicate (if (funcall predicate object) t nil))
          ((eq type t) t)
          ((eq type nil) nil)
          (t (let ((class (%find-class type)))
               (cond ((%classp class) (%instance-of-p object class))
                     ((symbol-datum type "TYPE-EXPANDER") (typep object (typexpand type)))
                     (t (unknown-type type))))))))

(defun bound-admits-p (object bound below)
  "True when the real OBJECT respects BOUND: a lower one if BELOW."
  (cond ((eq bound '*) t)
        ((consp bound) (if below (< (car bound) object) (> (car bound) object)))
        (below (<= bound object))
        (t (>= bound object))))

(defun typep-interval (object type)
  "True when the real OBJECT is between the bounds of TYPE."
  (and (bound-admits-p object (type-argument type 1) t)
       (bound-admits-p object (type-argument type 2) nil)))

(defun dimensions-fit-p (object pattern)
  "True when the dimensions of the array OBJECT fit PATTERN, the second argument of ARRAY."
  (cond ((eq pattern '*) t)
        ((integerp pattern) (eql (array-rank object) pattern))
        (t (and (eql (array-rank object) (length pattern))
                (let ((axis 0))
                  (dolist (dimension pattern t)
                    (unless (or (eq dimension '*) (eql dimension (array-dimension object axis))) (return nil))
                    (setq axis (+ axis 1))))))))

(defun element-type-fits-p (object element-type)
  "True when the array OBJECT has the upgraded type of ELEMENT-TYPE."
  (or (eq element-type '*)
      (equal (array-element-type object) (upgraded-array-element-type element-type))))

(defun length-fits-p (object length)
  "True when the vector OBJECT has LENGTH (or LENGTH is *)."
  (or (eq length '*) (eql (array-dimension object 0) length)))

(defun typep-compound (object type)
  "True when OBJECT is of the compound TYPE."
  (let ((first (type-argument type 1)) (second (type-argument type 2)))
    (case (car type)
      (and (dolist (part (cdr type) t) (unless (typep object part) (return nil))))
      (or (dolist (part (cdr type) nil) (when (typep object part) (return t))))
      (not (not (typep object (only-type-argument type))))
      ((member) (if (member object (cdr type)) t nil))
      (eql (eql object (only-type-argument type)))
      (satisfies (if (funcall first object) t nil))
      (cons (and (consp object)
                 (or (eq first '*) (typep (car object) first))
                 (or (eq second '*) (typep (cdr object) second))))
      (integer (and (integerp object) (typep-interval object type)))
      (rational (and (rationalp object) (typep-interval object type)))
      (real (and (realp object) (typep-interval object type)))
      (float (and (floatp object) (typep-interval object type)))
      ((single-float short-float) (and (single-float-p object) (typep-interval object type)))
      ((double-float long-float) (and (double-float-p object) (typep-interval object type)))
      (mod (and (integerp object) (<= 0 object) (< object first)))
      (unsigned-byte (and (integerp object) (<= 0 object) (or (eq first '*) (<= (integer-length object) first))))
      (signed-byte (and (integerp object) (or (eq first '*) (< (integer-length object) first))))
      (complex (and (complexp object)
                    (or (eq first '*)
                        (not (eql 0 (logand (complex-mask first) (complex-cell object)))))))
      (array (and (arrayp object) (element-type-fits-p object first) (dimensions-fit-p object second)))
      (simple-array (and (simple-array-p object) (element-type-fits-p object first) (dimensions-fit-p object second)))
      (vector (and (vectorp object) (element-type-fits-p object first) (length-fits-p object second)))
      (simple-vector (and (simple-vector-p object) (length-fits-p object first)))
      (string (and (stringp object) (length-fits-p object first)))
      (simple-string (and (simple-string-p object) (length-fits-p object first)))
      (base-string (and (base-string-p object) (length-fits-p object first)))
      (simple-base-string (and (simple-base-string-p object) (length-fits-p object first)))
      (bit-vector (and (bit-vector-p object) (length-fits-p object first)))
      (simple-bit-vector (and (simple-bit-vector-p object) (length-fits-p object first)))
      ((function values) (error 'simple-error :format-control "~S cannot be tested by TYPEP."
                                              :format-arguments (list type)))
      (t (cond ((symbol-datum (car type) "TYPE-EXPANDER") (typep object (typexpand type)))
               ((null (cdr type)) (typep-name object (car type)))
               (t (unknown-type type)))))))

;;; Inline code

(defun typep-form (variable type)
  "A form that tests whether the value of VARIABLE (a symbol) is of the constant TYPE."
  (cond ((eq type t) t)
        ((eq type nil) nil)
        ((symbolp type)
         (let ((predicate (type-predicate-name type)))
           (cond (predicate (list predicate variable))
                 ((symbol-datum type "TYPE-EXPANDER") (typep-form variable (typexpand type)))
                 ((structure-description type)
                  (list 'structure-of-cell-p variable (list 'load-time-value (list 'structure-cell (list 'quote type)))))
                 (t (list 'typep-name variable (list 'quote type))))))
        ((consp type) (typep-compound-form variable type))
        (t (list 'typep-specifier variable (list 'quote type)))))

(defun typep-compound-form (variable type)
  "TYPEP-FORM for a compound TYPE."
  (let ((first (type-argument type 1)) (second (type-argument type 2)))
    (case (car type)
      (and (list* 'and (append (mapcar (lambda (part) (typep-form variable part)) (cdr type)) (list t))))
      (or (list* 'or (mapcar (lambda (part) (typep-form variable part)) (cdr type))))
      (not (list 'not (typep-form variable (only-type-argument type))))
      ((member) (list* 'or (mapcar (lambda (object) (list 'eql variable (list 'quote object))) (cdr type))))
      (eql (list 'eql variable (list 'quote (only-type-argument type))))
      (satisfies (list 'if (list first variable) t nil))
      ((integer rational real float single-float double-float short-float long-float)
       (append (list 'and (typep-form variable (car type)))
               (bound-forms variable first '<= '<)
               (bound-forms variable second '>= '>)
               (list t)))
      (mod (list 'and (list 'integerp variable) (list '<= 0 variable) (list '< variable first) t))
      (unsigned-byte
       (if (eq first '*)
           (list 'unsigned-byte-p variable)
           (list 'and (list 'integerp variable) (list '<= 0 variable) (list '< variable (ash 1 first)) t)))
      (signed-byte
       (if (eq first '*)
           (list 'integerp variable)
           (list 'and (list 'integerp variable)
                 (list '<= (- (ash 1 (- first 1))) variable) (list '< variable (ash 1 (- first 1))) t)))
      (cons (let ((part (gensym "PART")))
              (append (list 'and (list 'consp variable))
                      (if (eq first '*) nil (list (list 'let (list (list part (list 'car variable))) (typep-form part first))))
                      (if (eq second '*) nil (list (list 'let (list (list part (list 'cdr variable))) (typep-form part second))))
                      (list t))))
      (t (cond ((and (symbolp (car type)) (symbol-datum (car type) "TYPE-EXPANDER"))
                (typep-form variable (typexpand type)))
               (t (list 'typep-compound variable (list 'quote type))))))))

(defun bound-forms (variable bound inclusive exclusive)
  "The list of at most one form that tests BOUND."
  (cond ((eq bound '*) nil)
        ((consp bound) (list (list exclusive (car bound) variable)))
        (t (list (list inclusive bound variable)))))

(define-compiler-macro typep (&whole form &rest arguments)
  "Inline test for a constant type."
  (let ((type (cadr arguments)))
    (if (and (eql (length arguments) 2) (consp type) (eq (car type) 'quote))
        (let ((variable (gensym "OBJECT")))
          (list 'let (list (list variable (car arguments))) (typep-form variable (cadr type))))
        form)))

(defun typecase-clauses (variable clauses)
  "COND clauses for TYPECASE CLAUSES."
  (mapcar (lambda (clause)
            (cons (if (or (eq (car clause) t) (eq (car clause) 'otherwise)) t (typep-form variable (car clause)))
                  (or (cdr clause) (list nil))))
          clauses))

(defmacro typecase (keyform &body clauses)
  "Run the first clause whose type the value of KEYFORM has."
  (let ((variable (gensym "KEY")))
    `(let ((,variable ,keyform))
       (declare (ignorable ,variable))
       (cond ,@(typecase-clauses variable clauses)))))

(defmacro etypecase (keyform &body clauses)
  "Like TYPECASE; a TYPE-ERROR when no clause fits."
  (let ((variable (gensym "KEY")))
    `(let ((,variable ,keyform))
       (cond ,@(mapcar (lambda (clause) (cons (typep-form variable (car clause)) (or (cdr clause) (list nil)))) clauses)
             (t (error 'type-error :datum ,variable :expected-type '(or ,@(mapcar #'car clauses))))))))

(defmacro ctypecase (keyplace &body clauses &environment environment)
  "Like ETYPECASE, with a restart that stores a new value in KEYPLACE."
  (let ((variable (gensym "KEY")) (again (gensym "AGAIN")) (block (gensym "CTYPECASE")))
    `(block ,block
       (tagbody
          ,again
          (let ((,variable ,keyplace))
            (return-from ,block
              (cond ,@(mapcar (lambda (clause) (cons (typep-form variable (car clause)) (or (cdr clause) (list nil)))) clauses)
                    (t (setf ,(if (constantp (macroexpand keyplace environment)) variable keyplace)
                             (correctable-type-error ,variable '(or ,@(mapcar #'car clauses)) ',keyplace))
                       (go ,again)))))))))

(defun correctable-type-error (datum expected-type place)
  "Signal a TYPE-ERROR with a STORE-VALUE restart; the value it is given."
  (restart-case (error 'type-error :datum datum :expected-type expected-type)
    (store-value (value)
      :report (lambda (stream) (format stream "Supply a new value for ~S." place))
      :interactive read-replacement-value
      value)))

(defun read-replacement-value ()
  "Ask for a form and evaluate it, for restarts that take a value."
  (format *query-io* "~&Enter a form to be evaluated: ")
  (finish-output *query-io*)
  (list (eval (read *query-io*))))

(defmacro check-type (place type &optional type-string)
  "A correctable TYPE-ERROR unless the value of PLACE is of TYPE."
  (let ((value (gensym "VALUE")) (again (gensym "AGAIN")) (done (gensym "DONE")))
    `(block ,done
       (tagbody
          ,again
          (let ((,value ,place))
            (when ,(typep-form value type) (return-from ,done nil))
            (setf ,place (correctable-check-error ,value ',type ',place ,type-string))
            (go ,again))))))

(defun correctable-check-error (datum type place type-string)
  "Signal the TYPE-ERROR of CHECK-TYPE with a STORE-VALUE restart; the value it is given."
  (restart-case (error 'simple-type-error :datum datum :expected-type type
                                          :format-control "The value of ~S is ~S, which is not ~A."
                                          :format-arguments (list place datum
                                                                  (or type-string (format nil "of type ~S" type))))
    (store-value (value)
      :report (lambda (stream) (format stream "Supply a new value for ~S." place))
      :interactive read-replacement-value
      value)))

;;; TYPE-OF and COERCE

(defun type-of (object)
  "A type specifier of OBJECT, as special as the standard demands."
  (cond ((eq object nil) 'null)
        ((eq object t) 'boolean)
        ((keywordp object) 'keyword)
        ((symbolp object) 'symbol)
        ((integerp object)
         (cond ((bitp object) 'bit)
               ((fixnump object) (if (> object 0) (list 'integer 0 most-positive-fixnum) 'fixnum))
               ((> object 0) (list 'integer (+ most-positive-fixnum 1)))
               (t 'bignum)))
        ((complexp object) (list 'complex (type-of-part (realpart object))))
        ((characterp object)
         (cond ((standard-char-p object) 'standard-char)
               ((base-char-p object) 'base-char)
               (t 'extended-char)))
        ((arrayp object) (type-of-array object))
        (t (let* ((class (class-of object)) (name (%class-name class)))
             (if (and (symbolp name) name (eq (%find-class name) class)) name class)))))

(defun type-of-part (part)
  "The upgraded type of PART, a part of a complex number."
  (cond ((rationalp part) 'rational) ((single-float-p part) 'single-float) (t 'double-float)))

(defun type-of-array (array)
  "A type specifier of ARRAY."
  (let ((simple (simple-array-p array)) (element-type (array-element-type array)))
    (cond ((simple-vector-p array) (list 'simple-vector (length array)))
          ((and simple (eq element-type 'bit) (eql (array-rank array) 1)) (list 'simple-bit-vector (length array)))
          (simple (list 'simple-array element-type (array-dimensions array)))
          ((eql (array-rank array) 1)
           (list 'vector element-type (array-dimension array 0)))
          (t (list 'array element-type (array-dimensions array))))))

(defun coerce-error (object type)
  "Signal that OBJECT cannot be made a TYPE."
  (error 'simple-type-error :datum object :expected-type type
                            :format-control "~S cannot be converted to type ~S." :format-arguments (list object type)))

(defun coerce (object type)
  "OBJECT converted to TYPE."
  (case type
    ((t) object)
    (list (cond ((listp object) object)
                ((vectorp object) (sequence-to-list object))
                (t (coerce-error object type))))
    ((vector simple-vector string simple-string)
     (if (typep object type) object (coerce-sequence object type)))
    (character (if (characterp object) object (character object)))
    ((single-float short-float) (coerce-real object type 1.0f0))
    ((double-float long-float) (coerce-real object type 1.0d0))
    (float (if (floatp object) object (coerce-real object type 1.0f0)))
    (function (coerce-to-function object))
    (complex (coerce-to-complex object '*))
    (t (if (and (%classp type) (eq (%find-class (%class-name type)) type))
           (coerce object (%class-name type))
           (coerce-to-other object (typexpand type))))))

(defun coerce-real (object type prototype)
  "OBJECT as a float in PROTOTYPE's format."
  (if (realp object) (float object prototype) (coerce-error object type)))

(defun coerce-to-complex (object part-type)
  "The number OBJECT as a complex with parts of PART-TYPE, or as a rational where there is no such complex."
  (unless (numberp object) (coerce-error object (list 'complex part-type)))
  (if (eq part-type '*)
      (if (complexp object) object (complex object))
      (let ((part-type (if (member part-type '(single-float double-float short-float long-float float)) part-type 'real)))
        (flet ((part (x) (if (eq part-type 'real) x (coerce x part-type))))
          (complex (part (realpart object)) (part (imagpart object)))))))

(defun coerce-to-function (object)
  "The function that OBJECT, a function, function name or lambda expression, stands for."
  (cond ((functionp object) object)
        ((symbolp object)
         (when (or (not (fboundp object)) (macro-function object) (special-operator-p object))
           (error 'undefined-function :name object))
         (symbol-function object))
        ((and (consp object) (eq (car object) 'lambda)) (eval (list 'function object)))
        ((and (consp object) (eq (car object) 'setf)) (fdefinition object))
        (t (coerce-error object 'function))))

(defun coerce-sequence (object type)
  "The elements of the sequence OBJECT in a new sequence of TYPE."
  (if (sequencep object) (concatenate type object) (coerce-error object type)))

(defun coerce-to-other (object type)
  "OBJECT converted to TYPE, which is no name that COERCE knows."
  (cond ((and (symbolp type) (not (eq type nil)) (type-predicate-name type)
              (member type '(list vector simple-vector string simple-string character single-float short-float
                             double-float long-float float function complex)))
         (coerce object type))
        ((eq type nil) (coerce-error object type))
        ((typep object type) object)
        ((and (sequencep object) (sequence-type-parts type)) (coerce-sequence object type))
        ((and (consp type) (eq (car type) 'complex)) (coerce-checked (coerce-to-complex object (type-argument type 1)) object type))
        ((and (consp type) (member (car type) '(float single-float double-float short-float long-float)))
         (coerce-checked (coerce object (car type)) object type))
        ((and (or (stringp object) (symbolp object)) (subtypep type 'character))
         (coerce-checked (character object) object type))
        ((and (numberp object) (subtypep type 'single-float)) (coerce-checked (coerce object 'single-float) object type))
        ((and (numberp object) (subtypep type 'double-float)) (coerce-checked (coerce object 'double-float) object type))
        ((and (numberp object) (subtypep type 'complex)) (coerce-checked (coerce-to-complex object '*) object type))
        ((subtypep type 'function) (coerce-to-function object))
        (t (coerce-error object type))))

(defun coerce-checked (result object type)
  "RESULT, after a TYPE-ERROR unless it is of TYPE. A rational is allowed where a complex of rationals is demanded."
  (if (or (typep result type) (and (rationalp result) (consp type) (eq (car type) 'complex)))
      result
      (coerce-error object type)))

(define-compiler-macro coerce (&whole form &rest arguments)
  "Conversions to floats and characters in line, for a constant type."
  (let ((object (car arguments)) (type (cadr arguments)))
    (if (and (eq (car form) 'coerce) (eql (length arguments) 2) (consp type) (eq (car type) 'quote))
        (case (cadr type)
          ((double-float long-float) (list 'float object 1.0d0))
          ((single-float short-float) (list 'float object 1.0f0))
          (float (list 'float object))
          (character (list 'character object))
          (t form))
        form)))
