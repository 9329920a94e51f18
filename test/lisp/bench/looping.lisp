;; LOOP in many shapes.
(defun bench ()
  (let ((total 0))
    (dotimes (k 20)
      (incf total (loop for i from 1 to 20000 when (evenp i) sum i))
      (incf total (length (loop for x in (loop for i below 5000 collect i) for y = (* x 2) collect (cons x y))))
      (incf total (loop for c across "hello world hello world" count (char= c #\o)))
      (incf total (loop with a = (make-array 1000 :initial-element 3) for i below 1000 maximize (aref a i))))
    total))
