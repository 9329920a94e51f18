;; Huffman coding with structures and sorted lists, encoding to bit strings.
(defstruct hn sym weight left right)
(defun build (freqs)
  (let ((nodes
         (sort
          (loop for (s . w) in freqs
                collect (make-hn :sym s :weight w))
          #'< :key #'hn-weight)))
    (loop while (cdr nodes)
          do (let ((a (pop nodes)) (b (pop nodes)))
               (setf nodes
                       (merge 'list (list (make-hn :weight (+ (hn-weight a) (hn-weight b)) :left a :right b)) nodes
                              #'< :key #'hn-weight))))
    (first nodes)))
(defun codes (n prefix table)
  (if (hn-sym n)
      (setf (gethash (hn-sym n) table) (reverse prefix))
      (progn (codes (hn-left n) (cons 0 prefix) table) (codes (hn-right n) (cons 1 prefix) table)))
  table)
(defun encode (s table)
  (loop for c across s
        append (gethash c table)))
(defun decode (bits tree)
  (let ((n tree) (r 'nil))
    (dolist (b bits (coerce (nreverse r) 'string))
      (setf n
              (if (zerop b)
                  (hn-left n)
                  (hn-right n)))
      (when (hn-sym n) (push (hn-sym n) r) (setf n tree)))))
(defvar *t* "this is an example of a huffman tree that encodes text with few bits per symbol, more or less")
(defun run-once ()
  (let ((n 0))
    (dotimes (i 40 n)
      (let ((f (make-hash-table)))
        (loop for c across *t*
              do (incf (gethash c f 0)))
        (let* ((tree
                (build
                 (sort
                  (loop for k being the hash-keys of f using (hash-value v)
                        collect (cons k v))
                  #'char< :key #'car)))
               (bits (encode *t* (codes tree 'nil (make-hash-table)))))
          (incf n (length bits))
          (assert (string= *t* (decode bits tree))))))))
(defun bench () (dotimes (i 7) (run-once)))
