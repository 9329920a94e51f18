import { createHash } from "node:crypto";
import { open, utimes } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf, RecordError, recordFailure } from "./failure.ts";
import {
  type OverflowLimits,
  type OverflowPlaces,
  defaultOverflowLimits,
  pruneOverflow,
} from "./overflow-retention.ts";
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
  readonly #places: OverflowPlaces;
  readonly #limits: OverflowLimits;
  #unchecked: { bytes: number; texts: number };

  /** The directory of the texts is created on the first write. */
  constructor(places: OverflowPlaces, limits: OverflowLimits = defaultOverflowLimits) {
    this.#places = places;
    this.#limits = limits;
    // What others have stored is not known: the first text is reason enough to look.
    this.#unchecked = { bytes: limits.totalBytes, texts: limits.texts };
  }

  /**
   * Keeps the text and returns its URI.
   *
   * @throws RecordError `too-large` with the bound, also when live conversations refer to all that is kept and there is
   *   no room for more, and the file system's.
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
    if (!(await touch(path))) {
      await this.#makeRoom(bytes.length, path);
      await this.#store(path, bytes);
    }
    return `context:${digest}`;
  }

  async #store(path: string, bytes: Buffer): Promise<void> {
    try {
      await publishFile(path, bytes, { once: true, durable: false });
    } catch (error) {
      // Somebody else has stored it at this moment.
      if (!(error instanceof RecordError) || error.code !== "already-exists") throw error;
    }
  }

  /** Looks at the directory only after an eighth of what it may hold was stored since the last look. */
  async #makeRoom(bytes: number, path: string): Promise<void> {
    const { totalBytes, texts } = this.#limits;
    this.#unchecked.bytes += bytes;
    this.#unchecked.texts += 1;
    if (this.#unchecked.bytes <= totalBytes / 8 && this.#unchecked.texts <= texts / 8) return;
    const room = {
      totalBytes: Math.max(0, totalBytes - bytes),
      texts: Math.max(0, texts - 1),
      ageMs: this.#limits.ageMs,
    };
    const use = await pruneOverflow(this.#places, room);
    if (use.bytes > room.totalBytes || use.texts > room.texts) {
      throw new RecordError(
        "too-large",
        path,
        `live conversations refer to all of the ${texts} texts or ${totalBytes} bytes that can be kept for later reading`,
      );
    }
    this.#unchecked = { bytes, texts: 1 };
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
      await touch(path);
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
    return join(this.#places.directory, digest.slice(0, 2), digest);
  }
}

/** Notes that a text was used now; false when it is not there. */
async function touch(path: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(path, now, now);
    return true;
  } catch (error) {
    // Where nothing may be written the text is read all the same; it only looks older than it is.
    return errnoOf(error) !== "ENOENT";
  }
}
