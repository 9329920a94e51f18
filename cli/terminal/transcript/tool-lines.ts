/** Tool calls as lines: one for the call, and below it what is worth seeing at a glance. The whole output stays in the session. */
import type { ToolContent, ToolStatus } from "../../../orchestrator/contract/session.ts";
import { type Ink, type Line, span } from "../text/styled-line.ts";
import { visibleLine, visibleText } from "../text/visible-text.ts";
import { wrapColumns, wrapLine } from "../text/wrap.ts";
import { difference } from "./diff-hunks.ts";
import type { ToolEntry } from "./entries.ts";
import { shellOutput } from "./shell-output.ts";

/** How statuses look; marks differ in shape, not in colour alone. */
const marks: Readonly<
  Record<ToolStatus, { readonly mark: string; readonly ink: Ink; readonly word: string }>
> = {
  pending: { mark: "◌", ink: "muted", word: "waits" },
  running: { mark: "◐", ink: "accent", word: "running" },
  completed: { mark: "✓", ink: "good", word: "" },
  failed: { mark: "✗", ink: "bad", word: "failed" },
  cancelled: { mark: "⊘", ink: "warn", word: "cancelled" },
  unknown: { mark: "?", ink: "warn", word: "outcome unknown" },
};

/** Lines of output at the beginning and end of a text that are shown. */
const [headLines, tailLines] = [1, 4];
/** Lines of differences that are shown of one call. */
export const diffLineLimit = 40;
/** Characters of one output line that are shown. */
export const outputLineCharacters = 500;

/** The lines of a call. `isCompact`: output only of commands and failures. */
export function toolLines(entry: ToolEntry, width: number, isCompact: boolean): readonly Line[] {
  const { mark, ink, word } = marks[entry.status];
  const notes = [word, durationText(entry.durationMs)].filter((note) => note !== "").join(", ");
  const title = entry.title.startsWith(entry.tool) ? entry.title : `${entry.tool} ${entry.title}`;
  const [name = "", ...rest] = visibleLine(title.trim()).split(" ");
  const header = [
    span(name, { bold: true }),
    span(rest.length === 0 ? "" : ` ${rest.join(" ")}`),
    span(notes === "" ? "" : ` (${notes})`, { ink: "muted" }),
  ].filter(({ text }) => text !== "");
  const heading = wrapLine(header, width, { first: [span(`${mark} `, { ink })], rest: [span("  ")] });
  return [
    ...bounded(heading, 4),
    ...entry.content.flatMap((content) => contentLines(content, entry, width, isCompact)),
  ];
}

function contentLines(
  content: ToolContent,
  entry: ToolEntry,
  width: number,
  isCompact: boolean,
): readonly Line[] {
  if (content.type === "diff") return diffLines(content, width);
  const isShown = entry.status === "failed" || entry.toolKind === "execute" || !isCompact;
  if (!isShown) return [];
  return outputLines(
    isCompact && entry.toolKind === "execute" ? shellOutput(content.text) : content.text,
    width,
  );
}

const rail = span("  │ ", { ink: "muted" });

/** Beginning and end of an output, with the number of lines between. */
function outputLines(text: string, width: number): readonly Line[] {
  const all = visibleText(text).replace(/\n+$/, "").split("\n");
  if (all.length === 1 && all[0] === "") return [];
  const isShort = all.length <= headLines + tailLines + 1;
  const shown = isShort
    ? all
    : [...all.slice(0, headLines), omission(all.slice(headLines, -tailLines)), ...all.slice(-tailLines)];
  return shown.flatMap((each) =>
    bounded(
      wrapColumns([span(each.slice(0, outputLineCharacters), { ink: "muted" })], width, {
        first: [rail],
        rest: [rail],
      }),
      3,
    ),
  );
}

/** How much is not shown; results of commands say themselves what they leave out of a long output. */
function omission(lines: readonly string[]): string {
  const left = lines
    .map((line) => /^\[… (\d+) bytes left out/.exec(line)?.[1])
    .find((each) => each !== undefined);
  const bytes = left === undefined ? "" : ` and ${Number(left).toLocaleString("en")} bytes between them`;
  return `… ${lines.length - (left === undefined ? 0 : 1)} more lines${bytes}`;
}

function diffLines(
  { path, oldText, newText }: Extract<ToolContent, { type: "diff" }>,
  width: number,
): readonly Line[] {
  const { hunks, added, removed } = difference(
    oldText === null ? null : visibleText(oldText),
    visibleText(newText),
  );
  const head = wrapLine(
    [
      span(oldText === null ? "new file " : "", { ink: "muted" }),
      span(visibleLine(path)),
      span(` +${added}`, { ink: "good" }),
      span(` −${removed}`, { ink: "bad" }),
    ].filter(({ text }) => text !== ""),
    width,
    { first: [rail], rest: [rail] },
  );
  const lines = hunks.flatMap((hunk, index) => [
    ...(index === 0 ? [] : [[rail, span("⋯", { ink: "muted" })]]),
    ...hunk.flatMap((each) => changedLines(each, width)),
  ]);
  const omitted = lines.length - diffLineLimit;
  return [
    ...head,
    ...lines.slice(0, diffLineLimit),
    ...(omitted > 0 ? [[rail, span(`… ${omitted} more lines of the change`, { ink: "muted" })]] : []),
  ];
}

function changedLines(
  { mark, text, number }: { readonly mark: " " | "+" | "-"; readonly text: string; readonly number: number },
  width: number,
): readonly Line[] {
  const ink: Ink = mark === "+" ? "good" : mark === "-" ? "bad" : "muted";
  const label = width >= 40 ? `${String(number).padStart(4)} ` : "";
  return bounded(
    wrapColumns([span(`${mark} ${text.slice(0, outputLineCharacters)}`, { ink })], width, {
      first: [rail, span(label, { ink: "muted" })].filter((each) => each.text !== ""),
      rest: [rail, span(" ".repeat(label.length))].filter((each) => each.text !== ""),
    }),
    3,
  );
}

function bounded(lines: readonly Line[], most: number): readonly Line[] {
  if (lines.length <= most) return lines;
  return [
    ...lines.slice(0, most - 1),
    [...(lines[most - 1] ?? []).slice(0, -1), span("…", { ink: "muted" })],
  ];
}

/** `1.2 s`, `2 min 5 s`; nothing below a second. */
export function durationText(durationMs: number | undefined): string {
  if (durationMs === undefined || durationMs < 1_000) return "";
  if (durationMs < 60_000) return `${(durationMs / 1_000).toFixed(durationMs < 10_000 ? 1 : 0)} s`;
  const seconds = Math.round(durationMs / 1_000);
  return seconds < 3_600
    ? `${Math.floor(seconds / 60)} min ${seconds % 60} s`
    : `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}
