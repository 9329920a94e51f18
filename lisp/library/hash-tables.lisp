;;;; Chapter 18: iteration over hash tables. It walks a copy of the entries, so the body may remove and replace them.

(in-package "AUTOLITH-SYSTEM")

(defun maphash (function hash-table)
  "Call FUNCTION with each key and value of HASH-TABLE."
  (let* ((mapper (designated-function function))
         (entries (hash-table-entries hash-table))
         (length (length entries)))
    (do ((i 0 (+ i 2)))
        ((>= i length) nil)
      (funcall mapper (svref entries i) (svref entries (+ i 1))))))

(defmacro with-hash-table-iterator ((name hash-table) &body body)
  "Run BODY with the local macro NAME, which gives (VALUES T key value) for one entry after the other, then NIL."
  (let ((entries (gensym "ENTRIES")) (index (gensym "INDEX")) (next (gensym "NEXT")))
    `(let ((,entries (hash-table-entries ,hash-table)) (,index 0))
       (flet ((,next ()
                (if (>= ,index (length ,entries))
                    nil
                    (multiple-value-prog1
                        (values t (svref ,entries ,index) (svref ,entries (+ ,index 1)))
                      (setq ,index (+ ,index 2))))))
         (declare (ignorable #',next))
         (macrolet ((,name () '(,next)))
           ,@body)))))
