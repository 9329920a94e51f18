import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { hasProcess, isRunning, processIdentity } from "../../orchestrator/record/process-identity.ts";
import { captureRecordSchema, defaultCaptureLimits, planRetention } from "./capture-record.ts";
import type { CaptureLimits, CaptureRecord, StreamRecord } from "./capture-record.ts";
import { CaptureStream, type StreamWindow } from "./capture-stream.ts";
import { describeWriteFailure } from "./file-system-name.ts";
import { previewBytes } from "./output-preview.ts";
import { formatShellLog, isReferencePart } from "./shell-log-reference.ts";
import type { ShellLogReference, ShellLogStream } from "./shell-log-reference.ts";

const recordName = "capture.json";
const tombstoneName = "pruned.json";
const tombstonesSchema = z.array(z.strictObject({ artifact: z.string(), prunedAt: z.number() }));

/** A capture a command is writing into. */
export interface OpenCapture {
  /** Undefined when nothing could be set aside on disk: then the preview is all that is kept. */
  readonly artifact: ArtifactName | undefined;
  readonly output: CaptureStream;
  readonly error: CaptureStream | undefined;
}

export type ArtifactName = Omit<ShellLogReference, "stream">;

/** A capture that has ended. */
export interface ClosedCapture {
  readonly output: StreamRecord;
  readonly error: StreamRecord | undefined;
}

export interface CaptureRequest {
  readonly conversationId: string;
  readonly executionId: string;
  readonly separate: boolean;
  /** Keeps the capture from pruning until {@link CaptureStore.release}. */
  readonly protectUntilDelivered: boolean;
}

/** What a reference leads to. */
export type CaptureState =
  | {
      readonly kind: "present";
      readonly path: string;
      readonly record: CaptureRecord;
      readonly stream: StreamRecord;
    }
  | { readonly kind: "pruned"; readonly prunedAt: number }
  | { readonly kind: "missing" };

export interface CaptureStoreOptions {
  /** `<root>/<conversation>/<execution>/<artifact>/{output,error,capture.json}`. */
  readonly root: string;
  readonly limits?: Partial<CaptureLimits>;
  /** Values that no capture may hold. */
  readonly secrets?: readonly string[];
  /** Epoch ms; for tests. */
  readonly now?: () => number;
}

