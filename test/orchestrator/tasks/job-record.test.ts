import { describe, expect, test } from "vitest";
import { printDataForm } from "../../../lisp/data-forms/index.ts";
import { jobOfAdmission } from "../../../orchestrator/jobs/job-table.ts";
import { ChildProgress } from "../../../orchestrator/tasks/child-progress.ts";
import { type JobView, jobRecordForm } from "../../../orchestrator/tasks/job-record.ts";
import { retainedCharacters, retainedSettlement } from "../../../orchestrator/tasks/retained-outcome.ts";
import type { AgentResult } from "../../../orchestrator/contract/job-catalog.ts";
import { admitted, admittedAgent, conversationId } from "../recovery/job-history.ts";

function view(more: Partial<JobView>): JobView {
  return {
    job: jobOfAdmission(admittedAgent(), conversationId),
    outcome: undefined,
    progress: undefined,
    artifactPath: undefined,
    artifactAvailable: false,
    ownerName: "primary",
    now: 5_000,
    ...more,
  };
}

describe("a record that leaves something out", () => {
  test("shows the newest of what a child streams, and how much there is", () => {
    const progress = new ChildProgress(() => 0);
    progress.event({
      event: "output",
      channel: "text",
      requestNumber: 1,
      omittedCharacters: 0,
      text: `${"x".repeat(2_000)} THE END`,
    });
    for (const limit of [6_000, 40]) {
      const text = printDataForm(jobRecordForm(view({ progress: progress.snapshot() }), limit));
      expect(text).toContain('THE END"');
      expect(text).toContain("of 2008 characters]");
    }
  });

  test("says so of a command that stands for a description, and of a result whose file is gone", () => {
    const command = `echo ${"y".repeat(200)}`;
    const shell = admitted({ payload: { command } });
    const record = jobRecordForm(view({ job: jobOfAdmission(shell, conversationId) }), 6_000);
    expect(printDataForm(record)).toContain(`… [${command.length} characters]`);

    const result: AgentResult = {
      ...{ status: "success", output: "z".repeat(9_000), yielded: true, structuredOutputPresent: false },
      ...{ usage: { providerRequests: 1 }, durationMs: 1, model: "m", undeliveredPromptCount: 0 },
    };
    const job = jobOfAdmission(admittedAgent({ owner: { lineage: [], parentCallId: "c" } }), conversationId);
    const { outcome } = retainedSettlement({ job, outcome: { state: "completed", result } });
    const text = printDataForm(jobRecordForm(view({ job, outcome }), 6_000));
    expect(text).toContain("… [9000 characters]");
    expect(text).not.toContain("z".repeat(retainedCharacters.output + 1));
  });
});
