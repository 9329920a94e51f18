/** What must hold when processes could not be started, or were killed: whoever asked is told exactly that, and nothing else is lost. Pure. */
import type { Evidence, RecordedResult } from "./evidence.ts";
import type { Fault } from "./plan.ts";
import type { SpawnerFault } from "./spawner-faults.ts";

/** What a call says that failed because of the fault. */
const words: Readonly<Record<SpawnerFault, RegExp>> = {
  "spawner-kill": /SIGKILL/,
  "spawner-descriptors": /EMFILE|too many open files/i,
  "spawner-processes": /EAGAIN|Resource temporarily unavailable/i,
};

/** Said of a command of which nothing ran. */
const notStarted = /not started: /;
/** Said of a command that did all it should, whatever became of its record. */
const ran = /^exit 0\b/;

function wordsOf(fault: Fault): RegExp | undefined {
  return Object.entries(words).find(([name]) => name === fault)?.[1];
}

/** May the effect be missing although the run went on? When its call is told to have failed, or the agent that would have made it failed. */
export function excused(effect: string, evidence: Evidence, fault: Fault): boolean {
  if (wordsOf(fault) === undefined) return false;
  const own = resultsOf(evidence).find(({ callId }) => callId === effect);
  if (own !== undefined) return own.status === "error" || failedDetached(effect, evidence);
  const asked = evidence.records.find((record) => record.kind === "intent" && record.callId === effect);
  // An agent that ended with the call has no result for it; its job's record, or the report of what is unknown, has.
  if (asked?.kind === "intent") return failedAgents(evidence).some((id) => id === asked.executionId);
  return failedAgents(evidence).length > 0 || failedStarts(evidence).length > 0;
}

/** Failures that do not say the fault, and effects of commands that are said not to have run. */
export function spawnerViolations(
  evidence: Evidence,
  allEffects: readonly string[],
  fault: Fault,
): readonly string[] {
  const expected = wordsOf(fault);
  if (expected === undefined) return [];
  return resultsOf(evidence).flatMap(({ callId, status, output }) => {
    if (status !== "error" || !allEffects.includes(callId)) return [];
    const happened = evidence.effects.includes(callId);
    return [
      ...(expected.test(output) ? [] : [`${callId} failed and does not say why: ${output.slice(0, 300)}`]),
      ...(happened && notStarted.test(output) ? [`${callId} is told not to have started and happened`] : []),
      ...(happened && fault !== "spawner-kill" && !ran.test(output)
        ? [`${callId} is told to have failed and happened: ${output.slice(0, 300)}`]
        : []),
    ];
  });
}

function resultsOf({ results }: Evidence): readonly RecordedResult[] {
  return [...results.values()].flat();
}

/** A command that went on by itself and whose end is told as a failure. */
function failedDetached(callId: string, { records }: Evidence): boolean {
  const job = records.find((record) => record.kind === "admitted" && record.owner.parentCallId === callId);
  return records.some((record) => {
    if (job?.kind !== "admitted" || record.kind !== "settled" || record.executionId !== job.executionId)
      return false;
    const { exitCode } = (record.result ?? {}) as { readonly exitCode?: number };
    return record.state !== "completed" || exitCode !== 0;
  });
}

function failedAgents({ records }: Evidence): readonly string[] {
  const agents = new Set(
    records.flatMap((record) =>
      record.kind === "admitted" && record.jobKind === "agent" ? [record.executionId] : [],
    ),
  );
  return records.flatMap((record) =>
    record.kind === "settled" && record.state !== "completed" && agents.has(record.executionId)
      ? [record.executionId]
      : [],
  );
}

/** Calls that should have started agents. */
function failedStarts(evidence: Evidence): readonly string[] {
  return resultsOf(evidence).flatMap(({ callId, status }) =>
    callId.startsWith("T") && status === "error" ? [callId] : [],
  );
}

/**
 * Results are files: a run that ended while its host could open none is failed, and says why. `end` is how it ended.
 */
export function wasStarved(
  end: { readonly status: number | null; readonly stderr: string },
  fault: Fault,
): boolean {
  return (
    fault === "spawner-descriptors" &&
    end.status === 1 &&
    /run-job: .*(?:\bEMFILE\b|no-descriptors|too many open files)/.test(end.stderr)
  );
}