/** The directory of raw shell captures: allocation, retention, and what references lead to. */
export class CaptureStore {
  #limits: CaptureLimits;
  readonly #root: string;
  readonly #now: () => number;
  readonly #secrets: readonly string[];
  readonly #owner = processIdentity();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: CaptureStoreOptions) {
    this.#root = options.root;
    this.#limits = { ...defaultCaptureLimits, ...options.limits };
    this.#now = options.now ?? Date.now;
    this.#secrets = options.secrets ?? [];
  }

  /** The bounds in force. */
  get limits(): CaptureLimits {
    return this.#limits;
  }

  /** Sets bounds for what is opened from now on; those that are not given stay. */
  configure(limits: Partial<CaptureLimits>): void {
    this.#limits = { ...this.#limits, ...limits };
  }

  /**
   * Prunes what may go and opens a capture. Never rejects for want of room or a broken disk: the command must be able to
   * run (it may be the one that looks into the matter), so such a capture keeps the preview only and says why.
   */
  async open(request: CaptureRequest): Promise<OpenCapture> {
    const opened = this.#turn.then(async () => await this.#open(request));
    this.#turn = opened.catch(() => undefined);
    return await opened;
  }

  async #open(request: CaptureRequest): Promise<OpenCapture> {
    const { conversationId, executionId, separate } = request;
    const artifact = { conversationId, executionId, artifactId: randomBytes(6).toString("hex") };
    const reservedBytes = this.limits.streamBytes * (separate ? 2 : 1);
    try {
      if (!(await this.#makeRoom(reservedBytes))) {
        return this.#memoryOnly(
          `No capture: the ${this.limits.totalBytes} bytes or ${this.limits.artifacts} artifacts set aside for shell ` +
            `captures are used by running commands and undelivered results.`,
          separate,
        );
      }
      const directory = this.#directoryOf(artifact);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await this.#writeRecord({
        version: 1,
        ...artifact,
        state: "active",
        owner: this.#owner,
        openedAt: this.#now(),
        delivered: !request.protectUntilDelivered,
        reservedBytes,
        output: { status: "capturing", observedBytes: 0, retainedBytes: 0 },
        ...(separate ? { error: { status: "capturing", observedBytes: 0, retainedBytes: 0 } as const } : {}),
      });
      const stream = async (name: ShellLogStream): Promise<CaptureStream> =>
        await CaptureStream.open(join(directory, name), this.limits.streamBytes, this.#window());
      return {
        artifact,
        output: await stream("output"),
        error: separate ? await stream("error") : undefined,
      };
    } catch (error) {
      if (!isFileSystemError(error)) throw error;
      // A place nobody captures into would count as set aside for as long as this host lives.
      await this.#remove(artifact).catch(ignoreFileSystemError);
      return this.#memoryOnly(describeWriteFailure(error, this.#root), separate);
    }
  }

  #window(): StreamWindow {
    return { bytes: previewBytes, secrets: this.#secrets };
  }

  #memoryOnly(reason: string, separate: boolean): OpenCapture {
    const stream = (): CaptureStream => CaptureStream.withoutFile(reason, this.#window());
    return { artifact: undefined, output: stream(), error: separate ? stream() : undefined };
  }

  /** Ends a capture and writes its final record. Only a failure to write the record is left to the stream's status. */
  async close(capture: OpenCapture, outputComplete: boolean): Promise<ClosedCapture> {
    const output = await capture.output.close(outputComplete);
    const error = await capture.error?.close(outputComplete);
    if (capture.artifact === undefined) return { output, error };
    try {
      await this.#updateRecord(capture.artifact, (record) => ({
        ...record,
        state: "closed",
        closedAt: this.#now(),
        output,
        ...(error === undefined ? {} : { error }),
      }));
    } catch (cause) {
      if (!isFileSystemError(cause)) throw cause;
      const failure = describeWriteFailure(cause, this.#directoryOf(capture.artifact));
      return { output: { ...output, status: "failed", failure: output.failure ?? failure }, error };
    }
    return { output, error };
  }

  /** Removes a capture whose command never ran. */
  async discard(capture: OpenCapture): Promise<void> {
    await capture.output.close(true);
    await capture.error?.close(true);
    if (capture.artifact === undefined) return;
    await this.#remove(capture.artifact);
  }

  /** Removes an artifact and the directories above it that are empty then. */
  async #remove(artifact: ArtifactName): Promise<void> {
    const directory = this.#directoryOf(artifact);
    await rm(directory, { recursive: true, force: true });
    for (const parent of [dirname(directory), dirname(dirname(directory))]) await removeIfEmpty(parent);
  }

  /**
   * Lets go of the captures of an execution, or of all of a conversation's: what they are evidence of was handed over, or
   * nobody is left to hand it to. Unknown ones are ignored.
   */
  async release(conversationId: string, executionId?: string): Promise<void> {
    if (!isReferencePart(conversationId)) return;
    const at = join(this.#root, conversationId);
    // Most conversations have run no command, and this is asked at the end of every job.
    if (!existsSync(at)) return;
    const executions =
      executionId === undefined ? await subdirectories(at) : [executionId].filter(isReferencePart);
    for (const execution of executions) {
      for (const artifactId of await subdirectories(join(at, execution))) {
        await this.#updateRecord({ conversationId, executionId: execution, artifactId }, (record) =>
          record.delivered ? undefined : { ...record, delivered: true },
        );
      }
    }
  }

  /** Follows a reference. Throws the file system's error when the directory cannot be looked at. */
  async find(reference: ShellLogReference): Promise<CaptureState> {
    const directory = this.#directoryOf(reference);
    const record = await this.#readRecord(directory);
    const stream = record?.[reference.stream];
    if (record !== undefined && stream !== undefined) {
      const path = join(directory, reference.stream);
      return { kind: "present", path, record, stream: await this.#observed(record, stream, path) };
    }
    const name = artifactKey(reference);
    const tombstone = (await this.#readTombstones()).find((entry) => entry.artifact === name);
    return tombstone === undefined ? { kind: "missing" } : { kind: "pruned", prunedAt: tombstone.prunedAt };
  }

  /** A stream of a running or interrupted capture is as long as its file is now. */
  async #observed(record: CaptureRecord, stream: StreamRecord, path: string): Promise<StreamRecord> {
    if (record.state === "closed") return stream;
    const size = await stat(path).then(
      (found) => found.size,
      () => 0,
    );
    const status = record.state === "active" ? "capturing" : "interrupted";
    return { ...stream, status, observedBytes: size, retainedBytes: size };
  }

  /** All records of the directory, those of dead hosts as interrupted. */
  async list(): Promise<readonly CaptureRecord[]> {
    const records: CaptureRecord[] = [];
    for (const conversation of await subdirectories(this.#root)) {
      for (const execution of await subdirectories(join(this.#root, conversation))) {
        for (const artifact of await subdirectories(join(this.#root, conversation, execution))) {
          const record = await this.#readRecord(join(this.#root, conversation, execution, artifact));
          if (record !== undefined) records.push(record);
        }
      }
    }
    return records;
  }

  /** Removes what killed processes left of records they were writing, and captures that never got one. Returns how many. */
  async removeAbandoned(): Promise<number> {
    let removed = await removeDeadTemporaries(this.#root);
    for (const conversation of await subdirectories(this.#root)) {
      for (const execution of await subdirectories(join(this.#root, conversation))) {
        for (const artifact of await subdirectories(join(this.#root, conversation, execution))) {
          const directory = join(this.#root, conversation, execution, artifact);
          const dead = await removeDeadTemporaries(directory);
          removed += dead;
          if (dead > 0) await removeIfEmpty(directory);
        }
      }
    }
    return removed;
  }

  async #makeRoom(incomingBytes: number): Promise<boolean> {
    const plan = planRetention(await this.list(), incomingBytes, this.limits, this.#now());
    if (plan.prune.length > 0) {
      await this.#bury(plan.prune);
      for (const record of plan.prune) await this.#remove(record);
    }
    return plan.fits;
  }

  async #bury(records: readonly CaptureRecord[]): Promise<void> {
    const prunedAt = this.#now();
    const kept = (await this.#readTombstones()).filter(
      (entry) => prunedAt - entry.prunedAt < this.limits.undeliveredAgeMs,
    );
    const added = records.map((record) => ({ artifact: artifactKey(record), prunedAt }));
    const all = [...kept, ...added].slice(-this.limits.tombstones);
    await writeAtomically(join(this.#root, tombstoneName), JSON.stringify(all));
  }

  async #readTombstones(): Promise<z.infer<typeof tombstonesSchema>> {
    const text = await readIfPresent(join(this.#root, tombstoneName));
    if (text === undefined) return [];
    const parsed = tombstonesSchema.safeParse(parseJson(text));
    return parsed.success ? parsed.data : [];
  }

  async #readRecord(directory: string): Promise<CaptureRecord | undefined> {
    const text = await readIfPresent(join(directory, recordName));
    const parsed = text === undefined ? undefined : captureRecordSchema.safeParse(parseJson(text));
    if (parsed?.success !== true) return undefined;
    const record = parsed.data;
    if (record.state !== "active" || isRunning(record.owner)) return record;
    const retained = async (name: string): Promise<number> =>
      await stat(join(directory, name)).then(
        (found) => found.size,
        () => 0,
      );
    const output = {
      ...record.output,
      status: "interrupted" as const,
      retainedBytes: await retained("output"),
    };
    if (record.error === undefined) return { ...record, state: "interrupted", output };
    const error = { ...record.error, status: "interrupted" as const, retainedBytes: await retained("error") };
    return { ...record, state: "interrupted", output, error };
  }

  async #updateRecord(
    artifact: ArtifactName,
    change: (record: CaptureRecord) => CaptureRecord | undefined,
  ): Promise<void> {
    const record = await this.#readRecord(this.#directoryOf(artifact));
    const changed = record === undefined ? undefined : change(record);
    if (changed !== undefined) await this.#writeRecord(changed);
  }

  async #writeRecord(record: CaptureRecord): Promise<void> {
    await writeAtomically(join(this.#directoryOf(record), recordName), JSON.stringify(record));
  }

  #directoryOf({ conversationId, executionId, artifactId }: ArtifactName): string {
    for (const part of [conversationId, executionId, artifactId]) {
      if (!isReferencePart(part))
        throw new RangeError(`Not a part of a capture reference: ${JSON.stringify(part)}`);
    }
    return join(this.#root, conversationId, executionId, artifactId);
  }
}

function artifactKey({ conversationId, executionId, artifactId }: ArtifactName): string {
  return formatShellLog({ conversationId, executionId, artifactId, stream: "output" }).slice(
    0,
    -"/output".length,
  );
}

function isFileSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

/** For a repair that is tried and may wait for the next host. */
function ignoreFileSystemError(error: unknown): void {
  if (!isFileSystemError(error)) throw error;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A torn record (written before a crash without rename) reads as none.
    return undefined;
  }
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

async function writeAtomically(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: "wx" });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function subdirectories(path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && isReferencePart(entry.name))
      .map((entry) => entry.name);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

const temporaryName = /\.([0-9]+)\.[0-9a-f]{8}\.tmp$/;

async function removeDeadTemporaries(directory: string): Promise<number> {
  let removed = 0;
  const names = await readdir(directory).catch(() => []);
  for (const name of names) {
    const processId = Number(temporaryName.exec(name)?.[1]);
    if (!Number.isSafeInteger(processId) || hasProcess(processId)) continue;
    await rm(join(directory, name), { force: true });
    removed += 1;
  }
  return removed;
}

async function removeIfEmpty(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "ENOENT") throw error;
  }
}
