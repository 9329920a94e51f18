;;; Pathnames and files: what is not a leaf.

(in-package "AUTOLITH-SYSTEM")

(defun stream-element-specification (element-type)
  "Values: bits or NIL for characters, whether signed."
  (cond ((member element-type '(character base-char extended-char standard-char string-char :default))
         (values nil nil))
        ((eq element-type 'signed-byte) (values 8 t))
        ((member element-type '(unsigned-byte integer)) (values 8 nil))
        ((eq element-type 'bit) (values 1 nil))
        ((and (consp element-type) (eq (car element-type) 'unsigned-byte) (integerp (cadr element-type)))
         (values (cadr element-type) nil))
        ((and (consp element-type) (eq (car element-type) 'signed-byte) (integerp (cadr element-type)))
         (values (cadr element-type) t))
        ((and (consp element-type) (member (car element-type) '(unsigned-byte signed-byte)))
         (values 8 (eq (car element-type) 'signed-byte)))
        ((subtypep element-type 'character) (values nil nil))
        ((subtypep element-type 'integer) (integer-range-specification element-type))
        (t (error 'simple-error :format-control "~S cannot be the element type of a file."
                  :format-arguments (list element-type)))))

(defun integer-range-specification (element-type)
  "The smallest byte width that holds all integers of a type."
  (do ((bits 1 (1+ bits)))
      ((> bits 1024) (error 'simple-error :format-control "~S has no bounds, so it cannot be the element type of a file."
                            :format-arguments (list element-type)))
    (cond ((subtypep element-type `(unsigned-byte ,bits)) (return (values bits nil)))
          ((subtypep element-type `(signed-byte ,bits)) (return (values bits t))))))

(defun open (filespec &rest options &key (direction :input) (element-type 'character)
                                      if-exists if-does-not-exist external-format)
  "Opens a file; NIL when it is not opened because it exists, or does not, as the options say."
  (declare (ignore if-exists if-does-not-exist external-format))
  (let ((called (pathname filespec)))
    (multiple-value-bind (bits signed) (stream-element-specification element-type)
      (apply #'%open (check-not-wild (physical-pathname called)) direction (if (eq element-type :default) 'character element-type)
             bits signed
             (append (remove-property (remove-property options :direction) :element-type)
                     (if (%logical-pathname-p called) (list :called called) '()))))))

(defun physical-pathname (designator)
  "The pathname to hand to the machine: translated when it is logical."
  (let ((pathname (pathname designator)))
    (if (%logical-pathname-p pathname) (translate-logical-pathname pathname) pathname)))

(defun (setf logical-pathname-translations) (translations host)
  "Says what the logical pathnames of a host stand for."
  (unless (stringp host) (error 'type-error :datum host :expected-type 'string))
  (unless (listp translations) (error 'type-error :datum translations :expected-type 'list))
  (%set-logical-translations host '())
  (%set-logical-translations
   host
   (mapcar (lambda (rule)
             (list (let ((from (first rule)))
                     (if (stringp from) (values (parse-namestring from host)) (pathname from)))
                   (let ((to (second rule)))
                     (if (stringp to) (values (parse-namestring to)) (pathname to)))))
           translations))
  translations)

(defun translate-logical-pathname (pathname &key)
  "The physical pathname a logical one stands for."
  (let ((pathname (if (stringp pathname) (pathname pathname) pathname)) (steps 0))
    (setq pathname (pathname pathname))
    (do () ((not (%logical-pathname-p pathname)) pathname)
      (when (> (incf steps) 100)
        (error 'file-error :pathname pathname))
      (let ((rule (find-if (lambda (rule) (pathname-match-p pathname (first rule)))
                           (logical-pathname-translations (pathname-host pathname)))))
        (unless rule
          (error 'simple-file-error :pathname pathname
                 :format-control "There is no translation for the logical pathname ~S."
                 :format-arguments (list pathname)))
        (setq pathname (translate-pathname pathname (first rule) (second rule)))))))

(defun load-logical-pathname-translations (host)
  "Looks for the translations of a logical host; NIL when it has some already."
  (unless (stringp host) (error 'type-error :datum host :expected-type 'string))
  (if (%logical-host-p host)
      nil
      (error 'simple-error :format-control "No translations are known for the logical host ~S." :format-arguments (list host))))

(defun check-not-wild (pathname)
  (when (wild-pathname-p pathname)
    (error 'simple-file-error :pathname pathname :format-control "The pathname ~S is wild."
           :format-arguments (list pathname)))
  pathname)

(defun truename (filespec)
  "The canonical name of an existing file."
  (if (%file-stream-p filespec)
      (%truename filespec)
      (%truename (check-not-wild (physical-pathname filespec)))))

(defun probe-file (pathspec)
  "The canonical name of a file, or NIL when there is none."
  (%probe-file (check-not-wild (physical-pathname pathspec))))

(defun check-directory-ascents (pathname)
  "Signals FILE-ERROR if the directory of PATHNAME goes up from the root, or from a subtree of any depth."
  (do ((parts (pathname-directory pathname) (cdr parts)))
      ((not (and (consp parts) (cdr parts))) pathname)
    (when (and (member (car parts) '(:absolute :wild-inferiors)) (member (cadr parts) '(:up :back)))
      (error 'simple-file-error :pathname pathname
             :format-control "The directory ~S of ~S has ~S right after ~S: nothing is above the root, and a subtree of any depth has no one parent. Leave out ~S."
             :format-arguments (list (pathname-directory pathname) pathname (cadr parts) (car parts) (cadr parts))))))

(defun directory (pathspec &key)
  "The canonical names of all files that match."
  (let ((pathname (check-directory-ascents (physical-pathname pathspec))))
    (if (wild-pathname-p pathname)
        (%directory pathname)
        (let ((found (%probe-file pathname))) (if found (list found) '())))))

(defun delete-file (filespec)
  "Deletes a file."
  (%delete-file (check-not-wild (physical-pathname filespec))))

(defun rename-file (file new-name)
  "Renames a file. Values: new name, logical when the new or the old one is, old and new canonical names."
  (let* ((file (merge-pathnames file)) (name (check-not-wild (merge-pathnames new-name file nil))))
    (multiple-value-bind (new old-truename new-truename)
        (%rename-file (physical-pathname file) (physical-pathname name))
      (values (if (%logical-pathname-p name) name new) old-truename new-truename))))

(defun file-write-date (pathspec)
  "Universal time of the last change of a file."
  (%file-write-date (check-not-wild (physical-pathname pathspec))))

(defun file-author (pathspec)
  "Name of the owner of a file, or NIL."
  (%file-author (check-not-wild (physical-pathname pathspec))))

(defun ensure-directories-exist (pathspec &key verbose)
  "Makes the directories of a pathname that do not exist. Second value: whether it made any."
  (let* ((pathname (merge-pathnames (physical-pathname pathspec)))
         (directory (pathname-directory pathname))
         (created nil) (prefix '()))
    (when (wild-pathname-p pathname :directory)
      (error 'simple-file-error :pathname pathname :format-control "The directory of ~S is wild."
             :format-arguments (list pathname)))
    (dolist (part directory)
      (setq prefix (append prefix (list part)))
      (when (cdr prefix)
        (let ((name (namestring (make-pathname :directory prefix :name nil :type nil :version nil :defaults pathname))))
          (when (%make-directory name)
            (setq created t)
            (when verbose (format t "~&; creating directory ~A~%" name))))))
    (values pathspec created)))

(defun user-homedir-pathname (&optional host)
  "The home directory."
  (declare (ignore host))
  (%home-directory))
