;; Vectors: sieve and matrix multiplication.
(defun sieve (n) (let ((v (make-array (1+ n) :initial-element t)) (count 0)) (loop for i from 2 to n do (when (aref v i) (incf count) (loop for j from (* i i) to n by i do (setf (aref v j) nil)))) count))
(defun matmul (n) (let ((a (make-array (list n n) :initial-element 2)) (b (make-array (list n n) :initial-element 3)) (c (make-array (list n n) :initial-element 0)))
  (dotimes (i n) (dotimes (j n) (let ((s 0)) (dotimes (k n) (incf s (* (aref a i k) (aref b k j)))) (setf (aref c i j) s)))) (aref c 1 1)))
(defun bench () (list (sieve 200000) (matmul 60)))
