;; Property and association lists, symbols.
(defun bench ()
  (let ((p (loop for k in '(a b c d e f g h) for i from 0 append (list k i))) (a (loop for k in '(a b c d e f g h) for i from 0 collect (cons k i))) (sum 0))
    (dotimes (i 100000)
      (incf sum (getf p 'f)) (incf sum (cdr (assoc 'g a)))
      (when (member 'd '(a b c d)) (incf sum)))
    (dotimes (i 20000) (setf (get 'some-symbol 'prop) i) (incf sum (get 'some-symbol 'prop)))
    sum))
