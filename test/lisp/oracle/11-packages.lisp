;;;; packages: forms and what SBCL answers (written by script/lisp-oracle.ts).

(packagep *package*)
;=> (T)
(progn (defpackage "L3P1" (:use "CL") (:export "FOO" "BAR") (:nicknames "L3N")) (list (package-name "L3P1") (package-nicknames "L3P1") (mapcar #'package-name (package-use-list "L3P1"))))
;=> (("L3P1" ("L3N") ("COMMON-LISP")))
(let (r) (do-external-symbols (s "L3P1") (push (symbol-name s) r)) (sort r #'string<))
;=> (("BAR" "FOO"))
(multiple-value-list (find-symbol "FOO" "L3P1"))
;=> ((L3P1:FOO :EXTERNAL))
(multiple-value-list (find-symbol "CAR" "L3P1"))
;=> ((CAR :INHERITED))
(multiple-value-list (find-symbol "NOPE" "L3P1"))
;=> ((NIL NIL))
(multiple-value-bind (s st) (intern "NEW" "L3P1") (list (symbol-name s) st (nth-value 1 (intern "NEW" "L3P1"))))
;=> (("NEW" NIL :INTERNAL))
(package-name (symbol-package (intern "NEW" "L3P1")))
;=> ("L3P1")
(unintern (intern "NEW" "L3P1") "L3P1")
;=> (T)
(unintern 'never-there "L3P1")
;=> (NIL)
(progn (defpackage "L3P2" (:use) (:import-from "CL" "CAR") (:shadow "CDR") (:intern "X") (:export "CAR")) (list (multiple-value-list (find-symbol "CAR" "L3P2")) (nth-value 1 (find-symbol "CDR" "L3P2")) (nth-value 1 (find-symbol "X" "L3P2")) (mapcar #'symbol-name (package-shadowing-symbols "L3P2"))))
;=> (((CAR :EXTERNAL) :INTERNAL :INTERNAL ("CDR")))
(defpackage "L3P3" (:shadow "A") (:intern "A"))
;=> :PROGRAM-ERROR
(defpackage "L3P3" (:size 1) (:size 2))
;=> :PROGRAM-ERROR
(defpackage "L3P3" (:documentation "a") (:documentation "b"))
;=> :PROGRAM-ERROR
(defpackage "L3P3" (:foo "A"))
;=> :PROGRAM-ERROR
(progn (defpackage "L3P3" (:documentation "a doc")) (documentation (find-package "L3P3") t))
;=> ("a doc")
(progn (make-package "L3P4" :use '("L3P1") :nicknames '("L3P4N")) (package-name "L3P4N"))
;=> ("L3P4")
(make-package "L3P4")
;=> :PACKAGE-ERROR
(make-package "L3P5" :nicknames '("L3P4"))
;=> :PACKAGE-ERROR
(progn (rename-package "L3P4" "L3P6" '("L3P7")) (list (find-package "L3P4") (package-name "L3P7") (package-nicknames "L3P6")))
;=> ((NIL "L3P6" ("L3P7")))
(delete-package "L3P1")
;=> :PACKAGE-ERROR
(handler-bind ((package-error (lambda (c) (declare (ignore c)) (continue)))) (delete-package "L3P1"))
;=> (T)
(handler-bind ((package-error (lambda (c) (declare (ignore c)) (continue)))) (delete-package "L3P-NOT"))
;=> (NIL)
(delete-package "L3P-NOT")
;=> :PACKAGE-ERROR
(let ((p (make-package "L3PD"))) (list (delete-package p) (delete-package p) (package-name p)))
;=> ((T NIL NIL))
(use-package "L3P-NOT")
;=> :PACKAGE-ERROR
(progn (make-package "L3A" :use nil) (make-package "L3B" :use nil) (export (list (intern "Z" "L3A")) "L3A") (export (list (intern "Z" "L3B")) "L3B") (make-package "L3C" :use '("L3A")) (use-package "L3B" "L3C"))
;=> :PACKAGE-ERROR
(progn (shadow "Z" "L3C") (use-package "L3B" "L3C") (symbol-name (car (package-shadowing-symbols "L3C"))))
;=> ("Z")
(import (intern "Q" "L3A") "L3B")
;=> (T)
(progn (intern "Q2" "L3B") (import (intern "Q2" "L3A") "L3B"))
;=> :PACKAGE-ERROR
(export 'some-unknown-sym "L3A")
;=> :PACKAGE-ERROR
(unexport (intern "Z" "L3A") "L3A")
;=> (T)
(nth-value 1 (find-symbol "Z" "L3A"))
;=> (:INTERNAL)
(with-package-iterator (next "L3B" :external) (multiple-value-bind (more sym acc pkg) (next) (list more (symbol-name sym) acc (package-name pkg))))
;=> ((T "Z" :EXTERNAL "L3B"))
(with-package-iterator (next "L3B") (next))
;=> :PROGRAM-ERROR
(with-package-iterator (next "L3B" :foo) (next))
;=> :PROGRAM-ERROR
(do-symbols (s "L3P-NOT") s)
;=> :PACKAGE-ERROR
(do-symbols (s "L3B" 'done) (go end) end)
;=> (DONE)
(find-package "CL")
;=> (#<PACKAGE "COMMON-LISP">)
(find-package 'cl)
;=> (#<PACKAGE "COMMON-LISP">)
(find-package #\A)
;=> (NIL)
(find-package 3)
;=> :TYPE-ERROR
(package-name 3)
;=> :TYPE-ERROR
(intern 'a)
;=> :TYPE-ERROR
(intern "A" "L3P-NOT")
;=> :PACKAGE-ERROR
(let ((*package* (find-package "L3A"))) (symbol-name (intern "hello")))
;=> ("hello")
(list-all-packages 1)
;=> :PROGRAM-ERROR
