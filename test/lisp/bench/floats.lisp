;; Float arithmetic.
(defun mandel (cr ci) (let ((zr 0d0) (zi 0d0)) (dotimes (i 100 100) (let ((a (* zr zr)) (b (* zi zi))) (when (> (+ a b) 4d0) (return i)) (setq zi (+ (* 2d0 zr zi) ci) zr (+ (- a b) cr))))))
(defun bench () (let ((sum 0)) (dotimes (y 60) (dotimes (x 60) (incf sum (mandel (- (/ x 20d0) 2d0) (- (/ y 30d0) 1d0))))) sum))
