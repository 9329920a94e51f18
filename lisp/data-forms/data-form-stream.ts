import { DataFormError, type TextPosition } from "./data-form-error.ts";
import type { DataForm } from "./form.ts";
import { FormBoundaries } from "./form-boundaries.ts";
import { readDataForm, type DataInput } from "./read-data-form.ts";
import type { ReadOptions } from "./read-options.ts";
import { textStart } from "./text-position.ts";

/** Options of a stream of forms. The limits hold for each form. Block comments are not read in streams. */
export type StreamReadOptions = Omit<ReadOptions, "blockComments" | "origin">;

/**
 * Reads consecutive top-level forms from a text that comes in pieces, split anywhere, also within a character. Holds at
 * most one unfinished form, of at most `limits.maxBytes`. The forms and the error, if any, do not depend on the splits.
 *
 * Forms before an error are always delivered first: `push` returns them, and the next call throws the error.
 */
export class DataFormStream {
  readonly #options: StreamReadOptions;
  readonly #boundaries: FormBoundaries;
  #pieces: Buffer[] = [];
  #pendingBytes = 0;
  #formStart: TextPosition = textStart;
  #highSurrogate = "";
  #failure: DataFormError | undefined;

  constructor(options: StreamReadOptions) {
    this.#options = options;
    this.#boundaries = new FormBoundaries(options.limits.maxDepth, options.lineComments ?? true);
  }

  /**
   * Takes the next piece and returns the forms it completes. A top-level atom other than a string is complete when
   * something follows it.
   * @throws DataFormError at once when no form came before the error, and on every later call.
   */
  push(piece: DataInput): DataForm[] {
    this.#throwFailure();
    const bytes = typeof piece === "string" ? this.#encode(piece) : asBuffer(piece);
    const forms: DataForm[] = [];
    try {
      this.#scan(bytes, forms);
    } catch (error) {
      this.#fail(error, forms);
    }
    return forms;
  }

  /**
   * Says that the text is over; returns the last form when the text ended with an atom.
   * @throws DataFormError `invalid-syntax` at the start of a form that was not completed.
   */
  end(): DataForm[] {
    this.#throwFailure();
    const rest = this.#highSurrogate;
    this.#highSurrogate = "";
    const forms = rest === "" ? [] : this.push(encodeText(rest));
    if (this.#pendingBytes === 0) return forms;
    try {
      this.#complete(forms);
    } catch (error) {
      this.#fail(error, forms);
    }
    return forms;
  }

  #scan(bytes: Buffer, forms: DataForm[]): void {
    let start = this.#pendingBytes > 0 ? 0 : -1;
    for (let at = 0; at < bytes.length; at++) {
      at = this.#boundaries.run(bytes, at, this.#uncheckedEnd(bytes, start));
      if (at === bytes.length) break;
      const place = this.#pendingBytes === 0 && start < 0 ? this.#boundaries.position : undefined;
      const boundary = this.#boundaries.take(bytes[at] as number);
      if (boundary === "starts") {
        start = at;
        this.#formStart = place as TextPosition;
      }
      if (start >= 0 && boundary !== "ended-before") this.#checkSize(this.#pendingBytes + at - start + 1);
      if (boundary === "ends" || boundary === "ended-before") {
        const end = boundary === "ends" ? at + 1 : at;
        this.#keep(bytes.subarray(start, end));
        start = -1;
        this.#complete(forms);
        if (boundary === "ended-before") at--;
      }
    }
    if (start >= 0) this.#keep(bytes.subarray(start));
  }

  /** Bytes before this index cannot make the form too large. */
  #uncheckedEnd(bytes: Buffer, start: number): number {
    if (start < 0) return bytes.length;
    return Math.min(bytes.length, start + this.#options.limits.maxBytes - this.#pendingBytes);
  }

  /** Per byte, so that which bound is reported does not depend on how the text was split. */
  #checkSize(bytes: number): void {
    const { maxBytes } = this.#options.limits;
    if (bytes <= maxBytes) return;
    const problem = `a form exceeds the limit of ${maxBytes} bytes`;
    throw new DataFormError("data-too-large", problem, { position: this.#formStart });
  }

  #keep(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#pendingBytes += piece.length;
  }

  #complete(forms: DataForm[]): void {
    const bytes = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#pendingBytes = 0;
    forms.push(readDataForm(bytes, { ...this.#options, origin: this.#formStart }));
  }

  #encode(piece: string): Buffer {
    const text = this.#highSurrogate + piece;
    const last = text.charCodeAt(text.length - 1);
    const split = last >= 0xd800 && last <= 0xdbff;
    this.#highSurrogate = split ? text.slice(-1) : "";
    return encodeText(split ? text.slice(0, -1) : text);
  }

  #fail(error: unknown, forms: readonly DataForm[]): void {
    if (!(error instanceof DataFormError)) throw error;
    this.#failure = error;
    this.#pieces = [];
    this.#pendingBytes = 0;
    if (forms.length === 0) throw error;
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}

/**
 * The forms of a byte or character stream, one after another, until its clean end.
 * @throws DataFormError when the text is not a sequence of whole forms within the limits.
 */
export async function* readDataFormStream(
  source: AsyncIterable<DataInput> | Iterable<DataInput>,
  options: StreamReadOptions,
): AsyncGenerator<DataForm> {
  const stream = new DataFormStream(options);
  for await (const piece of source) yield* stream.push(piece);
  // The first call delivers the last form, or the error that came after the forms of the last piece.
  yield* stream.end();
  yield* stream.end();
}

/** UTF-8; half a surrogate pair becomes bytes that are not UTF-8, so that it is refused where it stands. */
function encodeText(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, "utf8");
  const parts = text.split(/[\uD800-\uDFFF]/u).map((part) => Buffer.from(part, "utf8"));
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [loneSurrogate, part])));
}

const loneSurrogate = Buffer.from([0xed, 0xa0, 0x80]);

function asBuffer(piece: Uint8Array): Buffer {
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}
