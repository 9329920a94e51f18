;; Sorting records and vectors with keys, merging, binary search, insertion sort, quicksort on lists.
(defstruct rec name age)
(defun qs (l)
  (if (null l)
      'nil
      (let ((p (car l)))
        (append (qs (remove-if (lambda (x) (>= x p)) (cdr l))) (list p)
                (qs (remove-if (lambda (x) (< x p)) (cdr l)))))))
(defun isort (v)
  (loop for i from 1 below (length v)
        do (let ((x (aref v i)) (j (1- i)))
             (loop while (and (>= j 0) (> (aref v j) x))
                   do (setf (aref v (1+ j)) (aref v j)) (decf j))
             (setf (aref v (1+ j)) x)))
  v)
(defun bs (v x)
  (let ((lo 0) (hi (1- (length v))))
    (loop while (<= lo hi)
          do (let ((mid (floor (+ lo hi) 2)))
               (cond ((= (aref v mid) x) (return mid)) ((< (aref v mid) x) (setf lo (1+ mid)))
                     (t (setf hi (1- mid))))))))
(defun run-once ()
  (let* ((recs
          (loop for i below 500
                collect (make-rec :name (format nil "n~D" (mod (* i 7919) 1000)) :age (mod (* i 31) 97))))
         (nums
          (loop for i below 600
                collect (mod (* i 7919) 1009)))
         (v (isort (coerce (subseq nums 0 150) 'vector))))
    (list (rec-name (first (sort (copy-list recs) #'< :key #'rec-age)))
          (rec-age (first (stable-sort (copy-list recs) #'string< :key #'rec-name))) (first (qs nums))
          (loop for i below 2000
                count (bs v (mod i 1009)))
          (length (merge 'list (sort (copy-list nums) #'<) (list 5 10 15) #'<)))))
(defun bench () (dotimes (i 10) (run-once)))
