;;;; Chapter 4, part 1 of the type system: sets of integers, ratios, floats and characters as sorted lists of disjoint
;;;; closed intervals (LOW . HIGH); NIL is no bound. A position is an integer (integers, character codes, floats numbered in
;;;; their order), or for ratios (RATIONAL . E) where E is -1, 0 or 1: just below, at, or just above the rational.

(in-package "AUTOLITH-SYSTEM")

(defun position-before-p (a b)
  "True when the position A comes before B."
  (if (consp a)
      (or (< (car a) (car b))
          (and (= (car a) (car b)) (< (cdr a) (cdr b))))
      (< a b)))

(defun position-below (position)
  "The position just before POSITION."
  (if (consp position) (cons (car position) (- (cdr position) 1)) (- position 1)))

(defun position-above (position)
  "The position just after POSITION."
  (if (consp position) (cons (car position) (+ (cdr position) 1)) (+ position 1)))

(defun positions-ordered-p (low high)
  "True when the interval from LOW to HIGH is not empty."
  (or (null low) (null high) (not (position-before-p high low))))

(defun later-low (a b)
  "The later of two lower bounds."
  (cond ((null a) b) ((null b) a) ((position-before-p a b) b) (t a)))

(defun earlier-high (a b)
  "The earlier of two upper bounds."
  (cond ((null a) b) ((null b) a) ((position-before-p b a) b) (t a)))

(defun intervals-and (a b)
  "The intersection of two interval lists."
  (let ((result nil))
    (do () ((or (null a) (null b)) (nreverse result))
      (let* ((x (car a)) (y (car b))
             (low (later-low (car x) (car y)))
             (high (earlier-high (cdr x) (cdr y))))
        (when (positions-ordered-p low high) (setq result (cons (cons low high) result)))
        (if (and (cdr x) (or (null (cdr y)) (position-before-p (cdr x) (cdr y))))
            (setq a (cdr a))
            (setq b (cdr b)))))))

(defun intervals-not (intervals)
  "The complement of an interval list."
  (let ((result nil) (low nil) (open t))
    (dolist (interval intervals)
      (when (car interval)
        (let ((high (position-below (car interval))))
          (when (positions-ordered-p low high) (setq result (cons (cons low high) result)))))
      (if (cdr interval)
          (setq low (position-above (cdr interval)))
          (setq open nil)))
    (when open (setq result (cons (cons low nil) result)))
    (nreverse result)))

(defun intervals-or (a b)
  "The union of two interval lists."
  (cond ((null a) b)
        ((null b) a)
        (t (intervals-not (intervals-and (intervals-not a) (intervals-not b))))))

(defun intervals-member-p (position intervals)
  "True when POSITION is in an interval list."
  (dolist (interval intervals nil)
    (when (and (or (null (car interval)) (not (position-before-p position (car interval))))
               (or (null (cdr interval)) (not (position-before-p (cdr interval) position))))
      (return t))))

(defun ratio-intervals-empty-p (intervals)
  "True when no ratio (rational that is no integer) is in an interval list of ratio positions."
  (dolist (interval intervals t)
    (let ((low (car interval)) (high (cdr interval)))
      (unless (and low high (= (car low) (car high))
                   (or (integerp (car low)) (> (cdr low) 0) (< (cdr high) 0)))
        (return nil)))))

;;; Bounds of numeric type specifiers: a real, a list of one real (exclusive), or *

(defun bound-value (bound)
  "The real of BOUND, or NIL for * and for infinity."
  (let ((value (if (consp bound) (car bound) bound)))
    (cond ((eq value '*) nil)
          ((not (realp value)) (error 'simple-type-error :datum bound :expected-type '(or real (cons real null) (eql *))
                                                         :format-control "~S is not a bound of a numeric type."
                                                         :format-arguments (list bound)))
          ((and (floatp value) (float-infinity-p value)) nil)
          (t value))))

(defun integer-interval (low high)
  "Interval list of the integers between the bounds LOW and HIGH."
  (let ((a (bound-value low)) (b (bound-value high)))
    (when a
      (setq a (rational a))
      (setq a (if (and (consp low) (integerp a)) (+ a 1) (ceiling a))))
    (when b
      (setq b (rational b))
      (setq b (if (and (consp high) (integerp b)) (- b 1) (floor b))))
    (if (and a b (> a b)) nil (list (cons a b)))))

(defun ratio-interval (low high)
  "Interval list of the ratios between the bounds LOW and HIGH."
  (let ((a (bound-value low)) (b (bound-value high)))
    (let ((from (if a (cons (rational a) (if (consp low) 1 0)) nil))
          (to (if b (cons (rational b) (if (consp high) -1 0)) nil)))
      (if (positions-ordered-p from to) (list (cons from to)) nil))))

(defun float-number (value prototype)
  "VALUE, a real, in the format of PROTOTYPE, or NIL when it is too large."
  (let ((exact (rational value))
        (limit (rational (if (double-float-p prototype) most-positive-double-float most-positive-single-float))))
    (if (> (abs exact) limit) nil (float exact prototype))))

(defun float-low (bound prototype)
  "The number in float order of the first float in PROTOTYPE's format that the lower BOUND admits; NIL for the very first."
  (let ((value (bound-value bound)))
    (if (null value)
        nil
        (let ((nearest (float-number value prototype)) (exact (rational value)))
          (cond ((null nearest)
                 (if (> exact 0) (float-order (float-infinity prototype)) (+ 1 (float-order (- (float-infinity prototype))))))
                ((> (rational nearest) exact) (float-order nearest))
                ((< (rational nearest) exact) (+ (float-order nearest) 1))
                ((zerop nearest) (if (consp bound) 1 -1))
                ((consp bound) (+ (float-order nearest) 1))
                (t (float-order nearest)))))))

(defun float-high (bound prototype)
  "The number in float order of the last float in PROTOTYPE's format that the upper BOUND admits; NIL for the very last."
  (let ((value (bound-value bound)))
    (if (null value)
        nil
        (let ((nearest (float-number value prototype)) (exact (rational value)))
          (cond ((null nearest)
                 (if (> exact 0) (- (float-order (float-infinity prototype)) 1) (float-order (- (float-infinity prototype)))))
                ((> (rational nearest) exact) (- (float-order nearest) 1))
                ((< (rational nearest) exact) (float-order nearest))
                ((zerop nearest) (if (consp bound) -2 0))
                ((consp bound) (- (float-order nearest) 1))
                (t (float-order nearest)))))))

(defun float-interval (low high prototype)
  "Interval list of the floats in PROTOTYPE's format between the bounds LOW and HIGH."
  (let ((from (float-low low prototype)) (to (float-high high prototype)))
    (if (positions-ordered-p from to) (list (cons from to)) nil)))
