import { describe, expect, it } from "vitest";
import { restoreImage } from "../../../lisp/saved-images/restore-image.ts";
import { saveImage } from "../../../lisp/saved-images/save-image.ts";
import { LString } from "../../../lisp/data/string.ts";
import { symbolFunction } from "../../../lisp/data/symbol.ts";
import { bootImage } from "../../../lisp/image/boot.ts";
import { loadText } from "../../../lisp/image/source-loading.ts";
import { lispSession } from "../library/lisp-session.ts";

const definitions = `
(deftype coordinate () 'double-float)
(defstruct point (x 0d0 :type double-float) (y 0d0 :type coordinate) (w 1f0 :type single-float) (n 0 :type fixnum) name)
(defstruct (point-3 (:include point (x 5d0))) (z 2d0 :type double-float))
(defstruct (bare (:constructor make-bare (&aux x))) (x 0d0 :type double-float))
(defstruct positive (x 1d0 :type (double-float 0d0)))
(defun move (p by) (declare (type double-float by)) (incf (point-x p) by) (setf (point-w p) (* 2 (point-w p))) p)
(defun refused (thunk)
  (handler-case (funcall thunk) (type-error (c) (list (type-error-datum c) (type-error-expected-type c)))))`;

const session = lispSession(definitions);

describe("slots that are declared to be floats", () => {
  it.each([
    [
      "(let* ((p (make-point :x 1d0)) (x (point-x p))) (setf (point-x p) 2d0) (list x (point-x p)))",
      "(1.0d0 2.0d0)",
    ],
    ["(let* ((x 1d0) (p (make-point :x x))) (setf (point-x p) 2d0) (list x (point-x p)))", "(1.0d0 2.0d0)"],
    [
      "(let* ((p (make-point :x 1d0)) (q (copy-point p))) (move q 1d0) (list (point-x p) (point-x q) (point-w p) (point-w q)))",
      "(1.0d0 2.0d0 1.0 2.0)",
    ],
    [
      "(let* ((p (make-point)) (x (slot-value p 'x))) (setf (slot-value p 'x) 4d0) (list x (point-x p) (slot-value p 'x)))",
      "(0.0d0 4.0d0 4.0d0)",
    ],
    [
      "(let* ((p (make-point)) (y 3d0)) (setf (slot-value p 'y) y) (incf (point-y p)) (list y (point-y p)))",
      "(3.0d0 4.0d0)",
    ],
    [
      "(let* ((p (make-point)) (y 3d0)) (funcall #'(setf point-y) y p) (incf (point-y p)) (list y (funcall #'point-y p)))",
      "(3.0d0 4.0d0)",
    ],
    [
      "(let ((p (make-point))) (with-slots (x w) p (setq x 7d0) (incf w) (list x w (point-x p))))",
      "(7.0d0 2.0 7.0d0)",
    ],
    [
      "(let ((p (move (make-point-3) 1d0))) (list (point-x p) (point-3-x p) (point-3-z p) p))",
      "(6.0d0 6.0d0 2.0d0 #S(POINT-3 :X 6.0d0 :Y 0.0d0 :W 2.0 :N 0 :NAME NIL :Z 2.0d0))",
    ],
    [
      "(list (equalp (make-point :x -0d0) (make-point)) (equalp (make-point :x 1d0) (make-point)))",
      "(T NIL)",
    ],
    [
      "(let ((h (make-hash-table :test 'equalp))) (setf (gethash (make-point :x 2d0) h) :found) (gethash (make-point :x 2d0) h))",
      ":FOUND T",
    ],
    [
      "(let ((p #S(point :x 3d0))) (list (point-x p) p))",
      "(3.0d0 #S(POINT :X 3.0d0 :Y 0.0d0 :W 1.0 :N 0 :NAME NIL))",
    ],
    [
      "(let ((p (make-point :x -0d0))) (list (point-x p) (eql (point-x p) -0d0) (eql (point-x p) 0d0)))",
      "(-0.0d0 T NIL)",
    ],
    [
      "(let ((p (make-point))) (rotatef (point-x p) (point-y p)) (psetf (point-x p) 1d0 (point-y p) (point-x p)) p)",
      "#S(POINT :X 1.0d0 :Y 0.0d0 :W 1.0 :N 0 :NAME NIL)",
    ],
    ["(bare-x (make-bare))", "0.0d0"],
    ["(slot-value (make-instance 'point) 'y)", "0.0d0"],
  ])("behave like any slot: %s", (form, printed) => {
    expect(session(form)).toBe(`(${printed})`);
  });

  it.each([
    ["(setf (point-x (make-point)) 1)", "(1 DOUBLE-FLOAT)"],
    ["(setf (point-w (make-point)) 1d0)", "(1.0d0 SINGLE-FLOAT)"],
    ["(make-point :x 1f0)", "(1.0 DOUBLE-FLOAT)"],
    ["(setf (slot-value (make-point) 'x) 'a)", "(A DOUBLE-FLOAT)"],
    ["(move 5 1d0)", "(5 POINT)"],
    ["(move (make-point) 1)", "(1 DOUBLE-FLOAT)"],
    ["(setf (positive-x (make-positive)) -1d0)", "(-1.0d0 (DOUBLE-FLOAT 0.0d0))"],
  ])("refuse what is no such float: %s", (form, told) => {
    expect(session(`(refused (lambda () ${form}))`)).toBe(`(${told})`);
  });

  it("follow redefinitions that make them something else, and back", () => {
    const own = lispSession(
      `${definitions} (defun x-of (p) (point-x p)) (defun twice (p) (* 2 (point-x p))) (defun put (p v) (setf (point-x p) v))`,
    );
    expect(own("(twice (make-point :x 2d0))")).toBe("(4.0d0)");
    own("(defstruct point (x 0 :type integer) name)");
    expect(own("(list (x-of (make-point :x 3)) (refused (lambda () (twice (make-point :x 3)))))")).toBe(
      "((3 (3 DOUBLE-FLOAT)))",
    );
    own("(defun x-of (p) (point-x p))");
    expect(own("(x-of (make-point :x 3))")).toBe("(3)");
    own("(defstruct point (x 0d0 :type double-float) name)");
    expect(own("(let* ((p (make-point :x 3d0)) (x (x-of p))) (put p 4d0) (list x (x-of p) (twice p)))")).toBe(
      "((3.0d0 4.0d0 8.0d0))",
    );
  });

  it("come back from a saved image as slots of their own", () => {
    const image = bootImage();
    const user = image.findPackage("COMMON-LISP-USER")!;
    image.symbol("*PACKAGE*").value = user;
    loadText(
      image,
      `${definitions} (defvar *p* (make-point :x 1.5d0)) (defvar *x* (point-x *p*)) (defvar *q* (copy-point *p*))
       (defun ask (text) (prin1-to-string (eval (read-from-string text))))`,
    );
    const again = restoreImage(saveImage(image)).image;
    for (const every of [0, 1]) {
      again.runtime.suspendEvery = every;
      const ask = symbolFunction(again.findPackage("COMMON-LISP-USER")!.lookup("ASK")!)!;
      const form = "(progn (setf (point-x *p*) 1.5d0) (move *p* 1d0) (list *x* (point-x *p*) (point-x *q*)))";
      expect((again.runtime.callNow(ask, LString.from(form)) as LString).toJS()).toBe("(1.5d0 2.5d0 1.5d0)");
    }
  });
});
