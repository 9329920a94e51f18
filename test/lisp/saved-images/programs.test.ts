import { readFileSync } from "node:fs";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { LString } from "../../../lisp/data/string.ts";
import { symbolFunction } from "../../../lisp/data/symbol.ts";
import { bootImage } from "../../../lisp/image/boot.ts";
import type { Image } from "../../../lisp/image/image.ts";
import { loadText } from "../../../lisp/image/source-loading.ts";
import { restoreImage } from "../../../lisp/saved-images/restore-image.ts";
import { saveImage } from "../../../lisp/saved-images/save-image.ts";
import { arbitraryProgram } from "./arbitrary-programs.ts";

const printer = `
(defun sys::print-values (text)
  (let ((*print-pretty* nil) (*print-circle* nil))
    (handler-case (prin1-to-string (multiple-value-list (eval (read-from-string text))))
      (error (condition) (format nil "~A: ~A" (type-of condition) condition)))))`;

function userImage(): Image {
  const image = bootImage();
  image.symbol("*PACKAGE*").value = image.findPackage("COMMON-LISP-USER")!;
  loadText(image, printer);
  return image;
}

function restored(image: Image): Image {
  return restoreImage(saveImage(image)).image;
}

function answer(image: Image, form: string): string {
  const print = symbolFunction(image.system.lookup("PRINT-VALUES")!)!;
  return (image.runtime.callNow(print, LString.from(form)) as LString).toJS();
}

const source = readFileSync(new URL("programs.lisp", import.meta.url), "utf8");
const questions = source.split("\n").flatMap((line) => (line.startsWith(";? ") ? [line.slice(3)] : []));

describe("programs of a saved image", () => {
  let bytes: Uint8Array;
  let expected: readonly string[];
  beforeAll(() => {
    const image = userImage();
    loadText(image, source);
    bytes = saveImage(image);
    expected = questions.map((form) => answer(image, form));
  });

  it("answer as they did, definition by definition", () => {
    const { image } = restoreImage(bytes);
    expect(questions.map((form) => answer(image, form))).toEqual(expected);
    expect(expected.filter((text) => /UNDEFINED|UNBOUND|READER-ERROR/.test(text))).toEqual([]);
  });

  it("answer the same in the image of an image", () => {
    const image = restored(restored(restoreImage(bytes).image));
    expect(questions.map((form) => answer(image, form))).toEqual(expected);
  });

  it("answer the same when every safe point suspends and every frame goes on in its slow version", () => {
    const { image } = restoreImage(bytes);
    image.runtime.suspendEvery = 1;
    expect(questions.map((form) => answer(image, form))).toEqual(expected);
  });
});

/** Forms of the evaluator's own test, each as a function that is compiled before the image is saved. */
const forms = readFileSync(new URL("../compiler/evaluation-forms.lisp", import.meta.url), "utf8")
  .split("\n")
  .flatMap((line, i, lines) => (line.startsWith(";=> ") ? [lines[i - 1]!] : []));

describe("compiled forms of a saved image", () => {
  it("give what they gave, quickly and frame by frame", () => {
    const image = userImage();
    for (const [i, form] of forms.entries())
      answer(image, `(handler-bind ((warning #'muffle-warning)) (defun form-${i} () ${form}))`);
    const bytes = saveImage(image);
    const calls = forms.map((_form, i) => `(form-${i})`);
    const expected = calls.map((call) => answer(image, call));
    for (const suspendEvery of [0, 1, 7]) {
      const again = restoreImage(bytes).image;
      again.runtime.suspendEvery = suspendEvery;
      expect(calls.map((call) => answer(again, call))).toEqual(expected);
    }
  });
});

describe("random programs", () => {
  it("give the same before and after", () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryProgram, { minLength: 5, maxLength: 15 }),
        fc.nat(9),
        (programs, every) => {
          const image = userImage();
          for (const [i, program] of programs.entries()) answer(image, `(defun p${i} (a b) ${program})`);
          const again = restored(image);
          again.runtime.suspendEvery = every;
          const calls = programs.flatMap((_program, i) => [`(p${i} 3 -2)`, `(p${i} 100 'x)`]);
          expect(calls.map((call) => answer(again, call))).toEqual(calls.map((call) => answer(image, call)));
        },
      ),
      { numRuns: 25 },
    );
  });
});
