/**
 * Imported by the entry before everything else: a command that promises a result for a signal must hear one that comes while the
 * program still loads.
 */
import { type SignalWatch, watchSignals } from "./signals.ts";

/** Commands that end in order at a signal. All others keep the system's default. */
const orderlyCommands: ReadonlySet<string> = new Set(["run-job", "example", "host", "acp"]);

let early: SignalWatch | undefined = process.argv.slice(2).some((argument) => orderlyCommands.has(argument))
  ? watchSignals()
  : undefined;

/** The watch that began with the process, for its one user; a new one when there is none any more. */
export function takeSignalWatch(): SignalWatch {
  const watch = early ?? watchSignals();
  early = undefined;
  return watch;
}
