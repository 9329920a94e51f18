/** The restart debugger as lines: the condition with its details, what a model says about it, and the choices. */
import type { RestartRequest } from "../../../orchestrator/contract/session.ts";
import { recoveryActionText } from "../../../orchestrator/prompt/recovery-text.ts";
import { type Line, line, span } from "../text/styled-line.ts";
import { textWidth, truncated } from "../text/text-width.ts";
import { visibleLine, visibleText } from "../text/visible-text.ts";
import { wrapLine } from "../text/wrap.ts";
import type { CursorBlock } from "./composer-lines.ts";
import { type RestartDialog, restartRows } from "./restart-dialog.ts";
import { entryLine } from "./text-entry.ts";

/** Rows of the condition's text, of its details and of a diagnosis, at most. */
const textRows = { report: 6, detail: 6, explanation: 8, repair: 8, action: 4 } as const;

/** The dialog in at most `rows` rows; `more` conditions wait behind it. */
export function restartBlock(
  request: RestartRequest,
  dialog: RestartDialog,
  more: number,
  columns: number,
  rows: number,
): CursorBlock {
  const rule: Line = [span("─".repeat(columns), { ink: "bad" })];
  const head = headLines(request, dialog, more, columns);
  const entry = dialog.entry === undefined ? undefined : entryLine(dialog.entry.buffer, columns);
  const choices = choiceLines(request, dialog, columns);
  const room = Math.max(1, rows - 2 - (entry === undefined ? 0 : 2) - Math.min(choices.length, 4));
  // What would be run is seen before anything else is: nobody chooses it unseen.
  const action = recoveryLines(request, dialog, columns);
  const shownAction = action.length === 0 ? [] : boundedRows(action, Math.max(2, room - 2));
  const shownHead = [...boundedRows(head, Math.max(2, room - shownAction.length)), ...shownAction];
  const left = Math.max(1, rows - 2 - shownHead.length - (entry === undefined ? 0 : 2));
  const first = Math.max(0, Math.min(dialog.index - Math.floor(left / 2), choices.length - left));
  const body =
    entry === undefined ? choices.slice(first, first + left) : [entryLabel(dialog, columns), entry.line];
  const lines = [rule, ...shownHead, ...body, rule];
  const cursor = entry === undefined ? undefined : { row: lines.length - 2, column: entry.column };
  return { lines, cursor };
}

function headLines(
  { condition, source }: RestartRequest,
  dialog: RestartDialog,
  more: number,
  columns: number,
): readonly Line[] {
  const rail = span("▏ ", { ink: "bad" });
  const railed = (text: string): readonly Line[] =>
    visibleText(text)
      .split("\n")
      .flatMap((each) => wrapLine(line(each), columns, { first: [rail], rest: [rail] }));
  const details = condition.details
    .filter(({ value }) => value !== "")
    .map(({ name, value }) => [
      span(`  ${visibleLine(name.toLowerCase())}: `, { ink: "muted" }),
      span(truncated(visibleLine(value), Math.max(8, columns - textWidth(name) - 5))),
    ]);
  return [
    ...wrapLine(
      [
        span(visibleLine(condition.type), { bold: true, ink: "bad" }),
        span(more > 0 ? ` · ${more} more waiting` : "", { ink: "muted" }),
      ].filter(({ text }) => text !== ""),
      columns,
    ),
    ...boundedRows(railed(condition.text), textRows.report),
    ...boundedRows(details, textRows.detail),
    [span(truncated(`in ${visibleLine(source)}`, columns), { ink: "muted" })],
    ...diagnosisLines(dialog, columns),
  ];
}

function diagnosisLines({ diagnosis, isDiagnosing }: RestartDialog, columns: number): readonly Line[] {
  if (isDiagnosing)
    return [
      [span("Autolith is looking for the reason. Esc ends that and comes back here.", { ink: "accent" })],
    ];
  if (diagnosis === undefined) return [];
  const lines = visibleText(diagnosis.explanation)
    .split("\n")
    .flatMap((each) => wrapLine(line(each), columns));
  return boundedRows(lines, textRows.explanation);
}

/** What the chosen way out of a diagnosis does: the Lisp that is evaluated first, and its action. */
function recoveryLines(
  { restarts }: RestartRequest,
  { diagnosis, index, entry }: RestartDialog,
  columns: number,
): readonly Line[] {
  const recovery = entry === undefined ? diagnosis?.recoveries[index] : undefined;
  if (recovery === undefined) return [];
  const { repair, action } = recovery;
  const rail = { first: [span("▏ ", { ink: "accent" })], rest: [span("▏ ", { ink: "accent" })] };
  const railed = (text: string): readonly Line[] =>
    visibleText(text)
      .split("\n")
      .flatMap((each) => wrapLine([span(each, { ink: "code" })], columns, rail));
  const label = (text: string): readonly Line[] => wrapLine([span(text, { bold: true })], columns);
  const does = `${repair === undefined ? "It" : "Then it"} ${recoveryActionText(action, restarts)}`;
  return [
    ...(repair === undefined
      ? []
      : [...label("It evaluates first:"), ...boundedRows(railed(repair), textRows.repair)]),
    ...boundedRows(
      visibleText(does)
        .split("\n")
        .flatMap((each) => wrapLine([span(each, { bold: true })], columns)),
      textRows.action,
    ),
  ];
}

/** At most so many rows; the last one says how many more there are. */
function boundedRows(lines: readonly Line[], most: number): readonly Line[] {
  if (lines.length <= most) return lines;
  const shown = lines.slice(0, most - 1);
  return [...shown, [span(`  … (${lines.length - shown.length} more lines)`, { ink: "muted" })]];
}

function choiceLines(request: RestartRequest, dialog: RestartDialog, columns: number): readonly Line[] {
  return restartRows(request, dialog).map(({ label, note }, index) => {
    const isChosen = index === dialog.index;
    const number = index < 9 ? `${index + 1} ` : "  ";
    const text = truncated(visibleLine(label), Math.max(8, columns - 5));
    const rest = columns - 6 - textWidth(text);
    const shownNote = note !== "" && rest >= 8 ? truncated(visibleLine(note), rest) : "";
    return [
      span(isChosen ? "▸ " : "  ", { ink: "accent" }),
      span(number, { ink: "muted" }),
      span(text, isChosen ? { inverse: true } : {}),
      ...(shownNote === "" ? [] : [span(`  ${shownNote}`, { ink: "muted" })]),
    ];
  });
}

/** What the forms that are being written are for. */
function entryLabel({ entry }: RestartDialog, columns: number): Line {
  const action = entry?.row.action;
  const wanted =
    action?.kind === "argument" && entry?.row.note !== "takes a form"
      ? `forms for (${action.restart.parameters ?? ""})`
      : "one form";
  const text = `${visibleLine(entry?.row.label ?? "")}: ${wanted}; Enter takes it, Esc goes back`;
  return [span(truncated(text, columns), { ink: "muted" })];
}
