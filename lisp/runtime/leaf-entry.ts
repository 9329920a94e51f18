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

/** Shapes that were read, by text: few texts serve many leaves. */
const known = new Map<string, LeafShape>();

/** Reads the shape off the text of a leaf's lambda list. */
export function leafShape(lambdaList: string): LeafShape {
  let shape = known.get(lambdaList);
  if (shape === undefined) known.set(lambdaList, (shape = readShape(lambdaList)));
  return shape;
}

function readShape(lambdaList: string): LeafShape {
  let required = 0;
  let optional = 0;
  let rest = false;
  let keys: string[] | null = null;
  let mode = "required";
  for (const word of parameters(lambdaList)) {
    const upper = word.toUpperCase();
    if (upper.startsWith("&")) {
      mode = upper;
      if (upper === "&KEY") keys = [];
    } else if (mode === "required") required++;
    else if (mode === "&OPTIONAL") optional++;
    else if (mode === "&REST") rest = true;
    else if (mode === "&KEY") keys!.push(upper);
  }
  return { required, optional, rest, keys };
}

/** The words of a lambda list, with the name alone for `(name default)`. */
function parameters(text: string): string[] {
  const names = text.includes("(") ? text.replace(/\(([^\s()]+)(?:[^()]|\([^()]*\))*\)/g, "$1") : text;
  return names.split(" ").filter((word) => word !== "");
}
