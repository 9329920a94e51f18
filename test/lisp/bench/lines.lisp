;; Writing and reading the lines of a file.
(defun bench ()
  (let ((file "/tmp/autolith-bench-lines.txt") (n 0))
    (with-open-file (s file :direction :output :if-exists :supersede)
      (dotimes (i 20000) (format s "line ~D of the file~%" i)))
    (with-open-file (s file)
      (loop for line = (read-line s nil) while line do (incf n (length line))))
    (delete-file file)
    n))
