;; Lists and backtracking.
(defun safe-p (queen dist placed)
  (or (null placed)
      (and (/= (car placed) (+ queen dist)) (/= (car placed) (- queen dist)) (/= (car placed) queen)
           (safe-p queen (1+ dist) (cdr placed)))))
(defun queens (n)
  (labels ((place (k placed)
             (if (= k 0)
                 1
                 (let ((count 0))
                   (dotimes (q n count)
                     (when (safe-p q 1 placed) (incf count (place (1- k) (cons q placed)))))))))
    (place n nil)))
(defun bench () (queens 8))
