import { describe, expect, it } from "vitest";
import { double, jsonToForm, readDataForm, type DataForm } from "../../../lisp/data-forms/index.ts";
import {
  RunJobFailure,
  eventCategories,
  eventCategoryOf,
  exitCodeOf,
  failureCategories,
  failureCategoryNames,
  resultForm,
  resultLimits,
  resultText,
  type RunResult,
} from "../../../orchestrator/run-job/index.ts";

const run: RunResult = {
  id: "job-1",
  outcome: { status: "succeeded", result: jsonToForm({ b: [1, null, false], a: "x" }) },
  traceId: "0e6a1a2c-3b1d-4c55-9f0e-3d3d8f3e6a11",
  usage: { inputTokens: 10, outputTokens: 2, providerRequests: 1 },
  startedAt: Date.UTC(2026, 9, 8, 9, 0, 0, 999),
  finishedAt: Date.UTC(2026, 9, 8, 9, 0, 7),
};

describe("the artifact", () => {
  it("of a success has its keys in order, upper case and a newline", () => {
    expect(resultText(run)).toBe(`(:AUTOLITH-JOB-RESULT
 :VERSION 1
 :ID "job-1"
 :STATUS :SUCCEEDED
 :RESULT (:OBJECT ("a" "x") ("b" (:ARRAY 1 :NULL NIL)))
 :TRACE-ID "0e6a1a2c-3b1d-4c55-9f0e-3d3d8f3e6a11"
 :USAGE (:INPUT-TOKENS 10 :OUTPUT-TOKENS 2 :PROVIDER-REQUESTS 1)
 :STARTED-AT "2026-10-08T09:00:00Z"
 :FINISHED-AT "2026-10-08T09:00:07Z")
`);
    expect(readDataForm(resultText(run), { limits: resultLimits, floatFormat: "single" })).toEqual(
      resultForm(run),
    );
  });

  it("of a failure has a category, a bounded message and no result or trace", () => {
    const failed: RunResult = {
      ...run,
      id: "",
      traceId: undefined,
      usage: { inputTokens: 0, outputTokens: 0, providerRequests: 0 },
      outcome: { status: "failed", category: "unknown-role", message: "m".repeat(3000) },
    };
    const text = resultText(failed);
    expect(text).toContain(':ID ""\n :STATUS :FAILED\n :FAILURE');
    expect(text).toContain("(:CATEGORY :UNKNOWN-ROLE\n");
    expect(text).toContain(":USAGE (:INPUT-TOKENS 0 :OUTPUT-TOKENS 0 :PROVIDER-REQUESTS 0)");
    expect(text).not.toContain(":TRACE-ID");
    expect(text).not.toContain(":RESULT");
    const [message] = /"m+[^"]*"/.exec(text) ?? [""];
    expect(message.length - 2).toBeLessThanOrEqual(2000);
    expect(message).toContain("3000 characters");
  });

  it("keeps a result of false, and floats apart from integers", () => {
    expect(resultText({ ...run, outcome: { status: "succeeded", result: false } })).toContain(":RESULT NIL");
    expect(resultText({ ...run, outcome: { status: "succeeded", result: double(3) } })).toContain(
      ":RESULT 3.0d0",
    );
  });

  it.each([
    ["bytes", "x".repeat(resultLimits.maxBytes)],
    ["nodes", Array.from({ length: resultLimits.maxNodes }, () => 1)],
    ["depth", Array.from({ length: 130 }).reduce<DataForm>((form) => [form], 1)],
  ] as [string, DataForm][])("is refused beyond the limit of %s that its readers have", (_, result) => {
    const write = (): string => resultText({ ...run, outcome: { status: "succeeded", result } });
    expect(write).toThrow(RunJobFailure);
    expect(write).toThrow(expect.objectContaining({ category: "artifact-failure" }));
  });
});

describe("the categories", () => {
  it("have the exit codes and statuses of the table", () => {
    const table = failureCategoryNames.map((name) => [
      name,
      failureCategories[name].status,
      exitCodeOf(name, true),
      eventCategoryOf(name),
    ]);
    expect(table).toEqual([
      ["input-not-found", "failed", 64, "input-not-found"],
      ["invalid-input", "failed", 64, "invalid-input"],
      ["invalid-envelope", "failed", 64, "invalid-envelope"],
      ["unsupported-version", "failed", 64, "process-failure"],
      ["invalid-contract", "failed", 64, "invalid-contract"],
      ["unknown-role", "failed", 64, "unknown-role"],
      ["runtime-unavailable", "failed", 64, "runtime-unavailable"],
      ["artifact-failure", "failed", 1, "artifact-failure"],
      ["invalid-output", "failed", 1, "invalid-output"],
      ["provider-failure", "failed", 1, "provider-failure"],
      ["child-failure", "failed", 1, "child-failure"],
      ["cancelled", "cancelled", 1, "cancelled"],
      ["timeout", "timed-out", 1, "timeout"],
      ["process-failure", "failed", 1, "process-failure"],
      ["unknown", "failed", 1, "process-failure"],
    ]);
    expect(eventCategories).toContain("result-publication-failed");
    expect(exitCodeOf(undefined, true)).toBe(0);
    expect(exitCodeOf(undefined, false)).toBe(1);
    expect(new RunJobFailure("timeout", "m")).toMatchObject({ status: "timed-out", code: "timeout" });
  });
});
