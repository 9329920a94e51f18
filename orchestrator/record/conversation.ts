import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ConversationId } from "../contract/identifiers.ts";
import {
  type Chunk,
  type ChunkAppend,
  type ChunkLine,
  type ConversationHeader,
  chunkAt,
  chunkCodec,
  chunksOf,
  headerLine,
} from "./conversation-chunk.ts";
import { conversationIdAt } from "./conversation-id.ts";
import type { ConversationRecord, StoredRecord } from "./conversation-record.ts";
import { RecordError, errnoOf, recordFailure } from "./failure.ts";
import type { JournalAnomaly } from "./journal-reading.ts";
import { type Journal, type JournalOptions, createJournal, openJournal, readJournal } from "./journal.ts";
import { syncDirectory } from "./publication.ts";
import { ensurePrivateDirectory } from "./roots.ts";
import { acquireWriterLock, acquireWriterLockLater, type WriterLock } from "./writer-lock.ts";

/** What loading a conversation found. */
export interface LoadedConversation {
  readonly header: ConversationHeader;
  readonly records: readonly StoredRecord[];
  /** What was wrong, by chunk; empty for a sound conversation. */
  readonly anomalies: readonly (JournalAnomaly & { readonly path: string })[];
  /** Records whose text was repaired (NULs, lone surrogates). */
  readonly repaired: number;
}

/** How conversations are kept. */
export interface ConversationStoreOptions {
  /** The `conversations` directory of the data root. */
  readonly directory: string;
  /** Epoch milliseconds now. */
  readonly now: () => number;
  /** Size in bytes at which the next record begins a new chunk; default 8 MiB. */
  readonly chunkBytes?: number;
  /** Told when records that were acknowledged without `sync` could not be synced within a second. */
  readonly onSyncFailure?: (error: RecordError) => void;
}

/** A conversation this process may write, and what it held when it was opened. */
export interface OpenedConversation {
  readonly conversation: Conversation;
  readonly loaded: LoadedConversation;
}

/**
 * The append-only record of one conversation, of the primary agent or of a child, in chunk files
 * `conversations/<id>/<20 digits>.sexp`. The lock file beside the directory admits one writing process.
 */
export class Conversation {
  readonly header: ConversationHeader;
  readonly #options: ConversationStoreOptions;
  readonly #lock: WriterLock;
  readonly #chunkBytes: number;
  #journal: ChunkJournal;
  #rotation: Promise<void> | undefined;
  /** Why it may not be written after all: its lock could not be taken. */
  #refusal: RecordError | undefined;
  /** Size at which the next rotation is tried; grows after a failed one. */
  #rotateAt: number;

