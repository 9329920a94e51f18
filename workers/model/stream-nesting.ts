import { JsonNesting } from "../../orchestrator/contract/json-nesting.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const prefix = Buffer.from("data:");

/** The rest of a body nests too deep to be parsed. */
export class DeepJsonError extends Error {
  override readonly name = "DeepJsonError";
}

/** Follows the JSON in a response: of every event of a stream, or of a whole body. */
export class StreamNesting {
  readonly #isEventStream: boolean;
  readonly #nesting = new JsonNesting();
  /** Bytes of the line so far that agree with `data:`; -1 in a line of another field. */
  #matched = 0;
  #lineLength = 0;
  #afterReturn = false;

  constructor(isEventStream: boolean) {
    this.#isEventStream = isEventStream;
  }

  /** Number of these bytes that a parser may be given: fewer than there are once something nests too deep. */
  take(bytes: Uint8Array): number {
    // A counting loop: an iterator of pairs costs more than the look at the byte.
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0;
      const fits = this.#isEventStream ? this.#takeLine(byte) : this.#nesting.take(byte);
      if (!fits) return index;
    }
    return bytes.length;
  }

  /** The data of an event may go over several lines; an empty line ends the event. */
  #takeLine(byte: number): boolean {
    const wasReturn = this.#afterReturn;
    this.#afterReturn = byte === carriageReturn;
    if (byte === lineFeed && wasReturn) return true;
    if (byte === lineFeed || byte === carriageReturn) {
      if (this.#lineLength === 0) this.#nesting.reset();
      this.#lineLength = 0;
      this.#matched = 0;
      return true;
    }
    this.#lineLength += 1;
    if (this.#matched === prefix.length) return this.#nesting.take(byte);
    this.#matched = byte === prefix[this.#matched] ? this.#matched + 1 : -1;
    return true;
  }
}
