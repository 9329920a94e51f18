/** One point of the mail drill: thirty children that write to each other, one fault, and what the next host makes of it. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { conversationIdSchema } from "../../../orchestrator/contract/identifiers.ts";
import { peerJournalPath } from "../../../orchestrator/peers/peer-journal.ts";
import { type PeerRecord, peerRecordSchema } from "../../../orchestrator/peers/peer-records.ts";
import { PeerState } from "../../../orchestrator/peers/peer-state.ts";
import { loadConversation } from "../../../orchestrator/record/conversation.ts";
import { RecordError } from "../../../orchestrator/record/failure.ts";
import { readJournal } from "../../../orchestrator/record/journal.ts";
import { recordCodec } from "../../../orchestrator/record/record-codec.ts";
import { makeSandpit, type Sandpit } from "../../../test/support/cli/launch.ts";
import { startModelServer } from "../../../test/support/model-server/server.ts";
import { type HostProcess, startHostProcess } from "../../../test/support/sessions/session-host-process.ts";
import { dataRoot, gatherEvidence, journalOf } from "../evidence.ts";
import { makeRepository, redisProcess } from "../point.ts";
import { effectsOf, rest, settledRemains } from "../sessions/session-point.ts";
import { worktreeViolations } from "../verdict.ts";
import type { MailPoint } from "./mail-plan.ts";
import { answerMail, crowdInput, letterText, mailLastInput, messageId, pairs } from "./mail-script.ts";
import { type MailEvidence, mailViolations } from "./mail-verdict.ts";

export type MailPointResult = {
  readonly point: MailPoint;
  /** False when the session had come to rest before the fault. */
  readonly hit: boolean;
  readonly violations: readonly string[];
  /** Messages that were sent, and those that were acknowledged. */
  readonly sent: number;
  readonly acknowledged: number;
  readonly durationMs: number;
};

/** Runs one point in a directory of its own, which is gone afterwards unless something was violated. */
export async function runMailPoint(point: MailPoint): Promise<MailPointResult> {
  const startedAt = performance.now();
  const pit = makeSandpit();
  makeRepository(pit);
  await using server = await startModelServer((request) => ({ ...answerMail(request), latencyMs: 2 }));
  const cache = process.env["NODE_COMPILE_CACHE"];
  const environment = {
    AUTOLITH_OPENAI_BASE_URL: server.baseUrl,
    AUTOLITH_TASK_MAX_CONCURRENCY: "32",
    AUTOLITH_TASK_MAX_PER_MINUTE: "1000",
    AUTOLITH_EXECUTION_MAX_CONCURRENCY: "16",
    ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }),
  };
  const first = await startHostProcess(pit, environment);
  first.send(`prompt ${crowdInput}`);
  const { host, hit } = await strike(
    first,
    point,
    () => startHostProcess(pit, environment, first.opened.id),
    pit,
  );
  host.send(`prompt ${mailLastInput}`);
  const ended = await rest(host);
  await host.close();
  const evidence = await gather(pit, first.opened.id);
  const found = [
    ...(ended === undefined ? ["the last host did not come to rest"] : []),
    ...mailViolations(evidence),
    ...repeated(evidence.effects),
    ...worktreeViolations(await gatherEvidence(pit, journalOf(pit))),
    ...(await settledRemains(pit)).map((each) => `left behind: ${each}`),
  ];
  if (found.length === 0) pit[Symbol.dispose]();
  return {
    point,
    hit,
    violations: found.length === 0 ? found : [...found, `kept in ${join(pit.home, "..")}`],
    ...counted(evidence),
    durationMs: performance.now() - startedAt,
  };
}

/** Inflicts the fault at its moment. Answers the host that goes on: another one, or the same where only Redis died. */
async function strike(
  host: HostProcess,
  { lines, delayMs, fault }: MailPoint,
  restart: () => Promise<HostProcess>,
  pit: Sandpit,
): Promise<{ readonly host: HostProcess; readonly hit: boolean }> {
  const decided = new AbortController();
  const resting = rest(host, decided.signal).then(() => "rest" as const);
  const reached = host.seen(() => host.lines.length >= lines).then(() => "reached" as const);
  reached.catch(() => undefined);
  resting.catch(() => undefined);
  const hit = (await Promise.race([reached, resting])) === "reached";
  decided.abort();
  await delay(delayMs);
  if (fault === "redis") {
    const redis = await redisProcess(pit);
    if (redis !== undefined) process.kill(redis, "SIGKILL");
    return { host, hit };
  }
  await host.kill();
  return { host: await restart(), hit };
}

async function gather(pit: Sandpit, id: string): Promise<MailEvidence> {
  const conversation = conversationIdSchema.parse(id);
  const directory = join(dataRoot(pit), "conversations");
  const records: PeerRecord[] = [];
  const anomalies: string[] = [];
  try {
    for await (const { record } of readJournal({
      path: peerJournalPath(directory, conversation),
      codec: recordCodec((value) => peerRecordSchema.parse(value)),
      firstSeq: 1,
      onAnomaly: ({ kind }) => void anomalies.push(kind),
    }))
      records.push(record);
  } catch (error) {
    // The fault came before the first grant.
    if (!(error instanceof RecordError) || error.code !== "not-found") throw error;
  }
  return { records, anomalies, effects: effectsOf(pit), handedOver: await handedOver(directory, records) };
}

/** How often each letter is a user message of its receiver. */
async function handedOver(
  directory: string,
  records: readonly PeerRecord[],
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  for (const pair of pairs) {
    const posted = records.find((record) => record.kind === "posted" && record.id === messageId(pair));
    const execution = posted?.kind === "posted" ? posted.receiver.child?.execution : undefined;
    if (execution === undefined) continue;
    const stored = await loadConversation({ directory }, conversationIdSchema.parse(execution)).catch(
      () => undefined,
    );
    const letters = (stored?.records ?? []).filter(
      ({ record }) => record.kind === "message" && record.content.includes(letterText(pair)),
    );
    times.set(pair, letters.length);
  }
  return times;
}

function counted({ records }: MailEvidence): { readonly sent: number; readonly acknowledged: number } {
  const state = new PeerState();
  for (const record of records) state.apply(record);
  return {
    sent: state.messageCount,
    acknowledged: state.messages.filter((message) => message.state === "acknowledged").length,
  };
}

function repeated(lines: readonly string[]): readonly string[] {
  return [...new Set(lines.filter((line, index) => lines.indexOf(line) !== index))].map(
    (line) => `done twice: ${line}`,
  );
}
