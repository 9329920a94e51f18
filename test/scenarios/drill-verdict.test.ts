import { describe, expect, it } from "vitest";
import type { Evidence } from "../../script/drill/evidence.ts";
import { effectsOf } from "../../script/drill/job-tree.ts";
import { type RunEnd, violations } from "../../script/drill/verdict.ts";
import type { RecoveryReport } from "../../script/drill/host-protocol.ts";
import {
  admittedAgent,
  claimed,
  conversationId,
  intent,
  settled,
} from "../orchestrator/recovery/job-history.ts";

const allEffects = effectsOf("deep");
const nothing: RecoveryReport = { interrupted: [], queued: [], unanswered: [], settled: [] };
const killed: RunEnd = {
  survived: false,
  status: null,
  eventKinds: ["run-started"],
  artifactStatus: undefined,
  stderr: "",
};
const finished: RunEnd = {
  survived: true,
  status: 0,
  eventKinds: ["run-started", "run-finished"],
  artifactStatus: "succeeded",
  stderr: "",
};
const job = admittedAgent();
const whole: Evidence = {
  effects: allEffects,
  records: [job, claimed(job.executionId), ...allEffects.map((id) => intent(id)), settled(job.executionId)],
  anomalies: [],
  results: new Map([[conversationId, allEffects.map((callId) => ({ callId, status: "ok", output: "" }))]]),
  terminals: [job.executionId],
  secured: [],
  checkouts: [],
};

describe("the drill's verdict", () => {
  it("finds nothing wrong with a whole run, killed at its end or not", () => {
    expect(violations(whole, nothing, finished)).toEqual([]);
    expect(violations(whole, nothing, killed)).toEqual([]);
  });

  it.each<[string, Partial<Evidence>, Partial<RecoveryReport>, Partial<RunEnd>]>([
    ["happened 2 times", { effects: [...allEffects, "E07"] }, {}, {}],
    [
      "effects missing although the run went on: E30",
      { effects: allEffects.filter((id) => id !== "E30") },
      {},
      {},
    ],
    [
      "is recorded as done and did not happen",
      { effects: allEffects.filter((id) => id !== "E30") },
      {},
      killed,
    ],
    [
      "without an intent",
      { records: whole.records.filter((record) => record.kind !== "intent" || record.callId !== "E02") },
      {},
      {},
    ],
    ["neither recorded nor reported", { results: new Map() }, {}, {}],
    ["torn or unknown lines", { effects: [...allEffects, "E0"] }, {}, {}],
    ["claimed 2 times", { records: [...whole.records, claimed(job.executionId)] }, {}, {}],
    ["has 2 terminal records", { records: [...whole.records, settled(job.executionId)] }, {}, {}],
    ["has no terminal record", { records: whole.records.slice(0, -1), terminals: [] }, {}, {}],
    ["settled without terminal.sexp", { terminals: [] }, {}, {}],
    [
      "terminal.sexp and no settlement",
      { records: whole.records.slice(0, -1) },
      { interrupted: [job.executionId] },
      {},
    ],
    ["settled and reported interrupted", {}, { interrupted: [job.executionId] }, {}],
    [
      "under a token that never claimed it",
      { records: whole.records.filter(({ kind }) => kind !== "claimed") },
      {},
      {},
    ],
    ["has a missing after it was opened", { anomalies: ["missing"] }, {}, {}],
    ["0 terminal events", {}, {}, { eventKinds: ["run-started"] }],
    ["2 terminal events", {}, {}, { eventKinds: ["run-finished", "run-finished"] }],
    ["ended with status 1", {}, {}, { status: 1 }],
  ])("finds that … %s", (sentence, evidence, recovery, end) => {
    const found = violations({ ...whole, ...evidence }, { ...nothing, ...recovery }, { ...finished, ...end });
    expect(found.join("\n")).toContain(sentence);
  });
});

describe("the verdict on a spawner that was killed or kept from starting anything", () => {
  const withResult = (status: string, output: string): Evidence["results"] =>
    new Map([
      [
        conversationId,
        allEffects.map((callId) =>
          callId === "E07" ? { callId, status, output } : { callId, status: "ok", output: "" },
        ),
      ],
    ]);
  const without = allEffects.filter((id) => id !== "E07");

  it("excuses an effect whose call is told to have failed of it, and no other", () => {
    const results = withResult("error", "exit unavailable (not started: spawn EAGAIN)");
    const evidence = { ...whole, effects: without, results };
    expect(violations(evidence, nothing, finished, "deep", "spawner-processes")).toEqual([]);
    expect(violations(evidence, nothing, finished, "deep", "redis").join()).toContain("missing although");
    expect(
      violations({ ...whole, effects: without }, nothing, finished, "deep", "spawner-kill").join(),
    ).toContain("missing although");
  });

  it.each([
    ["does not say why", without, "exit 1"],
    ["is told not to have started and happened", allEffects, "exit unavailable (not started: spawn EMFILE)"],
    ["is told to have failed and happened", allEffects, "could not read the lock: EMFILE"],
  ])("finds that … %s", (sentence, effects, output) => {
    const evidence = { ...whole, effects, results: withResult("error", output) };
    expect(violations(evidence, nothing, finished, "deep", "spawner-descriptors").join()).toContain(sentence);
  });

  it("accepts a failed run only where its result could not be a file, and says so", () => {
    const failed = { ...finished, status: 1, artifactStatus: undefined };
    const told = { ...failed, stderr: "run-job: child-failure: could not publish result.sexp: EMFILE" };
    expect(violations(whole, nothing, told, "deep", "spawner-descriptors")).toEqual([]);
    expect(violations(whole, nothing, failed, "deep", "spawner-descriptors")).toHaveLength(1);
    expect(violations(whole, nothing, told, "deep", "spawner-processes")).toHaveLength(1);
  });
});
