import { describe, expect, it } from "vitest";
import { lispSession } from "./lisp-session.ts";

const refused = [
  "(fmakunbound 'car)",
  "(setf (symbol-function 'cdr) #'list)",
  "(setf (fdefinition 'cdr) #'list)",
  "(setf (macro-function 'when) (lambda (form environment) environment form))",
  "(defvar car 3)",
  "(defconstant cdr 3)",
  "(deftype list () t)",
  "(defstruct cons a)",
  "(defclass room () ())",
  "(define-condition warning () ())",
  "(defsetf car list)",
  "(define-compiler-macro car (x) x)",
  "(define-symbol-macro print 3)",
];

const accepted = [
  "(let ((list 1) (car 2)) (+ list car))",
  "(let () (defparameter *print-base* 10) 3)",
  "(let () (trace car) (untrace car) (car '(3)))",
  "(let () (defclass person () ((position :initform 3 :reader place))) (place (make-instance 'person)))",
  "(let () (defstruct point list) (point-list (make-point :list 3)))",
];

describe("the lock of COMMON-LISP", () => {
  const evaluate = lispSession();
  it.each(refused)("refuses %s", (form) => expect(evaluate(form)).toContain("PACKAGE-LOCK-VIOLATION"));
  it.each(accepted)("lets %s pass", (form) => expect(evaluate(form)).toBe("(3)"));
  it("has changed nothing", () =>
    expect(evaluate("(values (funcall 'car '(1)) (funcall 'cdr '(1 2)))")).toBe("(1 (2))"));
});
