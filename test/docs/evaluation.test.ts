import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { formResultText } from "../../orchestrator/prompt/form-text.ts";
import { replLimits } from "../../orchestrator/repls/repl-limits.ts";
import { savedImageLimit } from "../../orchestrator/repls/saved-images.ts";
import { liveJobLimit } from "../../orchestrator/jobs/job-table.ts";
import { type SessionScene, openScene, text } from "../support/sessions/composed-sessions.ts";
import { documentedExamples, pageText, tableColumn } from "./documented-examples.ts";

const page = "evaluation.md";
const examples = documentedExamples(page);

let scene: SessionScene;
let session: Session;
beforeAll(async () => {
  scene = await openScene([]);
  writeFileSync(join(scene.pit.workspace, "README.org"), "Notes of this project\n");
  session = await scene.service.create({ workingDirectory: scene.pit.workspace });
  for (const repl of ["main", "other"]) await session.invoke("lisp.start", { repl });
});
afterAll(() => scene[Symbol.asyncDispose]());

async function toolText(tool: string, args: unknown): Promise<string> {
  try {
    return (await session.invoke(tool, args)).text;
  } catch (error) {
    return (error as Error).message;
  }
}

/** What is shown of a form that is evaluated as a job. */
async function backgroundText(source: string): Promise<string> {
  const count = async (): Promise<readonly string[]> =>
    (await session.history({ limit: 200 })).updates.flatMap(({ update }) =>
      update.type === "form-result" ? [formResultText(update)] : [],
    );
  const before = (await count()).length;
  await session.prompt(text(source));
  await expect.poll(async () => (await count()).length, { timeout: 60_000 }).toBe(before + 1);
  return (await count()).at(-1) ?? "";
}

describe("the page about evaluations", () => {
  const shown = examples.flatMap((example, index) => {
    const expected = examples[index + 1];
    return example.language === "text" || expected?.language !== "text" ? [] : [{ example, expected }];
  });

  it("shows what comes of every example", () => {
    expect(shown.length).toBe(examples.length / 2);
    expect(shown.length).toBeGreaterThan(8);
  });

  it.each(shown)("line $example.line does what is shown", async ({ example, expected }) => {
    const got =
      example.language === "json"
        ? await toolText(example.what[0] ?? "", JSON.parse(example.text))
        : await backgroundText(example.text);
    for (const line of expected.text.split("\n")) expect(got).toContain(line);
  });

  it("names every lisp tool and every argument of lisp.eval", () => {
    const named = tableColumn(page, "tool").flatMap((cell) => cell.match(/lisp\.[a-z-]+/g) ?? []);
    const there = session.operations().flatMap(({ name }) => (name.startsWith("lisp.") ? [name] : []));
    expect(named.toSorted()).toEqual(there.toSorted());
    const args = tableColumn(page, "argument").flatMap((cell) => cell.match(/[a-z][a-z-]*/g) ?? []);
    expect(args.toSorted()).toEqual(
      [
        "forms",
        "form",
        "repl",
        "compile",
        "timeout-seconds",
        "async",
        "completion-policy",
        "host-tools",
      ].toSorted(),
    );
  });

  it("says the bounds that hold", () => {
    const words = pageText(page).replaceAll(/\s+/g, " ");
    expect(words).toContain(`at most ${replLimits.perAgent} REPLs and a host ${replLimits.perHost}`);
    expect(words).toContain(`heap of its REPL (${replLimits.heapMb} MB)`);
    expect(words).toContain(`does not stop ${replLimits.cancelGraceMs / 1_000} seconds after`);
    expect(words).toContain(`at most ${savedImageLimit} are kept`);
    expect(words).toContain(`up to ${liveJobLimit} such jobs`);
  });
});
