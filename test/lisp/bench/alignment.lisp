;; Dynamic programming over vectors and two-dimensional arrays: longest common subsequence, knapsack, edit distance.
(defun lcs (a b)
  (let* ((n (length a)) (m (length b)) (tab (make-array (list (1+ n) (1+ m)) :initial-element 0)))
    (loop for i from 1 to n
          do (loop for j from 1 to m
                   do (setf (aref tab i j)
                              (if (char= (char a (1- i)) (char b (1- j)))
                                  (1+ (aref tab (1- i) (1- j)))
                                  (max (aref tab (1- i) j) (aref tab i (1- j)))))))
    (aref tab n m)))
(defun knap (weights values cap)
  (let ((best (make-array (1+ cap) :initial-element 0)))
    (loop for w across weights
          for v across values
          do (loop for c from cap downto w
                   do (setf (aref best c) (max (aref best c) (+ v (aref best (- c w)))))))
    (aref best cap)))
(defun edit (a b)
  (let ((prev (make-array (1+ (length b)))) (cur (make-array (1+ (length b)))))
    (dotimes (j (1+ (length b))) (setf (svref prev j) j))
    (dotimes (i (length a))
      (setf (svref cur 0) (1+ i))
      (dotimes (j (length b))
        (setf (svref cur (1+ j))
                (min (1+ (svref cur j)) (1+ (svref prev (1+ j)))
                     (+ (svref prev j)
                        (if (char-equal (schar a i) (schar b j))
                            0
                            1)))))
      (rotatef prev cur))
    (svref prev (length b))))
(defvar *a*
  (let ((s (make-string 250)))
    (dotimes (i 250 s) (setf (char s i) (code-char (+ 97 (mod (* i i) 7)))))))
(defvar *b*
  (let ((s (make-string 250)))
    (dotimes (i 250 s) (setf (char s i) (code-char (+ 97 (mod (* i i i) 5)))))))
(defun run-once ()
  (list (lcs *a* *b*)
        (knap
         (coerce
          (loop for i below 40
                collect (1+ (mod (* i 7) 19)))
          'vector)
         (coerce
          (loop for i below 40
                collect (mod (* i 31) 53))
          'vector)
         500)
        (edit *a* *b*)))
(defun bench () (dotimes (i 4) (run-once)))
