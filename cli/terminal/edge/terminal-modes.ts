/** Gives the terminal back as it was: whatever happens to the program, the shell behind it must be usable. */
import { writeSync } from "node:fs";

/** Bracketed paste, kitty keys, alternate screen, mouse and colours off; cursor on. Harmless where they were not on. */
const restoring = "\u001B[?2004l\u001B[<u\u001B[?1000l\u001B[?1006l\u001B[?25h\u001B[0m";

/** Terminals that do not put marks around what is pasted: their pastes are told by several lines that come at once. */
const withoutPasteMarks = /^(linux|dumb|unknown|cons\d+.*|vt\d+.*|ansi.*)?$/;

/** True when the terminal marks pastes, once asked to: then every Enter without marks was typed. */
export function marksPastes(environment: Readonly<Record<string, string | undefined>>): boolean {
  return !withoutPasteMarks.test(environment["TERM"] ?? "");
}

export type RawInput = { setRawMode?(mode: boolean): unknown; readonly isTTY?: boolean };

/** Restores modes at once, also while the process ends. Never throws: a terminal that is gone needs nothing. */
export function restoreTerminal(input: RawInput, outputDescriptor: number): void {
  try {
    if (input.isTTY === true) input.setRawMode?.(false);
  } catch {
    // The terminal is gone.
  }
  try {
    writeSync(outputDescriptor, restoring);
  } catch {
    // As above.
  }
}
