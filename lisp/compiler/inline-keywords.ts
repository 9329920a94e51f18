import { LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** The forms of constant keyword arguments by name; null when there are others than the known ones, or one twice. */
export function keywordForms(
  args: readonly LispValue[],
  known: readonly string[],
): ReadonlyMap<string, LispValue> | null {
  const found = new Map<string, LispValue>();
  for (let i = 0; i < args.length; i += 2) {
    const key = args[i]!;
    const form = args[i + 1];
    if (!(key instanceof LSymbol) || key.pkg?.name !== "KEYWORD" || form === undefined) return null;
    if (!known.includes(key.name) || found.has(key.name)) return null;
    found.set(key.name, form);
  }
  return found;
}
