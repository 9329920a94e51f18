/** Diagnostics that say the same again and again are told once a minute. */

/** Time in which a line is not repeated, in milliseconds. */
const quietMs = 60_000;
/** Lines that are remembered; the oldest is forgotten first. */
const remembered = 64;

type Told = { readonly at: number; suppressed: number };

/** Passes lines on, each at most once a minute; the next time it says how often it was left out. `now` is in milliseconds. */
export function withoutRepeats(
  write: (line: string) => void,
  now: () => number = Date.now,
): (line: string) => void {
  const told = new Map<string, Told>();
  return (line) => {
    const at = now();
    const before = told.get(line);
    if (before !== undefined && Math.abs(at - before.at) < quietMs) {
      before.suppressed += 1;
      return;
    }
    told.delete(line);
    told.set(line, { at, suppressed: 0 });
    const [oldest] = told.keys();
    if (told.size > remembered && oldest !== undefined) told.delete(oldest);
    const times = before?.suppressed ?? 0;
    write(times === 0 ? line : `${line} (and ${times} times before)`);
  };
}
