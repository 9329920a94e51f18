/**
 * What was printed last, kept so that the visible part can be wrapped again when the terminal gets another size. Everything above belongs
 * to the terminal.
 */
import type { PrintedEntry } from "../transcript/transcript.ts";

/** A printed entry with the widths of its lines as they were printed. */
export type KeptEntry = {
  readonly printed: PrintedEntry;
  /** Columns of each line. */
  readonly widths: readonly number[];
};

/** Entries and lines that are kept. */
const [entryLimit, lineLimit] = [400, 4_000];

/** Adds entries, forgetting the oldest beyond the bounds. */
export function kept(entries: readonly KeptEntry[], added: readonly KeptEntry[]): readonly KeptEntry[] {
  const all = [...entries, ...added].slice(-entryLimit);
  let lines = 0;
  const from = all.findLastIndex(({ widths }) => {
    lines += widths.length;
    return lines > lineLimit;
  });
  return all.slice(Math.min(from + 1, all.length - 1));
}

/** Rows that lines of those widths take in a terminal that wraps them at `columns`. */
export function rowsOf(widths: readonly number[], columns: number): number {
  return widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
}

export type Repaint = {
  /** Rows above the cursor that are ours and on the screen. */
  readonly rowsUp: number;
  /** Index of the first kept entry that is at least partly on the screen. */
  readonly from: number;
};

/**
 * Which entries are on the screen after a change of its size, and how far up they reach. The terminal has wrapped what was printed at its
 * new width; `liveWidths` are the columns of the live lines down to the one of the cursor.
 */
export function repaintOf(
  entries: readonly KeptEntry[],
  liveWidths: readonly number[],
  size: { readonly columns: number; readonly rows: number },
): Repaint {
  let rows = rowsOf(liveWidths, size.columns);
  let from = entries.length;
  while (from > 0 && rows < size.rows) {
    from -= 1;
    rows += rowsOf(entries[from]?.widths ?? [], size.columns);
  }
  return { rowsUp: Math.min(rows, size.rows) - 1, from };
}
