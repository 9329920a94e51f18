/** The variables of package AUTOLITH by which initialization bounds what is kept of the output of commands (manual: shell). */
import type { LispResult } from "../contract/lisp-image.ts";

/** Bounds of captures that initialization has set; what it left alone is absent. */
export type ConfiguredCaptures = {
  /** Most bytes kept of one stream. */
  readonly streamBytes?: number;
  /** Most bytes of all captures. */
  readonly totalBytes?: number;
  /** Most captures. */
  readonly artifacts?: number;
  readonly ageMs?: number;
};

/** Each variable, what it bounds, and how much of that one unit of it is. */
const variables = [
  ["*SHELL-LOG-CAPTURE-BYTE-LIMIT*", "streamBytes", 1],
  ["*SHELL-LOG-RETENTION-BYTE-LIMIT*", "totalBytes", 1],
  ["*SHELL-LOG-RETENTION-COUNT-LIMIT*", "artifacts", 1],
  // In seconds.
  ["*SHELL-LOG-RETENTION-AGE*", "ageMs", 1_000],
] as const;

/** Lisp that makes them, without values of their own: NIL stands for what is documented. */
export const captureVariables = variables.map(([name]) => `(defvar ${name} nil) (export '${name})`).join(" ");

/** Lisp whose values {@link configuredCaptures} reads. */
export const captureVariableValues = `(values ${variables.map(([name]) => name).join(" ")})`;

/** What the variables say. `problem` is told of one that is no positive integer. */
export function configuredCaptures(result: LispResult, problem: (text: string) => never): ConfiguredCaptures {
  if (result.kind !== "values") return problem(`${captureVariableValues} did not return.`);
  const set: Partial<Record<keyof ConfiguredCaptures, number>> = {};
  for (const [index, [name, bound, unit]] of variables.entries()) {
    const text = result.values[index]?.preview ?? "NIL";
    if (text === "NIL") continue;
    const value = /^\d+$/.test(text) ? Number(text) : 0;
    if (!Number.isSafeInteger(value * unit) || value < 1)
      return problem(`${name.toLowerCase()} is a positive integer or NIL, not ${text.slice(0, 80)}.`);
    set[bound] = value * unit;
  }
  return set;
}
