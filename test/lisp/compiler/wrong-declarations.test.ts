import { describe, expect, it } from "vitest";
import { lispSession } from "../library/lisp-session.ts";

const session = lispSession(`
(defun opaque (x) x)
(defun told (form)
  (handler-case (funcall (compile nil (list 'lambda '() '(declare (optimize (safety 0) (speed 3))) form)))
    (type-error (c) (list (type-error-datum c) (type-error-expected-type c)))))`);

describe("wrong declarations", () => {
  it.each([
    ["(let ((x (opaque 1))) (declare (double-float x)) (* x x))", "(1 DOUBLE-FLOAT)"],
    ["(let ((x 1)) (declare (double-float x)) (list x))", "(1 DOUBLE-FLOAT)"],
    ["(let ((x 1d0)) (declare (double-float x)) (setq x (opaque 2f0)) (+ x 1))", "(2.0 DOUBLE-FLOAT)"],
    ["(let ((x 1d0)) (declare (double-float x)) (funcall (lambda () (setq x nil))) x)", "(NIL DOUBLE-FLOAT)"],
    [
      "(let ((x (opaque -1d0))) (declare (type (double-float 0d0) x)) (sqrt x))",
      "(-1.0d0 (DOUBLE-FLOAT 0.0d0))",
    ],
    ["(let ((x (opaque 1d0))) (declare (single-float x)) (+ x 1f0))", "(1.0d0 SINGLE-FLOAT)"],
    ["(let ((n (opaque 1.5))) (declare (fixnum n)) (1+ n))", "(1.5 FIXNUM)"],
    [
      "(let ((n (opaque most-positive-fixnum))) (declare (fixnum n)) (setq n (1+ n)) n)",
      "(9007199254740992 FIXNUM)",
    ],
    ["(let ((n (opaque 256))) (declare (type (unsigned-byte 8) n)) (list n))", "(256 (INTEGER 0 255))"],
    [
      "(let ((v (vector 1d0))) (declare (type (simple-array double-float (*)) v)) (aref v 0))",
      "(#(1.0d0) (SIMPLE-ARRAY DOUBLE-FLOAT (*)))",
    ],
    [
      "(let ((v (opaque 5))) (declare (type (simple-array bit (*)) v)) (aref v 0))",
      "(5 (SIMPLE-ARRAY BIT (*)))",
    ],
    ["(let ((v (opaque nil))) (declare (simple-vector v)) (svref v 0))", "(NIL (SIMPLE-ARRAY T (*)))"],
    ["(flet ((f (x) (declare (double-float x)) (* 2 x))) (f (opaque 3)))", "(3 DOUBLE-FLOAT)"],
    ["(funcall (lambda (&optional x) (declare (double-float x)) x))", "(NIL DOUBLE-FLOAT)"],
    ["(funcall (lambda (&key (x 1)) (declare (double-float x)) x))", "(1 DOUBLE-FLOAT)"],
    [
      "(multiple-value-bind (q r) (floor 7 2) (declare (fixnum q) (double-float r)) (list q r))",
      "(1 DOUBLE-FLOAT)",
    ],
    ["(let ((s 0d0)) (dolist (x '(1d0 2)) (declare (double-float x)) (incf s x)) s)", "(2 DOUBLE-FLOAT)"],
    ["(+ 1d0 (the double-float (opaque 'a)))", "(A DOUBLE-FLOAT)"],
    [
      "(let ((v (make-array 2 :element-type 'double-float))) (setf (aref v 0) (opaque 1)) v)",
      "(1 DOUBLE-FLOAT)",
    ],
    [
      "(let ((v (make-array 2 :element-type 'double-float)) (i (opaque 2))) (setf (aref v i) 1d0))",
      "(2 (INTEGER 0 (2)))",
    ],
    [
      "(let ((v (make-array '(2 2) :element-type 'fixnum)) (i (opaque -1))) (declare (fixnum i)) (aref v 1 i))",
      "(-1 (INTEGER 0 (2)))",
    ],
    [
      "(let ((v (make-array 2 :element-type 'bit))) (declare (simple-bit-vector v)) (setf (sbit v 1) (opaque 2)))",
      "(2 BIT)",
    ],
    ["(let ((v (make-array 2 :element-type 'double-float))) (svref v 0))", "(#(0.0d0 0.0d0) SIMPLE-VECTOR)"],
  ])("signal TYPE-ERROR, even where no safety is asked for: %s", (form, told) => {
    expect(session(`(told '${form})`)).toBe(`(${told})`);
  });

  it.each([
    [
      "(let ((v (make-array 2 :element-type 'double-float :adjustable t :initial-element 1d0))) (aref v 0))",
      "1.0d0",
    ],
    ["(let ((v (make-array 3 :fill-pointer 1 :initial-element 4))) (aref v 2))", "4"],
    ["(loop for i of-type (integer 0 3) from 0 to 3 sum i)", "6"],
    ["(let ((x 1)) (declare (type real x)) (setq x 2.5d0) (* 2 x))", "5.0d0"],
    ["(let ((n most-positive-fixnum)) (setq n (+ n 1)) n)", "9007199254740992"],
    ["(let ((n 4503599627370496)) (declare (fixnum n)) (* n 4))", "18014398509481984"],
    [
      "(let ((x 0d0)) (declare (double-float x)) (list x (eql x 0d0) (eql x -0d0) (eql (- x) -0d0)))",
      "(0.0d0 T NIL T)",
    ],
  ])("are told from right ones: %s", (form, value) => {
    expect(session(`(told '${form})`)).toBe(`(${value})`);
  });
});
