/** Where the reader gets characters from. */

/** End of input, as `readCode` reports it. */
export const END = -1;
/** No input yet: ask again when there is some. */
export const WAIT = -2;

/**
 * A source of character codes. Streams satisfy it. A source that offers `rest` is read as text directly; `skipTo` tells it how
 * far the reader got before anybody else looks at it.
 */
export interface CharacterSource {
  /** False for a closed stream, which `readCode` refuses to read. */
  readonly open?: boolean;
  /** Next code, `END` or `WAIT`. */
  readCode(): number;
  /** Puts the code last read back. */
  unreadCode(code: number): void;
  /** Whole text (free of surrogates) and place in it, if it can be read without decoding. */
  rest?(): { text: string; at: number } | undefined;
  skipTo?(at: number): void;
  /** Like `rest`, but more input may follow the text. */
  window?(): { text: string; at: number } | undefined;
}

/** Characters of a JavaScript string. */
export class TextSource implements CharacterSource {
  private readonly codes: string | readonly number[];
  private at: number;

  constructor(text: string, at = 0) {
    this.codes = /[\ud800-\udfff]/.test(text) ? Array.from(text, (c) => c.codePointAt(0) as number) : text;
    this.at = at;
  }

  readCode(): number {
    const { codes, at } = this;
    if (at >= codes.length) return END;
    this.at = at + 1;
    return typeof codes === "string" ? codes.charCodeAt(at) : (codes[at] as number);
  }

  unreadCode(_code: number): void {
    this.at--;
  }

  rest(): { text: string; at: number } | undefined {
    return typeof this.codes === "string" ? { text: this.codes, at: this.at } : undefined;
  }

  skipTo(at: number): void {
    this.at = at;
  }

  /** Index in characters of the next one. */
  get position(): number {
    return this.at;
  }
}

/** A source filled one character at a time from outside, for streams whose READ-CHAR is a Lisp function. */
export class FedSource implements CharacterSource {
  private pending = WAIT;
  /** The character the reader put back and nobody read again, or `WAIT`. */
  private returned = WAIT;

  /** Gives the character (or `END`) the reader waits for. */
  feed(code: number): void {
    this.pending = code;
  }

  readCode(): number {
    if (this.returned !== WAIT) {
      const code = this.returned;
      this.returned = WAIT;
      return code;
    }
    const code = this.pending;
    if (code !== END) this.pending = WAIT;
    return code;
  }

  unreadCode(code: number): void {
    this.returned = code;
  }

  /** Takes the character to be unread on the Lisp stream, or `WAIT` if there is none. */
  takeReturned(): number {
    const code = this.returned;
    this.returned = WAIT;
    return code;
  }
}

/** 1-based line and column of a character index. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Line and column of an index in a text. */
export function positionAt(text: string, index: number): TextPosition {
  let line = 1;
  let start = 0;
  for (;;) {
    const newline = text.indexOf("\n", start);
    if (newline < 0 || newline >= index) return { line, column: index - start + 1 };
    line++;
    start = newline + 1;
  }
}
