import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createImage } from "../../../lisp/host/lisp-image.ts";

/** Forms with the values that SBCL gives, in the file beside this one. */
const cases = readFileSync(new URL("evaluation-forms.lisp", import.meta.url), "utf8")
  .split("\n")
  .reduce<{ form: string; expected: string }[]>((all, line, i, lines) => {
    if (line.startsWith(";=> ")) all.push({ form: lines[i - 1]!, expected: line.slice(4) });
    return all;
  }, []);

const classify = `
(defun classify (c)
  (cond ((typep c 'undefined-function) 'undefined-function) ((typep c 'unbound-variable) 'unbound-variable)
        ((typep c 'type-error) 'type-error) ((typep c 'program-error) 'program-error)
        ((typep c 'control-error) 'control-error) ((typep c 'arithmetic-error) 'arithmetic-error)
        ((typep c 'error) 'error) (t 'condition)))
(defun run-form (text)
  (let ((values (handler-case (handler-bind ((warning #'muffle-warning))
                                (multiple-value-list (eval (read-from-string text))))
                  (error (c) (list :error (classify c))))))
    (let ((*print-pretty* nil)) (prin1-to-string values))))`;

async function answers(suspendAlways: boolean): Promise<string[]> {
  const lisp = createImage();
  await lisp.evaluate(classify).result;
  lisp.image.runtime.suspendAlways = suspendAlways;
  const found: string[] = [];
  for (const { form } of cases) {
    const result = await lisp.evaluate(`(run-form ${JSON.stringify(form)})`).result;
    found.push(result.kind === "values" ? (JSON.parse(result.values[0]!.preview) as string) : result.kind);
  }
  return found;
}

describe("the evaluator", () => {
  it("gives the values and condition types that SBCL gives", async () => {
    const found = await answers(false);
    expect(cases.length).toBeGreaterThan(200);
    expect(found).toEqual(cases.map(({ expected }) => expected));
  });

  it("gives the same when every safe point suspends and every frame goes on in its slow version", async () => {
    const found = await answers(true);
    expect(found).toEqual(cases.map(({ expected }) => expected));
  });
});
