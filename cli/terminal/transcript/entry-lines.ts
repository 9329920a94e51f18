/** Entries of the transcript as lines of a width. */
import { formResultText, moreValuesText, valueText } from "../../../orchestrator/prompt/form-text.ts";
import { type CodeState, highlightLine } from "../markdown/code-tokens.ts";
import { markdownLines } from "../markdown/markdown-lines.ts";
import { type Ink, type Line, emptyLine, lineWidth, span, styled } from "../text/styled-line.ts";
import { visibleLine, visibleText } from "../text/visible-text.ts";
import { fittedLine, wrapLine } from "../text/wrap.ts";
import type { Entry, FormEntry, NoticeEntry, TextEntry, UserEntry } from "./entries.ts";
import { toolLines } from "./tool-lines.ts";

/** What people chose of the looks (settings). */
export type TranscriptLook = {
  readonly style: "labels" | "repl";
  readonly isCompact: boolean;
  readonly hasThoughts: boolean;
  readonly hasTimestamps: boolean;
};

export const plainLook: TranscriptLook = {
  style: "labels",
  isCompact: true,
  hasThoughts: true,
  hasTimestamps: false,
};

/** Lines of a user message that are shown; the rest is counted. */
export const userLineLimit = 60;
/** Of what nobody typed: the data of a finished job is for the model. */
export const automaticLineLimit = 2;
/** Rows of one of its lines. */
export const automaticRowLimit = 3;
/** From this width on, what is said is indented below its label. */
const indentFrom = 40;

/** The lines of an entry. */
export function entryLines(entry: Entry, width: number, look: TranscriptLook): readonly Line[] {
  switch (entry.kind) {
    case "user":
      return userLines(entry, width, look);
    case "message":
      return messageLines(entry, width, look);
    case "thought":
      return look.hasThoughts ? thoughtLines(entry, width) : [];
    case "tool":
      return toolLines(entry, width, look.isCompact);
    case "form":
      return formLines(entry, width);
    case "notice":
      return noticeLines(entry, width);
    case "turn":
      return turnLines(entry.outcome, entry.text, width);
  }
}

function userLines(entry: UserEntry, width: number, look: TranscriptLook): readonly Line[] {
  const isAutomatic = entry.origin === "automatic";
  // Its data is for the model.
  if (isAutomatic && look.isCompact)
    return [fittedLine([span(`∙ ${continuing(entry.text)}`, { ink: "muted" })], width)];
  const text = visibleText(entry.text).trimEnd();
  const all = text.split("\n");
  const shown = all.slice(0, isAutomatic ? automaticLineLimit : userLineLimit);
  const more = all.length - shown.length;
  const notes = [
    ...(more > 0 ? [`… ${more} more lines`] : []),
    ...(entry.images > 0 ? [`+ ${entry.images} ${entry.images === 1 ? "image" : "images"}`] : []),
  ];
  const ink: Ink = isAutomatic ? "muted" : "user";
  const indent = bodyIndent(width, look);
  const first = look.style === "repl" ? [span("> ", { ink })] : indent;
  const body = shown.flatMap((each, index) =>
    wrapLine([span(each, isAutomatic ? { ink: "muted" } : {})], width, {
      first: index === 0 ? first : indent,
      rest: indent,
    }).slice(0, isAutomatic ? automaticRowLimit : undefined),
  );
  const tail = notes.map((note) => [...indent, span(note, { ink: "muted" })]);
  const time = look.hasTimestamps ? ` ${new Date(entry.at).toTimeString().slice(0, 5)}` : "";
  const label = isAutomatic ? "∙ continuing" : "❯ you";
  if (look.style === "repl")
    return [...(time === "" ? [] : [[span(time.trim(), { ink: "muted" })]]), ...body, ...tail];
  const steered = entry.origin === "steering" ? " (steering)" : "";
  return [[span(label, { ink, bold: true }), span(steered + time, { ink: "muted" })], ...body, ...tail];
}

/** What an automatic message is about: the ended job that it tells of, else its beginning. */
function continuing(text: string): string {
  const job = /\(:job-completion\b[\s\S]*?:job-id "([^"]*)"/i.exec(text)?.[1];
  const outcome = /:outcome :([\w-]+)/i.exec(text)?.[1]?.toLowerCase();
  if (job !== undefined)
    return `continuing with job results · ${visibleLine(job)}${outcome === undefined ? "" : `: ${outcome}`}`;
  return `continuing · ${visibleLine(text.slice(0, 400))}`;
}

function bodyIndent(width: number, look: TranscriptLook): Line {
  return look.style === "repl" || width >= indentFrom ? [span("  ")] : [];
}

function messageLines(entry: TextEntry, width: number, look: TranscriptLook): readonly Line[] {
  const indent = bodyIndent(width, look);
  const room = Math.max(1, width - (indent[0]?.text.length ?? 0));
  const body = markdownLines(entry.text, room, entry.fence).map((each) =>
    each.length === 0 ? emptyLine : [...indent, ...each],
  );
  if (!entry.isFirst || body.length === 0) return body;
  if (look.style === "labels") return [[span("● autolith", { ink: "accent", bold: true })], ...body];
  const [first = emptyLine, ...rest] = body;
  return [[span("< ", { ink: "accent" }), ...first.slice(1)], ...rest];
}

