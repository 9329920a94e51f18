;;; FORMAT, first part: control strings become lists of literal strings and directives.
;;;
;;; A directive is a simple vector: character, parameters, colon flag, at-sign flag, body, extra.
;;; Parameters are integers, characters, NIL (omitted), :ARGUMENT (V) or :REMAINING (#).
;;; Body and extra depend on the character: the directives inside a bracket, the clauses of a choice,
;;; the segments of a justification, the symbol of a user function.

(in-package "AUTOLITH-SYSTEM")

(defmacro directive-character (directive) `(svref ,directive 0))
(defmacro directive-parameters (directive) `(svref ,directive 1))
(defmacro directive-colon (directive) `(svref ,directive 2))
(defmacro directive-at (directive) `(svref ,directive 3))
(defmacro directive-body (directive) `(svref ,directive 4))
(defmacro directive-extra (directive) `(svref ,directive 5))

(defun format-problem (control &rest arguments)
  "Signals the error of a wrong control string or of arguments that do not fit it."
  (error 'format-error :format-control control :format-arguments arguments))

(defun scan-format-parameter (string position end)
  "Reads one prefix parameter. Values: it, whether there was one, the position after it."
  (let ((c (if (< position end) (char string position) (format-problem "The control string ends within a directive: ~S" string))))
    (cond ((char= c #\')
           (unless (< (1+ position) end) (format-problem "The control string ends after a quote: ~S" string))
           (values (char string (1+ position)) t (+ position 2)))
          ((or (char= c #\v) (char= c #\V)) (values :argument t (1+ position)))
          ((char= c #\#) (values :remaining t (1+ position)))
          ((or (digit-char-p c)
               (and (or (char= c #\-) (char= c #\+)) (< (1+ position) end) (digit-char-p (char string (1+ position)))))
           (let ((sign (if (char= c #\-) -1 1))
                 (value 0)
                 (at (if (digit-char-p c) position (1+ position))))
             (do () ((or (>= at end) (not (digit-char-p (char string at)))))
               (setq value (+ (* value 10) (digit-char-p (char string at))))
               (setq at (1+ at)))
             (values (* sign value) t at)))
          (t (values nil nil position)))))

(defun scan-format-parameters (string position end)
  "Reads all prefix parameters. Values: their list, the position after them."
  (let ((parameters '()))
    (do () (nil)
      (multiple-value-bind (parameter found after) (scan-format-parameter string position end)
        (setq position after)
        (cond ((and (< position end) (char= (char string position) #\,))
               (push parameter parameters)
               (setq position (1+ position))
               ;; A parameter after the comma may be missing before the modifiers; then nothing more is pushed.
               (unless (or (>= position end)
                           (char= (char string position) #\,)
                           (nth-value 1 (scan-format-parameter string position end)))
                 (return)))
              (t (when found (push parameter parameters))
                 (return)))))
    (values (nreverse parameters) position)))

(defun scan-format-name (string position end)
  "Reads the NAME/ of ~/NAME/. Values: the symbol, the position after the slash."
  (let ((slash (position #\/ string :start position :end end)))
    (unless slash (format-problem "~~/ without its closing slash in ~S" string))
    (let* ((name (string-upcase (subseq string position slash)))
           (colon (position #\: name)))
      (values
       (if colon
           (let* ((start (if (and (< (1+ colon) (length name)) (char= (char name (1+ colon)) #\:)) (+ colon 2) (1+ colon)))
                  (package (find-package (subseq name 0 colon))))
             (unless package (format-problem "~~/~A/: there is no package named ~S" name (subseq name 0 colon)))
             (intern (subseq name start) package))
           (intern name (find-package "COMMON-LISP-USER")))
       (1+ slash)))))

(defun scan-format-directive (string position end)
  "Reads the directive whose tilde is before POSITION. Values: it, the position after it."
  (multiple-value-bind (parameters position) (scan-format-parameters string position end)
    (let ((colon nil) (at nil))
      (do () ((or (>= position end) (not (member (char string position) '(#\: #\@)))))
        (if (char= (char string position) #\:)
            (if colon (format-problem "Two colons in one directive of ~S" string) (setq colon t))
            (if at (format-problem "Two at-signs in one directive of ~S" string) (setq at t)))
        (setq position (1+ position)))
      (unless (< position end) (format-problem "The control string ends within a directive: ~S" string))
      (let ((c (char-upcase (char string position))))
        (unless (find c (load-time-value (coerce (list* #\Newline (coerce "ABCDEFGIOPRSTWX$%&()*/;<>?[]^_{|}~" 'list)) 'simple-string)))
          (format-problem "There is no directive ~~~C: ~S" c string))
        (if (char= c #\/)
            (multiple-value-bind (name after) (scan-format-name string (1+ position) end)
              (values (vector c parameters colon at name nil) after))
            (values (vector c parameters colon at nil nil) (1+ position)))))))

(defun skip-format-newline (string position end directive)
  "What ~newline leaves in the output, and the position after the blanks it swallows."
  (when (and (directive-colon directive) (directive-at directive))
    (format-problem "~~:@newline is not allowed"))
  (unless (directive-colon directive)
    (do () ((or (>= position end) (not (member (char string position) '(#\Space #\Tab #\Newline #\Return #\Page)))))
      (setq position (1+ position))))
  (values (directive-at directive) position))

(defun tokenize-format (string)
  "Control string to a flat list of strings and directives."
  (let ((tokens '()) (position 0) (end (length string)))
    (do () ((>= position end))
      (let ((tilde (or (position #\~ string :start position :end end) end)))
        (when (> tilde position) (push (subseq string position tilde) tokens))
        (if (>= tilde end)
            (setq position end)
            (multiple-value-bind (directive after) (scan-format-directive string (1+ tilde) end)
              (setq position after)
              (if (char= (directive-character directive) #\Newline)
                  (multiple-value-bind (newline after) (skip-format-newline string position end directive)
                    ;; Also when nothing is left of it: a body of ~{ that has a directive is not an empty one.
                    (push (if newline (string #\Newline) "") tokens)
                    (setq position after))
                  (push directive tokens))))))
    (nreverse tokens)))

(defun format-closer (c)
  (case c (#\( #\)) (#\[ #\]) (#\{ #\}) (#\< #\>) (t nil)))

(defun nest-format-body (tokens closer)
  "Takes tokens up to CLOSER (NIL: to the end). Values: segments (lists of directives), the separators between them,
the closing directive, the tokens after it."
  (let ((segments '()) (segment '()) (separators '()))
    (do () (nil)
      (when (null tokens)
        (if closer
            (format-problem "A directive lacks its closing ~~~C" closer)
            (return (values (nreverse (cons (nreverse segment) segments)) (nreverse separators) nil nil))))
      (let ((token (pop tokens)))
        (if (stringp token)
            (push token segment)
            (let ((c (directive-character token)))
              (cond ((eql c closer)
                     (return (values (nreverse (cons (nreverse segment) segments)) (nreverse separators) token tokens)))
                    ((member c '(#\) #\] #\} #\>))
                     (format-problem "~~~C without the directive it closes" c))
                    ((char= c #\;)
                     (unless (member closer '(#\] #\>)) (format-problem "~~; outside of ~~[ and ~~<"))
                     (push token separators)
                     (push (nreverse segment) segments)
                     (setq segment '()))
                    ((format-closer c)
                     (multiple-value-setq (token tokens) (nest-format-bracket token tokens))
                     (push token segment))
                    (t (push token segment)))))))))

(defun nest-format-bracket (directive tokens)
  "Completes an opening directive with what is inside. Values: it, the tokens after its closing."
  (multiple-value-bind (segments separators closing after)
      (nest-format-body tokens (format-closer (directive-character directive)))
    (values
     (case (directive-character directive)
       (#\( (vector #\( nil (directive-colon directive) (directive-at directive) (first segments) nil))
       (#\{ (vector #\{ (directive-parameters directive) (directive-colon directive) (directive-at directive)
                    (first segments) (directive-colon closing)))
       (#\[ (nest-format-choice directive segments separators))
       (t (if (directive-colon closing)
              (nest-format-block directive segments separators closing)
              (nest-format-justification directive segments separators))))
     after)))

(defun nest-format-choice (directive segments separators)
  "~[: extra is T when the last clause is the default. Wrong clause counts are reported here."
  (let ((colon (directive-colon directive)) (at (directive-at directive))
        (default (and separators (directive-colon (car (last separators))) t)))
    (when (and colon at) (format-problem "~~:@[ is not allowed"))
    (when (and colon (/= (length segments) 2)) (format-problem "~~:[ needs two clauses"))
    (when (and at (/= (length segments) 1)) (format-problem "~~@[ needs one clause"))
    (vector #\[ (directive-parameters directive) colon at segments default)))

(defun format-layout-directive-p (token)
  "True for the directives that may not stand in a justification: they belong to the pretty printer."
  (and (simple-vector-p token)
       (case (directive-character token)
         ((#\W #\_ #\I) t)
         (#\T (directive-colon token))
         (#\< (eq (directive-extra token) :block))
         (t nil))))

(defun format-contains-p (predicate tokens)
  "True when a token, or one inside a bracket, satisfies PREDICATE."
  (some (lambda (token)
          (or (funcall predicate token)
              (and (simple-vector-p token)
                   (case (directive-character token)
                     ((#\( #\{) (format-contains-p predicate (directive-body token)))
                     (#\[ (some (lambda (s) (format-contains-p predicate s)) (directive-body token)))
                     (t nil)))))
        tokens))

(defun nest-format-justification (directive segments separators)
  "~<...~>: extra is the ~:; separator after the first segment, when there is one."
  (when (some (lambda (s) (directive-colon s)) (rest separators))
    (format-problem "~~:; must come after the first segment of ~~<"))
  (when (some (lambda (s) (format-contains-p #'format-layout-directive-p s)) segments)
    (format-problem "~~W, ~~_, ~~I, ~~:T and ~~<~~:> are not allowed within ~~<~~>"))
  (vector #\< (directive-parameters directive) (directive-colon directive) (directive-at directive) segments
          (and separators (directive-colon (first separators)) (first separators))))

(defun format-plain-segment (segment)
  "The text of a prefix or suffix, which may hold no directives."
  (let ((parts '()))
    (dolist (token segment)
      (cond ((stringp token) (push token parts))
            ((and (member (directive-character token) '(#\% #\~)) (null (directive-parameters token)))
             (push (if (char= (directive-character token) #\%) (string #\Newline) "~") parts))
            (t (format-problem "A prefix or suffix of ~~<~~:> may not contain directives"))))
    (apply #'concatenate 'string (nreverse parts))))

(defun fill-format-blanks (tokens)
  "For ~@:>: a fill newline after each group of blanks in the literal text, also within the other brackets."
  (mapcan (lambda (token) (if (stringp token) (fill-blanks-of-text token) (list (fill-blanks-of-bracket token)))) tokens))

(defun fill-blanks-of-text (text)
  "TEXT as strings that end with a group of blanks, each followed by a fill newline, and what is left."
  (let ((result '()) (start 0) (end (length text)))
    (do () ((>= start end) (nreverse result))
      (let* ((blank (position #\Space text :start start))
             (after (and blank (or (position #\Space text :start blank :test-not #'char=) end))))
        (push (subseq text start after) result)
        (when after (push (vector #\_ nil t nil nil nil) result))
        (setq start (or after end))))))

(defun fill-blanks-of-bracket (directive)
  "A copy of a directive with the blanks inside filled; other logical blocks are left as they are."
  (let ((copy (copy-seq directive)) (body (directive-body directive)))
    (case (directive-character directive)
      ((#\( #\{) (setf (directive-body copy) (fill-format-blanks body)))
      (#\[ (setf (directive-body copy) (mapcar #'fill-format-blanks body))))
    copy))

(defun nest-format-block (directive segments separators closing)
  "~<...~:>: body is (prefix per-line-p directives suffix), extra is :BLOCK."
  (when (> (length segments) 3) (format-problem "~~<~~:> has at most three segments"))
  (when (some (lambda (s) (directive-colon s)) separators) (format-problem "~~:; is not allowed in ~~<~~:>"))
  (let* ((many (rest segments))
         (prefix (if many (format-plain-segment (first segments)) (if (directive-colon directive) "(" "")))
         (suffix (if (= (length segments) 3)
                     (format-plain-segment (third segments))
                     (if (directive-colon directive) ")" "")))
         (body (if many (second segments) (first segments))))
    (vector #\< (directive-parameters directive) (directive-colon directive) (directive-at directive)
            (list prefix
                  (and many (directive-at (first separators)) t)
                  (if (directive-at closing) (fill-format-blanks body) body)
                  suffix)
            :block)))

(defun parse-format (string)
  "Control string to the nested list of strings and directives that RUN-FORMAT takes."
  (let ((directives (first (nest-format-body (tokenize-format (coerce string 'simple-string)) nil))))
    (when (and (format-contains-p #'format-layout-directive-p directives)
               (format-contains-p (lambda (token)
                                    (and (simple-vector-p token)
                                         (char= (directive-character token) #\<)
                                         (not (eq (directive-extra token) :block))
                                         (or (directive-extra token)
                                             nil)))
                                  directives))
      (format-problem "~~<~~> with ~~:; and pretty printer directives are not allowed in one control string"))
    directives))
