import { TOTAL_SIZE_LIMIT } from "../arrays/array-making.ts";
import { codePoints, hasSurrogates } from "../data/string.ts";
import { advanceColumn, endOfInput, NativeStream, StreamFault, type InputLine } from "./native-stream.ts";

/** Reads the characters of a string; `position` counts characters of the original string. */
export class StringInputStream extends NativeStream {
  readonly lispClass = "STRING-INPUT-STREAM";
  private readonly codes: string | Uint32Array;
  private at = 0;
  private readonly base: number;

  /** `text` is the part of the string to read, `base` the index its first character had in the original. */
  constructor(text: string, base: number) {
    super();
    this.codes = hasSurrogates(text) ? codePoints(text) : text;
    this.base = base;
  }

  override get input(): boolean {
    return true;
  }

  override readCode(): number {
    if (!this.open) this.ensureOpen();
    const { codes, at } = this;
    if (at >= codes.length) return endOfInput;
    this.at = at + 1;
    return typeof codes === "string" ? codes.charCodeAt(at) : (codes[at] ?? endOfInput);
  }

  override unreadCode(_code: number): void {
    if (this.at > 0) this.at--;
  }

  override readLine(): InputLine {
    this.ensureOpen();
    const { codes } = this;
    if (typeof codes !== "string") return super.readLine() ?? { text: "", ended: true };
    const newline = codes.indexOf("\n", this.at);
    const text = codes.slice(this.at, newline < 0 ? codes.length : newline);
    this.at = newline < 0 ? codes.length : newline + 1;
    return { text, ended: newline < 0 };
  }

  /** The whole text and the place in it, when it can be read without decoding (the reader's fast path). */
  rest(): { text: string; at: number } | undefined {
    return typeof this.codes === "string" ? { text: this.codes, at: this.at } : undefined;
  }

  /** Continues at `at`, an index `rest` may give. */
  skipTo(at: number): void {
    this.at = at;
  }

  override position(): number {
    return this.base + this.at;
  }

  override setPosition(position: number | "start" | "end"): boolean {
    const at = position === "start" ? 0 : position === "end" ? this.codes.length : position - this.base;
    if (at < 0 || at > this.codes.length) return false;
    this.at = at;
    return true;
  }
}

/** Characters a string output stream may hold: as many as a string. */
const maximumCharacters = TOTAL_SIZE_LIMIT - 1;

/** Collects what is written; `takeText` empties it. */
export class StringOutputStream extends NativeStream {
  readonly lispClass = "STRING-OUTPUT-STREAM";
  /** The text up to where its column was last asked for: `column` looks at each part of the text only once. */
  private measured = "";
  /** The text behind that. */
  private text = "";
  /** Column after the measured text. */
  private columnThere: number;
  /** What the string is made for when it is taken: no character at all, base characters, or any. */
  kind: "nil" | "base-char" | "character" = "character";
  /** Lisp element type given to MAKE-STRING-OUTPUT-STREAM; only its owner reads it. */
  elementType: unknown = undefined;

  private readonly limit: number;

  /** `column` is where the text will begin, for streams whose text goes to another stream; `limit` how much it holds. */
  constructor(column = 0, limit = maximumCharacters) {
    super();
    this.columnThere = column;
    this.limit = limit;
  }

  override get output(): boolean {
    return true;
  }

  override writeText(text: string): void {
    if (!this.open) this.ensureOpen();
    const length = this.measured.length + this.text.length;
    if (length + text.length > this.limit) {
      this.text += text.slice(0, this.limit - length);
      throw new StreamFault("full", this, `this string stream holds at most ${this.limit} characters`);
    }
    this.text += text;
  }

  override writeCode(code: number): void {
    if (!this.open) this.ensureOpen();
    this.text += code < 0x10000 ? String.fromCharCode(code) : String.fromCodePoint(code);
  }

  override column(): number {
    if (this.text !== "") {
      this.columnThere = advanceColumn(this.columnThere, this.text);
      this.measured += this.text;
      this.text = "";
    }
    return this.columnThere;
  }

  override freshLine(): boolean {
    const { text } = this;
    const atStart = text.length > 0 ? text.charCodeAt(text.length - 1) === 10 : this.columnThere === 0;
    if (!atStart) this.writeCode(10);
    return !atStart;
  }

  override position(): number {
    return this.measured.length + this.text.length;
  }

  /** What was written since the last call. */
  takeText(): string {
    this.column();
    const text = this.measured;
    this.measured = "";
    return text;
  }

  override clearOutput(): void {
    this.ensureOpen();
  }
}

/** Where a string with a fill pointer receives characters (WITH-OUTPUT-TO-STRING with a string). */
export interface TextSink {
  append(text: string): void;
  /** Characters already there, to know the column. */
  content(): string;
}

/** Appends to an existing string with a fill pointer. */
export class FillPointerOutputStream extends NativeStream {
  readonly lispClass = "FILL-POINTER-OUTPUT-STREAM";
  private readonly sink: TextSink;

  constructor(sink: TextSink) {
    super();
    this.sink = sink;
  }

  override get output(): boolean {
    return true;
  }

  override writeText(text: string): void {
    this.ensureOpen();
    this.sink.append(text);
  }

  override column(): number {
    return advanceColumn(0, this.sink.content());
  }
}
