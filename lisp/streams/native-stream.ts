import { LStream } from "../data/stream.ts";

/**
 * The stream base class. A stream is a Lisp object; its operations are leaves working on character codes, JS strings
 * and bytes. An operation that the stream cannot do throws `StreamFault`, which the leaf wrapper reports as the
 * condition it names, with the Lisp stream as its datum.
 */

/** Which condition a stream operation asks for: a type-error for the wrong kind of stream, else a stream-error. */
export type StreamFaultKind =
  | "not-input"
  | "not-output"
  | "not-character"
  | "not-binary"
  | "closed"
  | "end-of-file"
  | "failed"
  | "full"
  | "bad-byte";

/** A stream operation that cannot be done; carries the stream at fault, which may be a part of a composite stream. */
export class StreamFault extends Error {
  readonly kind: StreamFaultKind;
  readonly stream: NativeStream;
  readonly datum: unknown;
  constructor(kind: StreamFaultKind, stream: NativeStream, message: string, datum?: unknown) {
    super(message);
    this.name = "StreamFault";
    this.kind = kind;
    this.stream = stream;
    this.datum = datum;
  }
}

/** End of input, as `readCode` and `readByte` report it. */
export const endOfInput = -1;

/** No input yet: a terminal with nothing typed. The Lisp side waits for the host and asks again. */
export const noInputYet = -2;

/** A line as `readLine` gives it; `ended` when the end of the file came instead of a newline. */
export interface InputLine {
  text: string;
  ended: boolean;
}

export abstract class NativeStream extends LStream {
  /** Name of the Lisp class of the stream, for CLASS-OF and TYPEP. */
  abstract readonly lispClass: string;

  override get input(): boolean {
    return false;
  }

  override get output(): boolean {
    return false;
  }

  isCharacter(): boolean {
    return true;
  }

  isBinary(): boolean {
    return !this.isCharacter();
  }

  isInteractive(): boolean {
    return false;
  }

  /** Next character code, `endOfInput` or `noInputYet`. */
  readCode(): number {
    throw new StreamFault("not-input", this, "an input stream was expected");
  }

  /** Puts the code last read back; at most one. */
  unreadCode(_code: number): void {
    throw new StreamFault("not-input", this, "an input stream was expected");
  }

  peekCode(): number {
    const code = this.readCode();
    if (code >= 0) this.unreadCode(code);
    return code;
  }

  /** The rest of the line, without its newline; undefined when a terminal has no whole line yet. */
  readLine(): InputLine | undefined {
    let text = "";
    for (;;) {
      const code = this.readCode();
      if (code === noInputYet) {
        this.pushBack(text);
        return undefined;
      }
      if (code === endOfInput) return { text, ended: true };
      if (code === 10) return { text, ended: false };
      text += String.fromCodePoint(code);
    }
  }

  /** Puts text back before the input; only streams that can answer `noInputYet` need it. */
  protected pushBack(_text: string): void {}

  /** True when a character is there without waiting. */
  listen(): boolean {
    const code = this.peekCode();
    return code >= 0;
  }

  clearInput(): void {}

  writeCode(code: number): void {
    this.writeText(String.fromCodePoint(code));
  }

  /** Writes a JS string; surrogate pairs are one character each. */
  writeText(_text: string): void {
    throw new StreamFault("not-output", this, "an output stream was expected");
  }

  /** Characters since the last newline, undefined when not known. */
  column(): number | undefined {
    return undefined;
  }

  /** Starts a new line unless at the start of one; true when it wrote the newline. */
  freshLine(): boolean {
    if (this.column() === 0) return false;
    this.writeCode(10);
    return true;
  }

  /** Width for the pretty printer, undefined when the stream has none of its own. */
  lineLength(): number | undefined {
    return undefined;
  }

  finishOutput(): void {}

  clearOutput(): void {}

  /** Next byte element, or `endOfInput` as undefined. */
  readElement(): number | bigint | undefined {
    throw new StreamFault("not-binary", this, "a binary input stream was expected");
  }

  writeElement(_value: number | bigint): void {
    throw new StreamFault("not-binary", this, "a binary output stream was expected");
  }

  /** Position in elements, undefined when the stream has none. */
  position(): number | undefined {
    return undefined;
  }

  /** Moves to a position; false when the stream cannot. */
  setPosition(_position: number | "start" | "end"): boolean {
    return false;
  }

  /** Length in elements; undefined when the stream is not bound to a file. */
  length(): number | undefined {
    return undefined;
  }

  /** Closes the stream; `abort` undoes what can be undone. Closing twice is harmless. */
  close(_abort: boolean): void {
    this.open = false;
  }

  /** Text of the type specifier of its elements. */
  elementTypeText(): string {
    return "CHARACTER";
  }

  protected ensureOpen(): void {
    if (!this.open) throw new StreamFault("closed", this, "the stream is closed");
  }
}

/** Second halves of surrogate pairs, which take no column. */
const lowSurrogate = /[\udc00-\udfff]/;

/** Column after writing `text` at `column`. */
export function advanceColumn(column: number, text: string): number {
  const newline = text.lastIndexOf("\n");
  let width = newline < 0 ? column + text.length : text.length - newline - 1;
  if (!lowSurrogate.test(text)) return width;
  for (let i = newline + 1; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xdc00 && unit <= 0xdfff) width--;
  }
  return width;
}
