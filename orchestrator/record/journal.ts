import { constants, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { DataFormError } from "../../lisp/data-forms/index.ts";
import { errnoOf, RecordError, recordFailure } from "./failure.ts";
import { createFileNow } from "./descriptor-file.ts";
import { type CommitHandle, GroupCommit, type GroupCommitOptions } from "./group-commit.ts";
import { type DecodedLine, type JournalAnomaly, JournalReading } from "./journal-reading.ts";
import { syncDirectory } from "./publication.ts";
import { ensurePrivateDirectory } from "./roots.ts";

/**
 * How records become lines: `A` is what is appended, `R` what is read. A line holds no newline; decoding refuses what it does not know by throwing, and the reason
 * is reported with the gap.
 */
export interface JournalCodec<R, A = R> {
  /** One line without its newline. `seq` is the record's sequence number. */
  encode(record: A, seq: number): string;
  /** `line` is without its newline and valid for the length of the call only. */
  decode(line: Uint8Array): DecodedLine<R>;
}

/** How a journal is opened. */
export interface JournalOptions<R, A = R> extends GroupCommitOptions {
  readonly path: string;
  readonly codec: JournalCodec<R, A>;
  /** Sequence number of the first record of an empty journal; default 1. */
  readonly firstSeq?: number;
  /** Longest line in bytes, newline not counted; default 16 MiB. */
  readonly maxRecordBytes?: number;
  /** Told every readable line while the journal is opened, in file order. */
  readonly onLine?: (line: DecodedLine<R>) => void;
  /** Told what was found wrong while the journal was opened, at most `maxReportedAnomalies` times. */
  readonly onAnomaly?: (anomaly: JournalAnomaly) => void;
}

/** Default bound of one line. */
export const defaultMaxRecordBytes = 16 * 1024 * 1024;

/**
 * An append-only file of numbered records, one a line. Opening it heals a cut last line; reading never loses what follows
 * a damaged one. There is one writer per file, which its owner ensures by a lock.
 */
export class Journal<R, A = R> {
  readonly path: string;
  readonly #codec: JournalCodec<R, A>;
  readonly #maxRecordBytes: number;
  readonly #commits: GroupCommit;

  /** @internal Use `openJournal` or `createJournal`. */
  constructor(
    options: JournalOptions<R, A>,
    handle: CommitHandle & { readonly fd: number },
    state: { readonly end: number; readonly synced: number; readonly nextSeq: number },
  ) {
    this.path = options.path;
    this.#codec = options.codec;
    this.#maxRecordBytes = options.maxRecordBytes ?? defaultMaxRecordBytes;
    const { end, synced, nextSeq } = state;
    this.#commits = new GroupCommit(
      handle,
      options.path,
      { end, synced, committed: nextSeq },
      { ...options, writeNow: (...operands) => writeSync(handle.fd, ...operands) },
    );
  }

  /** The number the next written record will get, waiting ones not counted. */
  get nextSeq(): number {
    return this.#commits.committed;
  }

  /** Bytes written and acknowledged. */
  get length(): number {
    return this.#commits.end;
  }

  /**
   * Appends a record, which must not be changed afterwards. Resolves to its sequence number once it is written, so that
   * the death of this process cannot lose it; with `sync`, once loss of power cannot either.
   *
   * @throws RecordError `too-large`, `closed`, `backlog-full`, `no-space`, `read-only`, `input-output`. Nothing of the
   * record stays in the file, and later appends are free to succeed.
   */
  append(record: A, options: { readonly sync?: boolean } = {}): Promise<number> {
    return this.#commits.append((seq) => this.#render(record, seq), options.sync ?? false);
  }

  /**
   * Appends records that belong together: all of them are written, or none when it fails. Resolves to the number of the
   * first.
   *
   * @throws RecordError as `append`.
   */
  appendAll(records: readonly A[], options: { readonly sync?: boolean } = {}): Promise<number> {
    const render = (seq: number): Uint8Array =>
      Buffer.concat(records.map((record, index) => this.#render(record, seq + index)));
    return this.#commits.append(render, options.sync ?? false, records.length);
  }

  /** Resolves when everything appended so far is synced. */
  flush(): Promise<void> {
    return this.#commits.flush();
  }

  /** Syncs and closes the file. */
  close(): Promise<void> {
    return this.#commits.close();
  }

  /** The lines written so far, in file order, without those still waiting. */
  read(onAnomaly?: (anomaly: JournalAnomaly) => void): AsyncGenerator<DecodedLine<R>> {
    return readJournal({
      path: this.path,
      codec: this.#codec,
      maxRecordBytes: this.#maxRecordBytes,
      through: this.length,
      ...(onAnomaly === undefined ? {} : { onAnomaly }),
    });
  }

  #encoded(record: A, seq: number): string {
    try {
      return this.#codec.encode(record, seq);
    } catch (error) {
      if (!(error instanceof DataFormError)) throw error;
      const problem = `a record for ${this.path} could not be read back: ${error.message}; store the content as an artifact and refer to it`;
      throw new RecordError("too-large", this.path, problem, error);
    }
  }

  #render(record: A, seq: number): Uint8Array {
    const line = Buffer.from(`${this.#encoded(record, seq)}\n`);
    if (line.length - 1 > this.#maxRecordBytes) {
      throw new RecordError(
        "too-large",
        this.path,
        `a record of ${line.length - 1} bytes is over the ${this.#maxRecordBytes} that one line of ${this.path} may have; ` +
          "store the content as an artifact and refer to it",
      );
    }
    const newline = line.indexOf(0x0a);
    if (newline !== line.length - 1) {
      throw new RecordError(
        "malformed",
        this.path,
        `a record for ${this.path} was encoded with a newline at ${newline}`,
      );
    }
    return line;
  }
}

