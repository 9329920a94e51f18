import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { symbolFunction } from "../../../lisp/data/symbol.ts";
import { LString } from "../../../lisp/data/string.ts";
import { bootImage } from "../../../lisp/image/boot.ts";
import { loadText } from "../../../lisp/image/source-loading.ts";
import { restoreImage } from "../../../lisp/saved-images/restore-image.ts";
import { saveImage } from "../../../lisp/saved-images/save-image.ts";
import { findOracle } from "../differential/oracle.ts";
import {
  arbitraryNumericBody,
  numericArguments,
  numericDefinitions,
  numericFunction,
} from "./arbitrary-numeric-programs.ts";

/** Lisp for both sides: the printed value of a call, floats exactly, or what kind of error it signalled. */
const driver = `
${numericDefinitions}
(defun exact (x)
  (cond ((consp x) (mapcar #'exact x))
        ((floatp x) (list (if (typep x 'double-float) :double :single) (rational x) (plusp (float-sign x))))
        (t x)))
(defun outcome (fn arguments)
  (let ((*print-pretty* nil))
    (handler-case (prin1-to-string (exact (apply fn arguments)))
      (arithmetic-error () "arithmetic error")
      (type-error () "type error"))))
(defun outcomes (text)
  (let ((fn (handler-bind ((warning #'muffle-warning))
              (let ((*error-output* (make-broadcast-stream))) (compile nil (read-from-string text))))))
    (mapcar (lambda (arguments) (outcome fn arguments)) '(${numericArguments.map((text) => `(${text})`).join(" ")}))))
(defun told (text) (format nil "~{~a~^|~}" (outcomes text)))
`;

function session(): {
  readonly image: ReturnType<typeof bootImage>;
  /** Outcomes of a function given as text. */
  told: (fn: string) => string;
  /** Outcomes of the function with a body. */
  answer: (body: string) => string;
} {
  const image = bootImage();
  const user = image.findPackage("COMMON-LISP-USER")!;
  image.symbol("*PACKAGE*").value = user;
  loadText(image, driver);
  const fn = symbolFunction(user.lookup("TOLD")!)!;
  const told = (text: string): string => (image.runtime.callNow(fn, LString.from(text)) as LString).toJS();
  return { image, told, answer: (body) => told(numericFunction(body)) };
}

const folder = mkdtempSync(join(tmpdir(), "numeric-programs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What SBCL answers for each body. */
function oracleAnswers(oracle: string, bodies: readonly string[]): string[] {
  const file = join(folder, "programs.lisp");
  const lines = bodies.map((body) => `(format t "~a~%" (told ${JSON.stringify(numericFunction(body))}))`);
  writeFileSync(file, `${driver}\n${lines.join("\n")}\n`);
  const output = execFileSync(oracle, ["--script", file], { encoding: "utf8", maxBuffer: 2 ** 26 });
  return output.split("\n").slice(0, -1);
}

const oracle = findOracle();

describe("programs over declared numbers", () => {
  const { image, told, answer } = session();

  it("give the same when they are suspended at safe points and go on in slow versions", () => {
    fc.assert(
      fc.property(arbitraryNumericBody, fc.integer({ min: 1, max: 5 }), (body, every) => {
        image.runtime.suspendEvery = 0;
        const expected = answer(body);
        image.runtime.suspendEvery = every;
        const suspended = answer(body);
        image.runtime.suspendEvery = 0;
        expect(suspended).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  it.runIf(oracle !== undefined)("give what SBCL gives", () => {
    const bodies = fc.sample(arbitraryNumericBody, { numRuns: 60, seed: 7 });
    const expected = oracleAnswers(oracle!, bodies);
    for (const [i, body] of bodies.entries()) {
      const parts = expected[i]!.split("|");
      const found = answer(body).split("|");
      // SBCL leaves out operations whose results decide nothing, and with them their errors.
      const same = found.map((text, k) => (text === "arithmetic error" ? text : parts[k]));
      expect({ body, found }).toEqual({ body, found: same });
      for (const [k, text] of parts.entries())
        if (text === "arithmetic error") expect({ body, text: found[k] }).toEqual({ body, text });
    }
  });

  it("give the same without their declarations", () => {
    fc.assert(
      fc.property(arbitraryNumericBody, (body) => {
        const plain = numericFunction(body)
          .replace(/\(declare (?:\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)\s*)+\)/g, "")
          .replaceAll("(the double-float ", "(identity ")
          .replaceAll("(the (double-float 0d0) ", "(identity ");
        expect(plain).not.toMatch(/declare|the /);
        expect(told(plain)).toBe(answer(body));
      }),
      { numRuns: 60 },
    );
  });

  it("give the same in a saved image", () => {
    const made = session();
    const bodies = fc.sample(arbitraryNumericBody, 10);
    for (const [i, body] of bodies.entries())
      loadText(made.image, `(setf (symbol-function 'p${i}) ${numericFunction(body)})`);
    const call = (target: typeof image, i: number): string[] => {
      const user = target.findPackage("COMMON-LISP-USER")!;
      const outcome = symbolFunction(user.lookup("CALL")!)!;
      return numericArguments.map((text) =>
        (target.runtime.callNow(outcome, LString.from(`(p${i} ${text})`)) as LString).toJS(),
      );
    };
    loadText(
      made.image,
      `(defun call (text) (let ((form (read-from-string text))) (outcome (symbol-function (car form)) (cdr form))))`,
    );
    const again = restoreImage(saveImage(made.image)).image;
    for (const every of [0, 1]) {
      again.runtime.suspendEvery = every;
      expect(bodies.map((_body, i) => call(again, i))).toEqual(bodies.map((_body, i) => call(made.image, i)));
    }
  });
});
