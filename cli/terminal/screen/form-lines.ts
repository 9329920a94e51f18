/** Lisp in the composer: whether a text is a form, whether it is whole, and its colours by our own reader. Pure. */
import {
  type Completeness,
  type TextToken,
  plainCompleteness,
  plainTokens,
} from "../../../lisp/reader/plain-reading.ts";
import type { InputRow } from "../composer/input-rows.ts";
import { type Ink, type Line, type Style, line, span } from "../text/styled-line.ts";

/** Longer drafts are not coloured: each key must be quick. */
const colouredCharacters = 8_192;

const background = /^\?(?=[ \t\n])/;

/** True for what is evaluated when it is sent. */
export function isForm(text: string): boolean {
  return /^\s*\(/.test(text) || background.test(text);
}

/** True for `? form`, whose mark takes the place of the prompt's. */
export function isBackgroundForm(text: string): boolean {
  return background.test(text);
}

/** True when more text can make a form of it. */
export function isUnfinished(text: string): boolean {
  const kind = isForm(text) ? completeness(text) : "complete";
  return kind === "incomplete" || kind === "empty";
}

/** True for a form that is not whole, whatever could make it so. */
export function isHalfForm(text: string): boolean {
  return isForm(text) && completeness(text) !== "complete";
}

function completeness(text: string): Completeness["kind"] {
  return plainCompleteness(text.replace(background, " ")).kind;
}

const inks: Readonly<Partial<Record<TextToken["kind"], Ink>>> = {
  comment: "comment",
  skipped: "comment",
  string: "string",
  character: "string",
  number: "number",
  keyword: "keyword",
  quote: "muted",
  dispatch: "muted",
  invalid: "bad",
};

/** Colours of a form's text, with the bracket that belongs to the one at the cursor. */
export class FormColours {
  readonly #tokens: readonly TextToken[];
  readonly #operators: ReadonlySet<number>;
  readonly #matched: ReadonlySet<number>;

  constructor(text: string, cursor: number) {
    this.#tokens = text.length > colouredCharacters ? [] : plainTokens(text.replace(background, " "));
    this.#operators = operatorStarts(this.#tokens);
    this.#matched = matchedBrackets(this.#tokens, cursor);
  }

  /** A row of the composer; one that shows something else than its text (pastes, symbols of controls) stays plain. */
  line({ shown, from, to }: InputRow, text: string): Line {
    if (shown !== text.slice(from, to)) return line(shown);
    const spans: { text: string; style: Style }[] = [];
    let at = from;
    for (const token of this.#tokens) {
      const start = Math.max(at, token.start);
      const end = Math.min(to, token.end);
      if (start >= end) continue;
      if (start > at) spans.push(span(text.slice(at, start)));
      spans.push(span(text.slice(start, end), this.#style(token)));
      at = end;
    }
    if (at < to) spans.push(span(text.slice(at, to)));
    return spans;
  }

  #style({ kind, start }: TextToken): Style {
    if (this.#matched.has(start)) return { bold: true, underline: true };
    if (this.#operators.has(start)) return { ink: "code" };
    const ink = inks[kind];
    return ink === undefined ? {} : { ink };
  }
}

/** Where the operators of forms begin. */
function operatorStarts(tokens: readonly TextToken[]): ReadonlySet<number> {
  return new Set(
    tokens.flatMap(({ kind, start }, index) =>
      kind === "symbol" && tokens[index - 1]?.kind === "open" ? [start] : [],
    ),
  );
}

/** The brackets of the pair that the cursor stands at: behind a closing or before an opening one. */
function matchedBrackets(tokens: readonly TextToken[], cursor: number): ReadonlySet<number> {
  const open: number[] = [];
  for (const { kind, start, end } of tokens) {
    if (kind === "open") open.push(start);
    if (kind !== "close") continue;
    const start0 = open.pop();
    if (start0 !== undefined && (end === cursor || start0 === cursor)) return new Set([start0, start]);
  }
  return new Set();
}
