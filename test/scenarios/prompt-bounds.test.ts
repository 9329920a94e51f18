/** What is left out of a form's values, output and condition is told with its number, wherever the form is shown. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formMessage } from "../../orchestrator/prompt/form-records.ts";
import { formResultText } from "../../orchestrator/prompt/form-text.ts";
import type { Session } from "../../orchestrator/contract/session.ts";
import { type SessionScene, openScene } from "../support/sessions/composed-sessions.ts";
import { evaluated } from "../support/sessions/form-scene.ts";

let scene: SessionScene;
let session: Session;
beforeAll(async () => {
  scene = await openScene([]);
  session = await scene.service.create({ workingDirectory: scene.pit.workspace });
});
afterAll(() => scene[Symbol.asyncDispose]());

/** Forms, and what is said to be left out of their value. */
const leftOut: Readonly<Record<string, string | undefined>> = {
  "(loop for i below 3000 collect i)": "2500 more elements, 11996 more characters",
  "(coerce (loop for i below 3000 collect i) 'vector)": "2500 more elements, 11996 more characters",
  '(make-string 20000 :initial-element #\\")': "32002 more characters",
  "(make-list 1000000 :initial-element :much)": "999500 more elements, more than 196995 more characters",
  "(list :a (make-string 300000 :initial-element #\\a))": "more than 192000 more characters",
  "(list 1 (make-string 7000 :initial-element #\\a))": undefined,
  "(let ((ring (make-list 900 :initial-element 1))) (setf (cdr (last ring)) ring))": undefined,
  "(loop for i below 1500 collect 1)": undefined,
};

describe("what does not fit", () => {
  it.each(Object.entries(leftOut))("%s", async (source, expected) => {
    const result = await evaluated(session, source);
    expect(result.values[0]).toMatchObject({ cut: expected !== undefined });
    expect(result.values[0]?.omitted).toBe(expected);
    const text = formResultText(result);
    if (expected === undefined) expect(text).not.toContain("more ");
    else expect(text.endsWith(` … (${expected})`)).toBe(true);
  });

  it("values, output and what conditions hold", async () => {
    const many = await evaluated(session, "(values-list (loop for i below 70 collect i))");
    expect(formResultText(many)).toMatch(/⇒ 63\n; 6 more values$/);
    expect(formMessage({ formId: "form:1", source: "x" }, many)).toContain("… (6 more values)");
    const talk = await evaluated(
      session,
      "(dotimes (i 700) (write-line (make-string 99 :initial-element #\\x)))",
    );
    expect(formResultText(talk)).toContain("… (4464 more characters of output)");
    expect(formMessage({ formId: "form:2", source: "x" }, talk)).toMatch(
      /… \(61536 more characters\)\n\n\(4464 more characters of output are not kept\.\)/,
    );
    const failed = await evaluated(session, "(car (make-string 5000 :initial-element #\\x))");
    expect(formResultText(failed)).toContain("xx ... (4502 more characters)");
  });
});
