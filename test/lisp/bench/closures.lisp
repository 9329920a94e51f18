;; Closures, MAPCAR, REDUCE, FUNCALL.
(defun compose (f g) (lambda (x) (funcall f (funcall g x))))
(defun bench ()
  (let ((f (reduce #'compose (list #'1+ (lambda (x) (* 2 x)) (lambda (x) (- x 3))))) (sum 0))
    (dotimes (i 200) (incf sum (reduce #'+ (mapcar f (loop for j below 1000 collect j)))))
    (let ((counter (let ((n 0)) (lambda () (incf n))))) (dotimes (i 200000) (funcall counter)) (+ sum (funcall counter)))))
