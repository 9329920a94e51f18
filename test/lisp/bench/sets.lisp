;; Lists as sets: UNION, INTERSECTION, ADJOIN, REMOVE-DUPLICATES, SUBSETP, MEMBER with tests, SUBLIS, ASSOC with strings.
(defvar *words* '("apple" "pear" "fig" "plum" "kiwi" "lime" "date" "nut"))
(defun run-once ()
  (let ((a
         (loop for i below 60
               collect (* 2 i)))
        (b
         (loop for i below 60
               collect (* 3 i)))
        (n 0)
        (al
         (loop for w in *words*
               for i from 0
               collect (cons w i))))
    (dotimes (i 60)
      (incf n (length (union a b)))
      (incf n (length (intersection a b)))
      (incf n (length (set-difference a b)))
      (incf n (length (remove-duplicates (append a b))))
      (when (subsetp '(2 4 8) a) (incf n)))
    (dotimes (i 2000)
      (incf n (cdr (assoc "lime" al :test #'string=)))
      (when (member "plum" *words* :test #'equal) (incf n))
      (incf n (position "date" *words* :test #'string-equal))
      (when (find 'x '((a 1) (b 2) (x 3)) :key #'first) (incf n))
      (when (equal '(1 (2 3) "x") (list 1 (list 2 3) "x")) (incf n)))
    (list n
          (length
           (let ((s nil))
             (dotimes (i 300 s) (pushnew (mod (* i 7) 50) s))))
          (sublis '((a . 1) (b . 2)) '(a (b a) (c (b)))))))
(defun bench () (dotimes (i 4) (run-once)))
