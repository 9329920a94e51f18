;; Big integers: factorial, fibonacci, printing.
(defun fact (n) (if (< n 2) 1 (* n (fact (1- n)))))
(defun bench ()
  (let ((a 0) (b 1))
    (dotimes (i 5000) (psetq a b b (+ a b)))
    (list (integer-length (fact 1000)) (mod a 1000007) (length (prin1-to-string (fact 2000))) (gcd (fact 200) (expt 2 300)))))
