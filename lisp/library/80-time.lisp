;;; Chapter 25: time.

(in-package "AUTOLITH-SYSTEM")

(defun leap-year-p (year)
  (and (zerop (rem year 4)) (or (plusp (rem year 100)) (zerop (rem year 400)))))

(defun days-before-year (year)
  "Days from 1900-01-01 to the first day of YEAR."
  (let ((y (1- year)))
    (+ (* 365 (- year 1900))
       (- (floor y 4) 474) (- 18 (floor y 100)) (- (floor y 400) 4))))

(defun days-before-month (month year)
  (+ (svref #(0 0 31 59 90 120 151 181 212 243 273 304 334) month)
     (if (and (> month 2) (leap-year-p year)) 1 0)))

(defun days-in-month (month year)
  (if (and (= month 2) (leap-year-p year)) 29 (svref #(0 31 28 31 30 31 30 31 31 30 31 30 31) month)))

(defun date-of-days (days)
  "Values: date, month, year of the day that many days after 1900-01-01."
  ;; 400 years have 146097 days; the estimate is early by less than a year for each of them.
  (let ((year (+ 1900 (floor (* days 400) 146097) -1)))
    (do () ((< days (days-before-year (1+ year))))
      (setq year (1+ year)))
    (let ((month 1) (rest (- days (days-before-year year))))
      (do () ((< rest (days-in-month month year)))
        (setq rest (- rest (days-in-month month year)))
        (setq month (1+ month)))
      (values (1+ rest) month year))))

(defun decode-universal-time (universal-time &optional time-zone)
  "Values: second, minute, hour, date, month, year, day of the week, daylight saving time, time zone."
  (unless (integerp universal-time) (error 'type-error :datum universal-time :expected-type 'integer))
  (let ((daylight nil) (zone time-zone))
    (unless time-zone
      (let ((local (%local-zone universal-time)))
        (setq zone (first local) daylight (second local))))
    (let ((local (- universal-time (* 3600 (if daylight (1- zone) zone)))))
      (multiple-value-bind (days seconds) (floor (floor local) 86400)
        (multiple-value-bind (date month year) (date-of-days days)
          (multiple-value-bind (hour rest) (floor seconds 3600)
            (multiple-value-bind (minute second) (floor rest 60)
              (values second minute hour date month year (rem days 7) daylight zone))))))))

(defun check-date-part (value low high)
  (unless (and (integerp value) (<= low value high))
    (error 'type-error :datum value :expected-type (list 'integer low high))))

(defun encode-universal-time (second minute hour date month year &optional time-zone)
  "The universal time of a date; a year below 100 is the one nearest to now."
  (check-date-part second 0 59)
  (check-date-part minute 0 59)
  (check-date-part hour 0 23)
  (check-date-part date 1 31)
  (check-date-part month 1 12)
  (let* ((year (if (< year 100) (full-year year) year))
         (days (+ (days-before-year year) (days-before-month month year) (1- date)))
         (seconds (+ (* days 86400) (* hour 3600) (* minute 60) second)))
    (if time-zone
        (+ seconds (* time-zone 3600))
        (let* ((guess (+ seconds (* 3600 (first (%local-zone seconds)))))
               (local (%local-zone guess)))
          (if (second (%local-zone (- guess 3600)))
              (- guess 3600)
              (+ seconds (* 3600 (first local))))))))

(defun full-year (year)
  (let* ((this (nth-value 5 (get-decoded-time)))
         (guess (+ year (* 100 (floor this 100)))))
    (cond ((> (- guess this) 50) (- guess 100))
          ((>= (- this guess) 50) (+ guess 100))
          (t guess))))

(defun get-decoded-time ()
  "The present time, as DECODE-UNIVERSAL-TIME gives it."
  (decode-universal-time (get-universal-time)))

(defun call-timed (function)
  (let ((real (get-internal-real-time)) (run (get-internal-run-time)))
    (multiple-value-prog1 (funcall function)
      (let ((real (- (get-internal-real-time) real)) (run (- (get-internal-run-time) run)))
        (format *trace-output* "~&Evaluation took:~%  ~,3F seconds of real time~%  ~,3F seconds of run time~%"
                (/ real internal-time-units-per-second) (/ run internal-time-units-per-second))))))

(defmacro time (form)
  "Evaluates a form and writes to *TRACE-OUTPUT* how long it took."
  `(call-timed (lambda () ,form)))
