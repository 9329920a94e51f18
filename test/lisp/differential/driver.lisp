;;;; Evaluates the forms of a file and writes one line for each: its values, or ERR and the type of the condition.
;;;; Runs in our Lisp and in the one we compare with.

(defun condition-name (condition)
  (typecase condition
    (division-by-zero "DIVISION-BY-ZERO")
    (floating-point-overflow "FLOATING-POINT-OVERFLOW")
    (floating-point-underflow "FLOATING-POINT-UNDERFLOW")
    (floating-point-invalid-operation "FLOATING-POINT-INVALID-OPERATION")
    (arithmetic-error "ARITHMETIC-ERROR")
    (type-error "TYPE-ERROR")
    (reader-error "READER-ERROR")
    (end-of-file "END-OF-FILE")
    (stream-error "STREAM-ERROR")
    (parse-error "PARSE-ERROR")
    (program-error "PROGRAM-ERROR")
    (package-error "PACKAGE-ERROR")
    (undefined-function "UNDEFINED-FUNCTION")
    (unbound-variable "UNBOUND-VARIABLE")
    (storage-condition "STORAGE-CONDITION")
    (t "ERROR")))

(defun result-line (form)
  (handler-case (let ((values (multiple-value-list (eval form)))) (format nil "~{~s~^ ; ~}" values))
    (serious-condition (condition) (format nil "ERR ~a" (condition-name condition)))))

(defun write-results (file)
  (let ((*print-pretty* nil) (*read-default-float-format* 'single-float))
    (with-open-file (stream file)
      (loop for form = (read stream nil stream)
            until (eq form stream)
            do (format t "~a~%" (result-line form)))))
  (finish-output))
