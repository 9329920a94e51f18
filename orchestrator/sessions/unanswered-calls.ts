/** Tools that Lisp was calling when its host died: each gets its end in the record, of unknown outcome. */
import type { AgentTranscript } from "../agents/transcript.ts";
import type { StoredRecord } from "../record/conversation-record.ts";
import { type AuditEntry, auditRecords, recordedAudit } from "../tools/nested-calls.ts";
import { extensionField } from "./view/session-records.ts";

/** Said of a call whose host died. */
const lostOutcome =
  "The host died while the call was made: it may have taken effect. Look before it is repeated.";

/** Calls that the record asks for and does not answer, in order. Pure. */
export function unansweredCalls(records: readonly StoredRecord[]): readonly AuditEntry[] {
  const open = new Map<string, AuditEntry>();
  for (const { record } of records) {
    if (record.kind !== "extension") continue;
    const field = (name: string): string => String(extensionField(record, name));
    const callId = field("call-id");
    if (record.name === auditRecords.asked)
      open.set(callId, { callId, parentCallId: field("parent-call-id"), tool: field("tool") });
    if (record.name === auditRecords.answered) open.delete(callId);
  }
  return [...open.values()];
}

/** Adds the ends that are missing. */
export async function answerLostCalls(
  records: readonly StoredRecord[],
  transcript: Pick<AgentTranscript, "note">,
): Promise<void> {
  const audit = recordedAudit((name, fields) => transcript.note(name, fields));
  for (const entry of unansweredCalls(records))
    await audit.answered({ ...entry, outcome: "unknown", output: lostOutcome });
}
