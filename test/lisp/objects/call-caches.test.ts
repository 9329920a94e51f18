import { describe, expect, it } from "vitest";
import type { LString } from "../../../lisp/data/string.ts";
import { bootImage } from "../../../lisp/image/boot.ts";
import { loadText } from "../../../lisp/image/source-loading.ts";

/**
 * Each program compiles functions whose calls remember what they found (accessors, other generic functions, SLOT-VALUE,
 * MAKE-INSTANCE), uses them until they do, changes what they rest on, and uses them again.
 */
const prelude = `
(defclass shape () ((name :initarg :name :accessor name) (size :initarg :size :accessor size :initform 1)))
(defclass circle (shape) ((radius :initarg :radius :accessor radius)))
(defclass box (shape) ((width :initarg :width :accessor width)))
(defgeneric area (shape))
(defmethod area ((s circle)) (list :circle (radius s)))
(defmethod area ((s box)) (list :box (width s)))
(defgeneric scale (shape factor &optional more))
(defmethod scale ((s circle) factor &optional more) (list (radius s) factor more))
(defun read-size (s) (size s))
(defun write-size (s v) (setf (size s) v))
(defun read-name (s) (slot-value s 'name))
(defun write-name (s v) (setf (slot-value s 'name) v))
(defun area-of (s) (area s))
(defun scaled (s f) (scale s f))
(defun new-circle (r) (make-instance 'circle :radius r :name "c"))
(defun circle-slots (c) (list (radius c) (slot-value c 'name) (slot-value c 'size)))
(defvar *c* (make-instance 'circle :radius 3 :name "c"))
(defvar *b* (make-instance 'box :width 4 :name "b" :size 9))
(defun use () (dotimes (i 20)
                (dolist (s (list *c* *b*)) (read-size s) (write-size s (read-size s)) (read-name s) (write-name s (read-name s)) (area-of s))
                (scaled *c* 2) (new-circle i)))
`;

