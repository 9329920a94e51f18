/** The shared host's log: lines with their time, bounded by keeping one file before the present one. */
import { appendFileSync, chmodSync, renameSync, statSync } from "node:fs";

/** Most bytes of the file; the one before is kept beside it as `.1`. */
export const hostLogLimit = 1_048_576;

/** Writes a line. Never throws: a full disk must not end a session. */
export type HostLog = (line: string) => void;

/** Opens the log at `path`. `remove` takes secrets out of every line. */
export function openHostLog(path: string, remove: (text: string) => string, limit = hostLogLimit): HostLog {
  let bytes = sizeOf(path);
  return (line) => {
    const entry = `${new Date().toISOString()} ${remove(line)}\n`;
    try {
      if (bytes > 0 && bytes + Buffer.byteLength(entry) > limit) {
        renameSync(path, `${path}.1`);
        bytes = 0;
      }
      appendFileSync(path, entry, { mode: 0o600 });
      if (bytes === 0) chmodSync(path, 0o600);
      bytes += Buffer.byteLength(entry);
    } catch {
      // There is nowhere else to say it.
    }
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
