import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DataFormError, keyword } from "../../lisp/data-forms/index.ts";
import type { ConversationId } from "../contract/identifiers.ts";
import { type JobJournal, type JobRecord, jobRecordSchema } from "../jobs/journal-records.ts";
import type { GroupCommitOptions } from "./group-commit.ts";
import { errnoOf, recordFailure } from "./failure.ts";
import type { DecodedLine, JournalAnomaly } from "./journal-reading.ts";
import { type NumberedJobRecord, isStartedChild, retainedJobRecords } from "./job-journal-compaction.ts";
import { type JournalCodec, openJournal, readJournal } from "./journal.ts";
import { formToLine } from "./line-form.ts";
import { recordFields, recordLine } from "./record-codec.ts";
import { publishFile } from "./publication.ts";

/** A line of a job journal: a record, or the mark that compaction leaves at the beginning. */
export type JobJournalLine =
  | JobRecord
  | {
      readonly kind: "compacted";
      /** Children whose admission was left out, here and by compactions before. */
      readonly startedChildren: number;
    };

const compactedKind = "compacted";
const throughSeqKey = keyword("through-seq");
const startedChildrenKey = keyword("started-children");

/**
 * Codec of job records: `(KIND :seq N :at EPOCH-MS :key value …)`. Texts, integers, truth values stand as they are;
 * arrays and objects in their portable form (facts B.5); an absent value is left out.
 */
export const jobRecordCodec: JournalCodec<JobJournalLine, JobRecord> = {
  encode: recordLine,
  decode: (line) => {
    const { kind, fields } = recordFields(line);
    const { seq, ...rest } = fields;
    if (kind === compactedKind) return compactionMark(rest["throughSeq"], rest["startedChildren"] ?? 0);
    if (typeof seq !== "number") throw new DataFormError("invalid-structure", "a job record has a :seq");
    return { seq, record: jobRecordSchema.parse({ kind, ...rest }) };
  },
};

/** The first line of a compacted journal: numbers up to `throughSeq` may be missing, `startedChildren` children among them. */
export function compactionLine(throughSeq: number, startedChildren = 0): string {
  return formToLine([
    ...[keyword(compactedKind), throughSeqKey, throughSeq],
    ...(startedChildren === 0 ? [] : [startedChildrenKey, startedChildren]),
  ]);
}

function compactionMark(throughSeq: unknown, startedChildren: unknown): DecodedLine<JobJournalLine> {
  if (typeof throughSeq !== "number" || typeof startedChildren !== "number") {
    throw new DataFormError(
      "invalid-structure",
      "the mark of a compaction has a :through-seq and may have a number of :started-children",
    );
  }
  return { seq: undefined, record: { kind: "compacted", startedChildren }, gapsThrough: throughSeq };
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
  /** Children that were started and whose records compaction has left out. */
  readonly forgottenChildren: number;
  readonly anomalies: readonly JournalAnomaly[];
}

/** How a job journal is opened. */
export interface JobJournalOptions extends Pick<GroupCommitOptions, "onSyncFailure"> {
  /** Size in bytes from which on opening compacts it; default 8 MiB. */
  readonly compactFromBytes?: number;
}

export const defaultCompactFromBytes = 8 * 1024 * 1024;

/**
 * Opens the job journal at `path` and reads what it holds; one that has grown large is compacted first. The caller holds
 * the conversation's lock: the journal has one writer. `onSyncFailure` is told when records that were acknowledged
 * without `sync` could not be synced within a second.
 *
 * @throws RecordError `no-space`, `read-only`, `input-output`.
 */
export async function openJobJournal(
  path: string,
  options: JobJournalOptions = {},
): Promise<OpenedJobJournal> {
  const { compactFromBytes = defaultCompactFromBytes, ...commitOptions } = options;
  const anomalies: JournalAnomaly[] = [];
  await compactIfLarge(path, compactFromBytes, anomalies);
  const records: JobRecord[] = [];
  let forgottenChildren = 0;
  const journal = await openJournal({
    ...commitOptions,
    path,
    codec: jobRecordCodec,
    onLine: ({ record }) => {
      if (record.kind === "compacted") forgottenChildren = record.startedChildren;
      else records.push(record);
    },
    onAnomaly: (anomaly) => anomalies.push(anomaly),
  });
  return {
    journal: {
      append: async (appended, appendOptions) => {
        if (appended.length > 0) await journal.appendAll(appended, appendOptions);
      },
      close: () => journal.close(),
    },
    records,
    forgottenChildren,
    anomalies,
  };
}

/**
 * Replaces a journal of that size by one that holds what is still needed, if that saves half of it. Damage is reported
 * now, since the damaged lines do not come along.
 */
async function compactIfLarge(
  path: string,
  compactFromBytes: number,
  anomalies: JournalAnomaly[],
): Promise<void> {
  const size = await sizeOf(path);
  if (size < compactFromBytes) return;
  const numbered: NumberedJobRecord[] = [];
  const found: JournalAnomaly[] = [];
  let through = 0;
  let forgotten = 0;
  for await (const { seq, record, gapsThrough } of readJournal({
    path,
    codec: jobRecordCodec,
    onAnomaly: (anomaly) => found.push(anomaly),
  })) {
    through = Math.max(through, seq ?? gapsThrough ?? 0);
    if (record.kind === "compacted") forgotten = record.startedChildren;
    else if (seq !== undefined) numbered.push({ seq, record });
  }
  const retained = retainedJobRecords(numbered);
  const children = (of: readonly NumberedJobRecord[]): number =>
    of.filter(({ record }) => isStartedChild(record)).length;
  const mark = compactionLine(through, forgotten + children(numbered) - children(retained));
  const lines = retained.map(({ seq, record }) => jobRecordCodec.encode(record, seq));
  const content = `${[mark, ...lines].join("\n")}\n`;
  if (Buffer.byteLength(content) * 2 > size) return;
  await publishFile(path, content);
  anomalies.push(...found);
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return 0;
    throw recordFailure(error, path, "open");
  }
}
