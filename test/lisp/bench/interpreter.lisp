;; A small evaluator of Scheme with environments as association lists and closures.
(defun lookup (s env)
  (let ((p (assoc s env)))
    (if p
        (cdr p)
        (error "unbound ~A" s))))
(defun ev (e env)
  (cond ((symbolp e) (lookup e env)) ((atom e) e)
        (t
         (case (first e)
           (quote (second e))
           (if
            (if (ev (second e) env)
                (ev (third e) env)
                (ev (fourth e) env)))
           (lambda
            (let ((params (second e)) (body (third e)))
              (lambda (args) (ev body (pairlis params args env)))))
           (t
            (let ((f (ev (first e) env)) (args (mapcar (lambda (x) (ev x env)) (rest e))))
              (if (functionp f)
                  (funcall f args)
                  (error "no function"))))))))
(defvar *env*
  (list (cons '+ (lambda (a) (apply #'+ a))) (cons '- (lambda (a) (apply #'- a)))
        (cons '< (lambda (a) (apply #'< a)))))
(defun run-once ()
  (let ((env (list* (cons 'fib nil) *env*)))
    (setf (cdr (first env))
            (ev
             '(lambda (n)
                (if (< n 2)
                    n
                    (+ (fib (- n 1)) (fib (- n 2)))))
             env))
    (funcall (cdr (first env)) '(13))))
(defun bench () (dotimes (i 50) (run-once)))
