import type { LeafCode, LeafTraits } from "../data/leaf.ts";
import type { LFunction } from "../data/function.ts";
import type { LSymbol } from "../data/symbol.ts";

/** Shape of a leaf's lambda list, from its text. */
export interface LeafShape {
  readonly required: number;
  readonly optional: number;
  readonly rest: boolean;
  /** Keyword names in order, or null when the list has no `&key`. */
  readonly keys: readonly string[] | null;
}

/** A registered leaf. */
export interface LeafEntry {
  /** Symbol with the function cell (for a setf function the hidden symbol). */
  readonly symbol: LSymbol;
  /** Name as registered, e.g. "CAR" or "(SETF CAR)". */
  readonly name: string;
  readonly lambdaList: string;
  readonly shape: LeafShape;
  readonly code: LeafCode;
  readonly traits: LeafTraits;
  /** The function object in the function cell as long as nobody redefines it. */
  readonly fn: LFunction;
}

/** Reads the shape off the text of a leaf's lambda list. */
export function leafShape(lambdaList: string): LeafShape {
  const words = splitTop(lambdaList);
  let required = 0;
  let optional = 0;
  let rest = false;
  let keys: string[] | null = null;
  let mode = "required";
  for (const word of words) {
    const upper = word.toUpperCase();
    if (upper.startsWith("&")) {
      mode = upper;
      if (upper === "&KEY") keys = [];
    } else if (mode === "required") required++;
    else if (mode === "&OPTIONAL") optional++;
    else if (mode === "&REST") rest = true;
    else if (mode === "&KEY") keys!.push(upper.replace(/^\(/, "").split(/[\s)]/)[0]!);
  }
  return { required, optional, rest, keys };
}

/** Splits at blanks outside parentheses. */
function splitTop(text: string): string[] {
  const words: string[] = [];
  let depth = 0;
  let word = "";
  for (const ch of text) {
    if (ch === "(") depth++;
    if (ch === ")") depth--;
    if (depth === 0 && /\s/.test(ch)) {
      if (word !== "") words.push(word);
      word = "";
    } else word += ch;
  }
  if (word !== "") words.push(word);
  return words;
}
