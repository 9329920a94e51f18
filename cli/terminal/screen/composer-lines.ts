/** The composer, its menu and the input that waits, as lines with a cursor. */
import type { Composer } from "../composer/composer.ts";
import { type InputRow, cursorPlace, inputRows } from "../composer/input-rows.ts";
import { type Line, line, span } from "../text/styled-line.ts";
import { textWidth, truncated } from "../text/text-width.ts";
import { visibleLine } from "../text/visible-text.ts";
import { FormColours, isBackgroundForm, isForm } from "./form-lines.ts";
import type { ScreenState } from "./screen-state.ts";

/** Lines, and where the cursor stands among them. */
export type CursorBlock = {
  readonly lines: readonly Line[];
  readonly cursor: { readonly row: number; readonly column: number } | undefined;
};

const mark = "❯ ";
const backgroundMark = "? ";

/** Columns that the text of the composer gets. */
export function inputColumns(columns: number): number {
  return Math.max(4, columns - mark.length);
}

/** The composer in at most `rows` rows around its cursor. */
export function composerBlock(
  composer: Composer,
  columns: number,
  rows: number,
  placeholder: string,
): CursorBlock {
  const { buffer, chips } = composer;
  const isBackground = isBackgroundForm(buffer.text);
  const all = withoutMark(inputRows(buffer.text, inputColumns(columns), chips), isBackground);
  const place = cursorPlace(all, buffer.text, buffer.cursor, chips);
  const colours = isForm(buffer.text) ? new FormColours(buffer.text, buffer.cursor) : undefined;
  const height = Math.max(1, Math.min(rows, all.length));
  const first = Math.max(0, Math.min(place.row - Math.floor(height / 2), all.length - height));
  const shown = all.slice(first, first + height);
  const lines = shown.map((row, index) => [
    span(
      isBackground && first + index === 0
        ? backgroundMark
        : rowMark(first + index, index, first > 0, first + height < all.length, height),
      { ink: "accent" },
    ),
    ...(colours === undefined ? line(row.shown) : colours.line(row, buffer.text)),
  ]);
  if (buffer.text === "")
    return {
      lines: [
        [
          span(mark, { ink: "accent" }),
          span(truncated(placeholder, inputColumns(columns)), { ink: "muted" }),
        ],
      ],
      cursor: { row: 0, column: mark.length },
    };
  return { lines, cursor: { row: place.row - first, column: mark.length + place.column } };
}

/** The question mark of `? form` and the space behind it stand in place of the prompt's mark. */
function withoutMark(rows: readonly InputRow[], isBackground: boolean): readonly InputRow[] {
  const [first, ...rest] = rows;
  if (!isBackground || first === undefined || first.to - first.from < 2) return rows;
  return [{ shown: first.shown.slice(2), from: first.from + 2, to: first.to }, ...rest];
}

/** The first row has the prompt; arrows say that there is more above or below. */
function rowMark(
  row: number,
  index: number,
  isCutAbove: boolean,
  isCutBelow: boolean,
  height: number,
): string {
  if (index === 0 && isCutAbove) return "↑ ";
  if (index === height - 1 && isCutBelow) return "↓ ";
  return row === 0 ? mark : "  ";
}

/** Rows that the menu takes at most. */
const menuRows = 8;

/** The candidates of completion. */
export function menuLines(composer: Composer, columns: number): readonly Line[] {
  const { menu } = composer;
  if (menu === undefined) return [];
  const { candidates, omitted } = menu.completion;
  const selected = menu.index ?? 0;
  const first = Math.max(0, Math.min(selected - Math.floor(menuRows / 2), candidates.length - menuRows));
  const shown = candidates.slice(first, first + menuRows);
  const width = Math.min(Math.max(...shown.map(({ text }) => textWidth(visibleLine(text)))), columns - 4);
  const rows = shown.map(({ text, note }, index) => {
    const isChosen = first + index === menu.index;
    const name = truncated(visibleLine(text), width);
    const rest = columns - 4 - width;
    return [
      span(isChosen ? "▸ " : "  ", { ink: "accent" }),
      span(name, isChosen ? { inverse: true } : { ink: "accent" }),
      ...(note === undefined || rest < 8
        ? []
        : [
            span(" ".repeat(width - textWidth(name) + 2)),
            span(truncated(visibleLine(note), rest - 1), { ink: "muted" }),
          ]),
    ];
  });
  const hidden = candidates.length - first - shown.length + omitted;
  return hidden > 0 ? [...rows, [span(`  … ${hidden} more`, { ink: "muted" })]] : rows;
}

/** Rows for waiting input at most. */
const pendingRows = 4;

/** Input that was accepted or is on its way and is not in the conversation yet. */
export function pendingLines(state: ScreenState, columns: number): readonly Line[] {
  const waiting = [
    ...state.pending.map(({ inputId, text, delivery }) => ({
      inputId,
      text,
      label: delivery === "steering" ? "steering" : "queued",
    })),
    ...state.sending
      .filter(({ inputId }) => !state.pending.some((each) => each.inputId === inputId))
      .map(({ inputId, text }) => ({
        inputId,
        text,
        label: state.link === "attached" ? "sending" : "waits",
      })),
  ];
  const shown = waiting.slice(0, pendingRows);
  const lines = shown.map(({ text, label }) => {
    const note = `${state.isPaused && label !== "sending" ? "paused" : label}: `;
    return [
      span("⧗ ", { ink: "warn" }),
      span(note, { ink: "muted" }),
      span(truncated(visibleLine(text.slice(0, 400)), Math.max(4, columns - 2 - note.length))),
    ];
  });
  const more = waiting.length - shown.length;
  return more > 0 ? [...lines, [span(`  … ${more} more waiting`, { ink: "muted" })]] : lines;
}
