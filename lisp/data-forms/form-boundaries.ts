import { DataFormError, type TextPosition } from "./data-form-error.ts";
import {
  backslash,
  blank,
  byteClasses,
  closeParenthesis,
  lineFeed,
  openParenthesis,
  quoteMark,
  semicolon,
  terminator,
} from "./characters.ts";
import { isContinuation } from "./text-position.ts";

type Scanning = "between" | "list" | "token" | "string" | "escape" | "comment";

/**
 * What one byte did:
 * `between` a blank or part of a comment outside forms; `starts` the first byte of a form; `inside` a further byte of
 * it; `ends` the last byte of it; `ended-before` the form ended before this byte, which was not taken: offer it again.
 */
export type Boundary = "between" | "starts" | "inside" | "ends" | "ended-before";

/**
 * Finds where top-level forms start and end, one byte at a time, whatever pieces the text comes in. It knows only what
 * can hide a parenthesis (strings, escapes in them, line comments); all else is left to the parser.
 */
export class FormBoundaries {
  readonly #maxDepth: number;
  readonly #lineComments: boolean;
  #scanning: Scanning = "between";
  #depth = 0;
  #offset = 0;
  #line = 1;
  #column = 1;

  constructor(maxDepth: number, lineComments: boolean) {
    this.#maxDepth = maxDepth;
    this.#lineComments = lineComments;
  }

  /** The place of the byte that comes next. */
  get position(): TextPosition {
    return { offset: this.#offset, line: this.#line, column: this.#column };
  }

  /**
   * Takes the bytes from `from` on that change nothing, up to `end`, and returns the index of the first that was not
   * taken. Only within a form or a comment; elsewhere nothing is taken.
   */
  run(bytes: Uint8Array, from: number, end: number): number {
    const significant = significantBytes[this.#scanning];
    let at = from;
    let continuations = 0;
    for (; at < end; at++) {
      const byte = bytes[at] as number;
      if (significant[byte] === 1) break;
      if (isContinuation(byte)) continuations++;
    }
    this.#offset += at - from;
    this.#column += at - from - continuations;
    return at;
  }

  /** Takes one byte. @throws DataFormError `data-too-deep`, before the rest of a form too deep has come. */
  take(byte: number): Boundary {
    if (this.#scanning === "token" && endsToken(byte)) {
      this.#scanning = "between";
      return "ended-before";
    }
    const boundary = this.#step(byte);
    this.#offset++;
    if (byte === lineFeed) {
      this.#line++;
      this.#column = 1;
    } else if (!isContinuation(byte)) {
      this.#column++;
    }
    return boundary;
  }

  #step(byte: number): Boundary {
    switch (this.#scanning) {
      case "between":
        return this.#between(byte);
      case "list":
        return this.#list(byte);
      case "string":
        return this.#string(byte);
      case "escape":
        this.#scanning = "string";
        return "inside";
      case "token":
        return "inside";
      case "comment":
        return this.#comment(byte);
      default:
        return this.#scanning satisfies never;
    }
  }

  #comment(byte: number): Boundary {
    if (byte === lineFeed) this.#scanning = this.#depth > 0 ? "list" : "between";
    return this.#depth > 0 ? "inside" : "between";
  }

  #between(byte: number): Boundary {
    if (byteClasses[byte] === blank) return "between";
    if (byte === semicolon && this.#lineComments) {
      this.#scanning = "comment";
      return "between";
    }
    if (byte === openParenthesis) this.#open();
    else this.#scanning = byte === quoteMark ? "string" : "token";
    return "starts";
  }

  #list(byte: number): Boundary {
    if (byte === openParenthesis) this.#open();
    else if (byte === quoteMark) this.#scanning = "string";
    else if (byte === semicolon && this.#lineComments) this.#scanning = "comment";
    else if (byte === closeParenthesis && --this.#depth === 0) {
      this.#scanning = "between";
      return "ends";
    }
    return "inside";
  }

  #string(byte: number): Boundary {
    if (byte === backslash) this.#scanning = "escape";
    if (byte !== quoteMark) return "inside";
    this.#scanning = this.#depth > 0 ? "list" : "between";
    return this.#depth > 0 ? "inside" : "ends";
  }

  #open(): void {
    this.#scanning = "list";
    if (++this.#depth > this.#maxDepth) {
      const problem = `lists nest deeper than ${this.#maxDepth}`;
      throw new DataFormError("data-too-deep", problem, { position: this.position });
    }
  }
}

/** For each state the bytes that {@link FormBoundaries.take} must see; all others leave the state as it is. */
const significantBytes: Readonly<Record<Scanning, Uint8Array>> = {
  between: new Uint8Array(256).fill(1),
  escape: new Uint8Array(256).fill(1),
  list: marked('()";\n'),
  string: marked('"\\\n'),
  comment: marked("\n"),
  token: Uint8Array.from({ length: 256 }, (_, byte) => (endsToken(byte) || byte === lineFeed ? 1 : 0)),
};

function marked(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

function endsToken(byte: number): boolean {
  const kind = byteClasses[byte];
  return kind === blank || kind === terminator;
}
