/** What goes on besides the transcript: running children and jobs, the plan, and what the model does now. */
import type { JobRow } from "../../../orchestrator/contract/session.ts";
import { type Line, span } from "../text/styled-line.ts";
import { truncated } from "../text/text-width.ts";
import { visibleLine } from "../text/visible-text.ts";
import { countText } from "../text/count-text.ts";
import { clockText } from "./modeline.ts";
import { type ScreenState, isFormRunning, isTurnRunning } from "./screen-state.ts";

/** Rows for jobs at most; the others are counted. */
const jobRows = 5;

/** Live jobs, one in a row. */
export function jobLines({ jobs, now }: ScreenState, columns: number): readonly Line[] {
  const live = jobs
    .filter(({ state, kind }) => (state === "running" || state === "queued") && kind !== "wakeup")
    .toSorted((one, other) => rank(one) - rank(other) || one.admittedAt - other.admittedAt);
  const shown = live.length > jobRows ? live.slice(0, jobRows - 1) : live;
  const lines = shown.map((job) => jobLine(job, now, columns));
  const more = live.length - shown.length;
  return more > 0 ? [...lines, [span(`  … ${more} more running or queued`, { ink: "muted" })]] : lines;
}

/** What runs before what waits. */
function rank({ state }: JobRow): number {
  return state === "running" ? 0 : 1;
}

function jobLine(job: JobRow, now: number, columns: number): Line {
  const isQueued = job.state === "queued";
  const name = truncated(visibleLine(job.name), Math.max(6, Math.floor(columns / 3)));
  const clock = isQueued ? "queued" : clockText(Math.max(0, now - job.admittedAt));
  const activity = job.activity === null ? visibleLine(job.summary) : visibleLine(job.activity);
  const rest = columns - 6 - name.length - clock.length;
  return [
    span(isQueued ? "◌ " : "◐ ", { ink: "accent" }),
    span(name, { bold: true }),
    span(` ${clock} `, { ink: "muted" }),
    span(rest < 6 ? "" : truncated(activity, rest), { ink: "muted" }),
  ].filter(({ text }) => text !== "");
}

/** The plan in a row: how far it is and what is in work. */
export function planLines({ session }: ScreenState, columns: number): readonly Line[] {
  const plan = session?.plan ?? [];
  if (plan.length === 0) return [];
  const done = plan.filter(({ status }) => status === "completed").length;
  if (done === plan.length) return [];
  const current =
    plan.find(({ status }) => status === "in_progress") ?? plan.find(({ status }) => status === "pending");
  const count = `${done}/${plan.length} `;
  return [
    [
      span("☰ ", { ink: "accent" }),
      span(count, { ink: "muted" }),
      span(truncated(visibleLine(current?.content ?? ""), Math.max(4, columns - 2 - count.length))),
    ],
  ];
}

const phases = {
  requesting: "asking the model",
  thinking: "pondering",
  writing: "",
  calling: "writing a tool call",
  tools: "running tools",
  compacting: "compacting the conversation",
  waiting: "waiting for jobs",
  idle: "",
} as const;

/** A line that names what the turn or a form does; a streaming answer needs none. */
export function activityLine(state: ScreenState, columns: number): readonly Line[] {
  const { activity, stoppingAt } = state;
  if (isTurnRunning(state) && stoppingAt !== undefined)
    return [stoppingLine(state.now - stoppingAt, columns)];
  if (state.showsActivity && !isTurnRunning(state) && isFormRunning(state))
    return [[span(truncated("evaluating… Esc stops", columns), { ink: "muted", italic: true })]];
  if (!state.showsActivity || !isTurnRunning(state)) return [];
  const doing = activity === undefined ? "starting" : phases[activity.phase];
  const attempt = activity !== undefined && activity.attempt > 1 ? ` (attempt ${activity.attempt})` : "";
  const size =
    activity !== undefined && activity.phase === "calling" && activity.characters > 0
      ? ` (${countText(activity.characters)} characters)`
      : "";
  if (doing === "") return [[span(" ")]];
  return [[span(truncated(`${doing}${attempt}${size}… Esc stops`, columns), { ink: "muted", italic: true })]];
}

/** Time that stopping takes without a word about it, in milliseconds. */
const quickStopMs = 2_000;

function stoppingLine(forMs: number, columns: number): Line {
  const text =
    forMs < quickStopMs ? "stopping…" : `stopping… ${clockText(forMs)}, waiting for what runs to end`;
  return [span(truncated(text, columns), { ink: "warn", italic: true })];
}

/** The line for a moment. */
export function flashLines({ flash }: ScreenState, columns: number): readonly Line[] {
  if (flash === undefined) return [];
  const ink = flash.level === "error" ? "bad" : flash.level === "warning" ? "warn" : "muted";
  return wrapTwo(visibleLine(flash.text), columns).map((text) => [span(text, { ink })]);
}

function wrapTwo(text: string, columns: number): readonly string[] {
  const words = text.split(" ");
  const lines: string[] = [""];
  for (const word of words) {
    const last = lines.at(-1) ?? "";
    const joined = last === "" ? word : `${last} ${word}`;
    if (joined.length <= columns) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines.slice(0, 4).map((each) => truncated(each, columns));
}
