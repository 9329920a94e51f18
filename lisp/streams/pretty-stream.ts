import {
  type Block,
  type BlockEnd,
  type BlockStart,
  type IndentKind,
  type Indentation,
  type Newline,
  type NewlineKind,
  type Queued,
  tabSize,
} from "./layout-operations.ts";
import { advanceColumn, NativeStream } from "./native-stream.ts";

/**
 * The pretty printer's stream: text and layout operations (conditional newlines, indentation, tabs, logical blocks)
 * are queued until it is known whether a section fits on the line, then laid out on the target stream.
 */

/** Characters kept before a line that is too long is written out, so that blanks at its end can still be dropped. */
const heldBack = 128;

/** The printer variables the layout depends on, as they were when the outermost block began. */
export interface LayoutSettings {
  rightMargin: number;
  /** `undefined` when *print-miser-width* is nil. */
  miserWidth: number | undefined;
  /** `undefined` when *print-lines* is nil or *print-readably* is true. */
  maximumLines: number | undefined;
}

export class PrettyStream extends NativeStream {
  readonly lispClass = "PRETTY-STREAM";
  readonly target: NativeStream;
  private readonly settings: LayoutSettings;
  /** Text not yet written to the target; its first character is `bufferStart` in the numbering of operations. */
  private buffer = "";
  private bufferStart = 0;
  private bufferColumn: number;
  private line = 0;
  private queue: Queued[] = [];
  private pending: BlockStart[] = [];
  private blocks: Block[];
  /** Blanks and per-line prefixes that begin the next line, and the suffixes to close with when lines run out. */
  private prefix = "";
  private suffix = "";
  /** True once *print-lines* was reached: the rest is dropped. */
  private cut = false;

  constructor(target: NativeStream, settings: LayoutSettings) {
    super();
    this.target = target;
    this.settings = settings;
    const column = target.column() ?? 0;
    this.bufferColumn = column;
    this.blocks = [
      {
        startColumn: column,
        sectionColumn: column,
        perLinePrefixEnd: 0,
        prefixLength: 0,
        suffixLength: 0,
        sectionStartLine: 0,
      },
    ];
  }

  override get output(): boolean {
    return true;
  }

  override lineLength(): number {
    return this.settings.rightMargin;
  }

