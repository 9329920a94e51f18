;; Shortest paths over a graph in hash tables and association lists, with a sorted list as queue.
(defun make-graph (n)
  (let ((g (make-hash-table)))
    (dotimes (i n g)
      (setf (gethash i g)
              (loop for j from 1 to 4
                    collect (cons (mod (+ i (* j j 7)) n) (1+ (mod (* i j) 9))))))))
(defvar *g* (make-graph 400))
(defun insert (item queue) (merge 'list (list item) queue #'< :key #'car))
(defun shortest (g s)
  (let ((dist (make-hash-table)) (queue (list (cons 0 s))))
    (loop while queue
          do (destructuring-bind
                 (d . u)
                 (pop queue)
               (unless (gethash u dist)
                 (setf (gethash u dist) d)
                 (loop for (v . w) in (gethash u g)
                       unless (gethash v dist)
                       do (setf queue (insert (cons (+ d w) v) queue))))))
    (loop for v being the hash-values of dist
          sum v)))
(defun run-once () (shortest *g* 0))
(defun bench () (dotimes (i 10) (run-once)))
