import { LineScanner, type ScannedLine } from "./line-scanner.ts";
import { repairLine } from "./text-repair.ts";

/**
 * Something wrong in a journal. `offset` is the byte where the line starts.
 *
 * - `cut-tail`: the last line has no newline and holds no whole record; opening for writing removes it.
 * - `completed-tail`: the last line held a whole record and only its newline was missing.
 * - `unreadable`: the line is no record; it is skipped.
 * - `too-long`: the line is over the bound; it is skipped.
 * - `repaired`: NULs or invalid UTF-8 were removed from the line before it could be read.
 * - `duplicate`: a record with this number was read before; the line is skipped.
 * - `missing`: the numbers `fromSeq` to `throughSeq` are not where they should be.
 */
export type JournalAnomaly = { readonly offset: number } & (
  | { readonly kind: "cut-tail"; readonly bytes: number; readonly reason: string }
  | { readonly kind: "completed-tail" }
  | { readonly kind: "unreadable"; readonly bytes: number; readonly reason: string }
  | { readonly kind: "too-long"; readonly bytes: number; readonly limit: number }
  | { readonly kind: "repaired"; readonly seq: number | undefined }
  | { readonly kind: "duplicate"; readonly seq: number }
  | { readonly kind: "missing"; readonly fromSeq: number; readonly throughSeq: number }
);

/** Anomalies of one reading that are reported one by one; further ones are only counted. */
export const maxReportedAnomalies = 100;

/** What a decoded line holds. */
export interface DecodedLine<R> {
  /** Undefined for a line that is not numbered, such as a header. */
  readonly seq: number | undefined;
  readonly record: R;
  /** Numbers up to this one were left out on purpose: compaction dropped their records. */
  readonly gapsThrough?: number;
}

interface LineReader<R> {
  decode(line: Uint8Array): DecodedLine<R>;
}

interface ReadingOptions {
  readonly maxRecordBytes: number;
  readonly onAnomaly: ((anomaly: JournalAnomaly) => void) | undefined;
  /** The number the first record ought to have, when known. */
  readonly firstSeq?: number | undefined;
}

/**
 * Blocks of a journal in, readable lines and anomalies out. Damage costs the damaged line only: what follows is read.
 * Pure but for the callback; the file stays with the caller.
 */
export class JournalReading<R> {
  readonly #codec: LineReader<R>;
  readonly #options: ReadingOptions;
  readonly #scanner: LineScanner;
  readonly #seen = new Set<number>();
  #length = 0;
  #expected: number | undefined;
  #highest: number | undefined;
  #gapsThrough = 0;
  #unreadSinceHighest = 0;
  #anomalies = 0;

  constructor(codec: LineReader<R>, options: ReadingOptions) {
    this.#codec = codec;
    this.#options = options;
    this.#expected = options.firstSeq;
    this.#scanner = new LineScanner(options.maxRecordBytes);
  }

  /**
   * The number for the next record, or undefined when nothing numbered was read. Lines that could not be read at the end
   * of the file are counted, so that their numbers are not given again.
   */
  get nextSeq(): number | undefined {
    return this.#highest === undefined ? undefined : this.#highest + 1 + this.#unreadSinceHighest;
  }

  /** Anomalies found so far, those over the reporting bound included. */
  get anomalies(): number {
    return this.#anomalies;
  }

  /** The readable lines that end in this block. */
  *push(block: Uint8Array): Generator<DecodedLine<R>> {
    this.#length += block.length;
    for (const scanned of this.#scanner.push(block)) {
      const line = this.#accept(scanned);
      if (line !== undefined) yield line;
    }
  }

  /**
   * What follows the last newline: `line` when it holds a whole record (the file should get a newline at `end`),
   * otherwise the file should be cut at `cutAt`, which equals `end` when nothing follows.
   */
  tail(): { readonly line: DecodedLine<R> | undefined; readonly cutAt: number; readonly end: number } {
    const end = this.#length;
    const rest = this.#scanner.rest();
    if (rest === undefined) return { line: undefined, cutAt: end, end };
    const { offset } = rest;
    const cut = (reason: string): { line: undefined; cutAt: number; end: number } => {
      this.#report({ kind: "cut-tail", offset, bytes: end - offset, reason });
      return { line: undefined, cutAt: offset, end };
    };
    if (rest.kind === "too-long") return cut(`longer than ${this.#options.maxRecordBytes} bytes`);
    const attempt = this.#decode(rest.bytes);
    // A repaired tail is rubbish of a torn write more likely than a record: only a clean one is kept.
    if ("reason" in attempt) return cut(attempt.reason);
    if (attempt.repaired) return cut("holds NULs or invalid UTF-8");
    this.#report({ kind: "completed-tail", offset });
    return { line: this.#number(attempt.line, offset), cutAt: end, end };
  }

  #accept(scanned: ScannedLine): DecodedLine<R> | undefined {
    const { offset } = scanned;
    if (scanned.kind === "too-long") {
      const limit = this.#options.maxRecordBytes;
      this.#unreadSinceHighest += 1;
      this.#report({ kind: "too-long", offset, bytes: scanned.length, limit });
      return undefined;
    }
    if (scanned.bytes.length === 0) return undefined;
    const attempt = this.#decode(scanned.bytes);
    if ("reason" in attempt) {
      this.#unreadSinceHighest += 1;
      this.#report({ kind: "unreadable", offset, bytes: scanned.bytes.length, reason: attempt.reason });
      return undefined;
    }
    if (attempt.repaired) this.#report({ kind: "repaired", offset, seq: attempt.line.seq });
    return this.#number(attempt.line, offset);
  }

  #decode(bytes: Uint8Array): { line: DecodedLine<R>; repaired: boolean } | { reason: string } {
    const better = repairLine(bytes);
    try {
      return { line: this.#codec.decode(better ?? bytes), repaired: better !== undefined };
    } catch (error) {
      return { reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Checks the line's number against those before it; undefined when the line repeats one. */
  #number(line: DecodedLine<R>, offset: number): DecodedLine<R> | undefined {
    const { seq } = line;
    if (seq === undefined) {
      this.#allowGaps(line.gapsThrough ?? 0);
      return line;
    }
    if (this.#seen.has(seq)) {
      this.#report({ kind: "duplicate", offset, seq });
      return undefined;
    }
    const expected = this.#expected;
    const missingFrom = Math.max(expected ?? seq, this.#gapsThrough + 1);
    if (seq > missingFrom) {
      this.#report({ kind: "missing", offset, fromSeq: missingFrom, throughSeq: seq - 1 });
    }
    this.#seen.add(seq);
    this.#expected = seq + 1;
    if (this.#highest === undefined || seq > this.#highest) {
      this.#highest = seq;
      this.#unreadSinceHighest = 0;
    }
    return line;
  }

  #allowGaps(through: number): void {
    if (through <= this.#gapsThrough) return;
    this.#gapsThrough = through;
    this.#highest = Math.max(this.#highest ?? 0, through);
  }

  #report(anomaly: JournalAnomaly): void {
    this.#anomalies += 1;
    if (this.#anomalies <= maxReportedAnomalies) this.#options.onAnomaly?.(anomaly);
  }
}
