import { describe, expect, it } from "vitest";
import { jobInventory, replayJobs } from "../../../orchestrator/recovery/job-inventory.ts";
import type { JobRecord } from "../../../orchestrator/jobs/journal-records.ts";
import { admitted, admittedAgent, claimed, conversationId, intent, settled } from "./job-history.ts";

const inventory = (records: readonly JobRecord[], answered: readonly string[] = []) =>
  jobInventory(
    records,
    replayJobs(records, conversationId),
    (id, callId) => id === conversationId && answered.includes(callId),
  );

describe("the inventory", () => {
  it("sorts jobs by what is known of them", () => {
    const [done, begun, waiting, ended] = [
      admitted(),
      admittedAgent(),
      admittedAgent(),
      admitted({ detached: true }),
    ];
    const found = inventory([
      done,
      claimed(done.executionId),
      settled(done.executionId),
      begun,
      claimed(begun.executionId),
      waiting,
      ended,
      claimed(ended.executionId),
      settled(ended.executionId),
    ]);
    const ids = (jobs: readonly { executionId: string }[]) => jobs.map(({ executionId }) => executionId);
    expect(ids(found.interrupted)).toEqual([begun.executionId]);
    expect(ids(found.queued)).toEqual([waiting.executionId]);
    expect(ids(found.undelivered)).toEqual([ended.executionId]);
    expect(found.interrupted[0]?.standing).toBe("interrupted");
  });

  it("reports a call without a recorded result as unknown, one with a result not at all", () => {
    const found = inventory([intent("a"), intent("b")], ["a"]);
    expect(found.unanswered).toMatchObject([
      { callId: "b", outcome: "unknown", tool: "shell.run", effects: "external" },
    ]);
  });

  it("knows that a call's own job has ended although its result was not recorded", () => {
    const job = admitted({ owner: { lineage: [], parentCallId: "a" } });
    const begun = [intent("a"), job, claimed(job.executionId)];
    expect(inventory(begun).unanswered).toMatchObject([
      { callId: "a", outcome: "unknown", jobs: [job.executionId] },
    ]);
    expect(inventory([...begun, settled(job.executionId)]).unanswered).toMatchObject([
      { outcome: "settled" },
    ]);
  });

  it("tells equal call ids of different agents apart", () => {
    const agent = admittedAgent();
    const own = admitted({ owner: { lineage: [agent.executionId], parentCallId: "a" } });
    const found = inventory([
      agent,
      intent("a"),
      intent("a", { executionId: agent.executionId }),
      own,
      claimed(own.executionId),
      settled(own.executionId),
    ]);
    expect(found.unanswered.map(({ executionId, outcome }) => [executionId, outcome])).toEqual([
      [undefined, "unknown"],
      [agent.executionId, "settled"],
    ]);
  });
});
