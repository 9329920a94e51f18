/** The job journal on disk: one JSON object a line, sequence number first (`tasks/<conversation>/jobs.jsonl`). */
import { type DecodedLine, type Journal, type JournalCodec, openJournal } from "../record/journal.ts";
import { type JobJournal, type JobRecord, jobRecordSchema } from "./journal-records.ts";

const codec: JournalCodec<JobRecord> = {
  encode: (record, seq) => JSON.stringify({ seq, ...record }),
  decode: (line): DecodedLine<JobRecord> => {
    const { seq, ...record } = JSON.parse(Buffer.from(line).toString("utf8")) as { seq: unknown };
    if (typeof seq !== "number") throw new TypeError("a job record needs its sequence number");
    return { seq, record: jobRecordSchema.parse(record) };
  },
};

/** Longest job record, in bytes. Specifications beyond it are refused at admission. */
const maxRecordBytes = 4 * 1024 * 1024;

export type OpenJobJournalOptions = {
  readonly path: string;
  /** Told every record found on opening, in order. */
  readonly onRecord: (record: JobRecord) => void;
  /** Told of damaged lines: what was wrong and where, for people. */
  readonly onAnomaly: (description: string) => void;
};

/** A job journal that is open for writing; its owner holds the conversation's lease. */
export class FileJobJournal implements JobJournal {
  readonly #journal: Journal<JobRecord>;

  private constructor(journal: Journal<JobRecord>) {
    this.#journal = journal;
  }

  /** Opens or creates the file, heals a cut last line and replays what is there. Throws RecordError codes. */
  static async open(options: OpenJobJournalOptions): Promise<FileJobJournal> {
    const journal = await openJournal({
      path: options.path,
      codec,
      maxRecordBytes,
      onLine: ({ record }) => options.onRecord(record),
      onAnomaly: (anomaly) => options.onAnomaly(`${options.path}: ${JSON.stringify(anomaly)}`),
    });
    return new FileJobJournal(journal);
  }

  async append(records: readonly JobRecord[], options: { readonly sync?: boolean } = {}): Promise<void> {
    await Promise.all(records.map((record) => this.#journal.append(record, options)));
  }

  close(): Promise<void> {
    return this.#journal.close();
  }
}
