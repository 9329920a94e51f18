;;;; The Lisp half of the prompt's own operators: what needs macros, places or Lisp objects. The functions whose names begin with %
;;;; and are not defined here are the host's: the active image of a prompt has them, other images do not.

(in-package "AUTOLITH")

(export '(eval-now dict config configuration-copy prompt vault-contents))

(defun %keyword (text)
  (values (intern (string-upcase text) "KEYWORD")))

(defmacro eval-now (&body body)
  "Evaluates BODY at once, also while a turn runs. As the outermost form only."
  (cons 'progn body))

(defun dict (&rest entries)
  "A new EQUAL hash table of keys and values: an object of JSON for tools."
  (let ((table (make-hash-table :test 'equal)))
    (do ((rest entries (cddr rest)))
        ((null rest) table)
      (unless (consp (cdr rest))
        (error 'simple-error :format-control "DICT takes keys and values in turn; ~S has no value."
                             :format-arguments (list (car rest))))
      (setf (gethash (car rest) table) (cadr rest)))))

(defun %setting-value (answer)
  "The value of a setting as (:ARRAY TYPE VALUE) tells it: choices are keywords."
  (let ((type (second answer)) (value (third answer)))
    (cond ((eq value :null) nil)
          ((and (stringp value) (string= type "keyword")) (%keyword value))
          (t value))))

(defun %unknown-setting (name)
  (error 'configuration-error :code :unknown-setting
                              :message (format nil "There is no setting ~S; (settings) lists them." name)))

(defun config (name &optional configuration)
  "The value of a setting now, or in a configuration that CONFIGURATION-COPY made."
  (if configuration
      (multiple-value-bind (value found)
          (gethash (string-downcase name) configuration)
        (if found (values value) (%unknown-setting name)))
      (%setting-value (%config name))))

(defun (setf config) (value name &optional configuration)
  "Sets a setting; in a configuration that CONFIGURATION-COPY made only there."
  (cond ((null configuration) (%set-config name value))
        ((nth-value 1 (gethash (string-downcase name) configuration))
         (setf (gethash (string-downcase name) configuration) value))
        (t (%unknown-setting name)))
  value)

(defun configuration-copy (&optional configuration)
  "An independent configuration, a hash table from names to values: a copy of what is in force now, or of CONFIGURATION."
  (let ((values (make-hash-table :test 'equal)))
    (if configuration
        (maphash (lambda (name value) (setf (gethash name values) value)) configuration)
        (dolist (row (rest (%configuration)))
          (setf (gethash (second row) values) (%setting-value (rest row)))))
    values))

(defun prompt (&rest arguments)
  "Sends a message: (prompt [:to TARGET] [:images IMAGE-OR-LIST] CONTENT). Returns how it was admitted."
  (let ((admission (apply #'%prompt arguments)))
    (list :accepted t
          :to (second admission)
          :delivery (%keyword (third admission))
          :input-id (fourth admission))))

(defun %entry (row)
  (list (%keyword (second row)) (third row)))

(defun vault-contents (&optional (index nil index-given))
  "The entries of the recovery input vault in the order of restoration, or the one at INDEX; a copy."
  (let ((entries (mapcar #'%entry (rest (%vault-contents)))))
    (cond ((not index-given) entries)
          ((and (integerp index) (< -1 index (length entries))) (nth index entries))
          (t (error 'host-error :code :invalid-argument
                                :message (format nil "The vault has ~D entries, counted from 0; there is none at ~S."
                                                 (length entries) index))))))

(defun (setf vault-contents) (value &optional (index nil index-given))
  "Replaces all entries of the vault, or the one at INDEX."
  (if index-given
      (%set-vault-contents (list value) index)
      (%set-vault-contents value))
  value)