const cases: readonly (readonly [what: string, change: string, form: string, result: string])[] = [
  [
    "nothing",
    "",
    "(list (read-size *b*) (area-of *c*) (area-of *b*) (scaled *c* 2))",
    "(9 (:CIRCLE 3) (:BOX 4) (3 2 NIL))",
  ],
  [
    "a class whose slots moved",
    "(defclass shape () ((extra :initform :extra) (size :initarg :size :accessor size :initform 1) (name :initarg :name :accessor name)))",
    "(list (read-size *b*) (read-name *b*) (read-size (new-circle 1)) (slot-value *b* 'extra) (circle-slots (new-circle 5)))",
    '(9 "b" 1 :EXTRA (5 "c" 1))',
  ],
  [
    "an instance that changed its class",
    "(change-class *c* 'box :width 7)",
    "(list (area-of *c*) (read-size *c*))",
    "((:BOX 7) 1)",
  ],
  [
    "a method around an accessor",
    "(defmethod size :around ((s box)) (list :around (call-next-method)))",
    "(list (read-size *b*) (read-size *c*))",
    "((:AROUND 9) 1)",
  ],
  [
    "a method around a writer",
    "(defmethod (setf size) :before (value (s box)) (setf (slot-value s 'name) value))",
    "(progn (write-size *b* 5) (list (read-name *b*) (read-size *b*)))",
    "(5 5)",
  ],
  [
    "a method for an object",
    "(defmethod area ((s (eql *c*))) :this)",
    "(list (area-of *c*) (area-of (new-circle 1)))",
    "(:THIS (:CIRCLE 1))",
  ],
  [
    "a method that went away",
    "(remove-method #'area (find-method #'area '() (list (find-class 'circle))))",
    "(list (area-of *b*) (handler-case (area-of *c*) (error () :none)))",
    "((:BOX 4) :NONE)",
  ],
  [
    "a function in place of the generic one",
    "(progn (fmakunbound 'area) (defun area (s) (list :plain (type-of s))))",
    "(list (area-of *c*) (area-of 'a))",
    "((:PLAIN CIRCLE) (:PLAIN SYMBOL))",
  ],
  [
    "a slot without a value",
    "(slot-makunbound *b* 'name)",
    "(list (handler-case (read-name *b*) (unbound-slot (c) (cell-error-name c))) (read-name *c*))",
    '(NAME "c")',
  ],
  [
    "an object without the slot",
    "",
    "(handler-case (read-name (make-instance 'standard-object)) (error () :missing))",
    ":MISSING",
  ],
  [
    "values that are no instances",
    "",
    '(list (handler-case (read-size 5) (error () :no)) (handler-case (read-name nil) (error () :no)) (handler-case (area-of "x") (error () :no)))',
    "(:NO :NO :NO)",
  ],
  [
    "a method of INITIALIZE-INSTANCE",
    "(defmethod initialize-instance :after ((c circle) &key) (setf (size c) :set))",
    "(circle-slots (new-circle 5))",
    '(5 "c" :SET)',
  ],
  [
    "another initial form",
    "(defclass shape () ((name :initarg :name :accessor name) (size :initarg :size :accessor size :initform 2)))",
    "(circle-slots (new-circle 5))",
    '(5 "c" 2)',
  ],
  [
    "an initial form that is computed",
    "(progn (defvar *n* 0) (defclass shape () ((name :initarg :name :accessor name) (size :initarg :size :accessor size :initform (incf *n*)))))",
    "(list (circle-slots (new-circle 5)) (circle-slots (new-circle 6)))",
    '((5 "c" 1) (6 "c" 2))',
  ],
  [
    "default initargs",
    "(defclass circle (shape) ((radius :initarg :radius :accessor radius)) (:default-initargs :size 12))",
    "(circle-slots (new-circle 5))",
    '(5 "c" 12)',
  ],
  [
    "a slot that all instances share",
    "(defclass shape () ((name :initarg :name :accessor name :allocation :class) (size :initarg :size :accessor size :initform 1)))",
    "(list (circle-slots (new-circle 5)) (read-name *b*) (progn (write-name *b* :new) (read-name (make-instance 'shape))))",
    '((5 "c" 1) "c" :NEW)',
  ],
  [
    "an initarg that is no longer valid",
    "(defclass circle (shape) ((radius :initarg :r :accessor radius)))",
    "(handler-case (new-circle 5) (error (c) (type-of c)))",
    "AUTOLITH-SYSTEM:SIMPLE-PROGRAM-ERROR",
  ],
  [
    "another class of the name",
    "(progn (defclass disc () ((radius :initarg :radius) (name :initarg :name))) (setf (find-class 'circle) (find-class 'disc)))",
    "(class-name (class-of (new-circle 5)))",
    "DISC",
  ],
  [
    "a method with another qualifier",
    "(defmethod scale :around ((s circle) factor &optional more) (list :around (call-next-method s (* 2 factor) 1)))",
    "(scaled *c* 2)",
    "(:AROUND (3 4 1))",
  ],
  [
    "a method for more arguments",
    "(defmethod scale ((s circle) (factor integer) &optional more) (declare (ignore more)) (list :integer factor))",
    "(list (scaled *c* 2) (scaled *c* 2.5))",
    "((:INTEGER 2) (3 2.5 NIL))",
  ],
  [
    "obsolete instances",
    "(make-instances-obsolete 'shape)",
    "(list (read-size *b*) (read-name *b*) (area-of *c*))",
    '(9 "b" (:CIRCLE 3))',
  ],
  ["a traced generic function", "(progn (trace area) (untrace area))", "(area-of *c*)", "(:CIRCLE 3)"],
];

describe("calls that remember", () => {
  it.each(cases.flatMap((row) => [["whole", 0, ...row] as const, ["in pieces", 3, ...row] as const]))(
    "(%s, suspended every %i steps) see %s",
    (_how, every, _what, change, form, result) => {
      const image = bootImage();
      image.symbol("*PACKAGE*").value = image.findPackage("COMMON-LISP-USER")!;
      image.runtime.suspendEvery = every;
      loadText(image, `${prelude} (use) ${change} `);
      const printed = loadText(
        image,
        `(let ((*package* (find-package "COMMON-LISP-USER"))) (prin1-to-string ${form}))`,
      );
      expect((printed as LString).toJS()).toBe(result);
    },
  );
});
