/** What a text is to the reader, without making symbols, calling anything or evaluating: completeness and colours. */
import { Char } from "../data/character.ts";
import { Cons } from "../data/cons.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { ReaderContext } from "./context.ts";
import { Reader } from "./reader.ts";
import { ReaderFault, type TokenKind } from "./reader-state.ts";
import { positionAt, type TextPosition, TextSource } from "./source.ts";

/**
 * - `complete`: so many whole objects (a macro character of the user counts as the last one: only evaluation can tell what follows it);
 * - `empty`: nothing but whitespace and comments;
 * - `incomplete`: more text could complete it; `at` is where the innermost unfinished object began;
 * - `invalid`: wrong at `at` whatever follows.
 */
export type Completeness =
  | { readonly kind: "complete"; readonly forms: number }
  | { readonly kind: "empty" }
  | { readonly kind: "incomplete"; readonly at: TextPosition }
  | { readonly kind: "invalid"; readonly at: TextPosition; readonly message: string };

/** Judges a text by the readtable and package of the image. */
export function probeText(context: ReaderContext, text: string): Completeness {
  const source = new TextSource(text);
  let forms = 0;
  for (;;) {
    const reader = new Reader(context, source, NIL, { dry: true });
    try {
      const outcome = reader.run();
      if (outcome === "end") return forms > 0 ? { kind: "complete", forms } : { kind: "empty" };
      forms += 1;
      if (outcome === "call") return { kind: "complete", forms };
    } catch (error) {
      if (!(error instanceof ReaderFault)) throw error;
      if (!error.incomplete)
        return { kind: "invalid", at: place(text, error.index), message: faultMessage(error) };
      const open = reader.stack.at(-1);
      return {
        kind: "incomplete",
        at: place(text, reader.phase === "start" && open !== undefined ? open.startAt : reader.tokenStart),
      };
    }
  }
}

/** Line and column; a text with characters beyond the basic plane is not indexed, and answers its beginning. */
function place(text: string, index: number): TextPosition {
  return index < 0 ? { line: 1, column: 1 } : positionAt(text, index);
}

/** The message of a read error as plain text. */
function faultMessage(fault: ReaderFault): string {
  const args = [...fault.args];
  return fault.message.replace(/~[ASD]/g, (directive) => plainText(args.shift() ?? NIL, directive === "~S"));
}

function plainText(x: LispValue, readable: boolean): string {
  if (typeof x !== "object") return String(x);
  if (x instanceof LString) return readable ? JSON.stringify(x.toJS()) : x.toJS();
  if (x instanceof LSymbol) return x.name;
  if (x instanceof Char) return `#\\${String.fromCodePoint(x.code)}`;
  return x instanceof Cons ? "a list" : "an object";
}

/** A piece of a text and what it is. Pieces are in order and do not overlap; between them is whitespace. */
export interface TextToken {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
}

/** Splits a text into tokens for display. Wrong places become `invalid` tokens and reading goes on after them. */
export function tokenizeText(context: ReaderContext, text: string): TextToken[] {
  const tokens: TextToken[] = [];
  const source = new TextSource(text);
  if (source.rest() === undefined) return tokens;
  const sink = (kind: TokenKind, start: number, end: number): void => {
    // What turned out to be wrong as a whole replaces the pieces of it that were right.
    while (tokens.length > 0 && (tokens.at(-1) as TextToken).end > start) tokens.pop();
    tokens.push({ kind, start, end });
  };
  let reader = new Reader(context, source, NIL, { dry: true, sink });
  for (;;) {
    try {
      const outcome = reader.run();
      if (outcome === "end") return tokens;
      if (outcome === "call") reader.resume([]);
      else reader = new Reader(context, source, NIL, { dry: true, sink });
    } catch (error) {
      if (!(error instanceof ReaderFault)) throw error;
      if (error.incomplete) {
        if (reader.phase !== "start") sink(unfinishedKind(reader), reader.tokenStart, text.length);
        return tokens;
      }
      sink("invalid", reader.tokenStart, Math.max(reader.at, reader.tokenStart + 1));
      reader.recover();
    }
  }
}

/** Kind of the token at the end of the text that has no end yet. */
function unfinishedKind(reader: Reader): TokenKind {
  if (reader.phase === "string") return "string";
  return reader.phase === "block-comment" ? "comment" : "invalid";
}
