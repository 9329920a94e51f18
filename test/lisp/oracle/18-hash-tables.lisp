;;;; hash tables: forms and what SBCL answers (written by script/lisp-oracle.ts).

(let ((h (make-hash-table))) (setf (gethash 1 h) 2) (let (r) (maphash (lambda (k v) (push (list k v) r)) h) r))
;=> (((1 2)))
(maphash #'list 3)
;=> :TYPE-ERROR
(let ((h (make-hash-table)) (r nil)) (dotimes (i 5) (setf (gethash i h) (* i i))) (maphash (lambda (k v) (if (oddp k) (remhash k h) (setf (gethash k h) (1+ v)))) h) (maphash (lambda (k v) (push (cons k v) r)) h) (sort r #'< :key #'car))
;=> (((0 . 1) (2 . 5) (4 . 17)))
(let ((h (make-hash-table))) (setf (gethash 'a h) 1) (with-hash-table-iterator (next h) (list (multiple-value-list (next)) (multiple-value-list (next)))))
;=> (((T A 1) (NIL)))
(with-hash-table-iterator (next 3) (next))
;=> :TYPE-ERROR
(type-of (make-hash-table))
;=> (HASH-TABLE)
(hash-table-p 1.5)
;=> (NIL)
(hash-table-p (lambda (x) x))
;=> (NIL)
(hash-table-p (list 1 2 3))
;=> (NIL)
(hash-table-p :key)
;=> (NIL)
(hash-table-p 'a)
;=> (NIL)
(hash-table-p :test)
;=> (NIL)
(hash-table-p :b)
;=> (NIL)
(hash-table-p 'vector)
;=> (NIL)
(hash-table-p "abc")
;=> (NIL)
(hash-table-p (list 'a 'b))
;=> (NIL)
(remhash :key (make-hash-table))
;=> (NIL)
(hash-table-rehash-size (copy-seq #*101) nil)
;=> :PROGRAM-ERROR
(hash-table-size #\a "CL" -1)
;=> :PROGRAM-ERROR
(hash-table-p 1.5 #'eql (vector 1 2 3) 'string)
;=> :PROGRAM-ERROR
(hash-table-rehash-threshold (lambda (x) x) #c(1 2) #\a)
;=> :PROGRAM-ERROR
(hash-table-test #'< '(integer 0 3) #\a)
;=> :PROGRAM-ERROR
(gethash)
;=> :PROGRAM-ERROR
(hash-table-count 3 -1)
;=> :PROGRAM-ERROR
(hash-table-p 'vector #'eql)
;=> :PROGRAM-ERROR
(hash-table-p '(1 . 2) 1)
;=> :PROGRAM-ERROR
(make-hash-table #'< 'list)
;=> :PROGRAM-ERROR
(hash-table-test 'vector 'a 'integer 'vector)
;=> :PROGRAM-ERROR
(remhash "abc" :test 'integer)
;=> :PROGRAM-ERROR
(hash-table-size #'car)
;=> :TYPE-ERROR
(hash-table-rehash-threshold "CL" t)
;=> :PROGRAM-ERROR
(hash-table-p)
;=> :PROGRAM-ERROR
(hash-table-rehash-size "abc" #c(1 2) 'cl-user)
;=> :PROGRAM-ERROR
(remhash)
;=> :PROGRAM-ERROR
(remhash '(integer 0 3))
;=> :PROGRAM-ERROR
(hash-table-test nil #'car #'+)
;=> :PROGRAM-ERROR
(hash-table-size #'< "CL")
;=> :PROGRAM-ERROR