  /** @internal Use `createConversation` or `openConversation`. */
  constructor(
    options: ConversationStoreOptions,
    header: ConversationHeader,
    journal: ChunkJournal,
    lock: WriterLock | "later",
  ) {
    this.#options = options;
    this.header = header;
    this.#journal = journal;
    const path = lockPath(options, header.id);
    this.#lock =
      lock === "later"
        ? acquireWriterLockLater(path, (error) => (this.#refusal = recordFailure(error, path, "lock")))
        : lock;
    this.#chunkBytes = options.chunkBytes ?? 8 * 1024 * 1024;
    this.#rotateAt = this.#chunkBytes;
  }

  get id(): ConversationId {
    return this.header.id;
  }

  /**
   * Appends a record and resolves to its sequence number, which counts over all chunks: once it survives the death of
   * this process, or with `sync` loss of power.
   *
   * @throws RecordError as `Journal.append`.
   */
  append(record: ConversationRecord, options: { readonly sync?: boolean } = {}): Promise<number> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal);
    const line: ChunkAppend = { record, at: this.#options.now() };
    if (this.#rotation === undefined && this.#journal.length >= this.#rotateAt) this.#startRotation();
    if (this.#rotation === undefined) return this.#journal.append(line, options);
    return this.#rotation.then(() => this.#journal.append(line, options));
  }

  /** Resolves when everything appended so far survives loss of power. */
  async flush(): Promise<void> {
    await this.#rotation;
    await this.#journal.flush();
  }

  /** Syncs, closes and gives the lock back. */
  async close(): Promise<void> {
    await this.#rotation;
    try {
      await this.#journal.close();
    } finally {
      await this.#lock.release();
    }
  }

  #startRotation(): void {
    const rotation = this.#rotate();
    this.#rotation = rotation;
    // Registered first, so that appends which wait for the rotation go out in order behind this.
    rotation.then(
      () => {
        this.#rotation = undefined;
      },
      () => undefined,
    );
  }

  /** Goes over to a new chunk; where that fails, appending goes on in the old one. Never rejects. */
  async #rotate(): Promise<void> {
    const old = this.#journal;
    try {
      await old.flush();
      const chunk = chunkAt(conversationDirectory(this.#options, this.id), old.nextSeq);
      this.#journal = await startChunk(this.#options, chunk, this.header);
      this.#rotateAt = this.#chunkBytes;
      await old.close();
    } catch {
      this.#rotateAt = this.#journal === old ? old.length + this.#chunkBytes : this.#chunkBytes;
    }
  }
}

/** What a new conversation is made of. `id` is given for children, whose id is their execution's. */
export type NewConversation = Omit<ConversationHeader, "id" | "createdAt"> & { readonly id?: ConversationId };

/**
 * Creates a conversation with an id of its own and opens it.
 *
 * @throws RecordError `already-exists` when an id was given and is taken.
 */
export async function createConversation(
  options: ConversationStoreOptions,
  fresh: NewConversation,
): Promise<Conversation> {
  const createdAt = options.now();
  const id = fresh.id ?? (await claimFreeId(options, createdAt));
  if (fresh.id !== undefined && !(await claimDirectory(options, id))) {
    throw new RecordError(
      "already-exists",
      conversationDirectory(options, id),
      `the conversation ${id} exists already; open it instead`,
    );
  }
  const header: ConversationHeader = { ...fresh, id, createdAt };
  const chunk = chunkAt(conversationDirectory(options, id), 1);
  // A child's conversation is nobody's but its host's. One that people see in their lists may be opened at once.
  const lock = fresh.id === undefined ? await acquireWriterLock(lockPath(options, id)) : "later";
  try {
    return new Conversation(options, header, await startChunk(options, chunk, header), lock);
  } catch (error) {
    if (lock !== "later") await lock.release();
    throw error;
  }
}

/** Creates the directory of the first free id at or after the instant. */
async function claimFreeId(options: ConversationStoreOptions, at: number): Promise<ConversationId> {
  for (let step = 0; ; step += 1) {
    const id = conversationIdAt(at + step);
    if (await claimDirectory(options, id)) return id;
  }
}

async function claimDirectory(options: ConversationStoreOptions, id: ConversationId): Promise<boolean> {
  const path = conversationDirectory(options, id);
  try {
    if (!claimNow(path)) {
      await ensurePrivateDirectory(options.directory);
      mkdirSync(path, { mode: 0o700 });
    }
    return true;
  } catch (error) {
    const failure = recordFailure(error, path, "create the conversation");
    if (failure.code === "already-exists") return false;
    throw failure;
  }
}

/** False when the directory of all conversations is missing. */
function claimNow(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}

/**
 * Takes the conversation's lock, loads everything and opens it for appending; nothing is written but a cut last line
 * healed.
 *
 * @throws RecordError `not-found`, `locked` (WriterLockedError), `malformed` when no chunk has a readable header.
 */
export async function openConversation(
  options: ConversationStoreOptions,
  id: ConversationId,
): Promise<OpenedConversation> {
  const directory = conversationDirectory(options, id);
  await chunksOf(directory);
  const lock = await acquireWriterLock(lockPath(options, id));
  try {
    // Listed again under the lock: the last writer may have begun another chunk meanwhile.
    const chunks = await chunksOf(directory);
    const loading = new Loading(directory);
    for (const chunk of chunks.slice(0, -1)) await loading.read(chunk);
    const last = chunks.at(-1);
    if (last === undefined) throw loading.malformed();
    // Records may have gone on in the chunk before after a rotation failed: their numbers are not given again.
    const firstSeq = Math.max(last.firstSeq, loading.nextSeq);
    const journal = await openChunk(options, { path: last.path, firstSeq }, loading);
    try {
      const loaded = loading.finish();
      return { conversation: new Conversation(options, loaded.header, journal, lock), loaded };
    } catch (error) {
      await journal.close();
      throw error;
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Loads a conversation without taking its lock and without changing it.
 *
 * @throws RecordError `not-found`, `malformed`.
 */
export async function loadConversation(
  options: Pick<ConversationStoreOptions, "directory">,
  id: ConversationId,
): Promise<LoadedConversation> {
  const directory = conversationDirectory(options, id);
  const loading = new Loading(directory);
  for (const chunk of await chunksOf(directory)) await loading.read(chunk);
  return loading.finish();
}

/** The directory that holds a conversation's chunks. */
export function conversationDirectory(
  options: Pick<ConversationStoreOptions, "directory">,
  id: ConversationId,
): string {
  return join(options.directory, id);
}

function lockPath(options: ConversationStoreOptions, id: ConversationId): string {
  return `${conversationDirectory(options, id)}.lock`;
}

type ChunkJournal = Journal<ChunkLine, ChunkAppend>;

function openChunk(options: ConversationStoreOptions, chunk: Chunk, loading: Loading): Promise<ChunkJournal> {
  return openJournal({
    ...chunkJournal(options, chunk),
    onLine: ({ record }) => loading.accept(record),
    onAnomaly: (anomaly) => loading.anomaly(anomaly, chunk),
  });
}

/** Creates a chunk, or opens the one that an earlier attempt has left: with its first synced record its name becomes durable. */
async function startChunk(
  options: ConversationStoreOptions,
  chunk: Chunk,
  header: ConversationHeader,
): Promise<ChunkJournal> {
  const beforeFirstSync = async (): Promise<void> => {
    await syncDirectory(dirname(chunk.path));
    await syncDirectory(options.directory);
  };
  const fresh = { ...chunkJournal(options, chunk), beforeFirstSync };
  try {
    return createJournal(fresh, headerLine(chunk, header));
  } catch (error) {
    if (error instanceof RecordError && error.code === "already-exists") return openJournal(fresh);
    throw error;
  }
}

function chunkJournal(
  { onSyncFailure }: ConversationStoreOptions,
  { path, firstSeq }: Chunk,
): JournalOptions<ChunkLine, ChunkAppend> {
  return { path, codec: chunkCodec, firstSeq, ...(onSyncFailure === undefined ? {} : { onSyncFailure }) };
}

/** Gathers what the chunks of one conversation hold. */
class Loading {
  readonly #directory: string;
  readonly #records: StoredRecord[] = [];
  readonly #anomalies: (JournalAnomaly & { readonly path: string })[] = [];
  #header: ConversationHeader | undefined;
  #repaired = 0;
  #nextSeq = 1;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** One more than the greatest number loaded. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  async read(chunk: Chunk): Promise<void> {
    const onAnomaly = (anomaly: JournalAnomaly): void => this.anomaly(anomaly, chunk);
    for await (const { record } of readJournal({
      path: chunk.path,
      codec: chunkCodec,
      firstSeq: chunk.firstSeq,
      onAnomaly,
    })) {
      this.accept(record);
    }
  }

  accept(line: ChunkLine): void {
    if (line.kind === "header") {
      this.#header ??= line.header;
      return;
    }
    this.#records.push(line.stored);
    this.#nextSeq = Math.max(this.#nextSeq, line.stored.seq + 1);
    if (line.stored.repaired === true) this.#repaired += 1;
  }

  anomaly(anomaly: JournalAnomaly, chunk: Chunk): void {
    if (anomaly.kind === "repaired") this.#repaired += 1;
    this.#anomalies.push({ ...anomaly, path: chunk.path });
  }

  finish(): LoadedConversation {
    const header = this.#header;
    if (header === undefined) throw this.malformed();
    return { header, records: this.#records, anomalies: this.#anomalies, repaired: this.#repaired };
  }

  malformed(): RecordError {
    return new RecordError(
      "malformed",
      this.#directory,
      `${this.#directory} has no chunk with a readable (:conversation …) header, so it cannot be resumed`,
    );
  }
}
