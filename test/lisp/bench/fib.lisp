;; Calls with generic arithmetic.
(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(defun bench () (fib 30))
