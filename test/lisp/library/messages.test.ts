import { describe, expect, it } from "vitest";
import { lispSession } from "./lisp-session.ts";

const report = `(defun report (form)
  (handler-case (progn (eval form) "no error") (error (condition) (let ((*print-circle* nil)) (princ-to-string condition)))))`;

const cases: readonly (readonly [form: string, message: string])[] = [
  ["(funcall (lambda (x) x))", "wrong number of arguments for an anonymous function, which takes 1 argument"],
  ["(funcall 'car)", "wrong number of arguments for CAR, which takes 1 argument"],
  [
    "(progn (defun two (a &optional b) (list a b)) (two 1 2 3))",
    "wrong number of arguments for TWO, which takes 1 to 2 arguments",
  ],
  [
    "(funcall (lambda (a &rest r) (list a r)))",
    "wrong number of arguments for an anonymous function, which takes at least 1 argument",
  ],
  ["(in-package :nope)", 'There is no package named \\"NOPE\\".'],
  ["(length '#1=(1 . #1#))", "The list #1=(1 . #1#) is circular; a list with an end is needed."],
  ["(getf '(1) 1)", "The property list (1) is malformed: its last indicator has no value."],
  ['(subseq "abc" 2 1)', "The start 2 is beyond the end 1, in a sequence of 3 elements."],
  ["(find 1 '(1 2 3) :start 2 :end 1)", "The start 2 is beyond the end 1, in a sequence of 3 elements."],
  [
    '(delete-file "/nowhere/x")',
    'The operation on the file #P\\"/nowhere/x\\" failed: there is no such file or directory.',
  ],
  ['(with-open-file (s "/tmp") (read-char s))', "it is a directory (/tmp)"],
];

describe("messages of errors", () => {
  const evaluate = lispSession(report);
  it.each(cases)("%s", (form, message) => expect(evaluate(`(report '${form})`)).toContain(message));
});

describe("DESCRIBE of a name", () => {
  const evaluate = lispSession();
  it("tells the documentation and slots of its class", () => {
    evaluate('(defclass point () (x y) (:documentation "A place."))');
    expect(evaluate("(with-output-to-string (s) (describe 'point s))")).toMatch(
      /Documentation: A place\..*Slots: X, Y/s,
    );
  });
  it("tells the documentation of its generic function", () => {
    evaluate('(defgeneric area (shape) (:documentation "How large."))');
    expect(evaluate("(with-output-to-string (s) (describe 'area s))")).toMatch(
      /generic function.*Lambda list: \(SHAPE\).*Documentation: How large\./s,
    );
  });
});
