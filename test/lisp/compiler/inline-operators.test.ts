import { describe, expect, it } from "vitest";
import { lispSession } from "../library/lisp-session.ts";

const session = lispSession(`
(defun store (array i value) (setf (aref array i) value))
(defun store-2 (array i j value) (setf (aref array i j) value))
(defun residue (a b c) (mod (+ (* a b) c) 2147483648))
(defun masked (a b) (logand (* a b) #xffffffff))
(defun masked-sum (a b c) (logand (+ c (* a b)) #xffff))
(defun bits (a b) (list (logand a b) (logior a b) (logxor a b)))
(defun shifts (a) (list (ash a -8) (ash a 5) (logand a #xffffffffff)))
(defclass thing () ((size :accessor size :initform 1)))
`);

describe("operators written inline", () => {
  it.each([
    ["(aref 5 1)", "TYPE-ERROR"],
    ["(setf (aref 5 1 2) 3)", "TYPE-ERROR"],
    ["(setf (car 5) 1)", "TYPE-ERROR"],
    ["(rplacd 5 1)", "TYPE-ERROR"],
    ["(cddr 5)", "TYPE-ERROR"],
  ])("refuse a number where an object is expected: %s", (form, type) => {
    expect(
      session(`(handler-case (funcall (compile nil '(lambda () ${form}))) (error (c) (type-of c)))`),
    ).toBe(`(${type})`);
  });

  it("refuse a number at slot accessors", () => {
    const refused = (form: string): string => session(`(handler-case ${form} (error () :refused))`);
    expect(refused("(funcall (compile nil '(lambda () (size 5))))")).toBe("(:REFUSED)");
    expect(refused("(funcall (compile nil '(lambda () (setf (slot-value 5 'size) 1))))")).toBe("(:REFUSED)");
  });

  it.each([
    ["(cadr '(1 . 2))", "2", "LIST"],
    ["(+ 'a 1)", "A", "NUMBER"],
    ["(masked-sum 'a 2 3)", "A", "NUMBER"],
    ["(masked 1.5 2)", "3.0", "INTEGER"],
    ["(store (make-array 3 :element-type 'bit) 1 2)", "2", "BIT"],
    ["(store (make-array 3 :element-type '(unsigned-byte 8)) 1 256)", "256", "(UNSIGNED-BYTE 8)"],
  ])("tell the datum and the expected type: %s", (form, datum, type) => {
    expect(
      session(
        `(handler-case ${form} (type-error (c) (values (type-error-datum c) (subtypep (type-error-expected-type c) '${type}))))`,
      ),
    ).toBe(`(${datum} T)`);
  });

  it.each([
    [
      "(residue 2147483647 1103515245 12345)",
      "(mod (+ (* (opaque 2147483647) (opaque 1103515245)) 12345) 2147483648)",
    ],
    [
      "(residue -9007199254740991 1103515245 -5)",
      "(mod (+ (* (opaque -9007199254740991) (opaque 1103515245)) -5) 2147483648)",
    ],
    ["(residue (expt 3 50) 7 1)", "(mod (+ (* (expt 3 50) (opaque 7)) 1) 2147483648)"],
    ["(masked 4294967295 16777619)", "(ldb (byte 32 0) (* (opaque 4294967295) (opaque 16777619)))"],
    ["(bits 4294967295 2147483648)", "(list 2147483648 4294967295 2147483647)"],
    [
      "(bits -2147483649 255)",
      "(list (boole boole-and -2147483649 255) (boole boole-ior -2147483649 255) (boole boole-xor -2147483649 255))",
    ],
    [
      "(shifts -4503599627370497)",
      "(list (floor -4503599627370497 256) (* -4503599627370497 32) (ldb (byte 40 0) -4503599627370497))",
    ],
    [
      "(let ((a (make-array '(2 2) :element-type 'double-float))) (store-2 a 1 0 2.5d0) (aref a 1 0))",
      "2.5d0",
    ],
    ["(sort (list 3 -1 2 1000000007) #'>)", "(list 1000000007 3 2 -1)"],
    [
      "(stable-sort (list '(1 . a) '(0 . b) '(1 . c) '(0 . d)) #'< :key #'car)",
      "(list '(0 . b) '(0 . d) '(1 . a) '(1 . c))",
    ],
  ])("give what the general operators give: %s", (form, same) => {
    expect(session(`(flet ((opaque (x) x)) (equal ${form} (values ${same})))`)).toBe("(T)");
  });
});
