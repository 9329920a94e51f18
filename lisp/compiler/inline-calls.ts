import type { InlineCall } from "./ir.ts";
import { member } from "./primitives.ts";

/** A call as text, and the condition that computes its result (`§`) without the call; "" when there is none. */
export interface InlineText {
  readonly text: string;
  readonly fast: string;
}

/** Condition that a cache holds for an object and a generic function. */
function holds(cache: string, symbol: string, object: string): string {
  return `${member(object)}.layout===${cache}.layout&&${symbol}.fn.cache===${cache}.table&&!${cache}.layout.obsolete`;
}

/** Writes a call of a generic function through the cache of its place. */
export function inlineCall(
  kind: InlineCall,
  cache: string,
  symbol: string,
  args: readonly string[],
): InlineText {
  const [first, second] = args as [string, string];
  const all = args.join(",");
  if (kind === "reader") {
    return {
      text: `R.access(${cache},${symbol},${first},${first})`,
      fast: `${holds(cache, symbol, first)}&&(§=${member(first)}.slots[${cache}.index])!==UB`,
    };
  }
  if (kind === "writer") {
    return {
      text: `R.access(${cache},${symbol},${second},${first},${second})`,
      fast: `${holds(cache, symbol, second)}&&((§=${member(second)}.slots[${cache}.index]=${first}),true)`,
    };
  }
  const known = `${cache}.fn.code(${cache}.fn,${all})`;
  const found = `R.invoke${args.length}(${cache},${symbol},${all})`;
  return { text: `${holds(cache, symbol, first)}?${known}:${found}`, fast: "" };
}
