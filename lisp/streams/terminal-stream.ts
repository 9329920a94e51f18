import type { HostTerminal } from "./host-port.ts";
import { advanceColumn, endOfInput, NativeStream, noInputYet, type InputLine } from "./native-stream.ts";

/** Characters of output held back before they are passed to the host. */
const outputBufferCharacters = 8_192;

/** Standard input of the process (or what the host puts in its place). */
export class TerminalInputStream extends NativeStream {
  readonly lispClass = "FD-STREAM";
  private readonly terminal: HostTerminal;
  private readonly decoder = new TextDecoder("utf-8");
  private text = "";
  private at = 0;
  private ended = false;
  /** Newlines before `countedTo`, counted from the beginning of the input. */
  private newlinesCounted = 0;
  private countedTo = 0;
  private readonly interactive: boolean;

  constructor(terminal: HostTerminal, interactive: boolean) {
    super();
    this.terminal = terminal;
    this.interactive = interactive;
  }

  override get input(): boolean {
    return true;
  }

  override isInteractive(): boolean {
    return this.interactive;
  }

  /** Gets more text; `endOfInput` or `noInputYet` when there is none. */
  private fill(): number {
    // At a terminal the end is typed, and what is typed after it is read.
    if (this.ended && !this.interactive) return endOfInput;
    const bytes = this.terminal.readInput();
    if (bytes === undefined) return noInputYet;
    this.ended = bytes.length === 0;
    const kept = Math.max(0, this.at - 2);
    this.countLines();
    this.countedTo -= kept;
    this.text = this.text.slice(kept) + this.decoder.decode(bytes, { stream: !this.ended });
    this.at = Math.min(this.at, 2);
    return this.at < this.text.length ? 0 : this.ended ? endOfInput : noInputYet;
  }

  /** Line of the next character, from 1. */
  line(): number {
    this.countLines();
    return 1 + this.newlinesCounted;
  }

  /** Counts what was read since the last time; a character that was put back since is taken off. */
  private countLines(): void {
    const { text, at, countedTo } = this;
    if (at >= countedTo) this.newlinesCounted += newlines(text.slice(countedTo, at));
    else this.newlinesCounted -= newlines(text.slice(at, countedTo));
    this.countedTo = at;
  }

  override readCode(): number {
    this.ensureOpen();
    while (this.at >= this.text.length) {
      const state = this.fill();
      if (state < 0) return state;
    }
    const code = this.text.codePointAt(this.at) ?? 0;
    this.at += code > 0xffff ? 2 : 1;
    return code;
  }

  override unreadCode(code: number): void {
    this.at -= code > 0xffff ? 2 : 1;
  }

  override readLine(): InputLine | undefined {
    this.ensureOpen();
    for (;;) {
      const newline = this.text.indexOf("\n", this.at);
      if (newline >= 0) {
        const text = this.text.slice(this.at, newline);
        this.at = newline + 1;
        return { text, ended: false };
      }
      const state = this.fill();
      if (state === noInputYet) return undefined;
      if (state === endOfInput) {
        const text = this.text.slice(this.at);
        this.at = this.text.length;
        return { text, ended: true };
      }
    }
  }

  override listen(): boolean {
    return (
      this.at < this.text.length || (!this.ended && this.terminal.inputPending() && this.peekCode() >= 0)
    );
  }

  override clearInput(): void {
    if (!this.interactive) return;
    this.at = this.text.length;
    while (this.terminal.inputPending()) {
      if (this.fill() < 0) return;
      this.at = this.text.length;
    }
  }
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Standard or error output of the process; passes text on in pieces, and whole when asked to finish. */
export class TerminalOutputStream extends NativeStream {
  readonly lispClass = "FD-STREAM";
  private readonly write: (text: string) => void;
  private readonly width: () => number | undefined;
  private readonly unbuffered: boolean;
  private pending = "";
  private columnNow = 0;

  constructor(write: (text: string) => void, width: () => number | undefined, unbuffered: boolean) {
    super();
    this.write = write;
    this.width = width;
    this.unbuffered = unbuffered;
  }

  override get output(): boolean {
    return true;
  }

  override writeText(text: string): void {
    this.ensureOpen();
    this.pending += text;
    this.columnNow = advanceColumn(this.columnNow, text);
    if (this.unbuffered || this.pending.length >= outputBufferCharacters) this.finishOutput();
  }

  override column(): number {
    return this.columnNow;
  }

  /** Something else has moved the cursor to the beginning of a line. */
  lineStarted(): void {
    this.columnNow = 0;
  }

  override lineLength(): number | undefined {
    return this.width();
  }

  override finishOutput(): void {
    if (this.pending === "") return;
    const text = this.pending;
    this.pending = "";
    this.write(text);
  }

  override clearOutput(): void {
    this.pending = "";
  }

  override close(abort: boolean): void {
    if (!abort) this.finishOutput();
    super.close(abort);
  }
}
