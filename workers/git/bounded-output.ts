import type { OutputSink } from "../spawner/output-pipe.ts";

/** Keeps the beginning of an output in memory and calls `over` once when there is more than the limit. */
export class BoundedOutput implements OutputSink {
  readonly #limitBytes: number;
  readonly #over: () => void;
  readonly #chunks: Buffer[] = [];
  #kept = 0;
  #isOver = false;

  constructor(limitBytes: number, over: () => void = () => undefined) {
    this.#limitBytes = limitBytes;
    this.#over = over;
  }

  write(chunk: Buffer): void {
    const room = this.#limitBytes - this.#kept;
    if (chunk.length > room && !this.#isOver) {
      this.#isOver = true;
      this.#over();
    }
    if (room <= 0) return;
    const part = Buffer.from(chunk.subarray(0, room));
    this.#chunks.push(part);
    this.#kept += part.length;
  }

  /** Whether there was more than is kept. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
