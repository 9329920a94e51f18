/** What must hold of the mail of a session whose hosts were killed. Pure. */
import type { PeerRecord } from "../../../orchestrator/peers/peer-records.ts";
import { type Message, PeerState } from "../../../orchestrator/peers/peer-state.ts";
import { hasContext, messageId, pairs } from "./mail-script.ts";

export type MailEvidence = {
  /** What the mail journal holds, in order. */
  readonly records: readonly PeerRecord[];
  /** What was wrong in it. */
  readonly anomalies: readonly string[];
  /** Lines that children left. */
  readonly effects: readonly string[];
  /** Times that the letter of a pair is a user message in the record of its receiver, by pair. */
  readonly handedOver: ReadonlyMap<string, number>;
};

export function mailViolations(evidence: MailEvidence): readonly string[] {
  const { records, anomalies } = evidence;
  const state = new PeerState();
  for (const record of records) state.apply(record);
  const tokens = records.flatMap((record) => (record.kind === "claimed" ? [record.token] : []));
  return [
    ...anomalies.map((kind) => `the mail journal has a ${kind}`),
    ...(tokens.every((token, index) => index === 0 || token > (tokens[index - 1] ?? 0))
      ? []
      : [`the tokens of claims do not grow: ${tokens.join(" ")}`]),
    ...state.messages
      .filter((message) => message.state === "delivered")
      .map(({ id }) => `${id} is claimed by nobody who lives`),
    ...pairs.flatMap((pair) => pairViolations(pair, evidence, state.message(messageId(pair)))),
  ];
}

function pairViolations(
  pair: string,
  evidence: MailEvidence,
  message: Message | undefined,
): readonly string[] {
  const { records, effects } = evidence;
  const id = messageId(pair);
  const times = (kind: PeerRecord["kind"]): number =>
    records.filter((record) => record.kind === kind && record.id === id).length;
  const saw = (line: string): boolean => effects.includes(line);
  const handed = evidence.handedOver.get(pair) ?? 0;
  const found: string[] = [];
  if (times("posted") > 1) found.push(`${id} was posted ${times("posted")} times`);
  if (times("acknowledged") > 1) found.push(`${id} was acknowledged ${times("acknowledged")} times`);
  if (saw(`s${pair}-sent`) && message === undefined) found.push(`${id} was told to be sent and is not there`);
  if (saw(`r${pair}-got`) && times("claimed") === 0) found.push(`${id} was read and never claimed`);
  if (saw(`r${pair}-acked`) && message?.state !== "acknowledged")
    found.push(`${id} was told to be acknowledged and is ${message?.state ?? "not there"}`);
  if (handed > 1) found.push(`${id} was handed over ${handed} times`);
  if (handed > 0 && !hasContext(pair)) found.push(`${id} was handed over without a grant that says so`);
  if (hasContext(pair) && message?.state === "acknowledged" && handed !== 1)
    found.push(`${id} is acknowledged and is ${handed} times in the record of its receiver`);
  return found;
}
