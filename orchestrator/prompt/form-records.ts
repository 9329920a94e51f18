/** Forms in the record of a conversation: what is written of them, what is read back, and what the model is told. Pure. */
import { type DataForm, formToJson } from "../../lisp/data-forms/index.ts";
import { type FormResult, formResultSchema } from "../contract/session/forms.ts";
import type { SessionUpdate } from "../contract/session/updates.ts";
import type { ConversationRecord, ExtensionRecord, StoredRecord } from "../record/conversation-record.ts";
import { valueText } from "./form-text.ts";
import { extensionField, sessionRecords } from "../sessions/view/session-records.ts";

export type RecordedForm = {
  readonly formId: string;
  readonly source: string;
  /** The id under which a front end submitted it. */
  readonly inputId?: string;
  /** The job that evaluates it, for `? form`. */
  readonly job?: string;
  /** It was recorded before it could begin, as behind another form: a record of its own says when it began. */
  readonly waits?: true;
};

/** The form that a record begins; undefined for other records. */
export function formOf(record: ConversationRecord): RecordedForm | undefined {
  if (record.kind !== "extension" || record.name !== sessionRecords.form) return undefined;
  const field = (name: string) => extensionField(record, name);
  const [formId, source, inputId, job] = [field("form-id"), field("source"), field("input-id"), field("job")];
  if (typeof formId !== "string" || typeof source !== "string") return undefined;
  return {
    formId,
    source,
    ...(typeof inputId === "string" ? { inputId } : {}),
    ...(typeof job === "string" ? { job } : {}),
    ...(field("waits") === true ? { waits: true } : {}),
  };
}

/** True when a form may have done something: its beginning is in the record, or in records of earlier versions it had none. */
export function hasBegun({ formId, waits }: RecordedForm, records: readonly StoredRecord[]): boolean {
  return waits !== true || records.some(({ record }) => begunFormOf(record) === formId);
}

/** The id of the form that had waited and whose beginning the record holds; undefined for other records. */
function begunFormOf(record: ConversationRecord): string | undefined {
  if (record.kind !== "extension" || record.name !== sessionRecords.formBegin) return undefined;
  const formId = extensionField(record, "form-id");
  return typeof formId === "string" ? formId : undefined;
}

/** The end of a form that a record holds; undefined for other records, and for what cannot be read. */
export function formResultOf(
  record: ConversationRecord,
): { readonly formId: string; readonly result: FormResult } | undefined {
  if (record.kind !== "extension" || record.name !== sessionRecords.formResult) return undefined;
  const formId = extensionField(record, "form-id");
  const result = resultField(record);
  return typeof formId === "string" && result !== undefined ? { formId, result } : undefined;
}

