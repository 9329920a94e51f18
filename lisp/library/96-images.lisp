;;;; Saved images, and the journal of definitions they keep.

(in-package "AUTOLITH-SYSTEM")

(defun sb-ext::save-image (filespec &key (note ""))
  "Save everything of this image to a file, from which `autolith lisp --image FILE` goes on. The file is written whole or not at
all. NOTE is kept with it. Nothing else may run in the image meanwhile; streams that are open now are closed in the saved
image. The value is the pathname of the file."
  (unless (stringp note) (error 'type-error :datum note :expected-type 'string))
  (finish-all-output)
  (let ((pathname (merge-pathnames filespec)))
    (%save-image (%native-name pathname) note (package-name *package*))
    pathname))

(export 'sb-ext::save-image "SB-EXT")
(import 'sb-ext::save-image "AUTOLITH")
(export 'sb-ext::save-image "AUTOLITH")

(defun definition-journal ()
  "The definitions made in this image, in order, as property lists with the keys :KIND, :NAME, :SOURCE, :FILE, :LINE, :PACKAGE,
:SEQUENCE and :CUT. Each SOURCE, read in its PACKAGE and evaluated, makes its definition again, unless it was too long and was CUT."
  (mapcar (lambda (entry)
            (mapcan #'list '(:kind :name :source :file :line :package :sequence :cut) entry))
          (%journal-entries)))

(defun definition-source (name &optional kind)
  "The text of the last definition of NAME made in this image, of a KIND like DEFUN when one is given, and the file and line
it was read from; NIL when there is none."
  (let ((spelt (if (symbolp name) (symbol-name name) (prin1-to-string name))) (found nil))
    (dolist (entry (%journal-entries))
      (when (and (or (null kind) (string= kind (first entry)))
                 (let* ((text (second entry)) (colon (and (symbolp name) (position #\: text :from-end t))))
                   (string-equal spelt text :start2 (if colon (1+ colon) 0))))
        (setq found entry)))
    (when found (values (third found) (fourth found) (fifth found)))))

(export '(definition-journal definition-source) "AUTOLITH-SYSTEM")
