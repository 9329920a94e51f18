import { describe, expect, it } from "vitest";
import { lispSession } from "./lisp-session.ts";

const session = lispSession();

/** What a form that hits a bound reports. */
function report(form: string): string {
  return session(`(handler-case ${form} (storage-condition (c) (princ-to-string c)))`);
}

describe("bounds", () => {
  it.each([
    ["(make-array (expt 10 12))", "An array of 1000000000000 elements is too large; the bound is 33554431."],
    [
      "(make-array '(100000 100000))",
      "An array of 10000000000 elements is too large; the bound is 33554431.",
    ],
    [
      "(make-string (expt 10 30))",
      `An array of 1${"0".repeat(30)} elements is too large; the bound is 33554431.`,
    ],
    ["(make-list 67108865)", "A list of 67108865 conses is too large; the bound is 67108864."],
    [
      "(let ((s (make-string 20000000))) (concatenate 'string s s))",
      "An array of 40000000 elements is too large; the bound is 33554431.",
    ],
    ["(apply #'list (make-list 1048577))", "APPLY got 1048577 arguments; the bound is 1048576."],
    [
      "(let ((form 1)) (dotimes (i 5000) (setq form `(lambda () ,form))) (eval form))",
      "Functions are written one in the other 301 deep; the bound is 300.",
    ],
    [
      "(let ((x (list 1)) (y (list 1))) (setf (cdr x) x (cdr y) y) (equal x y))",
      "A comparison met more than 134217728 conses; the objects are circular.",
    ],
  ])("reports %s with the number", (form, text) => {
    expect(report(form)).toBe(`("${text}")`);
  });

  it("reports an exhausted stack with its size", () => {
    expect(report("(labels ((f (n) (+ 1 (f n)))) (f 1))")).toMatch(/it holds [\d.]+ megabytes/);
  });

  it("compares lists longer than 20 million conses", () => {
    expect(
      session("(let ((tail (make-list 20000001))) (equal (cons 1 tail) (cons 1 (copy-list tail))))"),
    ).toBe("(T)");
  });
});

describe("what would never end", () => {
  it.each(["~{x~}", "~{~0*~}", "~1000000000{x~}"])("is an error of FORMAT: %s", (control) => {
    expect(session(`(handler-case (format nil "${control}" '(1)) (error (c) (princ-to-string c)))`)).toMatch(
      /took no argument/,
    );
  });

  it.each([
    "(find 9 c)",
    "(position 9 c)",
    "(count 9 c)",
    "(remove 9 c)",
    "(delete 9 c)",
    "(substitute 1 9 c)",
    "(nsubstitute 1 9 c)",
    "(subseq c 5)",
    "(position 9 c :from-end t)",
    "(reduce #'+ c)",
    "(every #'numberp c)",
    "(map 'list #'1+ c)",
    "(sort c #'<)",
    "(mapcar #'1+ c)",
    "(mapc #'1+ c)",
    "(member 9 c)",
    "(assoc 9 (let ((a (list (list 1)))) (setf (cdr a) a) a))",
    "(union c c)",
    "(pairlis c c)",
    "(values-list c)",
    "(remf c :absent)",
    "(setf (getf c :absent) 1)",
  ])("is a type-error of a circular list: %s", (form) => {
    const circle = "(let ((c (list 1 2 3 4))) (setf (cdr (last c)) c)";
    expect(session(`${circle} (handler-case ${form} (type-error () :circular)))`)).toBe("(:CIRCULAR)");
  });

  it.each(["(eval `(lambda ,c 1))", "(eval `(destructuring-bind ,c '(1) 1))", "(eval `(list ,@c))"])(
    "is a program-error of a circular form: %s",
    (form) => {
      const circle = "(let ((c (list 'a 'b))) (setf (cdr (last c)) c)";
      expect(session(`${circle} (handler-case ${form} (program-error () :refused)))`)).toBe("(:REFUSED)");
    },
  );

  it.each(["t", "nil"])("is not printed, with *PRINT-PRETTY* %s", (pretty) => {
    const print = (length: string): string =>
      session(`(let ((c (list 1 2 3 4)) (*print-pretty* ${pretty}) (*print-length* ${length}))
                 (setf (cdr (last c)) c)
                 (handler-case (length (prin1-to-string c)) (storage-condition (x) (princ-to-string x))))`);
    expect(print("nil")).toMatch(/\*PRINT-CIRCLE\* and \*PRINT-LENGTH\* are both NIL/);
    expect(print("3000")).toMatch(/^\(60\d\d\)$/);
  });

  it("is no template when it has commas, and a constant when it has none", () => {
    expect(session("(car (second `(a '#1=(1 . #1#))))")).toBe("(QUOTE)");
    expect(session('(handler-case (eval (read-from-string "`#1=(,1 . #1#)")) (error () :refused))')).toMatch(
      /REFUSED/,
    );
  });
});
