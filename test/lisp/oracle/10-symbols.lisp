;;;; symbols: forms and what SBCL answers (written by script/lisp-oracle.ts).

(make-sequence 'symbol 3)
;=> :TYPE-ERROR
(do-external-symbols (s "CL" (list s 1)) (return 5))
;=> (5)
(length (find-all-symbols "CAR"))
;=> (1)
(get 'l3sym 'foo 7)
;=> (7)
(keywordp :a)
;=> (T)
(symbol-value 'l3-unbound)
;=> :UNBOUND-VARIABLE
(symbol-function 'l3-unbound)
;=> :UNDEFINED-FUNCTION
(symbolp 2)
;=> (NIL)
(symbolp *package*)
;=> (NIL)
(symbolp (copy-seq #*101))
;=> (NIL)
(symbolp :test)
;=> (T)
(symbolp (list 'a 'b))
;=> (NIL)
(symbolp #c(1 2))
;=> (NIL)
(symbolp 'a)
;=> (T)
(symbolp "CL")
;=> (NIL)
(symbolp '(1 . 2))
;=> (NIL)
(keywordp nil)
;=> (NIL)
(keywordp 'a)
;=> (NIL)
(keywordp '(integer 0 3))
;=> (NIL)
(keywordp '(1 . 2))
;=> (NIL)
(keywordp (lambda (x) x))
;=> (NIL)
(keywordp (list 1 2 3))
;=> (NIL)
(make-symbol (copy-seq "hello"))
;=> (#:|hello|)
(make-symbol "abc")
;=> (#:|abc|)
(copy-symbol :key "CL")
;=> (#:KEY)
(copy-symbol :start (list 'a 'b))
;=> (#:START)
(copy-symbol 'a :b)
;=> (#:A)
(copy-symbol :end)
;=> (#:END)
(copy-symbol 'integer)
;=> (#:INTEGER)
(copy-symbol 'list)
;=> (#:LIST)
(copy-symbol 'list #'car)
;=> (#:LIST)
(copy-symbol 'cl-user :initial-element)
;=> (#:CL-USER)
(copy-symbol 'a 'cl-user)
;=> (#:A)
(symbol-name :initial-element)
;=> ("INITIAL-ELEMENT")
(symbol-name :start)
;=> ("START")
(symbol-name 'list)
;=> ("LIST")
(symbol-name :end)
;=> ("END")
(symbol-plist :end)
;=> (NIL)
(symbol-plist 'string)
;=> (NIL)
(symbol-plist :initial-element)
;=> (NIL)
(symbol-value nil)
;=> (NIL)
(get nil #\a)
;=> (NIL)
(get :b 'cl-user)
;=> (NIL)
(get nil '((a . 1) (b . 2)))
;=> (NIL)
(get 'integer (lambda (x) x))
;=> (NIL)
(remprop 'cl-user 0)
;=> (NIL)
(remprop :key :end)
;=> (NIL)
(boundp 'list)
;=> (NIL)
(boundp t)
;=> (T)
(boundp nil)
;=> (T)
(boundp 'a *package* 0)
;=> :PROGRAM-ERROR
(make-symbol 'a *package*)
;=> :PROGRAM-ERROR
(keywordp)
;=> :PROGRAM-ERROR
(symbol-function 1/2)
;=> :TYPE-ERROR
(copy-symbol 1)
;=> :TYPE-ERROR
(symbolp (vector 1 2 3) (make-hash-table))
;=> :PROGRAM-ERROR
(get (copy-seq #*101) #'eql)
;=> :TYPE-ERROR
(boundp #'car (make-hash-table))
;=> :PROGRAM-ERROR
(symbol-function #'+ #'+)
;=> :PROGRAM-ERROR
(boundp)
;=> :PROGRAM-ERROR
(symbol-function (list 'a 'b) 'cl-user)
;=> :PROGRAM-ERROR
(copy-symbol (copy-seq #*101) 'list 'a)
;=> :PROGRAM-ERROR
(make-symbol #'+)
;=> :TYPE-ERROR
(symbol-function)
;=> :PROGRAM-ERROR
(symbol-function :key t 'cl-user 2)
;=> :PROGRAM-ERROR
(get)
;=> :PROGRAM-ERROR
(remprop #'eql '(integer 0 3) #'+)
;=> :PROGRAM-ERROR
(symbol-name 1.5 (make-hash-table) -1)
;=> :PROGRAM-ERROR
(keywordp (copy-seq #*101) '((a . 1) (b . 2)))
;=> :PROGRAM-ERROR
(get (lambda (x) x) "CL" t)
;=> :TYPE-ERROR
(symbol-name :b #c(1 2) (copy-seq #*101))
;=> :PROGRAM-ERROR
(remprop :initial-element)
;=> :PROGRAM-ERROR
(symbol-package :start (lambda (x) x))
;=> :PROGRAM-ERROR
(symbol-plist (copy-seq #*101) (list 'a 'b) 2)
;=> :PROGRAM-ERROR
(symbol-function :end *package* (list 1 2 3))
;=> :PROGRAM-ERROR
(make-symbol '(1 . 2) (lambda (x y) (list x y)))
;=> :PROGRAM-ERROR
(symbol-function #'< #'<)
;=> :PROGRAM-ERROR
(symbol-plist 1 :start 2 0)
;=> :PROGRAM-ERROR
(symbol-function #c(1 2) (lambda (x) x) 'list)
;=> :PROGRAM-ERROR
(keywordp "CL" :initial-element)
;=> :PROGRAM-ERROR
