import { randomUUID } from "node:crypto";
import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary file that has no name any more: it is gone with this process, and others reach it by a descriptor alone. */
export class NamelessFile {
  readonly #file: number;

  /** Throws the file system's error. */
  constructor(content: Uint8Array = new Uint8Array()) {
    const path = join(tmpdir(), `autolith-${randomUUID()}`);
    this.#file = openSync(path, "wx+", 0o600);
    unlinkSync(path);
    writeSync(this.#file, content);
  }

  /** Opens the file anew, from its beginning, in this process. */
  get path(): string {
    return `/proc/self/fd/${this.#file}`;
  }

  /** What is in it now. */
  text(): string {
    return readFileSync(this.path, "utf8");
  }

  close(): void {
    closeSync(this.#file);
  }
}
