import { RecordError, recordFailure } from "./failure.ts";

/** Most records that wait to be written to one file. */
export const usualBacklogLimit = 65_536;

/** The file operations a commit group needs; a `FileHandle` has them, tests put failing ones in their place. */
export interface CommitHandle {
  read(bytes: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  write(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesWritten: number }>;
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Largest batch that is written at once instead of by a thread of the system's pool, in bytes. Handing it over and being told takes
 * several times as long as copying it into the page cache.
 */
const immediateBytes = 16_384;

/** Bounds and times of a commit group. */
export interface GroupCommitOptions {
  /** Most bytes written at once; default 1 MiB. */
  readonly batchBytes?: number;
  /** Most appends that may wait to be written before `append` is refused; default 65,536. */
  readonly backlogLimit?: number;
  /** Longest time written records stay unsynced, which is what loss of power may lose; default 1000. */
  readonly syncAfterMs?: number;
  /**
   * Writes without a thread, as `writeSync` does; answers the bytes written. Used for small batches while no sync of the file is under
   * way, behind which a write would wait. Without it every write is handed to a thread.
   */
  readonly writeNow?: (bytes: Uint8Array, offset: number, length: number, position: number) => number;
  /** Done before the first sync, and again while it fails: makes the file's name durable. */
  readonly beforeFirstSync?: () => Promise<void>;
  /** Told when a sync nobody waits for has failed. The next commit writes the doubtful bytes again. */
  readonly onSyncFailure?: (error: RecordError) => void;
}

interface Waiting {
  readonly render: (ordinal: number) => Uint8Array;
  /** How many ordinals it takes. */
  readonly count: number;
  readonly sync: boolean;
  readonly resolve: (ordinal: number) => void;
  readonly reject: (error: unknown) => void;
}

interface Written {
  readonly ordinal: number;
  readonly resolve: (ordinal: number) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Appends to one file so that many callers share one write and one sync.
 *
 * While a write is under way later appends gather for the next; while a sync is under way writing goes on. An append is
 * rendered when its batch is formed and gets the next ordinal then, so a failed batch leaves no hole in the numbering:
 * its bytes are cut off again and its callers are told. The owner guarantees that there is one group per file.
 */
export class GroupCommit {
  readonly #handle: CommitHandle;
  readonly #path: string;
  readonly #batchBytes: number;
  readonly #backlogLimit: number;
  readonly #syncAfterMs: number;
  readonly #onSyncFailure: (error: RecordError) => void;
  readonly #writeNow: GroupCommitOptions["writeNow"];
  #beforeFirstSync: (() => Promise<void>) | undefined;
  #waiting: Waiting[] = [];
  #unsynced: Written[] = [];
  #committed: number;
  #end: number;
  /** Everything before this offset survived a sync (or was there when the file was opened). */
  #syncedEnd: number;
  /** Set after a failed sync: the kernel may have dropped what is between `#syncedEnd` and here. */
  #doubtful = false;
  /** Set when a failed write could not be cut off: bytes after `#end` are rubbish. */
  #tailDirty = false;
  #writing: Promise<void> | undefined;
  #syncing: Promise<void> | undefined;
  #syncTimer: NodeJS.Timeout | undefined;
  #closed = false;

  /**
   * `end` is the file's length, of which `synced` bytes (default: all) survive loss of power, and `committed` the ordinal
   * its first append gets.
   */
  constructor(
    handle: CommitHandle,
    path: string,
    state: { readonly end: number; readonly synced?: number; readonly committed: number },
    options: GroupCommitOptions = {},
  ) {
    this.#handle = handle;
    this.#path = path;
    this.#end = state.end;
    this.#syncedEnd = state.synced ?? state.end;
    this.#committed = state.committed;
    this.#batchBytes = options.batchBytes ?? 1 << 20;
    this.#backlogLimit = options.backlogLimit ?? usualBacklogLimit;
    this.#syncAfterMs = options.syncAfterMs ?? 1000;
    this.#beforeFirstSync = options.beforeFirstSync;
    this.#writeNow = options.writeNow;
    this.#onSyncFailure = options.onSyncFailure ?? ((): void => undefined);
  }

  /** Length of the file in bytes, counting what is written and acknowledged. */
  get end(): number {
    return this.#end;
  }

  /** The ordinal the next written append will get. */
  get committed(): number {
    return this.#committed;
  }

  /**
   * Appends what `render` returns for the ordinal it is given; resolves to that ordinal when written, or with `sync` when
   * it also survives loss of power. What is rendered takes `count` ordinals and is written as a whole or not at all.
   *
   * @throws RecordError `closed`, `backlog-full`, `no-space`, `read-only`, `input-output`, and whatever `render` throws.
   */
  append(render: (ordinal: number) => Uint8Array, sync: boolean, count = 1): Promise<number> {
    if (this.#closed) return Promise.reject(this.#closedError());
    if (this.#waiting.length >= this.#backlogLimit) {
      return Promise.reject(
        new RecordError(
          "backlog-full",
          this.#path,
          `${this.#backlogLimit} records already wait to be written to ${this.#path}; wait for some to be acknowledged`,
        ),
      );
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ render, count, sync, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Resolves when everything appended before the call is written and synced. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#syncedEnd === this.#end && !this.#doubtful) return;
    await new Promise<number>((resolve, reject) => {
      this.#unsynced.push({ ordinal: this.#committed, resolve, reject });
      this.#startSync();
    });
  }

  /** Writes and syncs what is waiting, then closes the file. Further appends are refused with `closed`. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await this.flush();
    } finally {
      clearTimeout(this.#syncTimer);
      while (this.#syncing !== undefined) await this.#syncing;
      await this.#handle.close();
    }
  }

  async #writeAll(): Promise<void> {
    // One turn of the microtask queue, so that a burst of appends shares the first write.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#formBatch();
      if (batch.members.length === 0) continue;
      try {
        await this.#repair();
        await this.#writeFully(batch.bytes, this.#end);
      } catch (error) {
        await this.#cutOff();
        const failure = recordFailure(error, this.#path, "append to");
        for (const { waiting } of batch.members) waiting.reject(failure);
        continue;
      }
      this.#end += batch.bytes.length;
      this.#committed = batch.nextOrdinal;
      this.#acknowledge(batch.members);
    }
    this.#writing = undefined;
  }

  /** Takes waiting appends up to the byte bound (at least one) and renders them. */
  #formBatch(): {
    bytes: Uint8Array;
    members: { waiting: Waiting; ordinal: number }[];
    nextOrdinal: number;
  } {
    const parts: Uint8Array[] = [];
    const members: { waiting: Waiting; ordinal: number }[] = [];
    let size = 0;
    let taken = 0;
    let nextOrdinal = this.#committed;
    for (const waiting of this.#waiting) {
      if (size >= this.#batchBytes) break;
      taken += 1;
      try {
        const bytes = waiting.render(nextOrdinal);
        parts.push(bytes);
        size += bytes.length;
        members.push({ waiting, ordinal: nextOrdinal });
        nextOrdinal += waiting.count;
      } catch (error) {
        waiting.reject(error);
      }
    }
    this.#waiting = taken === this.#waiting.length ? [] : this.#waiting.slice(taken);
    const bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
    return { bytes, members, nextOrdinal };
  }

  #acknowledge(members: readonly { waiting: Waiting; ordinal: number }[]): void {
    let sync = false;
    for (const { waiting, ordinal } of members) {
      if (waiting.sync) {
        sync = true;
        this.#unsynced.push({ ordinal, resolve: waiting.resolve, reject: waiting.reject });
      } else {
        waiting.resolve(ordinal);
      }
    }
    if (sync) this.#startSync();
    else this.#scheduleSync();
  }

  async #writeFully(bytes: Uint8Array, position: number): Promise<void> {
    let done = 0;
    while (done < bytes.length) {
      const left = bytes.length - done;
      const isImmediate = left <= immediateBytes && this.#syncing === undefined;
      done +=
        isImmediate && this.#writeNow !== undefined
          ? this.#writeNow(bytes, done, left, position + done)
          : (await this.#handle.write(bytes, done, left, position + done)).bytesWritten;
    }
  }

  /** Removes what a failed write left, so that the records before it end the file. */
  async #cutOff(): Promise<void> {
    try {
      await this.#handle.truncate(this.#end);
      this.#tailDirty = false;
    } catch {
      // The next write tries again; until then the rubbish is an unfinished last line, which opening heals.
      this.#tailDirty = true;
    }
  }

  /** Before a write: cuts off rubbish of an earlier failure and rewrites what a failed sync left in doubt. */
  async #repair(): Promise<void> {
    if (this.#tailDirty) {
      await this.#handle.truncate(this.#end);
      this.#tailDirty = false;
    }
    if (!this.#doubtful) return;
    const block = Buffer.allocUnsafe(this.#batchBytes);
    for (let position = this.#syncedEnd; position < this.#end;) {
      const wanted = Math.min(block.length, this.#end - position);
      const { bytesRead } = await this.#handle.read(block, 0, wanted, position);
      if (bytesRead === 0) {
        throw new RecordError(
          "input-output",
          this.#path,
          `${this.#path} was cut at byte ${position} of ${this.#end} by someone else; close it and open it again`,
        );
      }
      await this.#writeFully(block.subarray(0, bytesRead), position);
      position += bytesRead;
    }
    this.#doubtful = false;
  }

  #scheduleSync(): void {
    if (this.#syncTimer !== undefined || this.#syncing !== undefined) return;
    this.#syncTimer = setTimeout(() => {
      this.#syncTimer = undefined;
      this.#startSync();
    }, this.#syncAfterMs);
    this.#syncTimer.unref();
  }

  #startSync(): void {
    this.#syncing ??= this.#syncAll();
  }

  async #syncAll(): Promise<void> {
    clearTimeout(this.#syncTimer);
    this.#syncTimer = undefined;
    do {
      const covered = this.#unsynced;
      const end = this.#end;
      this.#unsynced = [];
      try {
        if (this.#doubtful) await this.#repair();
        await this.#beforeFirstSync?.();
        this.#beforeFirstSync = undefined;
        await this.#handle.datasync();
        this.#syncedEnd = Math.max(this.#syncedEnd, end);
        for (const written of covered) written.resolve(written.ordinal);
      } catch (error) {
        this.#doubtful = true;
        const failure = recordFailure(error, this.#path, "sync");
        if (covered.length === 0) this.#onSyncFailure(failure);
        for (const written of covered) written.reject(failure);
      }
    } while (this.#unsynced.length > 0);
    this.#syncing = undefined;
    if (this.#syncedEnd < this.#end && !this.#closed) this.#scheduleSync();
  }

  #closedError(): RecordError {
    return new RecordError("closed", this.#path, `${this.#path} is closed; open it again to append`);
  }
}
