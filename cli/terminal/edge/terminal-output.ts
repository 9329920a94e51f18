/**
 * The stream that Ink writes to, in front of the real one: it can hold writes back and send them as one, and tells a new size only when the
 * screen is ready for it.
 */
import { EventEmitter } from "node:events";

/** What is needed of the real terminal. */
export type TerminalStream = {
  write(data: string, callback?: () => void): boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** Synchronized output: a terminal that knows it shows what is between at once; others ignore it. */
const [beginUpdate, endUpdate] = ["\u001B[?2026h", "\u001B[?2026l"];

/** Erases to the end of the screen. At the screen's top some terminals push what they erase into the scrollback. */
const eraseDown = "\u001B[J";

/** The same line by line: empties the cursor's line and all below it, and leaves the cursor where it is. */
export function erasedLines(rows: number): string {
  return `\u001B7${Array.from({ length: Math.max(1, rows) }, () => "\u001B[2K").join("\u001B[1B")}\u001B8`;
}

function known(size: number | undefined, otherwise: number): number {
  return size === undefined || size <= 0 ? otherwise : size;
}

/** A terminal that does not know its size says nothing or zero. */
export function sizeOf({ columns, rows }: Pick<TerminalStream, "columns" | "rows">): {
  readonly columns: number;
  readonly rows: number;
} {
  return { columns: known(columns, 80), rows: known(rows, 24) };
}

export class TerminalOutput extends EventEmitter {
  readonly isTTY = true;
  readonly writable = true;
  columns: number;
  rows: number;
  readonly #stream: TerminalStream;
  #held: string[] | undefined;
  #isMuted = false;

  constructor(stream: TerminalStream) {
    super();
    this.#stream = stream;
    ({ columns: this.columns, rows: this.rows } = sizeOf(stream));
  }

  write(data: string, callback?: () => void): boolean {
    if (this.#isMuted) {
      callback?.();
      return true;
    }
    const safe = data.replaceAll(eraseDown, () => erasedLines(this.rows));
    if (this.#held === undefined) return this.#stream.write(safe, callback);
    this.#held.push(safe);
    if (callback !== undefined) setImmediate(callback);
    return true;
  }

  /** Runs something and sends all it writes as one. */
  asOne(run: () => void): void {
    if (this.#held !== undefined) {
      run();
      return;
    }
    this.#held = [];
    try {
      run();
    } finally {
      const data = this.#held.join("");
      this.#held = undefined;
      if (data !== "") this.#stream.write(beginUpdate + data + endUpdate);
    }
  }

  /** Runs something and drops all it writes. */
  muted(run: () => void): void {
    this.#isMuted = true;
    try {
      run();
    } finally {
      this.#isMuted = false;
    }
  }

  /** Takes over the size of the real terminal; true when it is another one. */
  takeSize(): boolean {
    const { columns, rows } = sizeOf(this.#stream);
    if (columns === this.columns && rows === this.rows) return false;
    [this.columns, this.rows] = [columns, rows];
    return true;
  }
}
