import { join } from "node:path";
import {
  type DataForm,
  type DataList,
  DataFormError,
  Keyword,
  formToJson,
  jsonToForm,
  keyword,
} from "../../lisp/data-forms/index.ts";
import type { ConversationId } from "../contract/identifiers.ts";
import { type JobJournal, type JobRecord, jobRecordSchema } from "../jobs/journal-records.ts";
import type { GroupCommitOptions } from "./group-commit.ts";
import type { JournalAnomaly } from "./journal-reading.ts";
import { type JournalCodec, openJournal } from "./journal.ts";
import { formToLine, lineToForm } from "./line-form.ts";

/**
 * Codec of job records: `(KIND :seq N :at EPOCH-MS :key value …)`. Texts, integers, truth values stand as they are;
 * arrays and objects in their portable form (facts B.5); a null is left out.
 */
export const jobRecordCodec: JournalCodec<JobRecord> = {
  encode: ({ kind, at, ...rest }, seq) => {
    const fields = Object.entries(rest).flatMap(([name, value]) =>
      value === undefined ? [] : [keyword(dashed(name)), jsonToForm(value)],
    );
    return formToLine([keyword(kind), keyword("seq"), seq, keyword("at"), at, ...fields]);
  },
  decode: (line) => {
    const form = lineToForm(line);
    const head = Array.isArray(form) ? (form as DataList)[0] : undefined;
    if (!Array.isArray(form) || !(head instanceof Keyword) || form.length % 2 === 0) {
      throw new DataFormError("invalid-structure", "a job record is a kind followed by keys and values");
    }
    const { seq, ...fields } = fieldsOf(form as DataList);
    if (typeof seq !== "number") throw new DataFormError("invalid-structure", "a job record has a :seq");
    return { seq, record: jobRecordSchema.parse({ kind: head.name.toLowerCase(), ...fields }) };
  },
};

function fieldsOf(list: DataList): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (let index = 1; index < list.length; index += 2) {
    const name = list[index];
    if (!(name instanceof Keyword)) throw new DataFormError("invalid-structure", "a key is a keyword");
    fields[camelCased(name.name)] = formToJson(list[index + 1] as DataForm);
  }
  return fields;
}

function dashed(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function camelCased(name: string): string {
  return name.toLowerCase().replaceAll(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
}

/** The file of a conversation's job journal, beside its directory. */
export function jobJournalPath(conversations: string, id: ConversationId): string {
  return join(conversations, `${id}.jobs.sexp`);
}

/** A job journal on disk, and what it held when it was opened. */
export interface OpenedJobJournal {
  readonly journal: JobJournal & { close(): Promise<void> };
  /** In the order they were written. */
  readonly records: readonly JobRecord[];
  readonly anomalies: readonly JournalAnomaly[];
}

/**
 * Opens the job journal at `path` and reads what it holds. The caller holds the conversation's lock: the journal has one
 * writer. `options.onSyncFailure` is told when records that were acknowledged without `sync` could not be synced within a second.
 *
 * @throws RecordError `no-space`, `read-only`, `input-output`.
 */
export async function openJobJournal(
  path: string,
  options: Pick<GroupCommitOptions, "onSyncFailure"> = {},
): Promise<OpenedJobJournal> {
  const records: JobRecord[] = [];
  const anomalies: JournalAnomaly[] = [];
  const journal = await openJournal({
    path,
    codec: jobRecordCodec,
    ...options,
    onLine: ({ record }) => records.push(record),
    onAnomaly: (anomaly) => anomalies.push(anomaly),
  });
  return {
    journal: {
      append: async (appended, options) => {
        if (appended.length > 0) await journal.appendAll(appended, options);
      },
      close: () => journal.close(),
    },
    records,
    anomalies,
  };
}
