;; Sieves over specialised vectors without declarations.
(defun sieve (v)
  (let ((count 0) (n (1- (length v))))
    (loop for i from 2 to n
          do (when (= 1 (aref v i))
               (incf count)
               (loop for j from (* i i) to n by i do (setf (aref v j) 0))))
    count))
(defun bench ()
  (list (sieve (make-array 300001 :element-type 'bit :initial-element 1))
        (sieve (make-array 300001 :element-type '(unsigned-byte 8) :initial-element 1))
        (sieve (make-array 300001 :element-type 'fixnum :initial-element 1))))
;=> (25997 25997 25997)
