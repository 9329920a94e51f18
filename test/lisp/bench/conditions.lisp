;; Signalling and handling.
(define-condition my-error (error) ((code :initarg :code :reader code)))
(defun bench ()
  (let ((sum 0))
    (dotimes (i 10000)
      (incf sum (handler-case (error 'my-error :code i) (my-error (c) (code c))))
      (incf sum (handler-case (car i) (type-error () 1)))
      (incf sum (restart-case (handler-bind ((error (lambda (c) (declare (ignore c)) (invoke-restart 'use 1)))) (error "x")) (use (v) v))))
    sum))
