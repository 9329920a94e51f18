;; A simulation with classes, CALL-NEXT-METHOD, :BEFORE and :AFTER methods, WITH-SLOTS and conditions.
(define-condition insufficient
    (error)
    ((need :initarg :need :reader need)))
(defclass account nil
          ((balance :initarg :balance :initform 0 :accessor balance) (log :initform 'nil :accessor log-of)
           (count :initform 0 :accessor count-of)))
(defclass savings (account) ((rate :initarg :rate :initform 2 :reader rate)))
(defclass checking (account) ((limit :initarg :limit :initform 100 :reader limit)))
(defgeneric withdraw
    (a n))
(defgeneric deposit
    (a n))
(defgeneric describe-it
    (a))
(defmethod deposit ((a account) n) (incf (balance a) n))
(defmethod deposit :after ((a account) n) (incf (count-of a)))
(defmethod withdraw ((a account) n)
  (with-slots (balance)
      a
    (if (< balance n)
        (error 'insufficient :need (- n balance))
        (decf balance n))))
(defmethod withdraw ((a checking) n)
  (if (< (+ (balance a) (limit a)) n)
      (error 'insufficient :need n)
      (decf (balance a) n)))
(defmethod withdraw :before ((a savings) n) (incf (count-of a)))
(defmethod deposit ((a savings) n) (call-next-method a (+ n (rate a))))
(defun run-once ()
  (let ((accounts
         (loop for i below 20
               collect (if (evenp i)
                           (make-instance 'savings :balance 100)
                           (make-instance 'checking :balance 50 :limit 20))))
        (failed 0))
    (dotimes (r 300)
      (dolist (a accounts)
        (deposit a 10)
        (handler-case (withdraw a (+ 5 (mod r 11))) (insufficient (c) (incf failed (need c))))))
    (list failed (reduce #'+ accounts :key #'balance) (reduce #'+ accounts :key #'count-of))))
(defun bench () (dotimes (i 20) (run-once)))
