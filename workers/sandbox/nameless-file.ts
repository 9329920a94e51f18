import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary file that has no name any more: it is gone with this process, and others reach it by a descriptor alone. */
export class NamelessFile {
  readonly #file: number;

  /** Throws the file system's error. */
  constructor(content: Uint8Array = new Uint8Array()) {
    const directory = mkdtempSync(join(tmpdir(), "autolith-file-"));
    try {
      const path = join(directory, "file");
      writeFileSync(path, content, { mode: 0o600 });
      this.#file = openSync(path, "r+");
    } finally {
      rmSync(directory, { recursive: true });
    }
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
