/** The composer's text as rows of the screen, and where its cursor stands among them. */
import { graphemes, textWidth } from "../text/text-width.ts";
import { type Chips, chipLabel } from "./pasted-chips.ts";

/** A row: what it shows and the range of the text it stands for. */
export type InputRow = {
  readonly shown: string;
  readonly from: number;
  /** Behind its last character; the line end is not part of it. */
  readonly to: number;
};

type Cell = {
  readonly shown: string;
  readonly offset: number;
  readonly length: number;
  readonly width: number;
};

/** Wraps the text at words into rows of `width` columns. */
export function inputRows(text: string, width: number, chips: Chips): readonly InputRow[] {
  const rows: InputRow[] = [];
  let offset = 0;
  for (const line of text.split("\n")) {
    rows.push(...lineRows(line, offset, Math.max(2, width), chips));
    offset += line.length + 1;
  }
  return rows;
}

function lineRows(line: string, offset: number, width: number, chips: Chips): readonly InputRow[] {
  if (line.length < width && /^[\u0020-\u007E]*$/.test(line))
    return [{ shown: line, from: offset, to: offset + line.length }];
  const rows: InputRow[] = [];
  let row: Cell[] = [];
  const push = (cells: readonly Cell[]): void => {
    const [first, last] = [cells[0], cells.at(-1)];
    const from = first?.offset ?? offset;
    rows.push({
      shown: cells.map(({ shown }) => shown).join(""),
      from,
      to: last === undefined ? from : last.offset + last.length,
    });
  };
  let columns = 0;
  for (const cell of cellsOf(line, offset, width, chips)) {
    // One column stays free for the cursor behind the last character.
    if (columns + cell.width > width - 1 && row.length > 0) {
      const at = breakIndex(row);
      push(row.slice(0, at));
      row = row.slice(at);
      columns = row.reduce((sum, each) => sum + each.width, 0);
    }
    row.push(cell);
    columns += cell.width;
  }
  push(row);
  return rows;
}

/** Behind the last space of a row, or its end when it has none. */
function breakIndex(row: readonly Cell[]): number {
  const space = row.findLastIndex(({ shown }) => shown === " ");
  return space < 0 ? row.length : space + 1;
}

function cellsOf(line: string, offset: number, width: number, chips: Chips): readonly Cell[] {
  let at = offset;
  return graphemes(line).map((grapheme) => {
    const label = chipLabel(grapheme, chips);
    const shown = label === undefined ? printable(grapheme) : label.slice(0, width - 1);
    const cell = { shown, offset: at, length: grapheme.length, width: textWidth(shown) };
    at += grapheme.length;
    return cell;
  });
}

/** Controls that a paste brought are drawn as symbols. */
function printable(grapheme: string): string {
  const code = grapheme.charCodeAt(0);
  if (grapheme === "\t") return "  ";
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code >= 0x7f && code <= 0x9f) return "\uFFFD";
  return grapheme;
}

/** Row and column of an offset. */
export function cursorPlace(
  rows: readonly InputRow[],
  text: string,
  cursor: number,
  chips: Chips,
): { readonly row: number; readonly column: number } {
  const found = rows.findLastIndex(({ from }) => from <= cursor);
  const row = Math.max(0, found);
  const { from = 0, to = 0 } = rows[row] ?? {};
  const before = text.slice(from, Math.min(cursor, to));
  const column = cellsOf(before, from, Number.MAX_SAFE_INTEGER, chips).reduce(
    (sum, { width }) => sum + width,
    0,
  );
  return { row, column };
}

/** The offset in a row that is nearest to a column. */
export function offsetAt(row: InputRow, text: string, column: number, chips: Chips): number {
  let [columns, at] = [0, row.from];
  for (const cell of cellsOf(text.slice(row.from, row.to), row.from, Number.MAX_SAFE_INTEGER, chips)) {
    if (columns + cell.width > column) break;
    columns += cell.width;
    at = cell.offset + cell.length;
  }
  return at;
}
