/** State of one READ: where it is in its source, the unfinished objects, and the primitive operations on them. */
import { LispError } from "../data/error.ts";
import { type LSymbol, NIL, type LPackage } from "../data/symbol.ts";
import { Cons } from "../data/cons.ts";
import { SHARE } from "../data/unfinished.ts";
import type { LispValue } from "../data/value.ts";
import type { FloatFormat } from "../numbers/float-bits.ts";
import { SINGLE } from "../numbers/float-bits.ts";
import type { ReaderContext } from "./context.ts";
import type { Label, LabelTable } from "./labels.ts";
import type { ReadNumber } from "./number-token.ts";
import type { Readtable } from "./readtable.ts";
import { type CharacterSource, END } from "./source.ts";

/** Kinds of unfinished objects. */
export type FrameKind =
  | "list"
  | "vector"
  | "wrap"
  | "backquote"
  | "comma"
  | "label"
  | "feature"
  | "skip"
  | "eval"
  | "radix"
  | "complex"
  | "array"
  | "structure"
  | "pathname"
  | "once";

/** An unfinished object waiting for its parts. Which fields are used depends on the kind. */
export class Frame {
  readonly kind: FrameKind;
  /** Index in the text where the object began. */
  readonly startAt: number;
  /** Code that closes a list or vector, or -1. */
  close = -1;
  /** Collected list. */
  head: LispValue = NIL;
  tail: Cons | null = null;
  /** List: 0 before a dot, 1 after it, 2 after the object that follows it. */
  dot = 0;
  /** Numeric argument of the dispatch macro, or null. */
  argument: number | bigint | null = null;
  /** Wrapping symbol. */
  symbol: LSymbol = NIL;
  label: Label | null = null;
  items: LispValue[] | null = null;
  /** Settings to restore when the frame ends. */
  savedBase = 10;
  savedSuppress = 0;
  savedPackage: LPackage | null = null;
  /** `#-`. */
  negated = false;

  constructor(kind: FrameKind, startAt: number) {
    this.kind = kind;
    this.startAt = startAt;
  }
}

/** What the automaton is in the middle of. */
export type Phase =
  | "start"
  | "token"
  | "number"
  | "string"
  | "line-comment"
  | "block-comment"
  | "comma"
  | "sharp";

/** What a token being read will become. */
export type TokenUse = "object" | "character" | "bits" | "uninterned";

/** Kinds of the tokens reported to a highlighter. */
export type TokenKind =
  | "comment"
  | "string"
  | "character"
  | "number"
  | "symbol"
  | "keyword"
  | "open"
  | "close"
  | "quote"
  | "dispatch"
  | "skipped"
  | "invalid";

/** Receives tokens with their character range while a text is read. */
export type TokenSink = (kind: TokenKind, start: number, end: number) => void;

/** Signals that the source ended inside an object, or that the text is wrong at a place. */
export class ReaderFault extends LispError {
  /** True when more text could make the input valid. */
  readonly incomplete: boolean;
  /** Character index in a text source where the problem is, or -1. */
  readonly index: number;
  /** Arguments of the control string. */
  readonly args: readonly LispValue[];
  constructor(
    incomplete: boolean,
    index: number,
    stream: LispValue,
    control: string,
    args: readonly LispValue[],
  ) {
    super(
      incomplete ? "END-OF-FILE" : "AUTOLITH-SYSTEM::SIMPLE-READER-ERROR",
      incomplete
        ? [["STREAM", stream]]
        : [
            ["STREAM", stream],
            ["FORMAT-CONTROL", control],
            ["FORMAT-ARGUMENTS", args.reduceRight<LispValue>((tail, x) => new Cons(x, tail), NIL)],
          ],
      control,
    );
    this.incomplete = incomplete;
    this.index = index;
    this.args = args;
  }
}

/** A request to call a Lisp function before reading can go on. */
export interface ReaderRequest {
  /** Function or function name. */
  readonly fn: LispValue;
  readonly args: readonly LispValue[];
  /** Whether *READ-SUPPRESS* is to be true during the call. */
  readonly suppress: boolean;
  /** Exactly one value is wanted; otherwise no value means that nothing was read. */
  readonly single: boolean;
}

/** Options of one read. */
export interface ReadOptions {
  /** Reader of the enclosing READ of the same object, for labels and backquotes. */
  readonly parent?: ReaderState | undefined;
  /** Reads without interning symbols or calling anything: for probes and highlighting. */
  readonly dry?: boolean;
  /** Comes back with "pause" after each share of the work, to be run again. */
  readonly pauses?: boolean;
  /** Reads in this package instead of the current one. */
  readonly pkg?: LPackage | undefined;
  /** Reads with standard syntax and variables, whatever the program has set. Nothing it reads may call Lisp. */
  readonly standard?: boolean;
  readonly sink?: TokenSink | undefined;
}

/** Never written to: a token starts arrays of its own. */
const NO_CODES: number[] = [];
const NO_MARKS: boolean[] = [];

/** Objects may nest at most this deep. */
const MAX_DEPTH = 1_000_000;

export class ReaderState {
  readonly context: ReaderContext;
  /** The Lisp stream, for conditions and macro functions. */
  readonly stream: LispValue;
  readonly source: CharacterSource;
  private labelTable: LabelTable | null;
  readonly dry: boolean;
  private readonly fixedPackage: LPackage | null;
  readonly sink: TokenSink | null;
  private readonly pauses: boolean;
  /** Work done since reading began or went on, in characters. */
  work = 0;
  /** Text being read, or "" with `direct` false when characters come from the source one by one. */
  text = "";
  at = 0;
  direct = false;
  /** The text is only a part of the input: at its end reading goes on from the source. */
  windowed = false;

