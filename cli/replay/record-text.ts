/** Records of a conversation as a replay shows them: readable, or raw as they are stored. Pure. */
import { prettyPrintDataForm } from "../../lisp/data-forms/index.ts";
import { type StoredRecord, recordToForm } from "../../orchestrator/record/conversation-record.ts";
import { planEntriesOf } from "../../orchestrator/sessions/view/record-updates.ts";
import { sessionRecords } from "../../orchestrator/sessions/view/session-records.ts";
import { type TurnEnd, turnEndOf } from "../../orchestrator/sessions/view/turn-ends.ts";
import { formOf, formResultOf } from "../../orchestrator/prompt/form-records.ts";
import { formResultText } from "../../orchestrator/prompt/form-text.ts";
import { readableText } from "../../workers/text/readable-text.ts";

/** Characters of one record that are shown; `raw` shows all. */
export const shownCharacters = 65_536;

/** The record for people. Control characters of its text cannot reach the terminal. */
export function recordText(stored: StoredRecord): string {
  const { title, body } = describe(stored);
  const text = safe(body);
  const shown =
    text.length <= shownCharacters
      ? text
      : `${text.slice(0, shownCharacters).toWellFormed()}\n… (${text.length} characters; raw shows all)`;
  const heading = `#${stored.seq}  ${new Date(stored.at).toISOString().slice(0, 19)}Z  ${safe(title)}`;
  return shown === "" ? heading : `${heading}\n${shown}`;
}

/** The form that the record is stored as. */
export function rawRecord({ record, seq, at }: StoredRecord): string {
  return safe(prettyPrintDataForm(recordToForm(record, seq, at))).trimEnd();
}

function safe(text: string): string {
  return readableText(Buffer.from(text));
}

function describe({ record }: StoredRecord): { readonly title: string; readonly body: string } {
  switch (record.kind) {
    case "message":
      return {
        title: record.automatic === true ? "automatic message" : "you",
        body: withImages(record.content, record.images),
      };
    case "provider-item": {
      const { item } = record;
      if (item.type === "tool-call")
        return { title: `call ${item.tool} (${item.callId})`, body: item.arguments };
      return { title: item.type === "reasoning" ? "reasoning" : "autolith", body: item.text };
    }
    case "tool-result":
      return { title: `result of ${record.tool} (${record.callId}): ${record.status}`, body: record.output };
    case "provider":
      return { title: "provider", body: JSON.stringify(record.metadata) };
    case "configuration":
      return { title: "configuration", body: `model ${record.model}, effort ${record.reasoningEffort}` };
    case "summary":
      return { title: `summary of everything through #${record.throughSeq}`, body: record.content };
    case "extension": {
      const form = formOf(record);
      if (form !== undefined) return { title: `form ${form.job ?? form.formId}`, body: form.source };
      const ended = formResultOf(record);
      if (ended !== undefined)
        return {
          title: `result of ${ended.formId}: ${ended.result.status}`,
          body: formResultText(ended.result),
        };
      const end = turnEndOf(record);
      if (end !== undefined) return describeEnd(end);
      const plan = record.name === sessionRecords.plan ? planEntriesOf(record) : undefined;
      const body =
        plan?.map(({ status, content }) => `[${status}] ${content}`).join("\n") ??
        prettyPrintDataForm([...record.fields]);
      return { title: record.name, body: body.trimEnd() };
    }
  }
}

function describeEnd({ outcome, durationMs, usage, failure }: TurnEnd): { title: string; body: string } {
  const how = {
    "end-turn": "the turn ended",
    cancelled: "the turn was stopped",
    condition: "the turn failed",
  };
  const counts = [
    ...(durationMs === null ? [] : [`${(durationMs / 1_000).toFixed(1)} s`]),
    `${usage.requests} request${usage.requests === 1 ? "" : "s"}`,
    ...(usage.inputTokens === null ? [] : [`${usage.inputTokens} input tokens`]),
    ...(usage.outputTokens === null ? [] : [`${usage.outputTokens} output tokens`]),
  ];
  const body = failure === undefined ? "" : `${failure.code}: ${failure.message}`;
  return { title: `${how[outcome]} · ${counts.join(" · ")}`, body };
}

function withImages(text: string, images: readonly unknown[] | undefined): string {
  return images === undefined || images.length === 0 ? text : `${text}\n(${images.length} image(s))`;
}
