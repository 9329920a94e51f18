import { describe, expect, it } from "vitest";
import { lispSession } from "./lisp-session.ts";

const cases: readonly (readonly [form: string, values: string])[] = [
  ["(loop for x in '(1 2 nil 4) while x for y = (* x x) collect y)", "((1 4))"],
  ["(loop for x = 3 then (1- x) until (= x 0) for y = (/ 6 x) collect y)", "((2 3 6))"],
  ['(loop while nil for y = (error "tested too late") collect y)', "(NIL)"],
  [
    "(loop for x in '(1 2 nil 4) while x for y = (* x x) repeat 2 while (< y 10) for z = (+ x y) collect (list x y z))",
    "(((1 1 2) (2 4 6)))",
  ],
  [
    "(loop for x in '(1 2 3) collect x into a while (< x 3) for y = x finally (return (list x y a)))",
    "((3 3 (1 2 3)))",
  ],
];

describe("WHILE and UNTIL between FOR clauses", () => {
  const evaluate = lispSession();
  it.each(cases)("%s", (form, values) => expect(evaluate(form)).toBe(values));
});
