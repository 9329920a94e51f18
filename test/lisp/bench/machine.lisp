;; A virtual machine: instructions in vectors, CASE on symbols, a stack with fill pointer.
(defun run (code)
  (let ((stack (make-array 16 :fill-pointer 0 :adjustable t)) (pc 0) (vars (make-array 4 :initial-element 0)))
    (loop
     (let ((ins (aref code pc)))
       (incf pc)
       (ecase (first ins)
         (push (vector-push-extend (second ins) stack))
         (add (vector-push-extend (+ (vector-pop stack) (vector-pop stack)) stack))
         (sub
          (let ((b (vector-pop stack)))
            (vector-push-extend (- (vector-pop stack) b) stack)))
         (mul (vector-push-extend (* (vector-pop stack) (vector-pop stack)) stack))
         (load (vector-push-extend (aref vars (second ins)) stack))
         (store (setf (aref vars (second ins)) (vector-pop stack)))
         (jnz (unless (zerop (vector-pop stack)) (setf pc (second ins))))
         (halt (return (aref vars 1))))))))
(defvar *code*
  (vector '(push 3000) '(store 0) '(load 1) '(load 0) '(add) '(store 1) '(load 0) '(push 1) '(sub) '(store 0)
          '(load 0) '(jnz 2) '(halt)))
(defun run-once () (run *code*))
(defun bench () (dotimes (i 20) (run-once)))
