/**
 * The Lisp reader as a pushdown automaton. It never calls Lisp: where the standard wants a function called (macro characters of
 * the user, `#.`, `#S`, `#P`) `run` returns "call" with a request, and goes on when the values are given to `resume`; where a
 * stream has no input yet it returns "wait" and can simply be run again. Nothing recurses, so nesting is bounded by memory only.
 */
import { char } from "../data/character.ts";
import { LString } from "../data/string.ts";
import { SHARE } from "../data/unfinished.ts";
import type { LispValue } from "../data/value.ts";
import { TOTAL_SIZE_LIMIT, arrayTooLarge } from "../arrays/array-making.ts";
import { upcaseCode } from "../characters/char-case.ts";
import { normalize } from "../numbers/integers.ts";
import { closeFrame, deliver, deliverDot, deliverNothing, deliverValues, type Outcome } from "./frames.ts";
import {
  type BuiltinDispatch,
  type BuiltinMacro,
  CONSTITUENT,
  MULTIPLE_ESCAPE,
  SINGLE_ESCAPE,
  TERMINATING,
  WHITESPACE,
} from "./readtable.ts";
import { ReaderState } from "./reader-state.ts";
import { readSharp } from "./sharp.ts";
import { END, WAIT } from "./source.ts";
import {
  checkConstituents,
  checkTokenLength,
  MAX_TOKEN,
  collectedToken,
  DOT,
  LONG_NUMBER,
  numberOrSymbol,
  plainToken,
} from "./tokens.ts";

/** Dispatch macros that are reported with what follows them as one token, or as wrong. */
const WHOLE_TOKENS: ReadonlySet<string> = new Set([
  "SHARP-CHARACTER",
  "SHARP-BITS",
  "SHARP-UNINTERNED",
  "SHARP-COMMENT",
  "SHARP-ILLEGAL",
]);

/** What a token, or another step, counts for beyond its characters. */
const STEP_WORK = 8;

/** Characters of a string that are collected before they are joined. */
const STRING_PIECE = 4096;

/** One READ: make it, `run` it until it is "done" (object in `value`), "end" (nothing but end of input) or "none". */
export class Reader extends ReaderState {
  /** Reads on. Throws `ReaderFault` for wrong or unfinished text. */
  run(): Outcome {
    this.attach();
    return this.advance("go");
  }

  /** Continues after a requested call with the values it returned. */
  resume(values: readonly LispValue[]): Outcome {
    this.attach();
    this.refresh();
    return this.advance(deliverValues(this, values));
  }

  /** Reads what a built-in macro character introduces, as if it had just been read. */
  runMacro(tag: BuiltinMacro, code: number): Outcome {
    this.attach();
    this.push("once");
    return this.advance(this.startMacro(tag, code));
  }

  /** Reads what a built-in dispatch macro introduces. */
  runDispatch(tag: BuiltinDispatch, sub: number, argument: number | bigint | null): Outcome {
    this.attach();
    this.push("once");
    return this.advance(readSharp(this, tag, argument, sub));
  }

  /** Reads objects up to a closing character into a list. */
  runDelimited(close: number): Outcome {
    this.attach();
    this.push("list").close = close;
    return this.advance("go");
  }

  /** After an object: takes the whitespace character that follows it, if there is one. */
  skipOneWhitespace(): void {
    this.attach();
    const code = this.next();
    if (code === END || code === WAIT) return;
    if (this.readtable.syntax(code) !== WHITESPACE) this.unread(code);
  }

  private advance(first: Outcome): Outcome {
    let outcome = first;
    this.work = 0;
    try {
      while (outcome === "go") outcome = this.tired(STEP_WORK) ? "pause" : this.step();
    } finally {
      this.detach();
    }
    return outcome;
  }

  private step(): Outcome {
    switch (this.phase) {
      case "start":
        return this.scan();
      case "token":
        return this.scanToken();
      case "number":
        return this.makeNumber();
      case "string":
        return this.scanString();
      case "line-comment":
        return this.scanLineComment();
      case "block-comment":
        return this.scanBlockComment();
      case "comma":
        return this.scanComma();
      default:
        return this.scanSharp();
    }
  }

  /** Between objects. */
  private scan(): Outcome {
    const { readtable, stack } = this;
    const { low } = readtable;
    if (!this.direct && this.windowed) this.attach();
    for (;;) {
      const code = this.next();
      if (code < 0) return code === WAIT ? "wait" : this.endOfInput();
      const syntax = code < 256 ? low[code] : readtable.syntax(code);
      if (syntax === WHITESPACE) {
        if (this.tired()) return "pause";
        continue;
      }
      this.tokenStart = this.at - 1;
      const frame = stack.length > 0 ? stack[stack.length - 1] : undefined;
      if (frame !== undefined && frame.close === code) {
        this.report("close");
        return closeFrame(this, frame);
      }
      if (syntax === CONSTITUENT) return this.direct ? this.scanPlain() : this.beginToken(code);
      if (syntax === SINGLE_ESCAPE || syntax === MULTIPLE_ESCAPE) return this.beginToken(code);
      return this.macro(code);
    }
  }

