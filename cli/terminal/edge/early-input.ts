/**
 * Keys that were pressed before the program had the terminal. The terminal's line discipline took them as lines: Enter became a line feed
 * and Ctrl-D, the end of a file, a NUL, neither of which they would be later.
 */
import { closeSync, constants, openSync, readSync } from "node:fs";
import { type KeyPress, typedPresses } from "../screen/key-press.ts";
import type { RawInput } from "./terminal-modes.ts";

/** Bytes that are read at once: a terminal holds no more than 4 KiB of unread lines. */
const chunkBytes = 65_536;

/** Takes the terminal and what was typed before; "" when there is none. Never throws. */
export function takeEarlyInput(input: RawInput): string {
  if (input.isTTY !== true) return "";
  try {
    input.setRawMode?.(true);
    return readPending();
  } catch {
    // Without a controlling terminal nothing was typed into one.
    return "";
  }
}

/** What can be read at once, and no more. */
function readPending(): string {
  const descriptor = openSync("/dev/tty", constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const bytes = Buffer.alloc(chunkBytes);
    return bytes.toString("utf8", 0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

/** Escape sequences: keys without a letter, which mean nothing before there is a screen. */
// oxlint-disable-next-line no-control-regex
const escapeSequence = /\u001B(?:\[[0-?]*[ -/]*[@-~]|O.|[^[O])?/g;

/** The keys that were meant. */
export function earlyPresses(typed: string): readonly KeyPress[] {
  return typedPresses(typed.replace(escapeSequence, "").replaceAll("\n", "\r").replaceAll("\0", "\u0004"));
}
