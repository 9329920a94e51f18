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

async function answers(suspendEvery: number): Promise<string[]> {
  const lisp = createImage();
  await lisp.evaluate(classify).result;
  lisp.image.runtime.suspendEvery = suspendEvery;
  const found: string[] = [];
  for (const { form } of cases) {
    const result = await lisp.evaluate(`(run-form ${JSON.stringify(form)})`).result;
    found.push(result.kind === "values" ? (JSON.parse(result.values[0]!.preview) as string) : result.kind);
  }
  return found;
}

describe("the evaluator", () => {
  it("gives the values and condition types that SBCL gives", async () => {
    const found = await answers(0);
    expect(cases.length).toBeGreaterThan(200);
    expect(found).toEqual(cases.map(({ expected }) => expected));
  });

  it("gives the same when every safe point suspends and every frame goes on in its slow version", async () => {
    const found = await answers(1);
    expect(found).toEqual(cases.map(({ expected }) => expected));
  });

  it("gives the same when it is suspended now and then", async () => {
    const found = await answers(7);
    expect(found).toEqual(cases.map(({ expected }) => expected));
  });

  it("goes back to fast code at loop heads of every shape", async () => {
    const lisp = createImage();
    const source = `
      (defun shapes (n)
        (let ((log nil) (sum 0))
          (dotimes (i n) (dotimes (j 3) (incf sum (* i j))))
          (block outer
            (let ((k 0))
              (loop (incf k) (when (> k n) (return-from outer)) (unless (evenp k) (push k log)))))
          (let ((*print-base* 8))
            (do ((i 0 (1+ i)) (l nil (cons (princ-to-string i) l))) ((= i n) (push (car l) log))))
          (catch 'found
            (tagbody a (incf sum) (if (< sum 1000) (go b) (throw 'found t)) b (incf sum 2) (go a)))
          (let ((fns nil))
            (dolist (x '(1 2 3)) (push (lambda () (incf x)) fns) (mapc #'funcall fns))
            (push (mapcar #'funcall fns) log))
          (unwind-protect (loop for i below n do (incf sum i)) (push :done log))
          (multiple-value-bind (q r) (floor sum 7) (dotimes (i n) (incf q r)) (push q log))
          (list sum (if (plusp n) (loop repeat n sum 2) 0) log)))`;
    await lisp.evaluate(source).result;
    const answer = async (suspendEvery: number): Promise<unknown> => {
      lisp.image.runtime.suspendEvery = suspendEvery;
      const result = await lisp.evaluate("(shapes 20)").result;
      return result.kind === "values" ? result.values[0]!.preview : result;
    };
    const expected = await answer(0);
    expect(expected).toMatch(/^\(\d+ 40 \(/);
    for (const every of [1, 2, 3, 5, 11, 50]) expect(await answer(every)).toBe(expected);
  });
});
