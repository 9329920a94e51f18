import { checkJsonNesting } from "../contract/json-nesting.ts";
import { isUtf8 } from "node:buffer";

/**
 * The line with NUL bytes removed and invalid UTF-8 (a surrogate encoded on its own among it) replaced by U+FFFD, or
 * undefined when there was nothing to repair.
 */
export function repairLine(line: Uint8Array): Uint8Array | undefined {
  const hasNul = line.includes(0);
  if (!hasNul && isUtf8(line)) return undefined;
  const withoutNul = hasNul ? line.filter((byte) => byte !== 0) : line;
  return isUtf8(withoutNul) ? withoutNul : Buffer.from(new TextDecoder().decode(withoutNul));
}

/** The text without NUL characters and with every lone surrogate replaced by U+FFFD. */
export function repairText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes("\0") ? wellFormed.replaceAll("\0", "") : wellFormed;
}

const suspectEscape = /\\u(?:0000|[dD][89a-fA-F])/;

/** False for a JSON text in whose strings, and in the JSON texts within them, there is surely nothing to repair. */
export function mayNeedRepair(json: string): boolean {
  return suspectEscape.test(json);
}

/**
 * A JSON text whose strings hold no NUL and no lone surrogate, escaped ones included; the same text when it holds none.
 * A text that is no JSON is returned with its characters repaired; whether that is acceptable is the caller's decision.
 */
export function repairJson(text: string): string {
  const repaired = repairText(text);
  // Every surrogate pair written as escapes is suspect too; parsing tells the lone ones from the paired.
  if (!mayNeedRepair(repaired)) return repaired;
  let changed = false;
  let parsed: unknown;
  try {
    checkJsonNesting(repaired);
    parsed = JSON.parse(repaired, (_key, value: unknown) => {
      if (typeof value !== "string") return value;
      const better = repairText(value);
      changed ||= better !== value;
      return better;
    });
  } catch {
    return repaired;
  }
  return changed ? JSON.stringify(parsed) : repaired;
}
