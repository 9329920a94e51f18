import { describe, expect, it } from "vitest";
import { continuityClasses } from "../../orchestrator/continuity/classification.ts";
import type { Session } from "../../orchestrator/contract/session.ts";
import { jobBounds } from "../../orchestrator/settings/job-limits.ts";
import { aliasVariables } from "../../workers/model/model-catalogue.ts";
import { eventually } from "../support/eventually.ts";
import { cast, submit } from "../support/model-server/cast.ts";
import { openScene } from "../support/sessions/composed-sessions.ts";
import { type DocumentedExample, documentedExamples, pageText, tableColumn } from "./documented-examples.ts";

const page = "children.md";

async function answerOf(session: Session, { what, text }: DocumentedExample): Promise<string> {
  const [name = ""] = what;
  if (name !== "command") return (await session.invoke(name, JSON.parse(text))).text;
  const submission = await session.prompt({ parts: [{ type: "text", text }] });
  return submission.kind === "command" ? submission.invocation.text : "";
}

/** Keywords, numbers and strings of a documented answer; the real one holds them all in this order. */
function tokens({ language, text }: DocumentedExample): readonly string[] {
  return language === "lisp" ? (text.match(/"[^"]*"|:[A-Z-]+|\b\d+\b/g) ?? []) : [text];
}

function inOrder(answer: string, expected: readonly string[]): string | undefined {
  let at = 0;
  for (const token of expected) {
    const found = answer.indexOf(token, at);
    if (found < 0) return `${token} is not behind ${answer.slice(Math.max(0, at - 80), at)}`;
    at = found + token.length;
  }
  return undefined;
}

describe("docs/children.md", () => {
  it("every example answers as the page says", async () => {
    const held = submit("too late to be heard", { latencyMs: 600_000 });
    await using scene = await openScene(
      cast({
        "Count the lines": [() => submit("README.md has 12 lines.")],
        "Check the links": [() => held],
        "Check the examples": [() => held],
      }),
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await session.setSetting("session-title-generation-p", false);
    const examples = documentedExamples(page);
    let checked = 0;
    for (const [index, example] of examples.entries()) {
      if (example.what[0] === "answer") continue;
      // Its children are running when a job is spoken to or listed.
      if (index > 2)
        await eventually(() => session.jobs().filter(({ state }) => state === "running").length >= 2).toBe(
          true,
        );
      const answer = await answerOf(session, example);
      const documented = examples[index + 1];
      expect(documented?.what[0]).toBe("answer");
      expect(inOrder(answer, tokens(documented as DocumentedExample))).toBeUndefined();
      checked += 1;
    }
    expect(checked).toBe(8);
  }, 120_000);

  it("names the classes, variables and aliases there are", () => {
    const text = pageText(page);
    expect(tableColumn(page, "class").map((name) => name.replaceAll("`", ""))).toEqual([
      ...continuityClasses,
    ]);
    for (const variable of [
      jobBounds.spawnTotal.variable,
      jobBounds.spawnRate.variable,
      ...Object.values(aliasVariables),
    ])
      expect(text).toContain(`\`${variable}\``);
  });
});
