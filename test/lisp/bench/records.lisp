;; A small database of property lists.
(defvar *db*)
(defun make-cd (title artist rating ripped) (list :title title :artist artist :rating rating :ripped ripped))
(defun where (&key title artist rating (ripped nil ripped-p))
  (lambda (cd)
    (and
     (if title
         (equal (getf cd :title) title)
         t)
     (if artist
         (equal (getf cd :artist) artist)
         t)
     (if rating
         (equal (getf cd :rating) rating)
         t)
     (if ripped-p
         (equal (getf cd :ripped) ripped)
         t))))
(defun sel (fn) (remove-if-not fn *db*))
(defun update (fn &key rating (ripped nil ripped-p))
  (setf *db*
          (mapcar
           (lambda (row)
             (when (funcall fn row)
               (when rating (setf (getf row :rating) rating))
               (when ripped-p (setf (getf row :ripped) ripped)))
             row)
           *db*)))
(defun run-once ()
  (setf *db* nil)
  (dotimes (i 500) (push (make-cd (format nil "T~D" i) (format nil "A~D" (mod i 20)) (mod i 10) (evenp i)) *db*))
  (let ((n 0))
    (dotimes (i 20)
      (incf n (length (sel (where :artist (format nil "A~D" i)))))
      (update (where :artist (format nil "A~D" i) :ripped t) :rating 11)
      (incf n (length (sel (where :rating 11 :ripped t)))))
    (setf *db* (delete-if (where :rating 3) *db*))
    (list n (length *db*) (count-if (where :ripped nil) *db*)
          (getf (find "A7" *db* :key (lambda (r) (getf r :artist)) :test #'string=) :title))))
(defun bench () (dotimes (i 8) (run-once)))
