import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createImage } from "../../../lisp/host/lisp-image.ts";
import { restoreLispImage, saveLispImage } from "../../../lisp/host/saved-image.ts";

interface Case {
  form: string;
  /** What SBCL gives; undefined for forms that only prepare others. */
  expected: string | undefined;
}

/** Forms of a file, one a line, each with the line after it that says what SBCL gives (`;=\` lines have escapes). */
function casesOf(chapter: string): Case[] {
  const lines = readFileSync(new URL(`${chapter}.lisp`, import.meta.url), "utf8").split("\n");
  const cases: Case[] = [];
  for (const line of lines) {
    const last = cases.at(-1);
    if (line.startsWith(";=> ") && last) last.expected = line.slice(4);
    else if (line.startsWith(";=\\ ") && last) {
      last.expected = line.slice(4).replace(/\\(.)/g, (_, c: string) => (c === "n" ? "\n" : c));
    } else if (line !== "" && !line.startsWith(";")) cases.push({ form: line, expected: undefined });
  }
  return cases;
}

const harness = `
(in-package "COMMON-LISP-USER")
(defvar sys::*answer* nil)
(defun classify (c)
  (dolist (type '(end-of-file reader-error parse-error print-not-readable unbound-slot unbound-variable undefined-function
                  cell-error division-by-zero arithmetic-error file-error package-error stream-error program-error
                  control-error type-error storage-condition error warning condition))
    (when (typep c type) (return type))))
(defun run-form (text)
  (let* ((out (make-string-output-stream))
         (results (handler-case (let ((*standard-output* out)) (multiple-value-list (eval (read-from-string text))))
                    (error (c) (list :error (classify c) ""))))
         (output (get-output-stream-string out))
         (*print-pretty* nil) (*print-circle* nil))
    (format nil "~S~A" results (if (string= output "") "" (format nil " OUT ~S" output)))))`;

/** Forms between two savings of the image. */
const formsPerImage = 20;

interface Way {
  /** Suspend at every safe point. */
  readonly suspends?: boolean;
  /** Save the image now and then, and go on in what is restored. */
  readonly saves?: boolean;
}

async function answers(cases: readonly Case[], { suspends = false, saves = false }: Way): Promise<string[]> {
  let lisp = createImage();
  await lisp.evaluate(harness).result;
  const found: string[] = [];
  for (const [i, { form }] of cases.entries()) {
    if (saves && i % formsPerImage === formsPerImage - 1) lisp = restoreLispImage(saveLispImage(lisp)).lisp;
    lisp.image.runtime.suspendEvery = suspends ? 1 : 0;
    const quoted = form.replace(/["\\]/g, "\\$&");
    const { result } = lisp.evaluate(`(progn (setq sys::*answer* (run-form "${quoted}")) 1)`);
    const settled = await result;
    found.push(
      settled.kind === "values"
        ? (lisp.image.symbol("SYS:*ANSWER*").value as { toJS(): string }).toJS()
        : settled.kind,
    );
  }
  return found;
}

const withoutErrorText = (text: string): string =>
  text.replace(/^\(:ERROR ([A-Z-]+) "[^]*"\)/, "(:ERROR $1)");

describe.each([
  "objects",
  "conditions",
  "printer",
  "format",
  "streams",
  "pathnames",
  "environment",
  "data-and-control",
  "corners",
])("%s", (chapter) => {
  const cases = casesOf(chapter);

  it.each<readonly [string, Way]>([
    ["", {}],
    [", suspending at every safe point", { suspends: true }],
    [", with the image saved and restored in between", { saves: true }],
  ])("agrees with SBCL%s", async (_how, way) => {
    const found = await answers(cases, way);
    const wrong = cases.flatMap(({ form, expected }, i) => {
      const given = withoutErrorText(found[i] ?? "");
      return expected === undefined || given === expected ? [] : [{ form, expected, given }];
    });
    expect(wrong).toEqual([]);
  });
});
