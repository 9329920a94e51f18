import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { type SessionScene, openScene } from "../support/sessions/composed-sessions.ts";
import { shown } from "../support/sessions/form-scene.ts";
import { documentedExamples } from "./documented-examples.ts";

const examples = documentedExamples("extending.md");
const pairs = examples.flatMap((form, index) => {
  const expected = examples[index + 1];
  return form.language === "lisp" && expected?.language === "text" ? [{ form, expected }] : [];
});

let scene: SessionScene;
let session: Session;
beforeAll(async () => {
  scene = await openScene([]);
  session = await scene.service.create({ workingDirectory: scene.pit.workspace });
});
afterAll(() => scene[Symbol.asyncDispose]());

describe("docs/extending.md", () => {
  it("shows what comes of its forms", () => {
    expect(pairs.length).toBeGreaterThan(7);
  });

  it.each(pairs)("line $form.line does what is shown", async ({ form, expected }) => {
    const got = await shown(session, form.text);
    for (const line of expected.text.split("\n")) expect(got).toContain(line);
  });

  it("commands and models that its forms define are there", async () => {
    expect((await session.invoke("my-version", {})).text).toBe("integration 3");
    expect((await session.invoke("help", { input: "my-version" })).text).toContain(
      "Shows a version with a label.",
    );
    expect(session.models().map(({ id }) => id)).toEqual(
      expect.arrayContaining(["my-provider/small", "my-provider/large"]),
    );
  });
});
