;; Matrices of fixnums: product, transpose, determinant with rationals, game of life.
(defun mat* (a b)
  (let* ((n (array-dimension a 0))
         (m (array-dimension b 1))
         (k (array-dimension a 1))
         (c (make-array (list n m) :initial-element 0)))
    (dotimes (i n c) (dotimes (j m) (dotimes (x k) (incf (aref c i j) (* (aref a i x) (aref b x j))))))))
(defun det (m)
  (let* ((n (length m)) (a (map 'vector #'copy-seq m)) (d 1))
    (dotimes (i n d)
      (let ((p (position-if-not #'zerop (subseq (map 'list (lambda (r) (aref r i)) a) i))))
        (unless p (return 0))
        (incf p i)
        (unless (= p i) (rotatef (aref a i) (aref a p)) (setf d (- d)))
        (setf d (* d (aref (aref a i) i)))
        (loop for r from (1+ i) below n
              do (let ((f (/ (aref (aref a r) i) (aref (aref a i) i))))
                   (loop for c from i below n
                         do (decf (aref (aref a r) c) (* f (aref (aref a i) c))))))))))
(defun life (g)
  (let* ((n (array-dimension g 0)) (h (make-array (list n n) :initial-element 0)))
    (dotimes (i n h)
      (dotimes (j n)
        (let ((s 0))
          (loop for di from -1 to 1
                do (loop for dj from -1 to 1
                         do (unless (and (zerop di) (zerop dj))
                              (incf s (aref g (mod (+ i di) n) (mod (+ j dj) n))))))
          (setf (aref h i j)
                  (if (or (= s 3) (and (= s 2) (= 1 (aref g i j))))
                      1
                      0)))))))
(defun run-once ()
  (let ((a (make-array '(40 40))) (g (make-array '(30 30) :initial-element 0)))
    (dotimes (i 40) (dotimes (j 40) (setf (aref a i j) (mod (* i j) 7))))
    (dotimes (i 30)
      (setf (aref g i (mod (* i 7) 30)) 1
            (aref g (mod (* 3 i) 30) i) 1))
    (dotimes (i 10) (setf g (life g)))
    (list (aref (mat* a (mat* a a)) 3 5)
          (det
           (coerce
            (loop for i below 8
                  collect (coerce
                           (loop for j below 8
                                 collect (mod (+ 1 (* i j) (* i i)) 11))
                           'vector))
            'vector))
          (loop for i below 900
                sum (row-major-aref g i)))))
(defun bench () (dotimes (i 3) (run-once)))
