/** Tables at the width of the terminal: columns give way in proportion; where even that is too narrow, rows become lists. */
import { type Line, type Span, emptyLine, lineWidth, span, styled } from "../text/styled-line.ts";
import { wrapLine } from "../text/wrap.ts";

export type Cell = readonly Span[];
export type Align = "center" | "left" | "right" | null;
export type Table = {
  readonly header: readonly Cell[];
  readonly align: readonly Align[];
  readonly rows: readonly (readonly Cell[])[];
};

/** The least columns a column of a grid gets; narrower tables are shown as lists. */
const leastColumn = 4;
const gap = " │ ";

/** The lines of a table in `width` columns. */
export function tableLines(table: Table, width: number): readonly Line[] {
  const columns = columnWidths(table, width);
  return columns === undefined ? listLines(table, width) : gridLines(table, columns);
}

/** Width of each column, or undefined when the table does not fit as a grid. */
function columnWidths({ header, rows }: Table, width: number): readonly number[] | undefined {
  const natural = header.map((cell, index) =>
    Math.max(1, lineWidth(cell), ...rows.map((row) => lineWidth(row[index] ?? []))),
  );
  const room = width - gap.length * (header.length - 1);
  const total = natural.reduce((sum, each) => sum + each, 0);
  if (total <= room) return natural;
  const least = natural.map((each) => Math.min(each, leastColumn));
  if (least.reduce((sum, each) => sum + each, 0) > room) return undefined;
  return shrunk(natural, room);
}

/** Takes columns from the widest until they fit. */
function shrunk(natural: readonly number[], room: number): readonly number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, each) => sum + each, 0) - room;
  while (excess > 0) {
    const widest = Math.max(...widths);
    const index = widths.indexOf(widest);
    const next = Math.max(leastColumn, ...widths.filter((each) => each < widest));
    const give = Math.max(1, Math.min(excess, widest - next));
    widths[index] = widest - give;
    excess -= give;
  }
  return widths;
}

function gridLines({ header, align, rows }: Table, columns: readonly number[]): readonly Line[] {
  const head = rowLines(
    header.map((cell) => styled(cell, { bold: true })),
    align,
    columns,
  );
  const rule = [span(columns.map((each) => "─".repeat(each)).join("─┼─"), { ink: "muted" })];
  return [...head, rule, ...rows.flatMap((row) => rowLines(row, align, columns))];
}

function rowLines(
  cells: readonly Cell[],
  align: readonly Align[],
  columns: readonly number[],
): readonly Line[] {
  const wrapped = columns.map((width, index) => wrapLine(cells[index] ?? [], width));
  const height = Math.max(...wrapped.map(({ length }) => length));
  return Array.from({ length: height }, (_, row) =>
    columns.flatMap((width, index) => [
      ...(index === 0 ? [] : [span(gap, { ink: "muted" })]),
      ...aligned(wrapped[index]?.[row] ?? [], width, align[index] ?? null, index === columns.length - 1),
    ]),
  );
}

function aligned(content: Line, width: number, align: Align, isLast: boolean): Line {
  const free = Math.max(0, width - lineWidth(content));
  const before = align === "right" ? free : align === "center" ? Math.floor(free / 2) : 0;
  const after = isLast ? 0 : free - before;
  return [span(" ".repeat(before)), ...content, span(" ".repeat(after))].filter(({ text }) => text !== "");
}

function listLines({ header, rows }: Table, width: number): readonly Line[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [emptyLine]),
    ...header.flatMap((name, column) =>
      wrapLine([...styled(name, { bold: true }), span(": "), ...(row[column] ?? [])], width, {
        first: [],
        rest: [span("  ")],
      }),
    ),
  ]);
}
