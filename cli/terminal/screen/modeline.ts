/** The modeline: model, mode, context, usage, title, in as much room as there is. */
import type { SessionState } from "../../../orchestrator/contract/session.ts";
import { type Line, type Span, lineWidth, span } from "../text/styled-line.ts";
import { textWidth, truncated } from "../text/text-width.ts";
import { visibleLine } from "../text/visible-text.ts";
import { type ScreenState, isTurnRunning } from "./screen-state.ts";

/** `950`, `12.4k`, `1.2M`. */
export function countText(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 10_000) return `${(count / 1_000).toFixed(1)}k`;
  if (count < 1_000_000) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** `0:07`, `12:30`, `1:02:03`. */
export function clockText(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1_000));
  const [minutes, rest] = [Math.floor(seconds / 60), String(seconds % 60).padStart(2, "0")];
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

const barCells = 8;

/** How full the context is, drawn and in percent. */
function contextSpans(session: SessionState): readonly Span[] {
  const { contextTokens, contextWindow, compactionThresholdPercent: threshold } = session;
  const isEstimated = session.contextEstimated;
  if (contextTokens === null) return [];
  const percent = Math.min(100, Math.round((contextTokens / contextWindow) * 100));
  const filled = Math.round((percent / 100) * barCells);
  const ink = percent >= threshold ? "bad" : percent >= threshold - 15 ? "warn" : "good";
  return [
    span("▰".repeat(filled), { ink }),
    span("▱".repeat(barCells - filled), { ink: "muted" }),
    span(` ${isEstimated ? "≈" : ""}${percent} %`, { ink: "muted" }),
  ];
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

/** The modeline in `width` columns; a long title is shortened, and what does not fit is left out from the least needed on. */
export function modeline(state: ScreenState, width: number): Line {
  const parts = modelineParts(state).filter((part) => part.length > 0);
  const separator = span(" · ", { ink: "muted" });
  let line: Span[] = [];
  for (const part of parts) {
    const joined = line.length === 0 ? [...part] : [...line, separator, ...part];
    if (lineWidth(joined) > width) continue;
    line = joined;
  }
  const title = visibleLine(state.session?.title ?? "");
  const room = Math.min(titleColumns, width - lineWidth(line) - lineWidth([separator]));
  const least = Math.min(leastTitleColumns, textWidth(title));
  if (line.length > 0 && title !== "" && room >= least)
    line = [...line, separator, span(truncated(title, room), { ink: "muted" })];
  return line.length > 0 ? line : [span(truncated(parts[0]?.map(({ text }) => text).join("") ?? "", width))];
}

/** The parts, most needed first. */
function modelineParts(state: ScreenState): readonly (readonly Span[])[] {
  const { session } = state;
  if (session === undefined)
    return [[span(state.link === "lost" ? "connecting again" : "connecting", { ink: "warn" })]];
  const isRunning = isTurnRunning(state);
  const model = session.model.slice(session.model.indexOf("/") + 1);
  const { startedAt } = session.turn;
  const { inputTokens, outputTokens } = session.usage;
  return [
    isRunning
      ? [
          ...workSpans(state.now),
          span(startedAt === null ? "" : ` ${clockText(state.now - startedAt)}`, { ink: "muted" }),
        ]
      : [linkSpan(state)],
    [span(session.mode, modeStyle(session.mode))],
    contextSpans(session),
    [span(model, { ink: "accent" }), ...effortSpans(session.reasoningEffort)],
    inputTokens === null || outputTokens === null
      ? []
      : [span(`${countText(inputTokens)} in ${countText(outputTokens)} out`, { ink: "muted" })],
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
