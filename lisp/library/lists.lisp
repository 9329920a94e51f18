;;;; Chapter 14: the list functions that call functions: searching, substitution, sets, association lists.
;;;; Loops come in two copies: EQL without a key, and everything else.

(in-package "AUTOLITH-SYSTEM")

(defmacro with-match ((item test test-not key) &body body)
  "Run BODY where (MATCH X) compares ITEM with element X as the :TEST/:TEST-NOT/:KEY arguments (variables) demand.
BODY is expanded twice: for EQL without a key, and for the general case."
  `(if (and (null ,key) (null ,test-not) (eql-test-p ,test))
       (let ((identity-p (eq-comparable-p ,item)))
         (macrolet ((match (x)
                      (list 'let (list (list 'element x))
                            (list 'if 'identity-p (list 'eq ',item 'element) (list 'eql ',item 'element)))))
           ,@body))
       (let* ((negate (test-negated-p ,test ,test-not))
              (matcher (designated-function (or ,test-not ,test #'eql)))
              (getter (if ,key (designated-function ,key) nil)))
         (macrolet ((match (x)
                      (list 'let (list (list 'element x))
                            (list 'if (list 'funcall 'matcher ',item '(if getter (funcall getter element) element))
                                  '(not negate) 'negate))))
           ,@body))))

(defmacro with-predicate ((predicate key) &body body)
  "Run BODY where (MATCH X) applies PREDICATE to element X through KEY."
  `(let ((matcher (designated-function ,predicate))
         (getter (if ,key (designated-function ,key) nil)))
     (macrolet ((match (x)
                  (list 'let (list (list 'element x))
                        '(funcall matcher (if getter (funcall getter element) element)))))
       ,@body)))

(defun eql-test-p (test)
  "True when TEST, an argument or NIL, means EQL."
  (or (null test) (eq test 'eql) (eq test #'eql)))

(defun test-negated-p (test test-not)
  "True when the test is a :TEST-NOT; both at once is a program error."
  (cond ((null test-not) nil)
        (test (error 'simple-program-error :format-control ":TEST and :TEST-NOT were both given."
                                           :format-arguments nil))
        (t t)))

(defun circular-list-error (list)
  "Signal that LIST has no end."
  (error 'type-error :datum list :expected-type '(and list (satisfies list-length))))

(defmacro do-list-tails ((tail list &optional result) &body body)
  "Run BODY for each cons of LIST; an improper end is a TYPE-ERROR, and so is coming to a cons again."
  (let ((mark (gensym "MARK")) (steps (gensym "STEPS")) (limit (gensym "LIMIT")))
    ;; Brent: the cons at each step whose number is a power of 2 is remembered, and met again in a circle.
    `(do ((,tail ,list (cdr ,tail)) (,mark 0) (,steps 0 (+ ,steps 1)) (,limit 1024))
         ((endp ,tail) ,result)
       (when (eq ,tail ,mark) (circular-list-error ,tail))
       (when (eql ,steps ,limit) (setq ,mark ,tail ,limit (* 2 ,limit)))
       ,@body)))

;;; Searching

(define-keyword-function member (item list &key key test test-not)
  "The tail of LIST that begins with the first element matching ITEM."
  (with-match (item test test-not key)
    (do-list-tails (tail list)
      (when (match (car tail)) (return tail)))))

(define-keyword-function member-if (predicate list &key key)
  "The tail of LIST that begins with the first element satisfying PREDICATE."
  (with-predicate (predicate key)
    (do-list-tails (tail list)
      (when (match (car tail)) (return tail)))))

(define-keyword-function member-if-not (predicate list &key key)
  "The tail of LIST that begins with the first element not satisfying PREDICATE."
  (with-predicate (predicate key)
    (do-list-tails (tail list)
      (unless (match (car tail)) (return tail)))))

(define-keyword-function assoc (item alist &key key test test-not)
  "The first pair of ALIST whose car matches ITEM."
  (with-match (item test test-not key)
    (do-list-tails (tail alist)
      (let ((pair (car tail)))
        (when (and pair (match (car pair))) (return pair))))))

(define-keyword-function assoc-if (predicate alist &key key)
  "The first pair of ALIST whose car satisfies PREDICATE."
  (with-predicate (predicate key)
    (do-list-tails (tail alist)
      (let ((pair (car tail)))
        (when (and pair (match (car pair))) (return pair))))))

(define-keyword-function assoc-if-not (predicate alist &key key)
  "The first pair of ALIST whose car does not satisfy PREDICATE."
  (with-predicate (predicate key)
    (do-list-tails (tail alist)
      (let ((pair (car tail)))
        (when (and pair (not (match (car pair)))) (return pair))))))

(define-keyword-function rassoc (item alist &key key test test-not)
  "The first pair of ALIST whose cdr matches ITEM."
  (with-match (item test test-not key)
    (do-list-tails (tail alist)
      (let ((pair (car tail)))
        (when (and pair (match (cdr pair))) (return pair))))))

(define-keyword-function rassoc-if (predicate alist &key key)
  "The first pair of ALIST whose cdr satisfies PREDICATE."
  (with-predicate (predicate key)
    (do-list-tails (tail alist)
      (let ((pair (car tail)))
        (when (and pair (match (cdr pair))) (return pair))))))

(define-keyword-function rassoc-if-not (predicate alist &key key)
  "The first pair of ALIST whose cdr does not satisfy PREDICATE."
  (with-predicate (predicate key)
    (do-list-tails (tail alist)
      (let ((pair (car tail)))
        (when (and pair (not (match (cdr pair)))) (return pair))))))

(define-keyword-function adjoin (item list &key key test test-not)
  "LIST with ITEM in front unless an element matches it (KEY applies to ITEM too)."
  (let ((probe (if key (funcall key item) item)))
    (with-match (probe test test-not key)
      (do-list-tails (tail list (cons item list))
        (when (match (car tail)) (return list))))))

;;; Trees

(defun tree-equal (tree-1 tree-2 &key test test-not)
  "True when both trees have the same shape and matching leaves."
  (let ((negate (test-negated-p test test-not))
        (matcher (designated-function (or test-not test #'eql))))
    (labels ((same (a b)
               (do () (nil)
                 (cond ((consp a)
                        (unless (and (consp b) (same (car a) (car b))) (return nil))
                        (setq a (cdr a) b (cdr b)))
                       ((consp b) (return nil))
                       (t (return (if (funcall matcher a b) (not negate) negate)))))))
      (same tree-1 tree-2))))

(defmacro walk-tree-copying (found-form new-form)
  "Body of a local function WALK of TREE: TREE with the subtrees for which FOUND-FORM holds replaced; FOUND-FORM and NEW-FORM
see the subtree as PART. It iterates along cdrs, and shares what did not change."
  `(let* ((head (cons nil nil)) (last head) (shared nil) (shared-last nil) (part tree))
     (do () (nil)
       (cond (,found-form
              (setf (cdr last) ,new-form)
              (return (cdr head)))
             ((atom part)
              (cond ((null shared-last) (return tree))
                    (t (setf (cdr shared-last) shared)
                       (return (cdr head)))))
             (t (let ((copy (cons (walk (car part)) nil)))
                  (setf (cdr last) copy)
                  (setq last copy)
                  (unless (eq (car copy) (car part))
                    (setq shared-last copy shared (cdr part)))
                  (setq part (cdr part))))))))

(defmacro walk-tree-changing (found-form new-form)
  "Like WALK-TREE-COPYING, but TREE itself is changed."
  `(let ((last nil) (part tree))
     (do () (nil)
       (cond (,found-form
              (cond ((null last) (return ,new-form))
                    (t (setf (cdr last) ,new-form)
                       (return tree))))
             ((atom part) (return tree))
             (t (setf (car part) (walk (car part)))
                (setq last part part (cdr part)))))))

(defmacro define-tree-substitution (name lambda-list documentation walker match-wrapper found-form)
  "Define a SUBST-like function from WALKER, one of the two macros above."
  `(defun ,name ,lambda-list
     ,documentation
     (,@match-wrapper
       (labels ((walk (tree) (,walker ,found-form new)))
         (walk tree)))))

(define-tree-substitution subst (new old tree &key key test test-not)
  "TREE with every subtree or leaf matching OLD replaced by NEW."
  walk-tree-copying (with-match (old test test-not key)) (match part))

(define-tree-substitution subst-if (new predicate tree &key key)
  "TREE with every subtree or leaf satisfying PREDICATE replaced by NEW."
  walk-tree-copying (with-predicate (predicate key)) (match part))

(define-tree-substitution subst-if-not (new predicate tree &key key)
  "TREE with every subtree or leaf not satisfying PREDICATE replaced by NEW."
  walk-tree-copying (with-predicate (predicate key)) (not (match part)))

(define-tree-substitution nsubst (new old tree &key key test test-not)
  "Like SUBST, but may change TREE."
  walk-tree-changing (with-match (old test test-not key)) (match part))

(define-tree-substitution nsubst-if (new predicate tree &key key)
  "Like SUBST-IF, but may change TREE."
  walk-tree-changing (with-predicate (predicate key)) (match part))

(define-tree-substitution nsubst-if-not (new predicate tree &key key)
  "Like SUBST-IF-NOT, but may change TREE."
  walk-tree-changing (with-predicate (predicate key)) (not (match part)))

(defun find-pair (item alist matcher negate)
  "The first pair of ALIST whose car, as second argument of MATCHER, matches ITEM."
  (do-list-tails (tail alist)
    (let ((pair (car tail)))
      (when (and pair (if (funcall matcher item (car pair)) (not negate) negate))
        (return pair)))))

(defmacro define-sublis (name walker documentation)
  "Define SUBLIS or NSUBLIS."
  `(defun ,name (alist tree &key key test test-not)
     ,documentation
     (let ((negate (test-negated-p test test-not))
           (matcher (designated-function (or test-not test #'eql)))
           (getter (if key (designated-function key) nil))
           (pair nil))
       (labels ((walk (tree)
                  (,walker (setq pair (find-pair (if getter (funcall getter part) part) alist matcher negate))
                           (cdr pair))))
         (walk tree)))))

(define-sublis sublis walk-tree-copying
  "TREE with each subtree or leaf that is a key of ALIST replaced by its value.")

(define-sublis nsublis walk-tree-changing
  "Like SUBLIS, but may change TREE.")

;;; Sets

(defmacro with-set-test ((test test-not key) &body body)
  "Run BODY where (IN-LIST-P ELEMENT LIST) asks whether LIST has an element matching ELEMENT, KEY applied to both,
and (IN-LIST-REVERSED-P ELEMENT LIST) the same with the test's arguments exchanged."
  `(let* ((simple (and (null ,key) (null ,test-not) (eql-test-p ,test)))
          (negate (test-negated-p ,test ,test-not))
          (matcher (designated-function (or ,test-not ,test #'eql)))
          (getter (if ,key (designated-function ,key) nil)))
     (flet ((in-list-p (element list)
              (if simple
                  (do-list-tails (tail list) (when (eql element (car tail)) (return t)))
                  (let ((probe (if getter (funcall getter element) element)))
                    (do-list-tails (tail list)
                      (let ((other (if getter (funcall getter (car tail)) (car tail))))
                        (when (if (funcall matcher probe other) (not negate) negate) (return t)))))))
            (in-list-reversed-p (element list)
              (if simple
                  (do-list-tails (tail list) (when (eql element (car tail)) (return t)))
                  (let ((probe (if getter (funcall getter element) element)))
                    (do-list-tails (tail list)
                      (let ((other (if getter (funcall getter (car tail)) (car tail))))
                        (when (if (funcall matcher other probe) (not negate) negate) (return t))))))))
       (declare (ignorable #'in-list-p #'in-list-reversed-p))
       ,@body)))

(defun check-proper-list (list)
  "LIST itself, after a TYPE-ERROR unless it is a proper list."
  (do-list-tails (tail list list)))

(define-keyword-function union (list-1 list-2 &key key test test-not)
  "The elements of both lists, those matching an element of the other list once."
  (check-proper-list list-1)
  (with-set-test (test test-not key)
    (let ((result list-2))
      (dolist (element list-1 result)
        (unless (in-list-p element list-2)
          (setq result (cons element result)))))))

(defun nunion (list-1 list-2 &key key test test-not)
  "Like UNION, but may change the lists."
  (union list-1 list-2 :key key :test test :test-not test-not))

(define-keyword-function intersection (list-1 list-2 &key key test test-not)
  "The elements of LIST-1 that match an element of LIST-2."
  (check-proper-list list-2)
  (with-set-test (test test-not key)
    (let ((result nil))
      (dolist (element list-1 result)
        (when (in-list-p element list-2)
          (setq result (cons element result)))))))

(defun nintersection (list-1 list-2 &key key test test-not)
  "Like INTERSECTION, but may change LIST-1."
  (intersection list-1 list-2 :key key :test test :test-not test-not))

(define-keyword-function set-difference (list-1 list-2 &key key test test-not)
  "The elements of LIST-1 that match no element of LIST-2."
  (check-proper-list list-2)
  (when (null list-2) (return-from set-difference (check-proper-list list-1)))
  (with-set-test (test test-not key)
    (let ((result nil))
      (dolist (element list-1 result)
        (unless (in-list-p element list-2)
          (setq result (cons element result)))))))

(defun nset-difference (list-1 list-2 &key key test test-not)
  "Like SET-DIFFERENCE, but may change LIST-1."
  (set-difference list-1 list-2 :key key :test test :test-not test-not))

(define-keyword-function set-exclusive-or (list-1 list-2 &key key test test-not)
  "The elements that are in exactly one of the lists."
  (check-proper-list list-2)
  (with-set-test (test test-not key)
    (let ((result nil))
      (dolist (element list-1)
        (unless (in-list-p element list-2)
          (setq result (cons element result))))
      (dolist (element list-2 result)
        (unless (in-list-reversed-p element list-1)
          (setq result (cons element result)))))))

(defun nset-exclusive-or (list-1 list-2 &key key test test-not)
  "Like SET-EXCLUSIVE-OR, but may change the lists."
  (set-exclusive-or list-1 list-2 :key key :test test :test-not test-not))

(define-keyword-function subsetp (list-1 list-2 &key key test test-not)
  "True when every element of LIST-1 matches an element of LIST-2."
  (check-proper-list list-2)
  (with-set-test (test test-not key)
    (dolist (element list-1 t)
      (unless (in-list-p element list-2) (return nil)))))

;;; Association lists

(defun pairlis (keys data &optional alist)
  "ALIST with a pair for each of KEYS and DATA in front."
  (check-proper-list keys)
  (do ((k keys (cdr k))
       (d data (cdr d)))
      ((or (endp k) (endp d))
       (unless (and (endp k) (endp d))
         (error 'simple-error :format-control "PAIRLIS: the lists of keys and data have different lengths."
                              :format-arguments nil))
       alist)
    (setq alist (cons (cons (car k) (car d)) alist))))
