;; Sorting lists and vectors.
(defun numbers (n) (let ((x 12345) (l nil)) (dotimes (i n l) (setq x (mod (+ (* x 1103515245) 12345) 2147483648)) (push x l))))
(defun bench ()
  (let* ((l (numbers 50000)) (v (coerce l 'vector)))
    (list (car (sort (copy-list l) #'<)) (aref (sort v #'>) 0) (car (stable-sort (copy-list l) #'< :key #'-)))))