  private endOfInput(): Outcome {
    const frame = this.stack[this.stack.length - 1];
    if (frame === undefined) return "end";
    return this.failAtEnd();
  }

  /** The common token: constituents only, in text that can be sliced. */
  private scanPlain(): Outcome {
    const { text, readtable } = this;
    const { low } = readtable;
    const start = this.at - 1;
    let i = this.at;
    let suspicious = false;
    const stop = Math.min(text.length, start + MAX_TOKEN + 1);
    for (; i < stop; i++) {
      const code = text.charCodeAt(i);
      const syntax = code < 256 ? low[code] : readtable.syntax(code);
      if (syntax === WHITESPACE || syntax === TERMINATING) break;
      if (syntax === SINGLE_ESCAPE || syntax === MULTIPLE_ESCAPE)
        return this.beginToken(text.charCodeAt(start));
      if (code <= 32 || code === 127) suspicious = true;
    }
    // In a window the token may go on behind the text.
    if (i === text.length && this.windowed) return this.beginToken(text.charCodeAt(start));
    this.at = i;
    this.work += i - start;
    const token = text.slice(start, i);
    checkTokenLength(this, token.length);
    const first = text.charCodeAt(start);
    if (this.suppress === 0 && (suspicious || first <= 32 || first === 127)) checkConstituents(this, token);
    return this.finishToken(plainToken(this, token));
  }

  /** What became of a token: an object, the dot, or a number that takes steps to make. */
  private finishToken(value: LispValue | typeof DOT | typeof LONG_NUMBER): Outcome {
    if (value === LONG_NUMBER) {
      this.phase = "number";
      return "go";
    }
    return value === DOT ? deliverDot(this) : deliver(this, value);
  }

  /** A step on the way to a long number. */
  private makeNumber(): Outcome {
    const { token, read } = this.number!;
    const step = read.next();
    if (step.done !== true) return this.tired(SHARE) ? "pause" : "go";
    this.number = null;
    this.phase = "start";
    return deliver(this, numberOrSymbol(this, token, step.value));
  }

  private beginToken(code: number): Outcome {
    this.unread(code);
    this.startToken("object");
    return "go";
  }

  /** A token character by character, with escapes. */
  private scanToken(): Outcome {
    const { readtable } = this;
    for (;;) {
      if (this.tired()) return "pause";
      const code = this.next();
      if (code === WAIT) return "wait";
      if (code === END) {
        if (this.afterSingle || this.inMultiple) return this.failAtEnd();
        return this.endToken();
      }
      if (this.codes.length > 0 && this.codes.length % STRING_PIECE === 0)
        checkTokenLength(this, this.codes.length);
      if (this.afterSingle) {
        this.afterSingle = false;
        this.addEscaped(code);
        continue;
      }
      const syntax = readtable.syntax(code);
      if (syntax === SINGLE_ESCAPE) {
        this.afterSingle = true;
        this.anyEscape = true;
      } else if (syntax === MULTIPLE_ESCAPE) {
        this.inMultiple = !this.inMultiple;
        this.anyEscape = true;
      } else if (this.inMultiple) {
        this.addEscaped(code);
      } else if (syntax === WHITESPACE || syntax === TERMINATING) {
        this.unread(code);
        return this.endToken();
      } else {
        this.codes.push(code);
        this.escaped.push(false);
      }
    }
  }

  private addEscaped(code: number): void {
    this.codes.push(code);
    this.escaped.push(true);
  }

  private endToken(): Outcome {
    this.phase = "start";
    return this.finishToken(collectedToken(this));
  }

  /** A macro character was read. */
  private macro(code: number): Outcome {
    const fn = this.readtable.macros.get(code);
    if (fn === undefined) return this.fail("the macro character ~S has no function", char(code));
    if (typeof fn === "string") return this.startMacro(fn, code);
    return this.call(fn, [this.stream, char(code)]);
  }

  private call(fn: LispValue, args: readonly LispValue[]): Outcome {
    this.report("dispatch");
    this.request = { fn, args, suppress: this.suppress > 0, single: false };
    return "call";
  }

  private startMacro(tag: BuiltinMacro, code: number): Outcome {
    this.phase = "start";
    switch (tag) {
      case "LIST":
        this.report("open");
        this.push("list").close = 41;
        return "go";
      case "CLOSE":
        return this.fail("a closing parenthesis has no opening one");
      case "QUOTE":
        this.report("quote");
        this.push("wrap").symbol = this.context.quote;
        return "go";
      case "STRING":
        this.opener = code;
        this.pieces = "";
        this.afterSingle = false;
        this.phase = "string";
        return "go";
      case "COMMENT":
        this.phase = "line-comment";
        return "go";
      case "BACKQUOTE":
        this.report("quote");
        this.push("backquote");
        this.backquotes++;
        return "go";
      case "COMMA":
        if (this.backquotes === 0 && this.suppress === 0) return this.fail("a comma outside of a backquote");
        this.phase = "comma";
        return "go";
      default:
        this.opener = code;
        this.sharpArgument = null;
        this.phase = "sharp";
        return "go";
    }
  }

