;; READ from strings.
(defun bench ()
  (let ((n 0) (text "(defun foo (x y) \"doc\" (list x 'y #\\a 1.5 12345678901234567890 :key #(1 2 3) `(a ,b ,@c)))"))
    (dotimes (i 5000) (incf n (length (read-from-string text))))
    n))
