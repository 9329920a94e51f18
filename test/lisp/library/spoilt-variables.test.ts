/** Errors keep their types when a program has spoilt the variables and packages that the engine itself lives with. */
import { describe, expect, it } from "vitest";
import { lispSession } from "./lisp-session.ts";

describe("types of errors", () => {
  it("are read with standard syntax, whatever the reader's variables are", () => {
    const evaluate = lispSession(`
      (defun expected-type (function)
        (handler-case (funcall function)
          (type-error (condition) (type-error-expected-type condition))))
      (defun spoilt (function)
        (let ((*readtable* (copy-readtable nil)) (*read-base* 36))
          (setf (readtable-case *readtable*) :invert)
          (set-macro-character #\\( (lambda (stream char) (declare (ignore stream char)) 77))
          (expected-type function)))
    `);
    expect(evaluate("(spoilt (lambda () (car (vector 3))))")).toBe("(LIST)");
    expect(evaluate("(spoilt (lambda () (write-byte 1 (make-string-output-stream))))")).toBe(
      "((SATISFIES AUTOLITH-SYSTEM:BINARY-STREAM-P))",
    );
    expect(evaluate("(eq (spoilt (lambda () (aref (vector 1 2) 7))) (spoilt (lambda () (car 3))))")).toBe(
      "(NIL)",
    );
    expect(evaluate("(typep 9 (spoilt (lambda () (code-char -1))))")).toBe("(T)");
  });
});

describe("what the engine lives with", () => {
  it("is refused to be renamed, deleted or emptied", () => {
    const evaluate = lispSession(`
      (defmacro refused (form)
        \`(handler-case ,form
           (package-error (condition) (package-name (package-error-package condition)))))
    `);
    for (const name of ["COMMON-LISP", "KEYWORD", "AUTOLITH-SYSTEM"]) {
      expect(evaluate(`(refused (rename-package "${name}" :foo))`)).toBe(`("${name}")`);
      expect(evaluate(`(refused (handler-bind ((error #'continue)) (delete-package "${name}")))`)).toBe(
        `("${name}")`,
      );
    }
    expect(evaluate("(refused (do-symbols (s :cl) (unintern s :cl)))")).toBe('("COMMON-LISP")');
    expect(evaluate('(unintern (intern "ABC"))')).toBe("(T)");
  });

  it("makes errors of wrong values of *PRINT-PPRINT-DISPATCH*, *PRINT-BASE* and *BREAK-ON-SIGNALS*", () => {
    const evaluate = lispSession();
    expect(
      evaluate(
        "(handler-case (let ((*print-base* 77)) (princ-to-string 3)) (type-error (c) (type-error-datum c)))",
      ),
    ).toBe("(77)");
    expect(
      evaluate(
        "(handler-case (let ((*print-pprint-dispatch* 3) (*print-pretty* t)) (princ-to-string '(1))) (type-error (c) (type-error-datum c)))",
      ),
    ).toBe("(3)");
    expect(
      evaluate(
        `(handler-case (let ((*break-on-signals* 'foo)) (error "bah")) (type-error (c) (type-error-datum c)))`,
      ),
    ).toBe("(FOO)");
  });
});
