;; Formatting a table of records.
(defun run-once ()
  (let ((records
         (loop for i below 400
               collect (list (format nil "name~D" i) i (/ i 7) (* i 1.5)))))
    (length
     (with-output-to-string (s)
       (format s "~&~A~30T~A~%~A~%" "Name" "Value" 40)
       (dolist (r records)
         (destructuring-bind
             (name n q f)
             r
           (format s "~10A|~5D|~8,2F|~A|~:[no~;yes~]|~{~A~^, ~}|~@R~%" name n f q (evenp n) (list n name) (1+ n))))
       (loop for (name n) in records
             do (format s "~(~A~) ~:@(~A~) ~5,'0D ~X ~B ~:D ~P~%" name name n n n (* n 12345) n))))))
(defun bench () (dotimes (i 5) (run-once)))
