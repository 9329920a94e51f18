import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { routedText } from "../../orchestrator/sessions/input/input-routing.ts";
import { type SessionScene, openScene } from "../support/sessions/composed-sessions.ts";
import { shown } from "../support/sessions/form-scene.ts";
import { documentedExamples, tableColumn } from "./documented-examples.ts";

const page = "prompt.md";
const examples = documentedExamples(page);
const pairs = examples.flatMap((form, index) => {
  const expected = examples[index + 1];
  return form.language === "lisp" && expected?.language === "text" ? [{ form, expected }] : [];
});

let scene: SessionScene;
let session: Session;
beforeAll(async () => {
  scene = await openScene([]);
  writeFileSync(join(scene.pit.workspace, "notes.txt"), "first line\nsecond line\n");
  session = await scene.service.create({ workingDirectory: scene.pit.workspace });
});
afterAll(() => scene[Symbol.asyncDispose]());

describe("docs/prompt.md", () => {
  it("shows what comes of every form", () => {
    expect(pairs.length * 2).toBe(examples.length);
    expect(pairs.length).toBeGreaterThan(15);
  });

  it.each(pairs)("line $form.line does what is shown", async ({ form, expected }) => {
    const got = await shown(session, form.text);
    for (const line of expected.text.split("\n")) expect(got).toContain(line);
  });

  it("its table of beginnings is what texts are routed by", () => {
    expect(tableColumn(page, "begins with")).toEqual(["`(`", "`?` and white space", "`/name`", "`//`"]);
    const kinds = ["(a)", "? (a)", "/help x", "//x", "??", "?text", "prose"].map(
      (text) => routedText(text).kind,
    );
    expect(kinds).toEqual(["form", "background-form", "command", "text", "text", "text", "text"]);
  });
});