function thoughtLines(entry: TextEntry, width: number): readonly Line[] {
  const indent = [span(width >= indentFrom ? "  " : "")].filter(({ text }) => text !== "");
  return visibleText(entry.text)
    .trim()
    .split("\n")
    .flatMap((each) => wrapLine([span(each)], width, { first: indent, rest: indent }))
    .map((each) => styled(each, { dim: true, italic: true }));
}

/** What was typed, its output in a rail, then each value behind its mark, or how it ended. */
function formLines(entry: FormEntry, width: number): readonly Line[] {
  const { source, job, output, result } = entry;
  const typed = typedLines(entry, width);
  const rail = { first: [span("│ ", { ink: "muted" })], rest: [span("│ ", { ink: "muted" })] };
  const omitted = result?.omittedOutput ?? 0;
  const written = `${visibleText(output).trimEnd()}${omitted === 0 ? "" : `\n… (${omitted} more characters of output)`}`;
  const captured =
    written === "" ? [] : written.split("\n").flatMap((each) => wrapLine([span(each)], width, rail));
  if (result === undefined) return [...typed, ...captured];
  return [...typed, ...captured, ...withJob(endLines(source, result, width), job, width)];
}

/** The form as it was typed; of one whose result stands by itself the first line. */
function typedLines({ source, job, isEnd }: FormEntry, width: number): readonly Line[] {
  // `? form` is evaluated beside everything else, and keeps its mark.
  const mark = span(job === undefined ? "❯ " : "? ", { ink: "user" });
  const all = lispLines(visibleText(source));
  const [first = emptyLine, ...more] = all;
  if (isEnd === true) {
    const note =
      more.length === 0
        ? []
        : [span(` … (${more.length} more ${more.length === 1 ? "line" : "lines"})`, { ink: "muted" })];
    return [fittedLine([mark, ...first, ...note], width)];
  }
  const typed = all.flatMap((each, index) =>
    wrapLine(each, width, { first: [index === 0 ? mark : span("  ")], rest: [span("  ")] }),
  );
  return job === undefined
    ? typed
    : [...typed, fittedLine([span(`  ${visibleLine(job)} evaluates it`, { ink: "muted" })], width)];
}

/** Lisp, coloured; `⇒` and what is not Lisp stay as they are. */
function lispLines(text: string): readonly Line[] {
  let state: CodeState = "code";
  return text.split("\n").map((each) => {
    const highlighted = highlightLine(each, "lisp", state);
    ({ state } = highlighted);
    return highlighted.line;
  });
}

/** Values as Lisp, reports as the text that they are, the text of help as the Markdown that it is; or how it ended. */
function endLines(source: string, result: NonNullable<FormEntry["result"]>, width: number): readonly Line[] {
  const textOf = (part: Partial<typeof result>): string =>
    visibleText(formResultText({ ...result, output: "", omittedOutput: 0, ...part }));
  if (result.status !== "values" || result.values.length === 0)
    return textOf({})
      .split("\n")
      .flatMap((each) => wrapLine([span(each, result.status === "values" ? {} : { ink: "bad" })], width));
  const lines = result.values.flatMap((value) => {
    if (value.report && isHelp.test(source)) return markdownLines(valueText(value), width);
    const text = textOf({ values: [value], omittedValues: 0 });
    const isLisp = !value.report || value.text.startsWith("(:");
    const shown = isLisp ? lispLines(text) : text.split("\n").map((each) => [span(each)]);
    return shown.flatMap((each) => wrapLine(each, width));
  });
  const { omittedValues } = result;
  return omittedValues === 0 ? lines : [...lines, ...wrapLine([span(moreValuesText(omittedValues))], width)];
}

const isHelp = /^\(\s*(?:autolith::?)?help[\s)]/i;

/** Says in front of the first line, or above it where there is no room, which job of `? form` the result is of. */
function withJob(end: readonly Line[], job: string | undefined, width: number): readonly Line[] {
  const [first, ...rest] = end;
  if (job === undefined || first === undefined) return end;
  const name = span(visibleLine(job), { ink: "muted" });
  const together = [name, span(" "), ...first];
  return lineWidth(together) <= width ? [together, ...rest] : [fittedLine([name], width), ...end];
}

const typedIndent = { first: [span("❯ ", { ink: "user" })], rest: [span("  ")] };

function noticeLines({ level, code, text }: NoticeEntry, width: number): readonly Line[] {
  if (code === "command") return markdownLines(text, width);
  if (code === "typed") return wrapLine([span(visibleLine(text), { ink: "user" })], width, typedIndent);
  const ink: Ink = level === "error" ? "bad" : level === "warning" ? "warn" : "muted";
  const mark = level === "error" ? "✗ " : level === "warning" ? "! " : "∙ ";
  return visibleText(text)
    .trimEnd()
    .split("\n")
    .flatMap((each, index) =>
      wrapLine([span(each, { ink })], width, {
        first: [span(index === 0 ? mark : "  ", { ink })],
        rest: [span("  ")],
      }),
    );
}

function turnLines(
  outcome: "end-turn" | "cancelled" | "condition",
  text: string,
  width: number,
): readonly Line[] {
  const mark = outcome === "end-turn" ? "─" : outcome === "cancelled" ? "⊘" : "✗";
  const ink: Ink = outcome === "end-turn" ? "muted" : outcome === "cancelled" ? "warn" : "bad";
  return wrapLine([span(text, { ink })], width, { first: [span(`${mark} `, { ink })], rest: [span("  ")] });
}