  override writeText(text: string): void {
    if (this.cut) return;
    let from = 0;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
      this.buffer += text.slice(from, at);
      this.newline("literal");
      if (this.cut) return;
      from = at + 1;
    }
    this.buffer += from === 0 ? text : text.slice(from);
    if (this.buffer.length > Math.max(this.settings.rightMargin, heldBack)) this.overflow();
  }

  override column(): number {
    return this.columnAt(this.bufferStart + this.buffer.length);
  }

  override finishOutput(): void {
    this.flush();
    this.target.finishOutput();
  }

  newline(kind: NewlineKind): void {
    if (this.cut) return;
    const depth = this.pending.length;
    const newline: Newline = { op: "newline", at: this.end(), kind, depth, sectionEnd: undefined };
    this.endSections(newline, depth);
    this.queue.push(newline);
    this.layOut(kind === "literal" || kind === "mandatory");
  }

  indent(kind: IndentKind, amount: number): void {
    if (!this.cut) this.queue.push({ op: "indent", at: this.end(), kind, amount });
  }

  tab(section: boolean, relative: boolean, column: number, increment: number): void {
    if (!this.cut) this.queue.push({ op: "tab", at: this.end(), section, relative, column, increment });
  }

  /** Begins a logical block after writing its prefix; `perLine` repeats the prefix on each of its lines. */
  startBlock(prefix: string, perLine: boolean, suffix: string): void {
    if (this.cut) return;
    if (prefix !== "") this.writeText(prefix);
    const start: BlockStart = {
      op: "start",
      at: this.end(),
      depth: this.pending.length,
      sectionEnd: undefined,
      blockEnd: undefined,
      prefix: perLine && prefix !== "" ? prefix : undefined,
      suffix,
    };
    this.queue.push(start);
    this.pending.push(start);
  }

  endBlock(): void {
    if (this.cut) return;
    const start = this.pending.pop();
    if (!start) return;
    if (start.suffix !== "") this.writeText(start.suffix);
    if (this.cut) return;
    const end: BlockEnd = { op: "end", at: this.end(), suffix: start.suffix };
    start.blockEnd = end;
    this.queue.push(end);
  }

  /** Writes out all that is queued: the outermost block has ended. */
  flush(): void {
    if (this.cut) return;
    this.layOut(false);
    if (this.cut) return;
    this.expandTabs(undefined);
    this.target.writeText(this.buffer);
    this.bufferColumn = advanceColumn(this.bufferColumn, this.buffer);
    this.bufferStart += this.buffer.length;
    this.buffer = "";
  }

  private end(): number {
    return this.bufferStart + this.buffer.length;
  }

  private block(): Block {
    const block = this.blocks.at(-1);
    if (!block) throw new Error("the pretty stream lost its outermost block");
    return block;
  }

  /** The sections of the queue that a newline at `depth` closes: those at that depth or deeper which nothing closed yet. */
  private endSections(end: Newline, depth: number): void {
    for (const op of this.queue) {
      if ((op.op === "newline" || op.op === "start") && op.sectionEnd === undefined && depth <= op.depth) {
        op.sectionEnd = end;
      }
    }
  }

  /** Column of a queue position, counting the tabs before it at their expanded size. */
  private columnAt(at: number): number {
    let column = this.bufferColumn;
    let sectionStart = this.block().sectionColumn;
    let from = this.bufferStart;
    for (const op of this.queue) {
      if (op.at >= at) break;
      if (op.op === "tab") {
        column += op.at - from;
        from = op.at;
        column += tabSize(op, sectionStart, column);
      } else if (op.op === "newline" || op.op === "start") {
        sectionStart = column + op.at - from;
      }
    }
    return column + at - from;
  }

  /** Turns the tabs up to and with `through` (all of them when undefined) into blanks and drops them from the queue. */
  private expandTabs(through: Queued | undefined): void {
    const kept: Queued[] = [];
    let sectionStart = this.block().sectionColumn;
    let [text, copied, shift, done] = ["", 0, 0, false];
    for (const op of this.queue) {
      if (op.op === "tab" && !done) {
        const original = op.at - this.bufferStart;
        text += this.buffer.slice(copied, original);
        copied = original;
        const size = tabSize(op, sectionStart, this.bufferColumn + text.length);
        text += " ".repeat(size);
        shift += size;
      } else {
        op.at += shift;
        if (op.op === "newline" || op.op === "start")
          sectionStart = this.bufferColumn + op.at - this.bufferStart;
        kept.push(op);
      }
      if (op === through) done = true;
    }
    this.buffer = text + this.buffer.slice(copied);
    this.queue = kept;
  }

  private misering(): boolean {
    const { miserWidth, rightMargin } = this.settings;
    return miserWidth !== undefined && rightMargin - this.block().startColumn <= miserWidth;
  }

  /** Whether the text up to `until` fits on the line; undefined when that is not known yet. */
  private fits(until: Newline | undefined, force: boolean): boolean | undefined {
    const available = this.settings.rightMargin;
    if (until) return this.columnAt(until.at) <= available;
    if (force) return false;
    return this.column() > available ? false : undefined;
  }

  /** As `fits` for the section after a newline: on the last line allowed there must be room for " .." and the suffixes. */
  private sectionFits({ sectionEnd }: Newline, force: boolean): boolean | undefined {
    if (sectionEnd === undefined || this.settings.maximumLines !== this.line + 1)
      return this.fits(sectionEnd, force);
    const blank = this.buffer[sectionEnd.at - this.bufferStart - 1] === " " ? 1 : 0;
    return this.columnAt(sectionEnd.at) - blank + 3 + this.suffix.length <= this.settings.rightMargin;
  }

  private layOut(force: boolean): boolean {
    let wrote = false;
    while (this.queue.length > 0 && !this.cut) {
      const next = this.queue[0];
      if (!next) break;
      if (next.op === "newline") {
        const breaks = this.breaksAt(next, force);
        if (breaks === undefined) return wrote;
        if (breaks) {
          wrote = true;
          this.breakLine(next);
          if (this.cut) return wrote;
        }
        this.queue.shift();
      } else if (next.op === "start") {
        const fits = this.fits(next.sectionEnd, force);
        if (fits === undefined) return wrote;
        if (fits && next.blockEnd) {
          this.expandTabs(next.blockEnd);
          this.queue.splice(0, this.queue.indexOf(next.blockEnd) + 1);
        } else {
          this.enterBlock(this.columnAt(next.at), next.prefix, next.suffix);
          this.queue.shift();
        }
      } else if (next.op === "tab") {
        this.expandTabs(next);
      } else {
        this.perform(next);
        this.queue.shift();
      }
    }
    return wrote;
  }

  private perform(op: BlockEnd | Indentation): void {
    if (op.op === "end") this.leaveBlock();
    else if (!this.misering()) {
      const base = op.kind === "block" ? this.block().startColumn : this.columnAt(op.at);
      this.setIndentation(base + op.amount);
    }
  }

  private breaksAt(newline: Newline, force: boolean): boolean | undefined {
    if (newline.kind === "miser") return this.misering();
    if (newline.kind !== "fill") return true;
    if (this.misering() || this.line > this.block().sectionStartLine) return true;
    const fits = this.sectionFits(newline, force);
    return fits === undefined ? undefined : !fits;
  }

  private setIndentation(column: number): void {
    const block = this.block();
    const kept = this.prefix.slice(0, block.perLinePrefixEnd);
    this.prefix = kept + " ".repeat(Math.max(0, column - kept.length));
    block.prefixLength = this.prefix.length;
  }

  private enterBlock(column: number, prefix: string | undefined, suffix: string): void {
    const outer = this.block();
    const block: Block = {
      ...outer,
      startColumn: column,
      sectionColumn: column,
      sectionStartLine: this.line,
    };
    this.blocks.push(block);
    if (prefix !== undefined) {
      const length = Math.max(0, column - prefix.length);
      const blanks = this.prefix.slice(0, outer.prefixLength).slice(0, length).padEnd(length);
      this.prefix = blanks + prefix;
      block.perLinePrefixEnd = column;
      block.prefixLength = column;
    } else {
      this.prefix = this.prefix.slice(0, outer.prefixLength);
      this.setIndentation(column);
    }
    this.suffix = suffix + this.suffix;
    block.suffixLength = this.suffix.length;
  }

  private leaveBlock(): void {
    const left = this.blocks.pop();
    const block = this.block();
    this.prefix = (
      left && left.prefixLength > block.prefixLength ? this.prefix : this.prefix.padEnd(block.prefixLength)
    ).slice(0, block.prefixLength);
    this.suffix = this.suffix.slice(this.suffix.length - block.suffixLength);
  }

  private breakLine(newline: Newline): void {
    const literal = newline.kind === "literal";
    const consumed = newline.at - this.bufferStart;
    const whole = this.buffer.slice(0, consumed);
    this.line++;
    const { maximumLines } = this.settings;
    if (maximumLines !== undefined && this.line >= maximumLines) {
      this.target.writeText(withoutTrailingBlanks(whole) + " .." + this.suffix);
      this.cut = true;
      this.buffer = "";
      this.queue = [];
      return;
    }
    this.target.writeText((literal ? whole : withoutTrailingBlanks(whole)) + "\n");
    const block = this.block();
    const length = literal ? block.perLinePrefixEnd : block.prefixLength;
    const prefix = this.prefix.slice(0, length);
    this.buffer = prefix + this.buffer.slice(consumed);
    this.bufferStart = newline.at - prefix.length;
    this.bufferColumn = 0;
    if (!literal) {
      block.sectionColumn = length;
      block.sectionStartLine = this.line;
    }
  }

  /** The line is too long: break what can be broken, else write out the text before the first open question. */
  private overflow(): void {
    if (this.layOut(false) || this.cut) return;
    const first = this.queue[0];
    const count = first ? first.at - this.bufferStart : this.buffer.length;
    if (count <= 0) return;
    const text = this.buffer.slice(0, count);
    this.target.writeText(text);
    this.buffer = this.buffer.slice(count);
    this.bufferStart += count;
    this.bufferColumn = advanceColumn(this.bufferColumn, text);
  }
}

/** A line that is left; the blank of the character `#\ ` belongs to it. */
function withoutTrailingBlanks(line: string): string {
  return line.replace(/ +$/, (_blanks, at: number) => (line[at - 1] === "\\" ? " " : ""));
}
