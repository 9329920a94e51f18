import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemCallFilter } from "./system-call-filter.ts";

/** The system call filter as a file without a name, opened anew for each command (bubblewrap reads it to its end). */
export class FilterFile {
  /** Descriptor a command gets it at. */
  readonly descriptor = 3;
  readonly #file: number;

  private constructor(file: number) {
    this.#file = file;
  }

  /** Undefined where there is no filter for this machine. Throws the file system's error. */
  static open(): FilterFile | undefined {
    const filter = systemCallFilter(process.arch, process.getuid?.() === 0);
    if (filter === undefined) return undefined;
    const directory = mkdtempSync(join(tmpdir(), "autolith-filter-"));
    try {
      const path = join(directory, "filter");
      writeFileSync(path, filter, { mode: 0o400 });
      return new FilterFile(openSync(path, "r"));
    } finally {
      rmSync(directory, { recursive: true });
    }
  }

  /** For the spawner. */
  get opened(): Readonly<Record<number, string>> {
    return { [this.descriptor]: this.#path };
  }

  /** A fresh descriptor in this process; the caller closes it. */
  reopen(): number {
    return openSync(this.#path, "r");
  }

  get #path(): string {
    return `/proc/self/fd/${this.#file}`;
  }

  close(): void {
    closeSync(this.#file);
  }
}
