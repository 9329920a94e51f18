import { NativeStream } from "../streams/native-stream.ts";
import { type Kind, leafKind } from "./kind.ts";

/** A stream that was open in another process, on a file of its own: closed here, whatever it was there. */
class ClosedStream extends NativeStream {
  readonly lispClass: string;
  private readonly reads: boolean;
  private readonly writes: boolean;
  private readonly characters: boolean;

  constructor(lispClass: string, reads: boolean, writes: boolean, characters: boolean) {
    super();
    this.lispClass = lispClass;
    this.reads = reads;
    this.writes = writes;
    this.characters = characters;
    this.open = false;
  }

  override get input(): boolean {
    return this.reads;
  }

  override get output(): boolean {
    return this.writes;
  }

  override isCharacter(): boolean {
    return this.characters;
  }

  private refuse(): never {
    this.ensureOpen();
    throw new TypeError("a closed stream was opened");
  }

  override readCode(): number {
    return this.refuse();
  }

  override writeText(_text: string): void {
    this.refuse();
  }

  override readElement(): number | bigint | undefined {
    return this.refuse();
  }

  override writeElement(_value: number | bigint): void {
    this.refuse();
  }
}

/** Streams that need something of the machine and are not the boot's. */
export const closedStreams: Kind = leafKind<NativeStream>(
  "closed streams",
  (stream, { bytes }) => {
    bytes.text(stream.lispClass);
    bytes.byte((stream.input ? 1 : 0) | (stream.output ? 2 : 0) | (stream.isCharacter() ? 4 : 0));
  },
  ({ bytes }) => {
    const lispClass = bytes.text();
    const traits = bytes.byte();
    return new ClosedStream(lispClass, (traits & 1) !== 0, (traits & 2) !== 0, (traits & 4) !== 0);
  },
);
