;;; FORMAT, fourth part: constant control strings are parsed, and simple ones turned into calls, at compile time.

(in-package "AUTOLITH-SYSTEM")

(defun simple-format-directive-p (directive)
  "True for directives that become one call: no parameters, no jumps among the arguments."
  (or (stringp directive)
      (and (null (directive-parameters directive))
           (case (directive-character directive)
             ((#\A #\S #\D) (not (or (directive-colon directive) (directive-at directive))))
             ((#\% #\& #\~) t)
             (t nil)))))

(defun directive-takes-argument-p (directive)
  (and (not (stringp directive)) (member (directive-character directive) '(#\A #\S #\D)) t))

(defun simple-format-call (directive stream argument)
  (if (stringp directive)
      `(write-string ,directive ,stream)
      (case (directive-character directive)
        (#\A `(princ ,argument ,stream))
        (#\S `(prin1 ,argument ,stream))
        (#\D `(format-integer ,stream ,argument 10 0 #\Space #\, 3 nil nil))
        (#\% `(terpri ,stream))
        (#\& `(fresh-line ,stream))
        (t `(write-char #\~ ,stream)))))

(defun simple-format-calls (directives stream arguments)
  (mapcar (lambda (directive)
            (simple-format-call directive stream (and (directive-takes-argument-p directive) (pop arguments))))
          directives))

(defun format-destination-stream (destination)
  (cond ((eq destination t) *standard-output*)
        ((stringp destination) (%make-fill-pointer-stream destination))
        ((streamp destination) destination)
        (t (error 'type-error :datum destination
                  :expected-type '(or null (eql t) stream (and string (satisfies array-has-fill-pointer-p)))))))

(defun compile-simple-format (destination directives arguments)
  (let* ((names (mapcar (lambda (a) (declare (ignore a)) (gensym "ARGUMENT")) arguments))
         (stream (gensym "STREAM")) (target (gensym "DESTINATION"))
         (bindings (mapcar #'list names arguments)))
    (cond ((null destination)
           `(let (,@bindings (,stream (%make-string-output-stream)))
              (declare (ignorable ,@names))
              ,@(simple-format-calls directives stream names)
              (get-output-stream-string ,stream)))
          ((eq destination t)
           `(let (,@bindings (,stream *standard-output*))
              (declare (ignorable ,@names))
              ,@(simple-format-calls directives stream names)
              nil))
          (t `(let* ((,target ,destination) ,@bindings
                     (,stream (if ,target (format-destination-stream ,target) (%make-string-output-stream))))
                (declare (ignorable ,@names))
                ,@(simple-format-calls directives stream names)
                (if ,target nil (get-output-stream-string ,stream)))))))

(define-compiler-macro format (&whole form destination control-string &rest arguments)
  (if (not (stringp control-string))
      form
      (let ((directives (ignore-errors (list (parse-format control-string)))))
        (cond ((null directives) form)
              ((and (every #'simple-format-directive-p (car directives))
                    (<= (count-if #'directive-takes-argument-p (car directives)) (length arguments)))
               (compile-simple-format destination (car directives) arguments))
              (t `(format-directives ,destination ',(car directives) (list ,@arguments)))))))
