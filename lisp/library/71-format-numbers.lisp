;;; FORMAT, second part: the text of numbers.

(in-package "AUTOLITH-SYSTEM")

(defun integer-digits (integer base)
  (let ((*print-base* base) (*print-radix* nil) (*print-readably* nil))
    (princ-to-string integer)))

(defun format-pad-left (text stream mincol padchar)
  (let ((missing (- mincol (length text))))
    (when (> missing 0)
      (if (eql padchar #\Space)
          (%write-spaces-on stream missing)
          (dotimes (i missing) (write-char padchar stream)))))
  (write-string text stream))

(defun %write-spaces-on (stream count)
  (if (%native-output-p stream)
      (%write-spaces count stream)
      (dotimes (i count) (write-char #\Space stream))))

(defun format-integer (stream argument base mincol padchar comma interval colon at)
  "~D and its relatives; what is no integer is printed as by ~A in that base."
  (when (> mincol 10000000) (format-problem "A width is larger than the bound of 10000000 on counts of FORMAT"))
  (if (integerp argument)
      (if (%write-integer stream argument base mincol padchar comma interval colon at)
          nil
      (if (and (eql mincol 0) (not colon) (not at))
          (if (eql base 10)
              (write-string (integer-digits argument 10) stream)
              (write-string (integer-digits argument base) stream))
          (let* ((digits (integer-digits (abs argument) base))
                 (digits (if colon (group-digits digits comma interval) digits))
                 (sign (cond ((minusp argument) "-") (at "+") (t ""))))
            (format-pad-left (concatenate 'string sign digits) stream mincol padchar))))
      (let ((*print-base* base) (*print-radix* nil))
        (princ argument stream))))

;;; ~R without base

(defvar *cardinal-ones*
  #("zero" "one" "two" "three" "four" "five" "six" "seven" "eight" "nine" "ten" "eleven" "twelve" "thirteen"
    "fourteen" "fifteen" "sixteen" "seventeen" "eighteen" "nineteen"))
(defvar *cardinal-tens* #("" "" "twenty" "thirty" "forty" "fifty" "sixty" "seventy" "eighty" "ninety"))
(defvar *cardinal-periods*
  #("" " thousand" " million" " billion" " trillion" " quadrillion" " quintillion" " sextillion" " septillion"
    " octillion" " nonillion" " decillion" " undecillion" " duodecillion" " tredecillion" " quattuordecillion"
    " quindecillion" " sexdecillion" " septendecillion" " octodecillion" " novemdecillion" " vigintillion"))
(defvar *ordinal-ones*
  #("zeroth" "first" "second" "third" "fourth" "fifth" "sixth" "seventh" "eighth" "ninth" "tenth" "eleventh" "twelfth"
    "thirteenth" "fourteenth" "fifteenth" "sixteenth" "seventeenth" "eighteenth" "nineteenth"))
(defvar *ordinal-tens*
  #("" "tenth" "twentieth" "thirtieth" "fortieth" "fiftieth" "sixtieth" "seventieth" "eightieth" "ninetieth"))

(defun format-cardinal-hundreds (stream n)
  (multiple-value-bind (hundreds rest) (truncate n 100)
    (when (plusp hundreds)
      (write-string (svref *cardinal-ones* hundreds) stream)
      (write-string " hundred" stream)
      (when (plusp rest) (write-char #\Space stream)))
    (when (plusp rest)
      (multiple-value-bind (tens ones) (truncate rest 10)
        (cond ((< 1 tens)
               (write-string (svref *cardinal-tens* tens) stream)
               (when (plusp ones)
                 (write-char #\- stream)
                 (write-string (svref *cardinal-ones* ones) stream)))
              (t (write-string (svref *cardinal-ones* rest) stream)))))))

(defun format-cardinal-groups (stream n period)
  (multiple-value-bind (beyond here) (truncate n 1000)
    (unless (< period 22)
      (format-problem "A number of more than 66 digits is too large to be written in words"))
    (when (plusp beyond) (format-cardinal-groups stream beyond (1+ period)))
    (when (plusp here)
      (when (plusp beyond) (write-char #\Space stream))
      (format-cardinal-hundreds stream here)
      (write-string (svref *cardinal-periods* period) stream))))

(defun format-cardinal (stream n)
  (cond ((minusp n)
         (write-string "negative " stream)
         (format-cardinal-groups stream (- n) 0))
        ((zerop n) (write-string "zero" stream))
        (t (format-cardinal-groups stream n 0))))

(defun format-ordinal (stream n)
  (when (minusp n) (write-string "negative " stream))
  (let ((n (abs n)))
    (multiple-value-bind (top bottom) (truncate n 100)
      (when (plusp top) (format-cardinal stream (- n bottom)))
      (when (and (plusp top) (plusp bottom)) (write-char #\Space stream))
      (multiple-value-bind (tens ones) (truncate bottom 10)
        (cond ((= bottom 0) (write-string (if (plusp top) "th" "zeroth") stream))
              ((< bottom 20) (write-string (svref *ordinal-ones* bottom) stream))
              ((zerop ones) (write-string (svref *ordinal-tens* tens) stream))
              (t (write-string (svref *cardinal-tens* tens) stream)
                 (write-char #\- stream)
                 (write-string (svref *ordinal-ones* ones) stream)))))))

(defun format-roman (stream n old)
  (unless (typep n (if old '(integer 1 4999) '(integer 1 3999)))
    (format-problem "~S cannot be written as a Roman number" n))
  (let ((table (if old
                   '((1000 "M") (500 "D") (100 "C") (50 "L") (10 "X") (5 "V") (1 "I"))
                   '((1000 "M") (900 "CM") (500 "D") (400 "CD") (100 "C") (90 "XC") (50 "L") (40 "XL")
                     (10 "X") (9 "IX") (5 "V") (4 "IV") (1 "I")))))
    (dolist (entry table)
      (do () ((< n (first entry)))
        (write-string (second entry) stream)
        (setq n (- n (first entry)))))))

;;; Floats. FLOAT-DIGIT-STRING gives digits D and exponent E such that the number is 0.D * 10^E.

(defun round-digit-string (digits exponent position)
  "Rounds 0.DIGITS * 10^EXPONENT half up to POSITION digits after the decimal point. Values: digits, exponent."
  (let ((keep (+ exponent position)))
    (cond ((>= keep (length digits)) (values digits exponent))
          ((< keep 0) (values "" (- position)))
          (t (let ((kept (subseq digits 0 keep))
                   (up (char>= (char digits keep) #\5)))
               (if (not up)
                   (values kept (if (zerop keep) (- position) exponent))
                   (increment-digit-string kept exponent position)))))))

(defun round-number-digits (x scale digits exponent position)
  "ROUND-DIGIT-STRING for the number X * 10^SCALE whose shortest digits are DIGITS: rounds its exact value."
  (if (or (>= (+ exponent position) (length digits)) (> position 1100) (< (+ exponent position) 0))
      (round-digit-string digits exponent position)
      (let* ((scaled (floor (+ (* (rational x) (expt 10 (+ scale position))) (/ 1 2))))
             (text (if (zerop scaled) "" (integer-digits scaled 10))))
        (values text (- (length text) position)))))

(defun increment-digit-string (digits exponent position)
  (declare (ignorable position))
  (let ((result (copy-seq digits)))
    (do ((i (1- (length result)) (1- i)))
        ((< i 0) (values (concatenate 'string "1" result) (1+ exponent)))
      (cond ((char= (char result i) #\9) (setf (char result i) #\0))
            (t (setf (char result i) (code-char (1+ (char-code (char result i)))))
               (return (values result exponent)))))))

(defun fixed-text (digits exponent fraction)
  "Text of 0.DIGITS * 10^EXPONENT with FRACTION digits after the point, or as many as there are when it is NIL."
  (let* ((length (length digits))
         (whole (cond ((<= exponent 0) "")
                      ((>= exponent length) (concatenate 'string digits (zeros (- exponent length))))
                      (t (subseq digits 0 exponent))))
         (rest (cond ((<= exponent 0) (concatenate 'string (zeros (- exponent)) digits))
                     ((>= exponent length) "")
                     (t (subseq digits exponent)))))
    (values whole
            (cond ((null fraction) rest)
                  ((< (length rest) fraction) (concatenate 'string rest (zeros (- fraction (length rest)))))
                  (t (subseq rest 0 fraction))))))

(defun zeros (count) (make-string (max 0 count) :initial-element #\0))

(defun strip-zeros (text)
  (string-right-trim "0" text))

(defun flonum-fixed (x width fraction scale)
  "Digits before and after the point of the non-negative real X scaled by 10^SCALE, to fit WIDTH when that limits them."
  (multiple-value-bind (digits exponent) (float-digit-string x)
    (let ((exponent (+ exponent scale)))
      (when (string= digits "0") (setq digits "" exponent 0))
      (cond (fraction
             (multiple-value-setq (digits exponent)
               (round-number-digits x scale digits exponent fraction))
             (fixed-text digits exponent fraction))
            ((and width (> width 1))
             ;; As many digits after the point as the width has room for beside the point and the whole part.
             (let ((room (max 0 (- width 1 (max exponent 0)))))
               (multiple-value-setq (digits exponent)
                 (round-digit-string digits exponent room))
               (multiple-value-bind (whole rest) (fixed-text digits exponent nil)
                 (values whole (strip-zeros rest)))))
            (t (multiple-value-bind (whole rest) (fixed-text digits exponent nil)
                 (values whole (strip-zeros rest))))))))

(defun format-fixed-real (stream number width fraction scale overflow pad at)
  "~F for a real number."
  (let* ((negative (if (floatp number) (minusp (float-sign number)) (minusp number)))
         (sign (cond (negative "-") (at "+") (t "")))
         (room (and width (- width (length sign)))))
    (multiple-value-bind (whole rest) (flonum-fixed (abs number) room fraction scale)
      (when (and (string= rest "") (null fraction) (or (null room) (< (+ (length whole) 1) room)))
        (setq rest "0"))
      (when (and (string= whole "") (or (null room) (< (+ 1 (length rest)) room) (and (string= rest "") (> room 0))))
        (setq whole "0"))
      (let ((text (concatenate 'string sign whole "." rest)))
        (cond ((null width) (write-string text stream))
              ((and (> (length text) width) overflow)
               (dotimes (i width) (write-char overflow stream)))
              (t (format-pad-left text stream width pad)))))))

(defun format-not-real (stream argument width pad)
  "What ~F, ~E and ~G do with an argument that is no real number: as ~A does."
  (let* ((*print-base* 10) (*print-radix* nil) (text (princ-to-string argument)))
    (write-string text stream)
    (when width
      (dotimes (i (- width (length text))) (write-char pad stream)))))

(defun coerce-for-format (number)
  "Rationals become single floats, as ~F and its relatives ask."
  (if (rationalp number)
      (if (< (abs number) 10000000000000000000000000000000000000) (coerce number 'single-float) (coerce number 'double-float))
      number))

(defun unprintable-float-p (number)
  (and (floatp number)
       (or (/= number number) (> (abs number) (if (typep number 'single-float) most-positive-single-float most-positive-double-float)))))

(defun format-fixed (stream number width fraction scale overflow pad at)
  (cond ((and (eql scale 0) (%write-fixed stream number width fraction overflow pad at)) nil)
        ((not (realp number)) (format-not-real stream number width pad))
        ((unprintable-float-p number) (prin1 number stream))
        (t (format-fixed-real stream (coerce-for-format number) width fraction scale overflow pad at))))

(defun exponent-marker (number)
  (if (typep number *read-default-float-format*)
      "e"
      (typecase number (single-float "f") (double-float "d") (t "e"))))

(defun format-exponential-real (stream number width fraction exponent-width scale overflow pad marker at)
  "~E for a float."
  (let* ((negative (minusp (float-sign number)))
         (sign (cond (negative "-") (at "+") (t ""))))
    (multiple-value-bind (digits exponent) (float-digit-string (abs number))
      (when (zerop number) (setq digits "0" exponent 1))
      (let* ((shown (if (zerop number) 0 (- exponent scale)))
             (exponent-digits (integer-digits (abs shown) 10))
             (exponent-text (concatenate 'string
                                         (if marker (string marker) (exponent-marker number))
                                         (if (minusp shown) "-" "+")
                                         (if exponent-width (zeros (- exponent-width (length exponent-digits))) "")
                                         exponent-digits))
             (room (and width (- width (length sign) (length exponent-text)))))
        (when (and overflow width exponent-width (> (length exponent-digits) exponent-width))
          (dotimes (i width) (write-char overflow stream))
          (return-from format-exponential-real nil))
        (multiple-value-bind (whole rest carried)
            (exponential-mantissa digits scale fraction room (zerop number))
          (when (and carried (not (zerop number)))
            (return-from format-exponential-real
              (format-exponential-carried stream number width fraction exponent-width scale overflow pad marker sign
                                          (1+ shown))))
          (when (and (string= whole "") (or (null room) (< (+ 1 (length rest)) room)))
            (setq whole "0"))
          (let ((text (concatenate 'string sign whole "." rest exponent-text)))
            (cond ((null width) (write-string text stream))
                  ((and (> (length text) width) overflow)
                   (dotimes (i width) (write-char overflow stream)))
                  (t (format-pad-left text stream width pad)))))))))

(defun format-exponential-carried (stream number width fraction exponent-width scale overflow pad marker sign shown)
  "Rounding made the mantissa one digit longer: it is a power of ten, with the exponent one higher."
  (let* ((exponent-digits (integer-digits (abs shown) 10))
         (exponent-text (concatenate 'string
                                     (if marker (string marker) (exponent-marker number))
                                     (if (minusp shown) "-" "+")
                                     (if exponent-width (zeros (- exponent-width (length exponent-digits))) "")
                                     exponent-digits))
         (room (and width (- width (length sign) (length exponent-text)))))
    (multiple-value-bind (whole rest) (exponential-mantissa "1" scale fraction room nil)
      (when (and (string= whole "") (or (null room) (< (+ 1 (length rest)) room)))
        (setq whole "0"))
      (let ((text (concatenate 'string sign whole "." rest exponent-text)))
        (cond ((null width) (write-string text stream))
              ((and (> (length text) width) overflow)
               (dotimes (i width) (write-char overflow stream)))
              (t (format-pad-left text stream width pad)))))))

(defun exponential-mantissa (digits scale fraction room zero)
  "Digits before and after the point of ~E. Third value: true when rounding carried into a new digit."
  (let* ((places (cond (fraction
                        (cond ((> scale 0) (max 0 (1+ (- fraction scale))))
                              (t fraction)))
                       (room (max 0 (- room 1 (max scale 0))))
                       (t nil)))
         (exponent scale))
    (when zero
      (return-from exponential-mantissa
        (values (if (> scale 0) (zeros scale) "")
                (cond (places (if fraction (zeros places) (if (> places 0) "0" ""))) (t "0"))
                nil)))
    (multiple-value-bind (rounded rounded-exponent)
        (if places (round-digit-string digits exponent places) (values digits exponent))
      (if (> rounded-exponent exponent)
          (values "" "" t)
          (multiple-value-bind (whole rest) (fixed-text rounded rounded-exponent (and fraction places))
            (let ((rest (if fraction rest (strip-zeros rest))))
              (when (and (string= rest "") (null fraction) (or (null room) (< (+ 1 (length whole)) room)))
                (setq rest "0"))
              (values whole rest nil)))))))

(defun format-exponential (stream number width fraction exponent-width scale overflow pad marker at)
  (cond ((not (realp number)) (format-not-real stream number width pad))
        ((unprintable-float-p number) (prin1 number stream))
        (t (format-exponential-real stream (coerce-for-format number) width fraction exponent-width scale overflow pad
                                    marker at))))

(defun format-general (stream number width fraction exponent-width scale overflow pad marker at)
  "~G: fixed or exponential, whichever suits the size of the number."
  (cond ((not (realp number)) (format-not-real stream number width pad))
        ((unprintable-float-p number) (prin1 number stream))
        (t (let ((number (coerce-for-format number)))
             (multiple-value-bind (digits n) (float-digit-string (abs number))
               (when (zerop number) (setq n 0))
               (let* ((spaces (if exponent-width (+ exponent-width 2) 4))
                      (inner (and width (- width spaces)))
                      (d (or fraction (max (if (zerop number) 1 (length digits)) (min n 7))))
                      (dd (- d n)))
                 (if (<= 0 dd d)
                     (progn
                       (format-fixed-real stream number inner dd 0 overflow pad at)
                       (%write-spaces-on stream spaces))
                     (format-exponential-real stream number width fraction exponent-width scale overflow pad marker
                                              at))))))))

(defun format-dollars (stream number fraction digits width pad colon at)
  "~$: fixed, for money."
  (if (not (realp number))
      (let ((*print-base* 10) (*print-radix* nil))
        (format-pad-left (princ-to-string number) stream width #\Space))
      (let ((number (coerce-for-format number)))
        (multiple-value-bind (whole rest) (flonum-fixed (abs number) nil fraction 0)
          (let* ((sign (cond ((minusp (float-sign number)) "-") (at "+") (t "")))
                 (body (concatenate 'string (zeros (- digits (length whole))) whole "." rest))
                 (missing (- width (length sign) (length body))))
            (when colon (write-string sign stream))
            (dotimes (i missing) (write-char pad stream))
            (unless colon (write-string sign stream))
            (write-string body stream))))))
