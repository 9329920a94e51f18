;;;; characters: forms and what SBCL answers (written by script/lisp-oracle.ts).
(characterp -1)
;=> (NIL)
(characterp 1/2)
;=> (NIL)
(characterp :initial-element)
;=> (NIL)
(characterp 'string)
;=> (NIL)
(characterp t)
;=> (NIL)
(characterp 'a)
;=> (NIL)
(characterp (list 1 2 3))
;=> (NIL)
(digit-char 0 3)
;=> (#\0)
(digit-char 2)
;=> (#\2)
(graphic-char-p #\a)
;=> (T)
(name-char 'integer)
;=> (NIL)
(name-char "abc")
;=> (NIL)
(name-char "CL")
;=> (NIL)
(name-char :test)
;=> (NIL)
(character #'<)
;=> :TYPE-ERROR
(char-equal (vector 1 2 3) 1 "CL")
;=> :TYPE-ERROR
(char/= 1.5)
;=> :TYPE-ERROR
(char/=)
;=> :PROGRAM-ERROR
(char/= 0)
;=> :TYPE-ERROR
(code-char :test (vector 1 2 3))
;=> :PROGRAM-ERROR
(char-lessp #c(1 2) (make-array '(2 2) :initial-element 0))
;=> :TYPE-ERROR
(both-case-p (make-hash-table) #c(1 2))
;=> :PROGRAM-ERROR
(char-int 'integer :start)
;=> :PROGRAM-ERROR
(char-lessp 'cl-user '(integer 0 3))
;=> :TYPE-ERROR
(both-case-p nil)
;=> :TYPE-ERROR
(char/= *package* 'string 'a t)
;=> :TYPE-ERROR
(char-downcase "abc")
;=> :TYPE-ERROR
(char-upcase (list 1 2 3) 'list)
;=> :PROGRAM-ERROR
(upper-case-p '(a 1 b 2))
;=> :TYPE-ERROR
(alpha-char-p 1/2 :b)
;=> :PROGRAM-ERROR
(alphanumericp :b)
;=> :TYPE-ERROR
(char= #'+ 'a '((a . 1) (b . 2)) :test)
;=> :TYPE-ERROR
(char-equal (copy-seq #*101) (lambda (x) x))
;=> :TYPE-ERROR
(char-downcase)
;=> :PROGRAM-ERROR
(alphanumericp (vector 1 2 3) 'list (copy-seq "hello"))
;=> :PROGRAM-ERROR
(char-name -1 1/2)
;=> :PROGRAM-ERROR
(graphic-char-p :start 'string)
;=> :PROGRAM-ERROR
(char-code (copy-seq #*101) #'+)
;=> :PROGRAM-ERROR
(character :b (make-array '(2 2) :initial-element 0))
;=> :PROGRAM-ERROR
(char-upcase #'< (copy-seq #*101))
;=> :PROGRAM-ERROR
(character :test :test #'+ :test)
;=> :PROGRAM-ERROR
(characterp :b '(integer 0 3))
;=> :PROGRAM-ERROR
(standard-char-p (make-hash-table))
;=> :TYPE-ERROR
(graphic-char-p '((a . 1) (b . 2)) 2 3)
;=> :PROGRAM-ERROR
(char-upcase "CL" '(a 1 b 2) (list 1 2 3))
;=> :PROGRAM-ERROR
(char/= 'vector)
;=> :TYPE-ERROR
(character 0 'a 1.5)
;=> :PROGRAM-ERROR
(graphic-char-p '(integer 0 3) '(integer 0 3))
;=> :PROGRAM-ERROR
(standard-char-p)
;=> :PROGRAM-ERROR
(characterp "abc" (vector 1 2 3))
;=> :PROGRAM-ERROR
(char-code t #'+)
;=> :PROGRAM-ERROR
(graphic-char-p :start :test :b -1)
;=> :PROGRAM-ERROR
(character "abc" :start)
;=> :PROGRAM-ERROR
(char-upcase -1)
;=> :TYPE-ERROR
(character 'integer *package*)
;=> :PROGRAM-ERROR
(char= (vector 1 2 3) '(a 1 b 2) 1.5 #'+)
;=> :TYPE-ERROR
(alpha-char-p (lambda (x y) (list x y)) 0)
;=> :PROGRAM-ERROR
(alpha-char-p *package* '((a . 1) (b . 2)) :initial-element)
;=> :PROGRAM-ERROR
(characterp)
;=> :PROGRAM-ERROR
(char-downcase '(integer 0 3))
;=> :TYPE-ERROR
(character #'car *package* "CL")
;=> :PROGRAM-ERROR
(char-name "abc")
;=> :TYPE-ERROR
(characterp :end 'integer 'cl-user (list 1 2 3))
;=> :PROGRAM-ERROR
(graphic-char-p 'vector #'eql)
;=> :PROGRAM-ERROR
