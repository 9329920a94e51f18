import { closeSync, fstatSync, openSync, read, readFile, readSync } from "node:fs";
import type { Stats } from "node:fs";
import { promisify } from "node:util";

const readInPool = promisify(read);
const readFileInPool = promisify(readFile);

/**
 * Most bytes that are read on the spot. Handing a read to the thread pool and being told of its end takes several times as long as
 * copying so much from the page cache.
 */
const immediateBytes = 262_144;

/**
 * A file opened for reading, with what the system said of it then. Opening and closing are done on the spot: the path was
 * resolved by the thread pool, or its directory was just before, so that a file system that does not answer has held up a
 * thread of the pool and nobody else.
 */
export class RegularFile {
  readonly #descriptor: number;
  readonly stats: Stats;

  private constructor(descriptor: number, stats: Stats) {
    this.#descriptor = descriptor;
    this.stats = stats;
  }

  /** Throws the file system's error; what was opened need not be a regular file, `stats` tells. */
  static open(path: string, flags: number): RegularFile {
    const descriptor = openSync(path, flags);
    try {
      return new RegularFile(descriptor, fstatSync(descriptor));
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  /** Reads into the buffer from a position of the file; answers the bytes read, 0 at its end. */
  async read(buffer: Uint8Array, position: number): Promise<number> {
    const { size } = this.stats;
    // Files of the kernel tell no size, and reading one may wait for something to happen.
    if (size > 0 && Math.min(size - position, buffer.length) <= immediateBytes) {
      return readSync(this.#descriptor, buffer, 0, buffer.length, position);
    }
    const { bytesRead } = await readInPool(this.#descriptor, buffer, 0, buffer.length, position);
    return bytesRead;
  }

  /** All bytes of the file, however many there are by now. */
  async readAll(): Promise<Buffer> {
    return await readFileInPool(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
