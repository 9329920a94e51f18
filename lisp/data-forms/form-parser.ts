import { DataFormError, type DataFormErrorKind, type TextPosition } from "./data-form-error.ts";
import {
  backslash,
  bar,
  blank,
  byteClasses,
  closeParenthesis,
  colon,
  constituent,
  forbidden,
  lineFeed,
  openParenthesis,
  quoteMark,
  semicolon,
  sharp,
} from "./characters.ts";
import { internKeyword, upcase, type DataForm, type FloatFormat, type Keyword } from "./form.ts";
import { KeywordCache } from "./keyword-cache.ts";
import { OpenLists, type ElementOffsets } from "./open-lists.ts";
import type { DataLimits, ReadOptions } from "./read-options.ts";
import { isContinuation, positionAt, textStart } from "./text-position.ts";
import { excerpt, readToken } from "./token.ts";

const asciiDigits = 15;
const zero = 0x30;
const nine = 0x39;
const minus = 0x2d;
const plus = 0x2b;
/** Some editors begin every file with it; it is skipped at the very start of a text. */
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Shared by all parsers: it holds a fixed number of keywords, and most texts are a few lines of the same ones. */
const keywordCache = new KeywordCache();

/**
 * Reads forms from bytes that are known to be valid UTF-8. One pass, no recursion; every bound is checked before the
 * value it bounds is made.
 */
export class FormParser {
  readonly #bytes: Buffer;
  readonly #limits: DataLimits;
  readonly #keywords: ReadonlySet<string> | undefined;
  readonly #lineComments: boolean;
  readonly #blockComments: boolean;
  readonly #floatFormat: FloatFormat;
  readonly #origin: TextPosition;
  readonly #offsets: ElementOffsets | undefined;
  #at = 0;
  #nodes = 0;
  /** Start of the form that {@link next} returned last. */
  formStart = 0;

  /** Offsets of elements are recorded in `offsets` when given. */
  constructor(bytes: Buffer, options: ReadOptions, offsets?: ElementOffsets) {
    this.#bytes = bytes;
    this.#limits = options.limits;
    this.#keywords = options.keywords;
    this.#lineComments = options.lineComments ?? true;
    this.#blockComments = options.blockComments ?? false;
    this.#floatFormat = options.floatFormat ?? "double";
    this.#origin = options.origin ?? textStart;
    this.#offsets = offsets;
    if (this.#origin.offset === 0 && byteOrderMark.equals(bytes.subarray(0, 3))) this.#at = 3;
  }

  /** The next top-level form, or `undefined` when only blanks and comments are left. */
  next(): DataForm | undefined {
    const opened = new OpenLists(this.#offsets);
    for (;;) {
      this.#skipBlanks();
      const start = this.#at;
      const byte = this.#bytes[start];
      if (byte === undefined) {
        if (opened.depth > 0) throw this.error("invalid-syntax", "this list is not closed", opened.innermost);
        return undefined;
      }
      if (byte === openParenthesis) {
        this.#countNode(start);
        this.#checkDepth(opened.depth + 1, start);
        opened.open(start);
        this.#at++;
        continue;
      }
      const formStart = byte === closeParenthesis ? opened.innermost : start;
      const form = byte === closeParenthesis ? this.#close(opened) : this.#countedAtom(byte);
      if (opened.depth === 0) {
        this.formStart = formStart;
        return form;
      }
      opened.add(form, formStart);
    }
  }

  /** An error at byte `index` of this text. */
  error(code: DataFormErrorKind, problem: string, index: number = this.#at): DataFormError {
    return new DataFormError(code, problem, { position: this.position(index) });
  }

  /** The place of byte `index` of this text. */
  position(index: number): TextPosition {
    return positionAt(this.#bytes, index, this.#origin);
  }

  #close(opened: OpenLists): DataForm {
    if (opened.depth === 0) throw this.error("invalid-syntax", "this parenthesis closes nothing");
    this.#at++;
    return opened.close();
  }

  #countedAtom(byte: number): DataForm {
    this.#countNode(this.#at);
    return this.#atom(byte);
  }

  #countNode(start: number): void {
    if (++this.#nodes > this.#limits.maxNodes) {
      throw this.error("data-too-large", `more than ${this.#limits.maxNodes} atoms and lists`, start);
    }
  }

