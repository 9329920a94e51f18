import { NativeStream, StreamFault, type InputLine } from "./native-stream.ts";

/** Finds the stream a synonym stream's symbol names at this moment; throws when its value is no stream. */
export type StreamLookup = () => NativeStream;

/** Input from one stream, output to another; closing it does not close its parts. */
export class TwoWayStream extends NativeStream {
  readonly lispClass: string = "TWO-WAY-STREAM";
  readonly source: NativeStream;
  readonly sink: NativeStream;

  constructor(source: NativeStream, sink: NativeStream) {
    super();
    this.source = source;
    this.sink = sink;
  }

  override get input(): boolean {
    return true;
  }

  override get output(): boolean {
    return true;
  }

  override isCharacter(): boolean {
    return this.source.isCharacter() || this.sink.isCharacter();
  }

  override isBinary(): boolean {
    return this.source.isBinary() && this.sink.isBinary();
  }

  override isInteractive(): boolean {
    return this.source.isInteractive();
  }

  override readCode(): number {
    this.ensureOpen();
    return this.source.readCode();
  }

  override unreadCode(code: number): void {
    this.source.unreadCode(code);
  }

  override readLine(): InputLine | undefined {
    this.ensureOpen();
    return this.source.readLine();
  }

  override listen(): boolean {
    return this.source.listen();
  }

  override clearInput(): void {
    this.source.clearInput();
  }

  override writeText(text: string): void {
    this.ensureOpen();
    this.sink.writeText(text);
  }

  override writeCode(code: number): void {
    this.ensureOpen();
    this.sink.writeCode(code);
  }

  override column(): number | undefined {
    return this.sink.column();
  }

  override freshLine(): boolean {
    return this.sink.freshLine();
  }

  override lineLength(): number | undefined {
    return this.sink.lineLength();
  }

  override finishOutput(): void {
    this.sink.finishOutput();
  }

  override clearOutput(): void {
    this.sink.clearOutput();
  }

  override readElement(): number | bigint | undefined {
    this.ensureOpen();
    return this.source.readElement();
  }

  override writeElement(value: number | bigint): void {
    this.ensureOpen();
    this.sink.writeElement(value);
  }
}

/** A two-way stream that copies what it reads to its output; an unread character is not echoed twice. */
export class EchoStream extends TwoWayStream {
  override readonly lispClass = "ECHO-STREAM";
  private unread = false;

  override readCode(): number {
    const code = super.readCode();
    if (this.unread) this.unread = false;
    else if (code >= 0) this.sink.writeCode(code);
    return code;
  }

  override unreadCode(code: number): void {
    this.unread = true;
    this.source.unreadCode(code);
  }

  override peekCode(): number {
    return this.source.peekCode();
  }

  override readLine(): InputLine | undefined {
    let text = "";
    for (;;) {
      const code = this.readCode();
      if (code < 0) return { text, ended: true };
      if (code === 10) return { text, ended: false };
      text += String.fromCodePoint(code);
    }
  }

  override readElement(): number | bigint | undefined {
    const value = super.readElement();
    if (value !== undefined) this.sink.writeElement(value);
    return value;
  }
}

/** Output to several streams; with none it swallows everything. */
export class BroadcastStream extends NativeStream {
  readonly lispClass = "BROADCAST-STREAM";
  readonly parts: readonly NativeStream[];
  private written = 0;

  constructor(parts: readonly NativeStream[]) {
    super();
    this.parts = parts;
  }

  override get output(): boolean {
    return true;
  }

  override isCharacter(): boolean {
    return this.parts.at(-1)?.isCharacter() ?? true;
  }

  override isBinary(): boolean {
    return this.parts.at(-1)?.isBinary() ?? true;
  }

  override writeText(text: string): void {
    this.ensureOpen();
    for (const part of this.parts) part.writeText(text);
    if (text.length > 0) this.written = text.endsWith("\n") ? 0 : 1;
  }

  override writeElement(value: number | bigint): void {
    this.ensureOpen();
    for (const part of this.parts) part.writeElement(value);
  }

  override column(): number | undefined {
    const last = this.parts.at(-1);
    return last ? last.column() : 0;
  }

  override freshLine(): boolean {
    let wrote = false;
    for (const part of this.parts) wrote = part.freshLine();
    return wrote;
  }

  override lineLength(): number | undefined {
    return this.parts.at(-1)?.lineLength();
  }

