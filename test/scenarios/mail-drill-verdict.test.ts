/** What the mail drill's verdict finds, and that its points are spread. */
import { expect, it } from "vitest";
import { mailLines, mailPlan } from "../../script/drill/mail/mail-plan.ts";
import { letterText, messageId } from "../../script/drill/mail/mail-script.ts";
import { type MailEvidence, mailViolations } from "../../script/drill/mail/mail-verdict.ts";
import type { Endpoint } from "../../orchestrator/peers/endpoint.ts";
import type { PeerRecord } from "../../orchestrator/peers/peer-records.ts";
import { newExecutionId } from "../../orchestrator/contract/identifiers.ts";

const session = "aBcDeFg";
const [sender, receiver] = ["s", "r"].map((job): Endpoint => ({
  session,
  child: { job, execution: newExecutionId() },
})) as [Endpoint, Endpoint];
const at = 1;
const posted = (pair: string): PeerRecord => ({
  ...{ kind: "posted", at, id: messageId(pair), sender, receiver, scope: "local", createdAt: at },
  payload: letterText(pair),
});
const claimed = (pair: string, token: number): PeerRecord => ({
  kind: "claimed",
  at,
  id: messageId(pair),
  token,
});
const acknowledged = (pair: string): PeerRecord => ({ kind: "acknowledged", at, id: messageId(pair) });

/** Pair 01 has its mail handed over, pair 02 asks for it. */
const whole: MailEvidence = {
  records: [
    posted("01"),
    claimed("01", 1),
    acknowledged("01"),
    posted("02"),
    claimed("02", 2),
    acknowledged("02"),
  ],
  anomalies: [],
  effects: ["s01-sent", "r01-got", "s02-sent", "r02-got", "r02-acked"],
  handedOver: new Map([["01", 1]]),
};

it("finds nothing wrong with whole mail, nor with none", () => {
  expect(mailViolations(whole)).toEqual([]);
  expect(mailViolations({ records: [], anomalies: [], effects: [], handedOver: new Map() })).toEqual([]);
});

it.each<[string, Partial<MailEvidence>]>([
  ["the mail journal has a missing", { anomalies: ["missing"] }],
  ["claimed by nobody who lives", { records: whole.records.slice(0, -1), effects: [] }],
  ["told to be sent and is not there", { records: [], effects: ["s03-sent"], handedOver: new Map() }],
  ["read and never claimed", { records: [posted("02")], effects: ["r02-got"], handedOver: new Map() }],
  ["told to be acknowledged and is queued", { records: [posted("02")], effects: ["r02-acked"] }],
  ["acknowledged 2 times", { records: [...whole.records, acknowledged("02")] }],
  ["posted 2 times", { records: [...whole.records, posted("02")] }],
  ["handed over 2 times", { handedOver: new Map([["01", 2]]) }],
  ["is 0 times in the record", { handedOver: new Map() }],
  ["without a grant that says so", { handedOver: new Map([...whole.handedOver, ["02", 1]]) }],
  [
    "tokens of claims do not grow",
    { records: [...whole.records, posted("03"), claimed("03", 2), acknowledged("03")] },
  ],
])("finds that … %s", (sentence, evidence) => {
  expect(mailViolations({ ...whole, ...evidence }).join("\n")).toContain(sentence);
});

it("a full drill aims everywhere and at both processes, and is determined by its seed", () => {
  const plan = mailPlan(mailLines + 1, 7);
  expect(new Set(plan.map(({ lines }) => lines)).size).toBe(mailLines + 1);
  expect(new Set(plan.map(({ fault }) => fault))).toEqual(new Set(["host", "redis"]));
  expect(mailPlan(mailLines + 1, 7)).toEqual(plan);
});
