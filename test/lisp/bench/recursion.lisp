;; Non-tail recursion over lists and trees.
(defun build (n) (if (= n 0) nil (cons n (build (1- n)))))
(defun my-append (a b) (if (null a) b (cons (car a) (my-append (cdr a) b))))
(defun tree (d) (if (= d 0) 1 (cons (tree (1- d)) (tree (1- d)))))
(defun count-leaves (x) (if (consp x) (+ (count-leaves (car x)) (count-leaves (cdr x))) 1))
(defun bench ()
  (let ((n 0))
    (dotimes (i 50) (incf n (length (my-append (build 1000) (build 1000)))))
    (+ n (count-leaves (tree 17)))))