/**
 * Opens a journal for appending and creates it (mode 0600) when it is missing. Everything in it is read once: `onLine`
 * sees each readable line. An unfinished last line, left by a writer that died, is completed when it holds a whole
 * record and cut off otherwise; both are reported.
 *
 * @throws RecordError `no-space`, `read-only`, `input-output`.
 */
export async function openJournal<R, A = R>(options: JournalOptions<R, A>): Promise<Journal<R, A>> {
  const { path } = options;
  try {
    const existing = await open(path, "r+").catch(missing);
    const handle = existing ?? (await created(path));
    // What nobody has synced yet is not taken to be safe: a file that is new, or that its caller has just written.
    const isNew = existing === undefined || options.beforeFirstSync !== undefined;
    const beforeFirstSync = options.beforeFirstSync ?? (() => syncDirectory(dirname(path)));
    try {
      const reading = new JournalReading(options.codec, {
        maxRecordBytes: options.maxRecordBytes ?? defaultMaxRecordBytes,
        onAnomaly: options.onAnomaly,
        firstSeq: options.firstSeq ?? 1,
      });
      for await (const block of blocksOf(handle)) {
        for (const line of reading.push(block)) options.onLine?.(line);
      }
      const end = await healTail(handle, reading, options.onLine);
      const nextSeq = reading.nextSeq ?? options.firstSeq ?? 1;
      return isNew
        ? new Journal({ ...options, beforeFirstSync }, handle, { end, synced: 0, nextSeq })
        : new Journal(options, handle, { end, synced: end, nextSeq });
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw recordFailure(error, path, "open");
  }
}

/**
 * Creates a journal (mode 0600) that begins with the line `head` and is as durable as its first synced record. Its directory exists.
 *
 * @throws RecordError `already-exists`, `no-space`, `read-only`, `input-output`.
 */
export function createJournal<R, A = R>(options: JournalOptions<R, A>, head: string): Journal<R, A> {
  const { path, firstSeq = 1 } = options;
  const bytes = Buffer.from(`${head}\n`);
  try {
    return new Journal(options, createFileNow(path, bytes), {
      end: bytes.length,
      synced: 0,
      nextSeq: firstSeq,
    });
  } catch (error) {
    throw recordFailure(error, path, "create");
  }
}

async function created(path: string): Promise<FileHandle> {
  await ensurePrivateDirectory(dirname(path));
  return open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
}

async function healTail<R>(
  handle: FileHandle,
  reading: JournalReading<R>,
  onLine: ((line: DecodedLine<R>) => void) | undefined,
): Promise<number> {
  const tail = reading.tail();
  if (tail.line === undefined) {
    if (tail.cutAt < tail.end) await handle.truncate(tail.cutAt);
    return tail.cutAt;
  }
  await handle.write("\n", tail.end);
  onLine?.(tail.line);
  return tail.end + 1;
}

/** What is read, and how far. */
export interface JournalReadOptions<R> {
  readonly path: string;
  readonly codec: Pick<JournalCodec<R>, "decode">;
  readonly maxRecordBytes?: number;
  /** The number the first record ought to have, when known. */
  readonly firstSeq?: number;
  /** Read the file's first `through` bytes only. */
  readonly through?: number;
  readonly onAnomaly?: (anomaly: JournalAnomaly) => void;
}

/**
 * The readable lines of a journal in file order, without changing it. An unfinished last line is yielded when it holds a
 * whole record; otherwise it is reported, or is the record its writer is just writing.
 *
 * @throws RecordError `not-found`, `read-only`, `input-output`.
 */
export async function* readJournal<R>(options: JournalReadOptions<R>): AsyncGenerator<DecodedLine<R>> {
  const { path } = options;
  const reading = new JournalReading(options.codec, {
    maxRecordBytes: options.maxRecordBytes ?? defaultMaxRecordBytes,
    onAnomaly: options.onAnomaly,
    firstSeq: options.firstSeq,
  });
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "r");
    for await (const block of blocksOf(handle, options.through)) yield* reading.push(block);
    const { line } = reading.tail();
    if (line !== undefined) yield line;
  } catch (error) {
    throw recordFailure(error, path, "read");
  } finally {
    await handle?.close();
  }
}

const blockBytes = 1 << 20;

/** The file's content in blocks; a block's memory is used again for the next one. */
async function* blocksOf(handle: FileHandle, through = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
  const { size } = await handle.stat();
  const block = Buffer.allocUnsafe(Math.min(blockBytes, size + 1));
  for (let position = 0; position < through;) {
    const { bytesRead } = await handle.read(block, 0, Math.min(block.length, through - position), position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield block.subarray(0, bytesRead);
  }
}

function missing(error: unknown): undefined {
  if (errnoOf(error) === "ENOENT") return undefined;
  throw error;
}
