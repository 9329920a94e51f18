;; Nested loops over declared fixnums and double-floats.
(defun triples (n)
  (declare (type fixnum n))
  (let ((count 0))
    (declare (type fixnum count))
    (loop for a fixnum from 1 to n
          do (loop for b fixnum from a to n
                   do (loop for c fixnum from b to n
                            when (= (+ (* a a) (* b b)) (* c c)) do (incf count))))
    count))
(defun quadrature (n)
  (declare (type fixnum n))
  (let ((sum 0d0) (h (/ 1d0 n)))
    (declare (type double-float sum h))
    (dotimes (i n (* sum h))
      (dotimes (j 4)
        (let ((x (* h (+ i (* j 0.25d0)))))
          (declare (type double-float x))
          (incf sum (/ 1d0 (+ 1d0 (* x x)))))))))
(defun bench () (list (triples 200) (round (* 1000000 (quadrature 200000)))))
;=> (127 3141594)
