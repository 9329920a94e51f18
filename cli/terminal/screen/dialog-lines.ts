/** Dialogs as lines: approval of a request with its exact command, and pickers. */
import type { PermissionRequest } from "../../../orchestrator/contract/session.ts";
import { type Line, emptyLine, line, span } from "../text/styled-line.ts";
import { textWidth, truncated } from "../text/text-width.ts";
import { visibleLine, visibleText } from "../text/visible-text.ts";
import { wrapExactly, wrapLine } from "../text/wrap.ts";
import { approvalOptions } from "./approval-options.ts";
import type { CursorBlock } from "./composer-lines.ts";
import { type Picker, foundRows } from "./picker.ts";
import type { ApprovalDialog } from "./screen-state.ts";

/** The dialog of a request in at most `rows` rows; what is asked for can be scrolled when it is longer. */
export function approvalLines(
  request: PermissionRequest,
  dialog: ApprovalDialog,
  more: number,
  columns: number,
  rows: number,
): readonly Line[] {
  const rule = [span("─".repeat(columns), { ink: "warn" })];
  const heading = wrapLine(
    [
      span(questionOf(request), { bold: true, ink: "warn" }),
      span(request.asker === "primary" ? "" : ` (asked by ${visibleLine(request.asker)})`),
      span(more > 0 ? ` · ${more} more waiting` : "", { ink: "muted" }),
    ].filter(({ text }) => text !== ""),
    columns,
  );
  const choices = optionLines(request, dialog.option, columns);
  const subject = subjectLines(request, columns);
  const room = Math.max(1, rows - heading.length - choices.length - 2);
  return [rule, ...heading, ...scrolled(subject, dialog.scroll, room), ...choices, rule];
}

function questionOf({ kind, tool }: PermissionRequest): string {
  if (kind === "command") return "Run this command?";
  return kind === "path" ? `Let ${visibleLine(tool)} touch this path?` : `Call ${visibleLine(tool)}?`;
}

/** Exactly what would be done; control characters are shown as symbols. */
function subjectLines(request: PermissionRequest, columns: number): readonly Line[] {
  const rail = span("▏ ", { ink: "warn" });
  const text =
    request.command ?? (request.arguments === undefined ? request.title : argumentText(request.arguments));
  const lines = visibleText(text)
    .split("\n")
    .flatMap((each) => wrapExactly(line(each), columns, { first: [rail], rest: [rail] }));
  if (request.directory === undefined) return lines;
  return [...lines, ...wrapLine([span(`in ${visibleLine(request.directory)}`, { ink: "muted" })], columns)];
}

function argumentText(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? String(value);
}

function scrolled(lines: readonly Line[], scroll: number, room: number): readonly Line[] {
  if (lines.length <= room) return lines;
  const height = Math.max(1, room - 1);
  const first = Math.min(scroll, lines.length - height);
  const note = `lines ${first + 1}–${first + height} of ${lines.length}: Page Up, Page Down`;
  return [...lines.slice(first, first + height), [span(note, { ink: "warn" })]];
}

function optionLines(request: PermissionRequest, chosen: number, columns: number): readonly Line[] {
  const spans = approvalOptions(request).map(({ key, text }, index) => [
    span(index === chosen ? "▸ " : "  ", { ink: "accent" }),
    span(`${key} ${text}`, index === chosen ? { bold: true } : {}),
  ]);
  const width = spans.flat().reduce((sum, { text }) => sum + textWidth(text), 0) + 4;
  return width <= columns
    ? [spans.flatMap((each, index) => (index === 0 ? each : [span("  "), ...each]))]
    : spans.flatMap(([mark, text]) =>
        wrapLine(text === undefined ? [] : [text], columns, {
          first: mark === undefined ? [] : [mark],
          rest: [span("    ")],
        }),
      );
}

/** A picker in at most `rows` rows, with the cursor in its search. */
export function pickerBlock(picker: Picker, columns: number, rows: number): CursorBlock {
  const found = foundRows(picker);
  const room = Math.max(1, rows - 4);
  const first = Math.max(0, Math.min(picker.index - Math.floor(room / 2), found.length - room));
  const shown = found.slice(first, first + room);
  const rule = [span("─".repeat(columns), { ink: "muted" })];
  const count = `${found.length}${found.length === picker.rows.length ? "" : ` of ${picker.rows.length}`}`;
  const more = picker.omitted > 0 ? `, ${picker.omitted} older ones not listed` : "";
  const title = truncated(visibleLine(`${picker.title} (${count}${more})`), columns);
  const search = truncated(visibleLine(picker.query), Math.max(1, columns - 10));
  const lines = [
    rule,
    [span(title, { bold: true })],
    [span("search: ", { ink: "muted" }), span(search)],
    ...(shown.length === 0
      ? [
          [
            span(picker.rows.length === 0 ? "  there is nothing to choose from" : "  nothing found", {
              ink: "muted",
            }),
          ],
        ]
      : []),
    ...shown.map((row, index) => pickerRow(row, first + index === picker.index, columns)),
    rule,
  ];
  return { lines, cursor: { row: 2, column: Math.min(columns - 1, 8 + textWidth(search)) } };
}

function pickerRow(
  row: { readonly label: string; readonly note: string },
  isChosen: boolean,
  columns: number,
): Line {
  const label = truncated(visibleLine(row.label), Math.max(8, columns - 3));
  const rest = columns - 4 - textWidth(label);
  const note = rest >= 8 ? truncated(visibleLine(row.note), rest) : "";
  if (label === "" && note === "") return emptyLine;
  return [
    span(isChosen ? "▸ " : "  ", { ink: "accent" }),
    span(label, isChosen ? { inverse: true } : {}),
    ...(note === "" ? [] : [span(`  ${note}`, { ink: "muted" })]),
  ];
}
