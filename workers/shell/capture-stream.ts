import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { SecretStream } from "../../orchestrator/secrets/secret-stream.ts";
import type { OutputSink } from "../spawner/output-pipe.ts";
import type { StreamRecord } from "./capture-record.ts";
import { describeWriteFailure } from "./file-system-name.ts";
import { OutputWindow } from "./output-window.ts";

/** What a stream keeps in memory, and what it may not keep at all. */
export interface StreamWindow {
  /** Bytes of the preview. */
  readonly bytes: number;
  /** Values that are removed before anything is kept. */
  readonly secrets: readonly string[];
}

/**
 * Takes one stream of a command: its bytes to a file up to a limit, and the beginning and end in memory, which is what
 * the preview is made of. A file that cannot be written loses the rest of the capture, never the preview or the command.
 */
export class CaptureStream implements OutputSink {
  readonly window: OutputWindow;
  readonly #path: string;
  readonly #limitBytes: number;
  readonly #secrets: SecretStream;
  #file: FileHandle | undefined;
  #retainedBytes = 0;
  #failure: string | undefined;
  #last: Promise<void> = Promise.resolve();

  private constructor(path: string, limitBytes: number, window: StreamWindow, file: FileHandle | undefined) {
    this.#path = path;
    this.#limitBytes = limitBytes;
    this.#file = file;
    this.#secrets = new SecretStream(window.secrets);
    this.window = new OutputWindow(window.bytes);
  }

  /** Creates the file (mode 0600, must not exist). A failure to create it is reported by {@link record}. */
  static async open(path: string, limitBytes: number, window: StreamWindow): Promise<CaptureStream> {
    try {
      return new CaptureStream(path, limitBytes, window, await open(path, "wx", 0o600));
    } catch (error) {
      return CaptureStream.withoutFile(describeWriteFailure(error, path), window);
    }
  }

  /** A stream that keeps only what the preview needs, and says why. */
  static withoutFile(reason: string, window: StreamWindow): CaptureStream {
    const stream = new CaptureStream("", 0, window, undefined);
    stream.#failure = reason;
    return stream;
  }

  write(chunk: Buffer): void | Promise<void> {
    return this.#keep(this.#secrets.push(chunk));
  }

  #keep(chunk: Buffer): void | Promise<void> {
    if (chunk.length === 0) return undefined;
    this.window.append(chunk);
    const room = this.#limitBytes - this.#retainedBytes;
    if (this.#file === undefined || room <= 0) return undefined;
    this.#last = this.#store(this.#file, chunk.length <= room ? chunk : chunk.subarray(0, room));
    return this.#last;
  }

  async #store(file: FileHandle, bytes: Buffer): Promise<void> {
    try {
      let stored = 0;
      // A full disk may take a part of a chunk before it refuses the rest.
      while (stored < bytes.length) {
        const { bytesWritten } = await file.write(bytes, stored);
        stored += bytesWritten;
        this.#retainedBytes += bytesWritten;
      }
    } catch (error) {
      this.#failure = describeWriteFailure(error, this.#path);
      this.#file = undefined;
      await closeQuietly(file);
    }
  }

  /** Closes the file and tells what became of the stream. `outputComplete` is the spawner's verdict. */
  async close(outputComplete: boolean): Promise<StreamRecord> {
    await this.#last;
    await this.#keep(this.#secrets.end());
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await closeQuietly(file);
    const { observedBytes } = this.window;
    const counts = { observedBytes, retainedBytes: this.#retainedBytes };
    if (this.#failure !== undefined) return { status: "failed", ...counts, failure: this.#failure };
    if (observedBytes > this.#retainedBytes) return { status: "limit", ...counts };
    return { status: outputComplete ? "complete" : "cut", ...counts };
  }
}

/** Closing flushes nothing of ours; what could fail has failed at the write. */
async function closeQuietly(file: FileHandle): Promise<void> {
  await file.close().catch(() => undefined);
}
