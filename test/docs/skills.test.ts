import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { type SessionScene, openScene } from "../support/sessions/composed-sessions.ts";
import { shown } from "../support/sessions/form-scene.ts";
import { writeSkill } from "../support/skills/write-skill.ts";
import { documentedExamples, tableColumn } from "./documented-examples.ts";

const page = "skills.md";
const examples = documentedExamples(page);
const files = examples.filter(({ what }) => what[0]?.startsWith(".autolith/") === true);
const pairs = examples.flatMap((form, index) => {
  const expected = examples[index + 1];
  return form.what[0] === "form" && expected?.language === "text" ? [{ form, expected }] : [];
});

let scene: SessionScene;
let session: Session;
beforeAll(async () => {
  scene = await openScene([]);
  for (const { what, text } of files) {
    const path = join(scene.pit.workspace, what[0] ?? "");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  writeFileSync(join(scene.pit.workspace, "notes.txt"), "five words are in here\n");
  session = await scene.service.create({ workingDirectory: scene.pit.workspace });
});
afterAll(() => scene[Symbol.asyncDispose]());

describe("docs/skills.md", () => {
  it("has no block that nothing checks", () => {
    expect(files.length + 2 * pairs.length).toBe(examples.length);
    expect(pairs.length).toBeGreaterThan(3);
  });

  it.each(pairs)("line $form.line does what is shown", async ({ form, expected }) => {
    const got = await shown(session, form.text);
    for (const line of expected.text.split("\n")) expect(got).toContain(line);
  });

  it("names every field of a manifest", async () => {
    const named = tableColumn(page, "field of `EXECUTABLE.sexp`").flatMap(
      (cell) => cell.match(/:[a-z-]+/g) ?? [],
    );
    // A field that there is not is refused with the list of those there are.
    writeSkill(scene.pit.workspace, { manifest: { unknown: "1" } });
    const refusal = await session.invoke("skill.invoke", { name: "my-workflow" }).then(
      () => "",
      (error: unknown) => (error as Error).message,
    );
    for (const field of named) expect(refusal).toContain(field);
    expect(
      refusal.match(/:[a-z-]+(?=[,. ]|$)/g)?.filter((each) => each !== ":skill-executable").length,
    ).toBeGreaterThanOrEqual(named.length);
  });
});
