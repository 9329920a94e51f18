;; Strings and FORMAT.
(defun bench ()
  (let ((n 0))
    (dotimes (i 10000)
      (let ((s (format nil "~A-~S-~5,'0D ~(~A~)" i "x" i 'symbol)))
        (incf n (length (string-upcase s)))
        (when (search "99" s) (incf n))))
    n))
