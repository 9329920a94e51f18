;; Hash tables with integers, symbols and strings as keys.
(defun bench ()
  (let ((h (make-hash-table)) (s (make-hash-table :test #'equal)) (sum 0))
    (dotimes (i 100000) (setf (gethash i h) (* i i)))
    (dotimes (i 100000) (incf sum (gethash i h 0)))
    (dotimes (i 20000) (incf (gethash (format nil "key~D" (mod i 500)) s 0)))
    (maphash (lambda (k v) (declare (ignore k)) (incf sum v)) s)
    sum))
