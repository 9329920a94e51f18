import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyword } from "../../../lisp/data-forms/index.ts";
import { conversationIdSchema, newExecutionId } from "../../../orchestrator/contract/identifiers.ts";
import { ExecutionDirectory, executionsOf } from "../../../orchestrator/record/execution-directory.ts";
import type { ContinuityRecord, ResultRecord } from "../../../orchestrator/record/execution-records.ts";
import { resultDocument } from "../../../orchestrator/record/execution-records.ts";
import { printDataForm, readDataForm, recordLimits } from "../../../lisp/data-forms/index.ts";
import { freshDirectory } from "./directories.ts";

const conversation = conversationIdSchema.parse("pQ3nT7x");

const result: ResultRecord = {
  id: "clear-otter-3",
  agent: "task",
  agentSource: "bundled",
  assignment: "Fix the test\nand say how",
  status: "success",
  output: "Done.",
  yielded: true,
  structuredOutputPresent: true,
  structuredOutput: { b: [1, 2.5, null, false], a: "x" },
  requestCount: 3,
  usage: { input_tokens: 1000, output_tokens: 20, details: { cached_tokens: 900 } },
  durationMs: 1234,
  model: "openai-api/some-model",
  conversationFile: "/data/conversations/x",
  detached: false,
  agentDefinition: [keyword("name"), "task", keyword("tools"), keyword("all")],
};

const continuity: ContinuityRecord = {
  version: 1,
  jobId: "clear-otter-3",
  executionId: newExecutionId(),
  rootConversation: conversation,
  owners: [],
  ownerExecutionIds: [],
  completionOwnerConversation: conversation,
  completionPolicy: "continue",
  detached: true,
  createdAt: 4_008_988_800,
  kind: "task",
  specification: { agent: "task", task: "Fix it" },
};

async function directory(): Promise<{ tasks: string; execution: ExecutionDirectory }> {
  const tasks = join(await freshDirectory(), "tasks");
  return { tasks, execution: new ExecutionDirectory(tasks, conversation, newExecutionId()) };
}

describe("an execution directory", () => {
  it("gives its records back as they were written", async () => {
    const { execution, tasks } = await directory();
    expect(await execution.readContinuity()).toBeUndefined();
    expect(await executionsOf(tasks, conversation)).toEqual([]);
    await execution.writeContinuity(continuity);
    await execution.writeActivity({ toolCount: 1, updatedAt: 4_008_988_800, tool: "shell.run" });
    await execution.writeTerminal({ state: "completed", result: { exitCode: 0 }, endedAt: 4_008_988_801 });
    await execution.writeResult(result);
    expect(await execution.readContinuity()).toEqual(continuity);
    expect(await execution.readActivity()).toEqual({
      toolCount: 1,
      updatedAt: 4_008_988_800,
      tool: "shell.run",
    });
    expect(await execution.readTerminal()).toMatchObject({ state: "completed", result: { exitCode: 0 } });
    expect(await execution.readResult()).toEqual(result);
    expect(await executionsOf(tasks, conversation)).toHaveLength(1);
    const text = await readFile(execution.pathOf("result.sexp"), "utf8");
    expect(text).toMatch(/^\(:ID\s+"clear-otter-3"\s+:AGENT "task"/);
    expect(text).toContain(':USAGE (("input_tokens" 1000) ("output_tokens" 20)');
  });

  it("never overwrites a result, a terminal record or a claim, but renews activity", async () => {
    const { execution } = await directory();
    await execution.writeResult(result);
    await expect(execution.writeResult({ ...result, output: "other" })).rejects.toMatchObject({
      code: "already-exists",
    });
    expect((await execution.readResult())?.output).toBe("Done.");
    await execution.writeForm("revive.sexp", [keyword("claimed"), true]);
    await expect(execution.writeForm("revive.sexp", [keyword("claimed"), true])).rejects.toMatchObject({
      code: "already-exists",
    });
    for (const toolCount of [1, 2]) await execution.writeActivity({ toolCount, updatedAt: 0 });
    expect(await execution.readActivity()).toMatchObject({ toolCount: 2 });
    expect((await readdir(execution.path)).toSorted()).toEqual([
      "activity.sexp",
      "result.sexp",
      "revive.sexp",
    ]);
  });

  it("refuses a continuity record over 1 MiB with the bound", async () => {
    const { execution } = await directory();
    const large = { ...continuity, specification: { task: "x".repeat(1024 * 1024) } };
    await expect(execution.writeContinuity(large)).rejects.toThrow(/may have 1048576;/);
  });

  it.each([
    ["garbage", "(:id"],
    ["an unknown key", '(:state :completed :ended-at 1 :more "x")'],
    ["a word outside the vocabulary", "(:state :running :ended-at 1)"],
    ["a reader macro", "(:state #.(quit) :ended-at 1)"],
  ])("reports %s as malformed", async (_name, text) => {
    const { execution } = await directory();
    await execution.writeActivity({ toolCount: 0, updatedAt: 0 });
    await writeFile(execution.pathOf("terminal.sexp"), text);
    await expect(execution.readTerminal()).rejects.toMatchObject({ name: "RecordError", code: "malformed" });
  });

  it("publishes artifacts once under plain names", async () => {
    const { execution } = await directory();
    const path = await execution.writeArtifact("report.md", "# yes");
    expect(await readFile(path, "utf8")).toBe("# yes");
    await expect(execution.writeArtifact("report.md", "no")).rejects.toMatchObject({
      code: "already-exists",
    });
    for (const name of ["../x", "a/b", ".hidden", "", "result.sexp", "x".repeat(129)]) {
      await expect(execution.writeArtifact(name, "")).rejects.toMatchObject({ code: "malformed" });
    }
  });
});

describe("result records", () => {
  it("property: printed and read back they are the same", () => {
    const arbitrary = fc.record({
      output: fc.string({ unit: "binary" }),
      status: fc.constantFrom("success" as const, "failed" as const, "aborted" as const),
      structuredOutput: fc
        .jsonValue({ maxDepth: 4 })
        .filter((value) => !JSON.stringify(value).includes("-0")),
      durationMs: fc.maxSafeNat(),
      usage: fc.dictionary(fc.string(), fc.nat(), { noNullPrototype: true }),
    });
    fc.assert(
      fc.property(arbitrary, (fields) => {
        const record = { ...result, ...fields } as ResultRecord;
        const text = printDataForm(resultDocument.toForm(record));
        const read = resultDocument.fromForm(readDataForm(text, { limits: recordLimits }));
        expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(JSON.stringify(record)));
      }),
    );
  });
});
