/** The review of a correction as lines. */
import { type Line, line, span } from "../text/styled-line.ts";
import { visibleLine, visibleText } from "../text/visible-text.ts";
import { wrapLine } from "../text/wrap.ts";
import type { CursorBlock } from "./composer-lines.ts";
import {
  type CorrectionDialog,
  type Review,
  confirmRows,
  fieldNames,
  reviewRows,
} from "./correction-dialog.ts";
import { entryLine } from "./text-entry.ts";

/** Rows of the complaint and of one choice, at most. */
const textRows = 4;

/** The dialog in at most `rows` rows. */
export function correctionBlock(dialog: CorrectionDialog, columns: number, rows: number): CursorBlock {
  const rule: Line = [span("─".repeat(columns), { ink: "accent" })];
  const { lines, cursor } = body(dialog, columns);
  const room = Math.max(1, rows - 2);
  // What is chosen or written stands at the end, or is told where it is.
  const focus = cursor?.row ?? lines.findIndex(({ 0: first }) => first?.text === "▸ ");
  const from = Math.max(0, Math.min(focus - Math.floor(room / 2), lines.length - room));
  const shown = lines.slice(from, from + room);
  return {
    lines: [rule, ...shown, rule],
    cursor: cursor === undefined ? undefined : { row: cursor.row - from + 1, column: cursor.column },
  };
}

type Body = {
  readonly lines: readonly Line[];
  readonly cursor?: { readonly row: number; readonly column: number };
};

function body(dialog: CorrectionDialog, columns: number): Body {
  switch (dialog.phase) {
    case "complaint":
      return written(
        "What was wrong?",
        "Enter asks for a correction, Esc leaves",
        [],
        dialog.buffer,
        columns,
      );
    case "proposing":
      return {
        lines: [
          ...heading("Making a correction", columns),
          ...railed(dialog.complaint, columns),
          [span("Esc cancels it.", { ink: "muted" })],
        ],
      };
    case "review":
      return dialog.entry === undefined
        ? { lines: [...reviewHead(dialog, columns), ...choices(labels(dialog), dialog.index, columns)] }
        : written(
            fieldNames[dialog.entry.field],
            "Enter takes it, Esc goes back",
            reviewHead(dialog, columns),
            dialog.entry.buffer,
            columns,
          );
    case "saving":
      return { lines: [...heading("Saving the correction", columns)] };
    case "confirm":
      return {
        lines: [
          ...heading(
            dialog.asks === "unmatched" ? "The trigger does not match" : "Replace what is saved?",
            columns,
          ),
          ...railed(dialog.reason, columns),
          ...choices(confirmRows, dialog.index, columns),
        ],
      };
  }
}

function labels(review: Review): readonly string[] {
  return reviewRows(review).map(({ label }) => label);
}

function heading(text: string, columns: number): readonly Line[] {
  return wrapLine([span(text, { bold: true, ink: "accent" })], columns);
}

function railed(text: string, columns: number): readonly Line[] {
  const rail = span("▏ ", { ink: "accent" });
  const lines = visibleText(text)
    .split("\n")
    .flatMap((each) => wrapLine(line(each), columns, { first: [rail], rest: [rail] }));
  if (lines.length <= textRows) return lines;
  const left = lines.length - textRows + 1;
  return [...lines.slice(0, textRows - 1), [span(`  … (${left} more lines)`, { ink: "muted" })]];
}

function reviewHead({ complaint, matched, existing }: Review, columns: number): readonly Line[] {
  const notes = [
    matched === true ? "The trigger occurs in what the model wrote last." : "",
    matched === false ? "The trigger does not occur in what the model wrote last." : "",
    existing.length > 0 ? `A correction of this name is saved already (${existing.join(", ")}).` : "",
  ].filter((text) => text !== "");
  return [
    ...heading("Correction", columns),
    ...railed(complaint, columns),
    ...notes.flatMap((text) => wrapLine([span(text, { ink: "muted" })], columns)),
  ];
}

function choices(texts: readonly string[], chosen: number, columns: number): readonly Line[] {
  return texts.flatMap((text, index) => {
    const isChosen = index === chosen;
    const lines = wrapLine([span(visibleLine(text), isChosen ? { inverse: true } : {})], columns, {
      first: [span(isChosen ? "▸ " : "  ", { ink: "accent" }), span(`${index + 1} `, { ink: "muted" })],
      rest: [span("    ")],
    });
    if (lines.length <= textRows) return lines;
    return [...lines.slice(0, textRows - 1), [span("    … (Enter shows all of it)", { ink: "muted" })]];
  });
}

function written(
  title: string,
  hint: string,
  before: readonly Line[],
  buffer: { readonly text: string; readonly cursor: number },
  columns: number,
): Body {
  const label = wrapLine([span(`${title} `, { bold: true }), span(hint, { ink: "muted" })], columns);
  const entry = entryLine(buffer, columns);
  const lines = [...before, ...label, entry.line];
  return { lines, cursor: { row: lines.length - 1, column: entry.column } };
}
