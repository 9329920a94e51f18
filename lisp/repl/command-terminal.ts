import * as fs from "node:fs";
import type { HostTerminal } from "../streams/host-port.ts";
import { interruptKind, tellInterrupt } from "./interrupts.ts";

/** Longest pause between two looks for input, in milliseconds; it grows to that while nothing comes. */
const longestPauseMs = 20;

/** A pipe without a reader; a terminal that was hung up. */
const goneCodes: ReadonlySet<string> = new Set(["EPIPE", "EIO"]);

/** The standard streams of `autolith lisp`: waiting for input ends when there is an interrupt, and a reader that went away is one. */
export interface CommandTerminal extends HostTerminal {
  /** Nobody reads standard output or standard error any more. */
  readonly outputGone: () => boolean;
}

/**
 * Makes it from the plain terminal of the process. `word` is the shared word of `interrupts.ts`; `columns` are those of the
 * terminal on standard output, undefined when it is none.
 */
export function commandTerminal(
  plain: HostTerminal,
  word: Int32Array,
  columns: number | undefined,
): CommandTerminal {
  let gone = false;
  const unlessGone = (write: (text: string) => void) => (text: string) => {
    if (gone) return;
    try {
      write(text);
    } catch (error) {
      if (!goneCodes.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
      gone = true;
      tellInterrupt(word, interruptKind.outputGone);
    }
  };
  return {
    ...plain,
    readInput: inputReader(word),
    writeOutput: unlessGone((text) => plain.writeOutput(text)),
    writeError: unlessGone((text) => plain.writeError(text)),
    width: () => columns,
    outputGone: () => gone,
  };
}

/** Reads standard input as it comes: undefined when an interrupt came first, an empty array at the end of input. */
function inputReader(word: Int32Array): () => Uint8Array | undefined {
  const buffer = new Uint8Array(65_536);
  let descriptor: number | undefined;
  return () => {
    descriptor ??= openInput();
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      if (Atomics.load(word, 0) !== interruptKind.none) return undefined;
      try {
        return buffer.slice(0, fs.readSync(descriptor, buffer, 0, buffer.length, null));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "EOF") return new Uint8Array();
        if (code !== "EAGAIN") throw error;
        Atomics.wait(word, 0, interruptKind.none, pauseMs);
      }
    }
  };
}

/**
 * A descriptor of standard input whose reading does not block, opened anew so that other holders of the terminal or pipe keep
 * theirs as it is. Files never block, and must keep their position: they are read where they are.
 */
function openInput(): number {
  const kind = fs.fstatSync(0);
  if (!kind.isCharacterDevice() && !kind.isFIFO()) return 0;
  try {
    return fs.openSync(
      "/proc/self/fd/0",
      fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY,
    );
  } catch {
    // A terminal of another user, or no /proc: input then blocks, and an interrupt is seen after the line.
    return 0;
  }
}