  override finishOutput(): void {
    for (const part of this.parts) part.finishOutput();
  }

  override clearOutput(): void {
    for (const part of this.parts) part.clearOutput();
  }

  override position(): number | undefined {
    const last = this.parts.at(-1);
    return last ? last.position() : 0;
  }

  override setPosition(position: number | "start" | "end"): boolean {
    return this.parts.at(-1)?.setPosition(position) ?? true;
  }

  override length(): number | undefined {
    const last = this.parts.at(-1);
    return last ? last.length() : 0;
  }
}

/** Reads its parts one after the other. */
export class ConcatenatedStream extends NativeStream {
  readonly lispClass = "CONCATENATED-STREAM";
  /** Parts not yet read to their end, the current one first. */
  parts: readonly NativeStream[];
  private unread: number | undefined = undefined;

  constructor(parts: readonly NativeStream[]) {
    super();
    this.parts = parts;
  }

  override get input(): boolean {
    return true;
  }

  override isCharacter(): boolean {
    return this.parts[0]?.isCharacter() ?? true;
  }

  override isBinary(): boolean {
    return this.parts[0]?.isBinary() ?? true;
  }

  override readCode(): number {
    this.ensureOpen();
    if (this.unread !== undefined) {
      const code = this.unread;
      this.unread = undefined;
      return code;
    }
    for (;;) {
      const part = this.parts[0];
      if (!part) return -1;
      const code = part.readCode();
      if (code !== -1) return code;
      this.parts = this.parts.slice(1);
    }
  }

  override unreadCode(code: number): void {
    this.unread = code;
  }

  override listen(): boolean {
    return this.peekCode() >= 0;
  }

  override clearInput(): void {
    this.unread = undefined;
    this.parts[0]?.clearInput();
  }

  override readElement(): number | bigint | undefined {
    this.ensureOpen();
    for (;;) {
      const part = this.parts[0];
      if (!part) return undefined;
      const value = part.readElement();
      if (value !== undefined) return value;
      this.parts = this.parts.slice(1);
    }
  }
}

/** Stands for whatever stream its symbol names when it is used. */
export class SynonymStream extends NativeStream {
  readonly lispClass = "SYNONYM-STREAM";
  /** The Lisp symbol. */
  readonly symbol: object;
  private readonly lookup: StreamLookup;

  constructor(symbol: object, lookup: StreamLookup) {
    super();
    this.symbol = symbol;
    this.lookup = lookup;
  }

  /** The stream meant, following chains of synonyms; refuses a chain that never ends. */
  target(): NativeStream {
    let found = this.lookup();
    for (let i = 0; i < 100; i++) {
      if (!(found instanceof SynonymStream)) return found;
      found = found.lookup();
    }
    throw new StreamFault("failed", this, "the synonym streams name each other in a circle");
  }

  override get input(): boolean {
    return this.target().input;
  }

  override get output(): boolean {
    return this.target().output;
  }

  override isCharacter(): boolean {
    return this.target().isCharacter();
  }

  override isBinary(): boolean {
    return this.target().isBinary();
  }

  override isInteractive(): boolean {
    return this.target().isInteractive();
  }

  override readCode(): number {
    return this.target().readCode();
  }

  override unreadCode(code: number): void {
    this.target().unreadCode(code);
  }

  override peekCode(): number {
    return this.target().peekCode();
  }

  override readLine(): InputLine | undefined {
    return this.target().readLine();
  }

  override listen(): boolean {
    return this.target().listen();
  }

  override clearInput(): void {
    this.target().clearInput();
  }

  override writeText(text: string): void {
    this.target().writeText(text);
  }

  override writeCode(code: number): void {
    this.target().writeCode(code);
  }

  override column(): number | undefined {
    return this.target().column();
  }

  override freshLine(): boolean {
    return this.target().freshLine();
  }

  override lineLength(): number | undefined {
    return this.target().lineLength();
  }

  override finishOutput(): void {
    this.target().finishOutput();
  }

  override clearOutput(): void {
    this.target().clearOutput();
  }

  override readElement(): number | bigint | undefined {
    return this.target().readElement();
  }

  override writeElement(value: number | bigint): void {
    this.target().writeElement(value);
  }

  override position(): number | undefined {
    return this.target().position();
  }

  override setPosition(position: number | "start" | "end"): boolean {
    return this.target().setPosition(position);
  }

  override length(): number | undefined {
    return this.target().length();
  }
}