  /** After a comma: the character that tells splicing. */
  private scanComma(): Outcome {
    const code = this.next();
    if (code === WAIT) return "wait";
    const splicing = code === 64 || code === 46;
    if (!splicing && code !== END) this.unread(code);
    this.phase = "start";
    this.report("quote");
    const frame = this.push("comma");
    frame.symbol = splicing ? this.context.unquoteSplicing : this.context.unquote;
    this.backquotes--;
    return "go";
  }

  private scanString(): Outcome {
    if (this.direct) this.scanStringText();
    const { readtable } = this;
    let codes: number[] = [];
    const collect = (): void => {
      this.pieces += String.fromCodePoint(...codes);
      codes = [];
      if (this.pieces.length >= TOTAL_SIZE_LIMIT)
        throw arrayTooLarge(this.pieces.length, TOTAL_SIZE_LIMIT - 1);
    };
    for (;;) {
      const tired = this.tired();
      const code = tired ? WAIT : this.next();
      if (code < 0) {
        collect();
        if (tired) return "pause";
        return code === WAIT ? "wait" : this.failAtEnd();
      }
      if (this.afterSingle) this.afterSingle = false;
      else if (code === this.opener) {
        collect();
        return this.endString();
      } else if (readtable.syntax(code) === SINGLE_ESCAPE) {
        this.afterSingle = true;
        continue;
      }
      codes.push(code);
      if (codes.length === STRING_PIECE) collect();
    }
  }

  /** Takes from a text what comes before the next escape or end of the string, a share at most. */
  private scanStringText(): void {
    const { readtable, text, opener } = this;
    const { low } = readtable;
    if (this.afterSingle) return;
    const start = this.at;
    const stop = Math.min(text.length, start + SHARE);
    let i = start;
    for (; i < stop; i++) {
      const code = text.charCodeAt(i);
      if (code === opener || (code < 256 ? low[code] : readtable.syntax(code)) === SINGLE_ESCAPE) break;
    }
    this.pieces += text.slice(start, i);
    this.at = i;
    this.work += i - start;
  }

  private endString(): Outcome {
    this.phase = "start";
    this.report("string");
    return deliver(this, LString.from(this.pieces));
  }

  private scanLineComment(): Outcome {
    const end = this.direct ? this.text.indexOf("\n", this.at) : -1;
    if (end >= 0 || (this.direct && !this.windowed)) {
      this.at = end < 0 ? this.text.length : end + 1;
    } else {
      for (;;) {
        if (this.tired()) return "pause";
        const code = this.next();
        if (code === WAIT) return "wait";
        if (code === 10 || code === END) break;
      }
    }
    return this.endComment();
  }

  private endComment(): Outcome {
    this.phase = "start";
    this.report("comment");
    return deliverNothing(this);
  }

  private scanBlockComment(): Outcome {
    for (;;) {
      if (this.tired()) return "pause";
      const code = this.next();
      if (code === WAIT) return "wait";
      if (code === END) return this.failAtEnd();
      const pair = this.previous;
      this.previous = code;
      if (pair === 35 && code === 124) {
        this.depth++;
        this.previous = 0;
      } else if (pair === 124 && code === 35) {
        this.previous = 0;
        if (--this.depth === 0) return this.endComment();
      }
    }
  }

  /** After a dispatching character: digits and the sub-character. */
  private scanSharp(): Outcome {
    for (;;) {
      const code = this.next();
      if (code === WAIT) return "wait";
      if (code === END) return this.failAtEnd();
      if (code >= 48 && code <= 57) {
        this.addArgumentDigit(code - 48);
        continue;
      }
      return this.dispatch(code);
    }
  }

  private addArgumentDigit(digit: number): void {
    const next = BigInt(this.sharpArgument ?? 0) * 10n + BigInt(digit);
    if (next > 1n << 4096n) this.fail("the number after # is too large");
    this.sharpArgument = normalize(next);
  }

  private dispatch(sub: number): Outcome {
    this.phase = "start";
    const upper = upcaseCode(sub);
    const table = this.readtable.dispatchTable(this.opener);
    const fn = table?.get(upper);
    if (fn === undefined && this.suppress > 0) return deliver(this, this.context.nil);
    if (fn === undefined)
      return this.fail("the dispatching character ~S has no meaning for ~S", char(this.opener), char(sub));
    const argument = this.sharpArgument;
    if (typeof fn === "string") {
      if (!WHOLE_TOKENS.has(fn)) this.report(sub === 40 ? "open" : "dispatch");
      return readSharp(this, fn, argument, sub);
    }
    return this.call(fn, [this.stream, char(sub), argument ?? this.context.nil]);
  }
}
