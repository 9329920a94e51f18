/** What a drill proves, as a pure function of the evidence: the list of everything that is not as promised. */
import type { JobRecord } from "../../orchestrator/jobs/journal-records.ts";
import type { Evidence } from "./evidence.ts";
import type { RecoveryReport } from "./host-protocol.ts";
import { type TreeName, effectsOf } from "./job-tree.ts";
import type { Fault } from "./plan.ts";
import { excused, spawnerViolations, wasStarved } from "./spawner-verdict.ts";

/** How the drilled run itself ended. */
export type RunEnd = {
  /** False when the fault ended the host. */
  readonly survived: boolean;
  readonly status: number | null;
  /** Kinds of the events on standard output, in order. */
  readonly eventKinds: readonly string[];
  /** Status in the artifact, undefined when there is none. */
  readonly artifactStatus: string | undefined;
  readonly stderr: string;
};

/** Violations, each as a sentence; none when everything held. */
export function violations(
  evidence: Evidence,
  recovery: RecoveryReport,
  end: RunEnd,
  tree: TreeName = "deep",
  fault: Fault = "host",
): readonly string[] {
  const effects = effectsOf(tree);
  return [
    ...runViolations(evidence, end, effects, fault),
    ...spawnerViolations(evidence, effects, fault),
    ...effectViolations(evidence, recovery, effects),
    ...executionViolations(evidence, recovery),
    ...worktreeViolations(evidence),
    ...evidence.anomalies.map((kind) => `the job journal has a ${kind} after it was opened again`),
  ];
}

function runViolations(
  evidence: Evidence,
  end: RunEnd,
  allEffects: readonly string[],
  fault: Fault,
): readonly string[] {
  const terminal = end.eventKinds.filter((kind) => kind === "run-finished").length;
  if (!end.survived) return terminal > 1 ? [`${terminal} terminal events`] : [];
  const missing = allEffects.filter(
    (effect) => !evidence.effects.includes(effect) && !excused(effect, evidence, fault),
  );
  return [
    ...(terminal === 1 ? [] : [`${terminal} terminal events of a run that was not killed`]),
    ...((end.status === 0 && end.artifactStatus === "succeeded") || wasStarved(end, fault)
      ? []
      : [
          `the run ended with status ${end.status}, artifact ${end.artifactStatus ?? "missing"}: ${end.stderr.slice(-600)}`,
        ]),
    ...(missing.length === 0 ? [] : [`effects missing although the run went on: ${missing.join(" ")}`]),
  ];
}

function effectViolations(
  { effects, records, results }: Evidence,
  recovery: RecoveryReport,
  allEffects: readonly string[],
): readonly string[] {
  const found: string[] = [];
  for (const effect of allEffects) {
    const times = effects.filter((line) => line === effect).length;
    if (times > 1) found.push(`effect ${effect} happened ${times} times`);
    const intents = records.filter((record) => record.kind === "intent" && record.callId === effect);
    const [intent] = intents;
    if (intents.length > 1) found.push(`effect ${effect} has ${intents.length} intents`);
    if (intent?.kind !== "intent") {
      if (times > 0) found.push(`effect ${effect} happened without an intent`);
      continue;
    }
    const recorded = (results.get(intent.conversationId) ?? []).filter(({ callId }) => callId === effect);
    const reported = recovery.unanswered.filter(({ callId }) => callId === effect);
    if (recorded.length > 1) found.push(`effect ${effect} has ${recorded.length} results`);
    if (recorded.length + reported.length === 0)
      found.push(`effect ${effect} is neither recorded nor reported unknown`);
    if (times === 0 && recorded[0]?.status === "ok" && !isDetached(effect, records))
      found.push(`effect ${effect} is recorded as done and did not happen`);
  }
  const strangers = effects.filter((line) => !allEffects.includes(line));
  return strangers.length === 0 ? found : [...found, `torn or unknown lines: ${JSON.stringify(strangers)}`];
}

/** The result of a command that went on detached says only that it was handed off. */
function isDetached(callId: string, records: readonly JobRecord[]): boolean {
  const job = records.find((record) => record.kind === "admitted" && record.owner.parentCallId === callId);
  if (job?.kind !== "admitted") return false;
  return (
    job.detached ||
    records.some((record) => record.kind === "handed-off" && record.executionId === job.executionId)
  );
}

/** The work of an isolated child that began is secured, or its checkout is still there and known. */
export function worktreeViolations({ records, secured, checkouts }: Evidence): readonly string[] {
  return records.flatMap((record) => {
    if (record.kind !== "admitted" || record.jobKind !== "agent") return [];
    const { isolation } = record.payload as { readonly isolation?: unknown };
    const { executionId, name } = record;
    const worked = records.some((each) => each.kind === "intent" && each.executionId === executionId);
    if (isolation === undefined || !worked) return [];
    return secured.includes(executionId) || checkouts.includes(executionId)
      ? []
      : [`the work of ${name} is neither secured nor in its checkout`];
  });
}

function executionViolations({ records, terminals }: Evidence, recovery: RecoveryReport): readonly string[] {
  const found: string[] = [];
  for (const admission of records) {
    if (admission.kind !== "admitted") continue;
    const { executionId, name } = admission;
    const own = records.filter((record) => "executionId" in record && record.executionId === executionId);
    const claims = own.filter((record) => record.kind === "claimed");
    const settlements = own.filter((record) => record.kind === "settled");
    const interrupted = recovery.interrupted.includes(executionId);
    if (claims.length > 1) found.push(`${name} was claimed ${claims.length} times`);
    if (settlements.length > 1) found.push(`${name} has ${settlements.length} terminal records`);
    if (settlements.length === 0 && !interrupted)
      found.push(`${name} has no terminal record and is not reported interrupted`);
    if (settlements.length > 0 && interrupted) found.push(`${name} is settled and reported interrupted`);
    if (settlements.length > 0 && !terminals.includes(executionId))
      found.push(`${name} is settled without terminal.sexp`);
    if (settlements.length === 0 && terminals.includes(executionId))
      found.push(`${name} has terminal.sexp and no settlement`);
    const [settlement] = settlements;
    const token = settlement?.kind === "settled" ? settlement.claimToken : undefined;
    if (
      token !== undefined &&
      !claims.some((claim) => claim.kind === "claimed" && claim.claimToken === token)
    )
      found.push(`${name} was settled under a token that never claimed it`);
  }
  return found;
}
