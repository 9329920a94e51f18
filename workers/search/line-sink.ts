import type { OutputSink } from "../spawner/output-pipe.ts";

/** Cuts output into lines without their ends. A line over the limit is dropped and counted, so that memory stays bounded. */
export class LineSink implements OutputSink {
  readonly #onLine: (line: string) => void;
  readonly #limitBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #dropping = false;
  droppedLines = 0;

  constructor(onLine: (line: string) => void, limitBytes: number) {
    this.#onLine = onLine;
    this.#limitBytes = limitBytes;
  }

  write(chunk: Buffer): void {
    let start = 0;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, start)) {
      this.#grow(chunk.subarray(start, at));
      this.#emit();
      start = at + 1;
    }
    // Copied: the read buffer is used again for the next part.
    this.#grow(Buffer.from(chunk.subarray(start)));
  }

  /** Emits a last line that has no end. */
  end(): void {
    if (this.#bytes > 0 || this.#dropping) this.#emit();
  }

  #grow(part: Buffer): void {
    if (part.length === 0 || this.#dropping) return;
    if (this.#bytes + part.length > this.#limitBytes) {
      this.#dropping = true;
      this.#parts = [];
      this.#bytes = 0;
      return;
    }
    this.#parts.push(part);
    this.#bytes += part.length;
  }

  #emit(): void {
    if (this.#dropping) this.droppedLines += 1;
    else this.#onLine(Buffer.concat(this.#parts).toString("utf8"));
    this.#parts = [];
    this.#bytes = 0;
    this.#dropping = false;
  }
}
