import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf, RecordError, recordFailure } from "./failure.ts";
import { publishFile } from "./publication.ts";

/** Largest text kept for later reading, in bytes. */
export const overflowMaxBytes = 64 * 1024 * 1024;

/** What a reading of an overflow text returned. */
export interface OverflowWindow {
  readonly bytes: Uint8Array;
  /** Bytes of the whole text. */
  readonly total: number;
}

const uriPattern = /^context:([0-9a-f]{64})$/;

/**
 * Texts that were too long to hand to a model, kept whole under the digest of their content: `context:<sha256>`. Storing
 * a text twice stores it once; what a URI names never changes.
 */
export class OverflowStore {
  readonly #directory: string;

  /** `directory` is created on the first write. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Keeps the text and returns its URI.
   *
   * @throws RecordError `too-large` with the bound, and the file system's.
   */
  async put(text: string): Promise<string> {
    const bytes = Buffer.from(text.toWellFormed());
    const digest = createHash("sha256").update(bytes).digest("hex");
    const path = this.#pathOf(digest);
    if (bytes.length > overflowMaxBytes) {
      throw new RecordError(
        "too-large",
        path,
        `a text of ${bytes.length} bytes is over the ${overflowMaxBytes} that can be kept for later reading`,
      );
    }
    try {
      await publishFile(path, bytes, { once: true, durable: false });
    } catch (error) {
      if (!(error instanceof RecordError) || error.code !== "already-exists") throw error;
    }
    return `context:${digest}`;
  }

  /**
   * `length` bytes of a kept text from `offset` on, fewer at its end. Undefined when the URI names nothing kept here.
   *
   * @throws RecordError `malformed` for a text that is no such URI.
   */
  async read(uri: string, offset: number, length: number): Promise<OverflowWindow | undefined> {
    const digest = uriPattern.exec(uri)?.[1];
    if (digest === undefined) {
      throw new RecordError(
        "malformed",
        uri,
        `expected context: and 64 hexadecimal digits, got ${uri.slice(0, 100)}`,
      );
    }
    const path = this.#pathOf(digest);
    try {
      const handle = await open(path, "r");
      try {
        const { size: total } = await handle.stat();
        const wanted = Math.max(0, Math.min(length, total - offset));
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(wanted), 0, wanted, offset);
        return { bytes: buffer.subarray(0, bytesRead), total };
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return undefined;
      throw recordFailure(error, path, "read");
    }
  }

  #pathOf(digest: string): string {
    return join(this.#directory, digest.slice(0, 2), digest);
  }
}