function resultField(record: ExtensionRecord): FormResult | undefined {
  const form = extensionField(record, "result");
  if (form === undefined) return undefined;
  try {
    const parsed = formResultSchema.safeParse(formToJson(form as DataForm));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** What clients are shown of a record about a form. */
export function formUpdates(record: ExtensionRecord, at: number): readonly SessionUpdate[] {
  const begun = formOf(record);
  if (begun !== undefined) {
    const { inputId: _, waits: _waits, ...form } = begun;
    return [{ type: "form", ...form, at }];
  }
  const ended = formResultOf(record);
  return ended === undefined ? [] : [{ type: "form-result", formId: ended.formId, ...ended.result, at }];
}

/** The id of the input by which a form's end is told to the model: its receipt in the record. */
export function formReceipt(formId: string): string {
  return `told:${formId}`;
}

/** True for the message that tells the model of a form: people have been shown the form itself. */
export function isFormReceipt(inputId: string | undefined): boolean {
  return inputId?.startsWith("told:form:") === true;
}

/** Where the forms of a conversation stand. */
export type FormStanding = {
  /** Forms by the ids under which they were submitted; what came of them, unless they have no end. */
  readonly submitted: ReadonlyMap<
    string,
    { readonly form: RecordedForm; readonly result: FormResult | undefined }
  >;
  /** Number of the last form. */
  readonly last: number;
  /** Recorded by a host that is gone, without an end. `hasBegun`: it may have done something. */
  readonly unfinished: readonly { readonly form: RecordedForm; readonly hasBegun: boolean }[];
  /** Ended, and the model has not been told. In order. */
  readonly untold: readonly { readonly form: RecordedForm; readonly result: FormResult }[];
};

export function formStanding(records: readonly StoredRecord[]): FormStanding {
  const recorded = new Map<string, RecordedForm>();
  const begun = new Set<string>();
  const ended = new Map<string, FormResult>();
  const told = new Set<string>();
  let last = 0;
  for (const { record } of records) {
    const form = formOf(record);
    if (form !== undefined) {
      recorded.set(form.formId, form);
      last = Math.max(last, Number(/^form:(\d+)$/.exec(form.formId)?.[1] ?? 0));
    }
    const began = begunFormOf(record);
    if (began !== undefined) begun.add(began);
    const end = formResultOf(record);
    if (end !== undefined) ended.set(end.formId, end.result);
    if (record.kind === "message" && record.pendingInputIdentifier !== undefined)
      told.add(record.pendingInputIdentifier);
  }
  const forms = [...recorded.values()];
  return {
    last,
    submitted: new Map(
      forms.flatMap((form) =>
        form.inputId === undefined ? [] : [[form.inputId, { form, result: ended.get(form.formId) }] as const],
      ),
    ),
    // What becomes of the others is in the journal of their jobs.
    unfinished: forms
      .filter(({ formId, job }) => job === undefined && !ended.has(formId))
      .map((form) => ({ form, hasBegun: form.waits !== true || begun.has(form.formId) })),
    untold: forms.flatMap((form) => {
      const result = ended.get(form.formId);
      return result === undefined || told.has(formReceipt(form.formId)) ? [] : [{ form, result }];
    }),
  };
}

/** Most characters of one part of what the model is told of a form. */
export const toldCharacters = 4_000;

/** What the model is told of a form that a person evaluated. */
export function formMessage({ source }: RecordedForm, result: FormResult): string {
  const parts = [
    "The user evaluated a Lisp form in the active image. This is for your information; no answer is asked for.",
    `Form:\n${cut(source)}`,
    ...(result.output === "" ? [] : [`Output:\n${cut(result.output)}`]),
    ...(result.omittedOutput === 0
      ? []
      : [`(${result.omittedOutput} more characters of output are not kept.)`]),
    endText(result),
  ];
  return parts.join("\n\n");
}

function endText(result: FormResult): string {
  switch (result.status) {
    case "values":
      if (result.values.length === 0) return "It returned no values.";
      return `Values:\n${cut(valueLines(result))}`;
    case "condition":
      return result.condition === undefined
        ? `It failed: ${cut(result.reason ?? "unknown")}`
        : `It ended with a condition of type ${result.condition.type}: ${cut(result.condition.text)}`;
    case "cancelled":
      return "It was cancelled. What it did before that stays done.";
    case "lost":
      return `It was lost (${cut(result.reason ?? "the host ended")}): whether its effects happened is unknown. It is not run again.`;
    case "never-begun":
      return `It was never begun (${cut(result.reason ?? "the host ended")}): it did nothing, and is not run unless the user submits it again.`;
    case "quit":
      return "It left the image.";
  }
}

function valueLines({ values, omittedValues }: FormResult): string {
  return [
    ...values.map((value) => `⇒ ${valueText(value)}`),
    ...(omittedValues === 0 ? [] : [`… (${omittedValues} more values)`]),
  ].join("\n");
}

function cut(text: string): string {
  if (text.length <= toldCharacters) return text;
  const rest = text.length - toldCharacters;
  return `${text.slice(0, toldCharacters).toWellFormed()}\n… (${rest} more characters)`;
}
