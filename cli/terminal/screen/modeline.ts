/** The modeline: model, mode, context, usage, title, in as much room as there is. */
import type { SessionState } from "../../../orchestrator/contract/session.ts";
import { type Line, type Span, lineWidth, span } from "../text/styled-line.ts";
import { truncated } from "../text/text-width.ts";
import { visibleLine } from "../text/visible-text.ts";
import { conversationName } from "./conversation-name.ts";
import { countText } from "../text/count-text.ts";
import { type ScreenState, isTurnRunning } from "./screen-state.ts";

/** `0:07`, `12:30`, `1:02:03`. */
export function clockText(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1_000));
  const [minutes, rest] = [Math.floor(seconds / 60), String(seconds % 60).padStart(2, "0")];
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/** Cells of the context bar, without the mark of compaction. */
const barCells = 12;

/** `950`, `12K`, `1.2M`. */
function tokenText(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000 ? `${Math.round(count / 1_000)}K` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** How full the context is: `ctx [==========|..] 218K / 272K used`, and the same without its bar. `|` is where it is compacted. */
function contextForms(session: SessionState): Forms {
  const { contextTokens, contextWindow, compactionThresholdPercent: threshold } = session;
  const isEstimated = session.contextEstimated;
  if (contextTokens === null) return [];
  const percent = Math.min(100, (contextTokens / contextWindow) * 100);
  const filled = Math.round((percent / 100) * barCells);
  const mark = Math.round((threshold / 100) * barCells);
  const ink = percent >= threshold ? "bad" : percent >= threshold - 15 ? "warn" : "good";
  const counts = `${isEstimated ? "~" : ""}${tokenText(contextTokens)} / ${tokenText(contextWindow)} used`;
  const cells = (from: number, to: number): readonly Span[] => [
    span("=".repeat(Math.max(0, Math.min(to, filled) - from)), { ink }),
    span(".".repeat(Math.max(0, to - Math.max(from, filled))), { ink: "muted" }),
  ];
  const bar = [...cells(0, mark), span("|", { ink: "muted" }), ...cells(mark, barCells)];
  const muted = (text: string): Span => span(text, { ink: "muted" });
  return [[muted("ctx ["), ...bar.filter(({ text }) => text !== ""), muted(`] ${counts}`)], [muted(counts)]];
}

/** The letters of REPL light up in turn while it works. */
function workSpans(now: number): readonly Span[] {
  const lit = Math.floor(now / 250) % 4;
  return Array.from("REPL", (letter, index) =>
    span(letter, index === lit ? { ink: "accent", bold: true } : { ink: "muted" }),
  );
}

/** Columns of the title at most, and of what is left of a longer one at least. */
const [titleColumns, leastTitleColumns] = [40, 12];

/** A part of the modeline in its forms, the best one first. */
type Forms = readonly (readonly Span[])[];

/** The modeline in `width` columns; what does not fit is shortened, and then left out from the least needed on. */
export function modeline(state: ScreenState, width: number): Line {
  const parts = modelineParts(state);
  const wide = fitted(parts, width);
  // The bar of the context goes before the title does.
  const narrow = fitted(
    parts.map((forms, at) => (at === meterPart ? forms.slice(-1) : forms)),
    width,
  );
  const { line } = wide.has.includes(titlePart) ? wide : narrow;
  if (line.length > 0) return line;
  return [span(truncated(parts[0]?.[0]?.map(({ text }) => text).join("") ?? "", width))];
}

/** The best form of each part that still fits, and which parts have one. */
function fitted(
  parts: readonly Forms[],
  width: number,
): { readonly line: Line; readonly has: readonly number[] } {
  const separator = span(" · ", { ink: "muted" });
  let line: Span[] = [];
  const has: number[] = [];
  parts.forEach((forms, at) => {
    const form = forms.find((each) => lineWidth(joined(line, each, separator)) <= width);
    if (form === undefined) return;
    line = joined(line, form, separator);
    has.push(at);
  });
  return { line, has };
}

function joined(line: readonly Span[], part: readonly Span[], separator: Span): Span[] {
  return line.length === 0 ? [...part] : [...line, separator, ...part];
}

/** The title, whole, or cut; the conversation's id when it has none. */
function titleForms({ title, sessionId }: SessionState): Forms {
  const text = title === "" ? conversationName(sessionId) : visibleLine(title);
  return [titleColumns, 24, leastTitleColumns].map((room) => [span(truncated(text, room), { ink: "muted" })]);
}

/** Places of two of the parts. */
const [meterPart, titlePart] = [2, 4];

/** The parts, most needed first; a part without forms is left out. */
function modelineParts(state: ScreenState): readonly Forms[] {
  const { session } = state;
  if (session === undefined)
    return [[[span(state.link === "lost" ? "connecting again" : "connecting", { ink: "warn" })]]];
  const isRunning = isTurnRunning(state);
  const model = session.model.slice(session.model.indexOf("/") + 1);
  const { startedAt } = session.turn;
  const { inputTokens, outputTokens } = session.usage;
  const work = [
    ...workSpans(state.now),
    span(startedAt === null ? "" : ` ${clockText(state.now - startedAt)}`, { ink: "muted" }),
  ];
  return [
    [isRunning ? work : [linkSpan(state)]],
    [[span(session.mode, modeStyle(session.mode))]],
    contextForms(session),
    [[span(model, { ink: "accent" }), ...effortSpans(session.reasoningEffort)]],
    titleForms(session),
    inputTokens === null || outputTokens === null
      ? []
      : [[span(`${countText(inputTokens)} in ${countText(outputTokens)} out`, { ink: "muted" })]],
  ];
}

function effortSpans(effort: string): readonly Span[] {
  return effort === "" || effort === "none" ? [] : [span(` ${effort}`, { ink: "muted" })];
}

function linkSpan(state: ScreenState): Span {
  if (state.link === "lost") return span("connecting again", { ink: "warn" });
  if (state.link === "ended") return span("closed", { ink: "warn" });
  if (state.isReadOnly) return span("read-only", { ink: "warn" });
  // A session that nothing waits for is just idle.
  const isHeld = state.isPaused && state.pending.length > 0;
  return isHeld ? span("paused", { ink: "warn" }) : span("REPL", { ink: "muted" });
}

function modeStyle(mode: string): { readonly ink: "good" | "warn" | "bad" | "muted" } {
  if (mode === "full") return { ink: "bad" };
  return mode === "ask" ? { ink: "good" } : { ink: "warn" };
}
