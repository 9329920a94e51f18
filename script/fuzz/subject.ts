/** Something that reads what others wrote, and what may be expected of it whatever that is. */
import type { Random } from "./random.ts";

/** An expectation that did not hold. The message says which one and shows the input. */
export class FuzzViolation extends Error {
  override readonly name = "FuzzViolation";
}

/** One reader under test. A case is everything that one {@link Random} leads to, so its number and the seed bring it back. */
export type FuzzSubject = {
  /** Lower-case words joined by hyphens. */
  readonly name: string;
  /** Runs one case. Throws {@link FuzzViolation}, or whatever escapes from the reader. */
  readonly run: (random: Random) => void | Promise<void>;
};

const shownCharacters = 400;

/** Throws when the expectation does not hold. */
export function expectThat(holds: boolean, expectation: string, input: unknown): void {
  if (!holds) throw new FuzzViolation(`${expectation}; the input was ${shown(input)}`);
}

/** An input as one line of bounded length. */
export function shown(input: unknown): string {
  const text = Buffer.isBuffer(input) ? JSON.stringify(input.toString("latin1")) : describe(input);
  return text.length <= shownCharacters
    ? text
    : `${text.slice(0, shownCharacters)}… (${text.length} characters)`;
}

function describe(input: unknown): string {
  try {
    return JSON.stringify(input) ?? String(input);
  } catch {
    return "a value without JSON text";
  }
}

/** The error that an action ends with, or undefined. */
export function errorOf(action: () => unknown): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}
