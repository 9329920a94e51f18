import { assert, constantFrom, letrec, oneof, property, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { lispSession } from "./lisp-session.ts";

const atoms = [
  "t",
  "nil",
  "null",
  "symbol",
  "keyword",
  "boolean",
  "cons",
  "list",
  "atom",
  "sequence",
  "number",
  "real",
  "rational",
  "integer",
  "fixnum",
  "bignum",
  "bit",
  "ratio",
  "float",
  "single-float",
  "double-float",
  "complex",
  "character",
  "base-char",
  "standard-char",
  "function",
  "hash-table",
  "package",
  "string",
  "simple-string",
  "vector",
  "simple-vector",
  "bit-vector",
  "array",
  "structure-object",
  "standard-object",
  "point",
  "point-3",
  "animal",
  "dog",
  "(integer 0 10)",
  "(integer (0) 5)",
  "(integer * 3)",
  "(rational 0 1)",
  "(real 0 10)",
  "(single-float 0.0 1.0)",
  "(float (0.0) 2.0)",
  "(member a b 3)",
  "(eql 1/2)",
  "(eql -0.0)",
  "(mod 5)",
  "(unsigned-byte 8)",
  "(signed-byte 8)",
  "(array t (2 3))",
  "(array * 2)",
  "(vector * 3)",
  "(array (unsigned-byte 8) (*))",
  "(complex rational)",
  "(cons integer)",
];

const prelude = `
(defstruct point x y) (defstruct (point-3 (:include point)) z)
(defclass animal () ()) (defclass dog (animal) ())
(defvar *objects*
  (list nil t 'a :b 0 1 3 -1 7 11 200 (expt 10 30) 1/2 3/2 -7/3 0.0 -0.0 0.5 1.0 2.5 0d0 1d0 #\\a #\\Newline (code-char 955)
        (cons 1 2) (list 1) (list 'a 'b) "abc" "" (vector) (vector 1 2 3) (make-array '(2 3) :initial-element 0)
        (make-array 3 :element-type '(unsigned-byte 8) :initial-element 0) #*101 (make-array 3 :fill-pointer 2)
        #c(1 2) #c(1.0 2.0) #'car (make-hash-table) *package* (make-point) (make-point-3) (make-instance 'animal)
        (make-instance 'dog)))
(defun counterexample (type-1 type-2)
  (multiple-value-bind (sub certain) (subtypep type-1 type-2)
    (if (and sub certain)
        (list (count-if (lambda (object) (and (typep object type-1) (not (typep object type-2)))) *objects*))
        (list 0))))
(defun same-members-p (type-1 type-2)
  (every (lambda (object) (eq (not (typep object type-1)) (not (typep object type-2)))) *objects*))
`;

const { type } = letrec<{ type: string }>((tie) => ({
  type: oneof(
    { maxDepth: 3, depthSize: "small" },
    constantFrom(...atoms),
    tuple(tie("type"), tie("type")).map(([a, b]) => `(and ${a} ${b})`),
    tuple(tie("type"), tie("type")).map(([a, b]) => `(or ${a} ${b})`),
    tie("type").map((a) => `(not ${a})`),
    tuple(tie("type"), tie("type")).map(([a, b]) => `(cons ${a} ${b})`),
  ),
}));

describe("the type system", () => {
  const text = lispSession(prelude);

  it("never calls a subtype what has a counterexample", () => {
    assert(
      property(type, type, (a, b) => {
        expect(text(`(counterexample '${a} '${b})`)).toBe("((0))");
      }),
      { numRuns: 300 },
    );
  });

  it("knows the laws of complement, union and intersection", () => {
    assert(
      property(type, type, (a, b) => {
        const laws = [
          [`(and ${a} (not ${a}))`, "nil"],
          [a, `(or ${a} ${b})`],
          [`(and ${a} ${b})`, b],
          ["t", `(or ${a} (not ${a}))`],
          [`(not (or ${a} ${b}))`, `(and (not ${a}) (not ${b}))`],
        ];
        for (const [sub, sup] of laws) expect(text(`(subtypep '${sub} '${sup})`)).toBe("(T T)");
      }),
      { numRuns: 100 },
    );
  });

  it("agrees with TYPEP on complements, whether the type is constant or not", () => {
    assert(
      property(type, (a) => {
        expect(text(`(same-members-p '(not (not ${a})) '${a})`)).toBe("(T)");
        expect(
          text(
            `(every (lambda (x) (eq (not (typep x '${a})) (not (sys::typep-specifier x '${a})))) *objects*)`,
          ),
        ).toBe("(T)");
      }),
      { numRuns: 150 },
    );
  });
});