  phase: Phase = "start";
  readonly stack: Frame[] = [];
  /** The object read. */
  value: LispValue = NIL;
  request: ReaderRequest | null = null;

  readtable: Readtable;
  pkg: LPackage;
  base = 10;
  evaluate = true;
  defaultFormat: FloatFormat = SINGLE;
  /** Positive while objects are skipped. */
  suppress = 0;
  backquotes = 0;

  /** The number that a long token is being made into. */
  number: { readonly token: string; readonly read: Iterator<void, ReadNumber> } | null = null;
  /** Token being read: codes, which of them were escaped, and the state of escaping. */
  codes: number[] = NO_CODES;
  escaped: boolean[] = NO_MARKS;
  anyEscape = false;
  inMultiple = false;
  afterSingle = false;
  use: TokenUse = "object";
  /** String being read: finished pieces, or nesting of a block comment. */
  pieces = "";
  depth = 0;
  previous = 0;
  sharpArgument: number | bigint | null = null;
  /** The dispatching character, and the one that ends a string. */
  opener = 0;
  /** Index of the first character of the current token. */
  tokenStart = 0;

  constructor(context: ReaderContext, source: CharacterSource, stream: LispValue, options: ReadOptions = {}) {
    this.context = context;
    this.source = source;
    this.stream = stream;
    this.dry = options.dry ?? false;
    this.pauses = options.pauses ?? false;
    this.fixedPackage = options.pkg ?? null;
    this.sink = options.sink ?? null;
    this.labelTable = options.parent?.labels ?? null;
    this.backquotes = options.parent?.backquotes ?? 0;
    this.readtable = context.currentReadtable();
    this.pkg = this.fixedPackage ?? context.currentPackage();
    this.base = context.currentBase();
    this.suppress = context.isSuppressed() ? 1 : 0;
    this.evaluate = context.mayEvaluate() && !this.dry;
    this.defaultFormat = context.defaultFormat();
    if (options.standard === true) this.useStandard();
  }

  private useStandard(): void {
    this.readtable = this.context.standard;
    this.base = 10;
    this.suppress = 0;
    this.evaluate = true;
    this.defaultFormat = SINGLE;
  }

  /** Labels of the outermost object being read. */
  get labels(): LabelTable {
    this.labelTable ??= new Map();
    return this.labelTable;
  }

  /** Takes the text and place of the source. */
  attach(): void {
    const { source } = this;
    const usable = source.open !== false;
    const rest = usable ? source.rest?.() : undefined;
    const part = rest ?? (usable ? source.window?.() : undefined);
    this.windowed = rest === undefined;
    this.direct = part !== undefined;
    if (part !== undefined) {
      this.text = part.text;
      this.at = part.at;
    }
  }

  /** Takes the variables of the reader again, which a called function may have changed. */
  refresh(): void {
    const { context } = this;
    this.readtable = context.currentReadtable();
    if (!this.stack.some((f) => f.kind === "feature"))
      this.pkg = this.fixedPackage ?? context.currentPackage();
    if (!this.stack.some((f) => f.kind === "radix")) this.base = context.currentBase();
    this.evaluate = context.mayEvaluate() && !this.dry;
    this.defaultFormat = context.defaultFormat();
  }

  /** Tells the source how far reading got. */
  detach(): void {
    if (this.direct) this.source.skipTo?.(this.at);
  }

  /** Next code, `END` or `WAIT`. */
  next(): number {
    if (!this.direct) return this.source.readCode();
    if (this.at < this.text.length) return this.text.charCodeAt(this.at++);
    return this.windowed ? this.leaveWindow() : END;
  }

  /** At the end of a window: the next code comes from the source. */
  leaveWindow(): number {
    this.detach();
    this.direct = false;
    return this.source.readCode();
  }

  /** Puts the last code back. */
  unread(code: number): void {
    if (this.direct) this.at--;
    else this.source.unreadCode(code);
  }

  /** Counts work; true when a share of it has been done. */
  tired(characters = 1): boolean {
    this.work += characters;
    return this.work >= SHARE && this.pauses;
  }

  push(kind: FrameKind): Frame {
    if (this.stack.length >= MAX_DEPTH) this.fail("objects are nested more than ~D deep", MAX_DEPTH);
    const frame = new Frame(kind, this.tokenStart);
    this.stack.push(frame);
    return frame;
  }

  /** READER-ERROR; the control string completes "the text read is wrong: ". */
  fail(control: string, ...args: readonly LispValue[]): never {
    throw new ReaderFault(false, this.direct ? this.tokenStart : -1, this.stream, control, args);
  }

  /** END-OF-FILE inside an object. */
  failAtEnd(): never {
    throw new ReaderFault(true, this.direct ? this.at : -1, this.stream, "end of file inside an object", []);
  }

  /** Tokens may be taken from and put into the cache of the image. */
  get cacheable(): boolean {
    return this.base === 10 && !this.dry;
  }

  report(kind: TokenKind, start = this.tokenStart): void {
    if (this.sink !== null)
      this.sink(this.suppress > 0 && kind !== "comment" ? "skipped" : kind, start, this.at);
  }

  /** After an error, for highlighting: forgets the token and goes on behind it, inside the same unfinished objects. */
  recover(): void {
    this.phase = "start";
    if (this.at <= this.tokenStart) this.at = this.tokenStart + 1;
    this.detach();
  }

  /** Starts reading a token that becomes what `use` says. */
  startToken(use: TokenUse): void {
    this.use = use;
    this.codes = [];
    this.escaped = [];
    this.anyEscape = false;
    this.inMultiple = false;
    this.afterSingle = false;
    this.phase = "token";
  }
}
