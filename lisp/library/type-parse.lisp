;;;; The type system, part 4: from type specifiers to types; SUBTYPEP and the upgraded types.

(in-package "AUTOLITH-SYSTEM")

(defun interval-type (low high &rest kinds)
  "The union of the numbers of KINDS between LOW and HIGH."
  (let ((type (bottom-type)))
    (dolist (kind kinds type)
      (setq type
            (type-or type
                     (type-of-set kind
                                  (case kind
                                    (integer (integer-interval low high))
                                    (ratio (ratio-interval low high))
                                    (single-float (float-interval low high 1.0f0))
                                    (t (float-interval low high 1.0d0)))))))))

(defun mask-type (kind mask)
  "The type of the objects of KIND (COMPLEX or SYMBOL) in the cells of MASK."
  (type-of-set kind (list mask nil nil)))

(defun array-type (elements simple pattern)
  "The type of arrays with ELEMENTS (a mask), SIMPLE (a mask) and dimensions fitting PATTERN."
  (type-of-set 'array (list (list (list* elements simple pattern nil)) nil nil)))

(defun class-type (class)
  "The type of the instances of CLASS, which is no class of numbers, symbols, conses, arrays or characters."
  (type-of-set 'object (list (list (cons (list class) nil)) nil nil)))

(defun union-type (&rest specifiers)
  "The union of the types of SPECIFIERS."
  (let ((type (bottom-type)))
    (dolist (specifier specifiers type)
      (setq type (type-or type (parse-type specifier))))))

(defun string-elements () "Element mask of strings."
  (logior (element-mask 'character) (element-mask 'base-char) (element-mask nil)))

(defun base-string-elements () "Element mask of base strings." (element-mask 'base-char))

(defun parse-type (specifier)
  "The type that SPECIFIER names."
  (let ((specifier (typexpand specifier)))
    (cond ((symbolp specifier) (parse-type-name specifier))
          ((consp specifier) (parse-compound-type specifier))
          ((%classp specifier) (parse-class specifier))
          (t (error 'simple-type-error :datum specifier :expected-type '(or symbol cons class)
                                       :format-control "~S is not a type specifier." :format-arguments (list specifier))))))

(defun parse-class (class)
  "The type of the instances of CLASS."
  (let ((name (%class-name class)))
    (if (and name (builtin-type-name-p name))
        (parse-type-name name)
        (class-type class))))

(defun parse-type-name (name)
  "The type that the symbol NAME, no abbreviation, names."
  (case name
    ((t) (top-type))
    ((nil) (bottom-type))
    (null (type-of-object nil))
    (boolean (type-or (type-of-object nil) (type-of-object t)))
    (keyword (mask-type 'symbol 1))
    (symbol (mask-type 'symbol 3))
    (cons (type-of-set 'cons (full-set 'cons)))
    (list (union-type 'cons 'null))
    (atom (type-not (parse-type-name 'cons)))
    (sequence (union-type 'list 'vector))
    (number (union-type 'real 'complex))
    ((real float rational integer single-float double-float short-float long-float array simple-array vector
      simple-vector string simple-string base-string simple-base-string bit-vector simple-bit-vector
      complex unsigned-byte signed-byte)
     (parse-compound-type (list name)))
    (ratio (interval-type '* '* 'ratio))
    (fixnum (interval-type most-negative-fixnum most-positive-fixnum 'integer))
    (bignum (type-and (parse-type-name 'integer) (type-not (parse-type-name 'fixnum))))
    (bit (interval-type 0 1 'integer))
    (character (type-of-set 'character (full-set 'character)))
    (base-char (type-of-set 'character '((nil . 127))))
    (extended-char (type-of-set 'character '((128))))
    (standard-char (type-of-set 'character '((10 . 10) (32 . 126))))
    (t (let ((class (%find-class name)))
         (if (%classp class) (class-type class) (type-of-literal name))))))

(defun builtin-type-name-p (name)
  "True when PARSE-TYPE-NAME knows NAME without asking for a class."
  (member name '(t null symbol cons list sequence number real float rational integer single-float double-float array vector
                 simple-vector string bit-vector complex ratio fixnum bignum character base-char keyword boolean atom
                 simple-array simple-string base-string simple-base-string simple-bit-vector bit
                 short-float long-float standard-char extended-char unsigned-byte signed-byte)))

(defun type-argument (specifier position)
  "Argument POSITION (from 1) of the compound type SPECIFIER, * by default."
  (let ((tail (nthcdr position specifier)))
    (if tail (car tail) '*)))

(defun only-type-argument (specifier)
  "The argument of a compound type that has exactly one."
  (let ((arguments (cdr specifier)))
    (unless (and (consp arguments) (null (cdr arguments)))
      (error 'simple-error :format-control "The type ~S must have one argument." :format-arguments (list specifier)))
    (car arguments)))

(defun parse-compound-type (specifier)
  "The type of the compound SPECIFIER, no abbreviation."
  (let ((first (type-argument specifier 1)) (second (type-argument specifier 2)) (arguments (cdr specifier)))
    (case (car specifier)
      (and (let ((type (top-type)))
             (dolist (argument arguments type)
               (setq type (type-and type (parse-type argument))))))
      (or (apply #'union-type arguments))
      (not (type-not (parse-type (only-type-argument specifier))))
      (member (let ((type (bottom-type)))
                (dolist (object arguments type)
                  (setq type (type-or type (type-of-object object))))))
      (eql (type-of-object (only-type-argument specifier)))
      (satisfies (type-of-literal specifier))
      (integer (interval-type first second 'integer))
      (rational (interval-type first second 'integer 'ratio))
      (real (interval-type first second 'integer 'ratio 'single-float 'double-float))
      (float (interval-type first second 'single-float 'double-float))
      ((single-float short-float) (interval-type first second 'single-float))
      ((double-float long-float) (interval-type first second 'double-float))
      (mod (interval-type 0 (list first) 'integer))
      (unsigned-byte (if (eq first '*) (interval-type 0 '* 'integer) (interval-type 0 (list (ash 1 first)) 'integer)))
      (signed-byte (if (eq first '*)
                       (interval-type '* '* 'integer)
                       (interval-type (- (ash 1 (- first 1))) (list (ash 1 (- first 1))) 'integer)))
      (complex (mask-type 'complex (complex-mask first)))
      (cons (parse-cons-type first second))
      (array (array-type (element-type-mask first) 3 (dimension-pattern second)))
      (simple-array (array-type (element-type-mask first) 1 (dimension-pattern second)))
      (vector (array-type (element-type-mask first) 3 (list second)))
      (simple-vector (array-type (element-mask t) 1 (list first)))
      (string (array-type (string-elements) 3 (list first)))
      (simple-string (array-type (string-elements) 1 (list first)))
      (base-string (array-type (base-string-elements) 3 (list first)))
      (simple-base-string (array-type (base-string-elements) 1 (list first)))
      (bit-vector (array-type (element-mask 'bit) 3 (list first)))
      (simple-bit-vector (array-type (element-mask 'bit) 1 (list first)))
      (function (type-and (parse-type-name 'function) (type-of-literal specifier)))
      (values (error 'simple-error :format-control "VALUES types are for THE and FTYPE only: ~S"
                                   :format-arguments (list specifier)))
      (t (if (null arguments)
             (parse-type-name (car specifier))
             (type-of-literal specifier))))))

(defun parse-cons-type (car-specifier cdr-specifier)
  "The type of conses with the given parts."
  (let ((car-type (if (eq car-specifier '*) (top-type) (parse-type car-specifier)))
        (cdr-type (if (eq cdr-specifier '*) (top-type) (parse-type cdr-specifier))))
    (if (or (eq (type-empty car-type) t) (eq (type-empty cdr-type) t))
        (bottom-type)
        (type-of-set 'cons (list (list (list* car-type cdr-type nil)) nil nil)))))

(defun element-type-mask (specifier)
  "The mask of the array element types that the element type SPECIFIER stands for."
  (if (eq specifier '*) (all-elements-mask) (element-mask (upgraded-array-element-type specifier))))

(defun dimension-pattern (dimensions)
  "The pattern of the second argument of ARRAY types."
  (cond ((eq dimensions '*) '*)
        ((null dimensions) nil)
        ((integerp dimensions) (make-list dimensions :initial-element '*))
        ((listp dimensions) dimensions)
        (t (error 'type-error :datum dimensions :expected-type '(or (eql *) list unsigned-byte)))))

(defun complex-mask (specifier)
  "The mask of complex numbers whose parts are of the upgraded type of SPECIFIER."
  (if (eq specifier '*)
      7
      (let ((type (parse-type specifier)))
        (cond ((eq (type-empty type) t) 0)
              ((subtype-of-p type 'rational) 1)
              ((subtype-of-p type 'single-float) 2)
              ((subtype-of-p type 'double-float) 4)
              ((subtype-of-p type 'float) 6)
              ((subtype-of-p type 'real) 7)
              (t (error 'simple-error :format-control "~S is no type of parts of complex numbers."
                                      :format-arguments (list specifier)))))))

(defun subtype-of-p (type specifier)
  "True when TYPE is certainly a subtype of what SPECIFIER names."
  (eq (type-empty (type-and type (type-not (parse-type specifier)))) t))

(defun names-objects-p (specifier)
  "True when SPECIFIER holds objects that EQUAL would take for the same though they are not EQL."
  (and (consp specifier)
       (or (eq (car specifier) 'member) (eq (car specifier) 'eql)
           (some #'names-objects-p (if (listp (cdr (last specifier))) specifier '())))))

(defun subtypep (type-1 type-2 &optional environment)
  "Whether TYPE-1 is a subtype of TYPE-2, and whether that is certain."
  (declare (ignore environment))
  (if (or (eq type-2 t) (eq type-1 nil) (and (equal type-1 type-2) (not (names-objects-p type-1))))
      (progn (parse-type type-1) (parse-type type-2) (values t t))
      (let ((empty (type-empty (type-and (parse-type type-1) (type-not (parse-type type-2))))))
        (cond ((eq empty t) (values t t))
              ((eq empty nil) (values nil t))
              (t (values nil nil))))))

(defun upgraded-array-element-type (type &optional environment)
  "The element type of arrays that are made for elements of TYPE."
  (declare (ignore environment))
  (case type
    ((t *) t)
    ((nil) nil)
    (bit 'bit)
    (fixnum 'fixnum)
    (single-float 'single-float)
    (double-float 'double-float)
    (character 'character)
    ((base-char standard-char) 'base-char)
    (t (let ((parsed (parse-type type)))
         (if (eq (type-empty parsed) t)
             nil
             (dolist (candidate '(bit (unsigned-byte 8) (signed-byte 8) (unsigned-byte 16) (signed-byte 16) (unsigned-byte 32)
                                  (signed-byte 32) fixnum (unsigned-byte 64) (signed-byte 64) single-float double-float base-char character)
                                t)
               (when (subtype-of-p parsed candidate) (return candidate))))))))

(defun resolve-element-type (type)
  "TYPE as one of ARRAY-ELEMENT-TYPES, for the operators that make arrays and know no other types."
  (cond ((eq type t) t)
        ((member type (array-element-types) :test #'equal) type)
        (t (upgraded-array-element-type type))))

(defun resolve-element-type-argument (form skip)
  "FORM, a call with keywords after SKIP arguments, with its :ELEMENT-TYPE resolved; FORM itself when there is nothing to do."
  (let ((tail (nthcdr skip (cdr form))) (before nil))
    (do () ((or (atom tail) (atom (cdr tail))) form)
      (when (eq (car tail) :element-type)
        (return (let* ((argument (cadr tail)) (resolved (resolved-type-form argument)))
                  (if (eq resolved argument)
                      form
                      (append (list (car form)) (firstn skip (cdr form)) (reverse before)
                              (list :element-type resolved) (cddr tail))))))
      (setq before (list* (cadr tail) (car tail) before) tail (cddr tail)))))

(defun firstn (count list)
  "The first COUNT elements of LIST."
  (if (eql count 0) nil (cons (car list) (firstn (- count 1) (cdr list)))))

(defun resolved-type-form (argument)
  "A form of the resolved element type that the form ARGUMENT gives; ARGUMENT itself when it is resolved."
  (cond ((and (consp argument) (eq (car argument) 'quote))
         (if (known-type-p (cadr argument))
             (let ((resolved (resolve-element-type (cadr argument))))
               (if (equal resolved (cadr argument)) argument (list 'quote resolved)))
             (list 'resolve-element-type argument)))
        ((and (consp argument) (eq (car argument) 'resolve-element-type)) argument)
        ((atom argument) (if (symbolp argument) (if (or (eq argument t) (eq argument nil)) argument (list 'resolve-element-type argument)) argument))
        (t (list 'resolve-element-type argument))))

(defun known-type-p (type)
  "False when TYPE names something that is not defined yet, so that it is to be resolved later."
  (let ((parsed (parse-type type)))
    (dolist (term parsed t)
      (when (cdr term) (return nil)))))

(define-compiler-macro make-string (&whole form &rest arguments)
  "Resolve the element type."
  (declare (ignore arguments))
  (if (eq (car form) 'make-string) (resolve-element-type-argument form 1) form))

(define-compiler-macro adjust-array (&whole form &rest arguments)
  "Resolve the element type."
  (declare (ignore arguments))
  (if (eq (car form) 'adjust-array) (resolve-element-type-argument form 2) form))

(defun upgraded-complex-part-type (type &optional environment)
  "The type of the parts of complex numbers that are made for parts of TYPE."
  (declare (ignore environment))
  (case (complex-mask type)
    (0 nil)
    (1 'rational)
    (2 'single-float)
    (4 'double-float)
    (6 'float)
    (t 'real)))
