import { createHash } from "node:crypto";

/** Longest function name an OpenAI-compatible server takes; its characters are letters, digits, `_` and `-`. */
export const wireNameLimit = 64;

/** The two directions between our tool names (`resource.read`) and function names (`resource__read`). */
export interface WireNames {
  /** The function name of a tool; tools outside the list get their plain form, so that old calls can be sent back. */
  readonly toWire: (tool: string) => string;
  /** The tool behind a function name; a name nobody offered is returned as the model wrote it. */
  readonly fromWire: (wireName: string) => string;
}

/**
 * Builds the mapping for the offered tools. Function names are within {@link wireNameLimit}, unique, and independent of
 * the order of the tools: where the plain forms of several tools agree, or a form had to be shortened, each of them
 * ends in a digest of its full name.
 */
export function wireNames(tools: readonly string[]): WireNames {
  const distinct = [...new Set(tools)];
  const plainCounts = new Map<string, number>();
  for (const tool of distinct) {
    const plain = plainForm(tool);
    plainCounts.set(plain, (plainCounts.get(plain) ?? 0) + 1);
  }
  const toWire = new Map<string, string>();
  const fromWire = new Map<string, string>();
  const assign = (tool: string, wireName: string): void => {
    toWire.set(tool, wireName);
    fromWire.set(wireName, tool);
  };
  const isPlain = (tool: string): boolean =>
    plainForm(tool).length <= wireNameLimit && plainCounts.get(plainForm(tool)) === 1;
  for (const tool of distinct.filter(isPlain)) assign(tool, plainForm(tool));
  for (const tool of distinct.filter((name) => !isPlain(name)).toSorted()) {
    assign(
      tool,
      digestedForm(tool, (wireName) => fromWire.has(wireName)),
    );
  }
  return {
    toWire: (tool) => toWire.get(tool) ?? unlistedForm(tool),
    fromWire: (wireName) => fromWire.get(wireName) ?? wireName,
  };
}

function plainForm(tool: string): string {
  return tool.replaceAll(".", "__").replaceAll(/[^A-Za-z0-9_-]/g, "_");
}

function unlistedForm(tool: string): string {
  const plain = plainForm(tool);
  return plain.length <= wireNameLimit ? plain : digestedForm(tool, () => false);
}

/** The plain form cut short and ended with as many digits of its digest as make it unique. */
function digestedForm(tool: string, isTaken: (wireName: string) => boolean): string {
  const digest = createHash("sha256").update(tool).digest("hex");
  for (let digits = 8; digits < wireNameLimit; digits += 8) {
    const suffix = `_${digest.slice(0, digits)}`;
    const wireName = plainForm(tool).slice(0, wireNameLimit - suffix.length) + suffix;
    if (!isTaken(wireName)) return wireName;
  }
  throw new Error(`No free function name for tool ${tool}: every digest form of it is taken.`);
}