  #checkDepth(depth: number, start: number): void {
    if (depth > this.#limits.maxDepth) {
      throw this.error("data-too-deep", `lists nest deeper than ${this.#limits.maxDepth}`, start);
    }
  }

  #skipBlanks(): void {
    const bytes = this.#bytes;
    for (;;) {
      while (byteClasses[bytes[this.#at] as number] === blank) this.#at++;
      const byte = bytes[this.#at];
      if (byte === semicolon && this.#lineComments) {
        const end = bytes.indexOf(lineFeed, this.#at);
        this.#at = end < 0 ? bytes.length : end + 1;
      } else if (byte === sharp && this.#blockComments && bytes[this.#at + 1] === bar) {
        this.#skipBlockComment();
      } else {
        return;
      }
    }
  }

  #skipBlockComment(): void {
    const bytes = this.#bytes;
    const start = this.#at;
    let depth = 0;
    for (let at = start; at < bytes.length; at++) {
      const [byte, following] = [bytes[at], bytes[at + 1]];
      if (byte === sharp && following === bar) {
        depth++;
        at++;
      } else if (byte === bar && following === sharp) {
        at++;
        if (--depth === 0) {
          this.#at = at + 1;
          return;
        }
      }
    }
    throw this.error("invalid-syntax", "this block comment is not closed", start);
  }

  #atom(byte: number): DataForm {
    if (byte === quoteMark) return this.#string();
    if (byte === colon) return this.#keyword();
    const start = this.#at;
    const small = this.#smallInteger(byte);
    if (small !== undefined) return small;
    this.#scanToken();
    if (this.#at === start) throw this.#refusedCharacter(byte);
    const length = this.#at - start;
    if (length > this.#limits.maxStringCharacters) throw this.#tooLong("token", start);
    const reading = readToken(this.#bytes.toString("utf8", start, this.#at), this.#floatFormat);
    if ("form" in reading) return reading.form;
    throw this.error(reading.refusal.code, reading.refusal.problem, start);
  }

  /** Moves past a token; true when it holds characters beyond ASCII. A character outside the grammar within it is an error. */
  #scanToken(): boolean {
    const bytes = this.#bytes;
    let at = this.#at;
    let union = 0;
    let byte = bytes[at];
    while (byte !== undefined && byteClasses[byte] === constituent) {
      union |= byte;
      byte = bytes[++at];
    }
    this.#at = at;
    if (byte !== undefined && byteClasses[byte] === forbidden) throw this.#refusedCharacter(byte);
    return union >= 0x80;
  }

  /** An integer of at most 15 digits followed by a delimiter, the usual case; otherwise moves nothing. */
  #smallInteger(first: number): number | undefined {
    const bytes = this.#bytes;
    let at = this.#at;
    if (first === minus || first === plus) at++;
    const firstDigit = at;
    let value = 0;
    let byte = bytes[at];
    while (byte !== undefined && byte >= zero && byte <= nine) {
      value = value * 10 + (byte - zero);
      byte = bytes[++at];
    }
    if (at === firstDigit || at - firstDigit > asciiDigits) return undefined;
    if (byte !== undefined && (byteClasses[byte] === constituent || byteClasses[byte] === forbidden))
      return undefined;
    this.#at = at;
    return first === minus && value !== 0 ? -value : value;
  }

  #keyword(): Keyword {
    const start = this.#at++;
    const beyondAscii = this.#scanToken();
    const [nameStart, end] = [start + 1, this.#at];
    if (end - nameStart > this.#limits.maxStringCharacters) throw this.#tooLong("keyword", start);
    if (end === nameStart || this.#hasColon(nameStart, end)) {
      const token = excerpt(this.#bytes.toString("utf8", start, end));
      throw this.error(
        "invalid-syntax",
        `${token} is not a keyword: one colon and a name were expected`,
        start,
      );
    }
    const found = beyondAscii
      ? internKeyword(upcase(this.#bytes.toString("utf8", nameStart, end)))
      : keywordCache.find(this.#bytes, nameStart, end);
    if (this.#keywords !== undefined && !this.#keywords.has(found.name)) {
      const key = excerpt(found.toString().toLowerCase());
      const position = this.position(start);
      throw new DataFormError("unknown-field", `the keyword ${key} is not known here`, { position, key });
    }
    return found;
  }

  #hasColon(start: number, end: number): boolean {
    for (let at = start; at < end; at++) if (this.#bytes[at] === colon) return true;
    return false;
  }

  #string(): string {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start + 1;
    let escapes = 0;
    let continuations = 0;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined) throw this.error("invalid-syntax", "this string is not closed", start);
      if (byte === quoteMark) break;
      if (byte === backslash) {
        escapes++;
        at++;
        if (bytes[at] === undefined) continue;
      }
      if (isContinuation(bytes[at] as number)) continuations++;
      at++;
    }
    this.#at = at + 1;
    const characters = at - start - 1 - escapes - continuations;
    if (characters > this.#limits.maxStringCharacters) {
      throw this.error(
        "data-too-large",
        `a string of ${characters} characters exceeds the limit of ${this.#limits.maxStringCharacters}`,
        start,
      );
    }
    const text = bytes.toString(continuations === 0 ? "latin1" : "utf8", start + 1, at);
    return escapes === 0 ? text : text.replace(/\\([^])/gu, "$1");
  }

  #tooLong(what: string, start: number): DataFormError {
    const limit = this.#limits.maxStringCharacters;
    return this.error(
      "data-too-large",
      `a ${what} of ${this.#at - start} bytes exceeds the limit of ${limit}`,
      start,
    );
  }

  #refusedCharacter(byte: number): DataFormError {
    return this.error("invalid-syntax", describeRefusedByte(byte));
  }
}

function describeRefusedByte(byte: number): string {
  const shown = String.fromCharCode(byte);
  if (byte === sharp) return "# is not data: no dispatch macros are read";
  if (byte === semicolon) return "comments are not allowed here";
  if (byte === bar || byte === backslash) return `${shown} is not data: symbols with escapes are not read`;
  if (byte < 0x20 || byte === 0x7f) return `the control character ${byte} is not data outside strings`;
  return `${shown} is not data: quotation is not read`;
}
