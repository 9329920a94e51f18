/** The records that sessions add to a conversation, by name, and how their fields are read. The model is not sent them. */
import { keyword } from "../../../lisp/data-forms/index.ts";
import type { ExtensionRecord } from "../../record/conversation-record.ts";

export const sessionRecords = {
  title: "session-title",
  plan: "plan",
  directory: "working-directory",
  mode: "permission-mode",
  childReply: "child-reply",
  yield: "yield-notice",
  turnEnd: "turn-end",
  form: "form",
  formBegin: "form-begin",
  formResult: "form-result",
  recovery: "recovery",
} as const;

/** Those of them that clients are shown. */
export const shownRecordNames: ReadonlySet<string> = new Set([
  sessionRecords.title,
  sessionRecords.plan,
  sessionRecords.childReply,
  sessionRecords.yield,
  sessionRecords.turnEnd,
  sessionRecords.form,
  sessionRecords.formResult,
  sessionRecords.recovery,
]);

/** The field of an extension record, as data; undefined when it is not there. */
export function extensionField({ fields }: ExtensionRecord, name: string): unknown {
  const key = keyword(name);
  for (let index = 0; index < fields.length; index += 2) if (fields[index] === key) return fields[index + 1];
  return undefined;
}
