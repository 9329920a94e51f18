/** One point of the session drill: a scripted session, kill -9 of its host, perhaps of the next one too, and what the last one makes of it. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { conversationIdSchema } from "../../../orchestrator/contract/identifiers.ts";
import type { SessionUpdate } from "../../../orchestrator/contract/session.ts";
import { loadConversation } from "../../../orchestrator/record/conversation.ts";
import { resolveRoots } from "../../../orchestrator/record/roots.ts";
import { replayedUpdates } from "../../../orchestrator/sessions/view/history-pages.ts";
import { type Sandpit, makeSandpit } from "../../../test/support/cli/launch.ts";
import { type ModelServer, startModelServer } from "../../../test/support/model-server/server.ts";
import { type HostProcess, startHostProcess } from "../../../test/support/sessions/session-host-process.ts";
import { remains } from "../remains.ts";
import type { SessionPoint } from "./session-plan.ts";
import {
  answerSession,
  firstInputs,
  lastInput,
  lateInput,
  lispEffect,
  lispInputs,
  sessionEffectLog,
} from "./session-script.ts";
import { type SessionEvidence, completedExecutions, sessionViolations } from "./session-verdict.ts";

export type SessionPointResult = {
  readonly point: SessionPoint;
  /** False when the session had come to rest before the kill. */
  readonly hit: boolean;
  readonly violations: readonly string[];
  readonly inputs: number;
  readonly completions: number;
  readonly durationMs: number;
};

/** Longest time until the last host has come to rest, in milliseconds: far beyond what it needs on a busy machine. */
const restLimitMs = 900_000;
/** Pause between two looks, in milliseconds. */
const lookMs = 50;

/** Runs one point in a directory of its own, which is gone afterwards unless something was violated. */
export async function runSessionPoint(point: SessionPoint): Promise<SessionPointResult> {
  const startedAt = performance.now();
  const pit = makeSandpit();
  await using server = await startModelServer((request) => ({ ...answerSession(request), latencyMs: 2 }));
  const hosts: HostProcess[] = [];
  const start = async (conversation?: string): Promise<HostProcess> => {
    const host = await startHostProcess(pit, environmentOf(server), conversation);
    hosts.push(host);
    return host;
  };
  const first = await start();
  const inputs = [...firstInputs, ...(point.lisp === true ? lispInputs(pit.workspace) : [])];
  for (const line of inputs) first.send(line);
  const hit = await killAt(first, point, inputs.length);
  if (point.againMs !== undefined) {
    const second = await start(first.opened.id);
    second.send(`queue ${lateInput}`);
    await delay(point.againMs);
    await second.kill();
  }
  const last = await start(first.opened.id);
  last.send(`prompt ${lastInput}`);
  const endedJobs = await rest(last);
  await last.close();
  const evidence = await gather(pit, server, hosts, endedJobs ?? []);
  const found = [
    ...(endedJobs === undefined ? [`the last host did not come to rest: ${lastNews(last)}`] : []),
    ...sessionViolations(evidence),
    ...(await settledRemains(pit)).map((each) => `left behind: ${each}`),
  ];
  if (found.length === 0) pit[Symbol.dispose]();
  return {
    point,
    hit,
    violations: found.length === 0 ? found : [...found, `kept in ${join(pit.home, "..")}`],
    inputs: evidence.accepted.length,
    completions: evidence.endedJobs.length,
    durationMs: performance.now() - startedAt,
  };
}

function environmentOf(server: ModelServer): Readonly<Record<string, string>> {
  const cache = process.env["NODE_COMPILE_CACHE"];
  return {
    AUTOLITH_OPENAI_BASE_URL: server.baseUrl,
    ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }),
  };
}

/** Kills the host after so many lines of its output and a moment; false when it had come to rest before. */
async function killAt(host: HostProcess, point: SessionPoint, inputs: number): Promise<boolean> {
  const until = performance.now() + restLimitMs;
  const isOver = (): boolean =>
    atRest(host) && host.lines.filter(({ kind }) => kind === "accepted").length === inputs;
  while (host.lines.length < point.lines && !isOver() && performance.now() < until) await delay(1);
  const hit = host.lines.length >= point.lines;
  await delay(point.delayMs);
  await host.kill();
  return hit;
}

/** No turn runs and nothing waits. */
function atRest({ lines, opened }: HostProcess): boolean {
  const turn = lines.findLast(({ kind }) => kind === "turn");
  const news = lines.findLast(({ kind }) => kind === "pending-input");
  const waiting = (news?.["inputs"] as readonly unknown[] | undefined) ?? opened.state.pendingInputs;
  return turn?.["state"] === "idle" && waiting.length === 0;
}

/** Waits until the host rests and has told of every detached job; answers their executions, undefined when that never comes. */
export async function rest(host: HostProcess, signal?: AbortSignal): Promise<readonly string[] | undefined> {
  const until = performance.now() + restLimitMs;
  while (performance.now() < until) {
    if (signal?.aborted === true) break;
    if (atRest(host)) {
      const jobs = await askJobs(host);
      const told = toldJobs(host);
      const forms = new Set(shownBy(host).flatMap((update) => (update.type === "form" ? [update.job] : [])));
      // What a child has started is told to the child, while it lives.
      const own = jobs.filter(({ name, depth }) => depth === 0 && !forms.has(name));
      const isOver =
        jobs.every(({ state }) => !["queued", "running"].includes(state)) &&
        own.every(({ jobId }) => told.has(jobId));
      if (isOver && atRest(host)) return own.map(({ jobId }) => jobId);
    }
    await delay(lookMs);
  }
  return undefined;
}

/** Executions whose end the host has told the model of. */
function toldJobs(host: HostProcess): ReadonlySet<string> {
  return new Set(completedExecutions(shownBy(host)));
}

/** All that a host has shown. */
function shownBy({ opened, lines }: HostProcess): readonly SessionUpdate[] {
  const live = lines.flatMap((line) => (line.kind === "update" ? [line["update"] as SessionUpdate] : []));
  return [...opened.history.map(({ update }) => update), ...live];
}

type SeenJob = {
  readonly jobId: string;
  readonly name: string;
  readonly state: string;
  readonly depth: number;
};

async function askJobs(host: HostProcess): Promise<readonly SeenJob[]> {
  const answers = (): HostProcess["lines"] => host.lines.filter(({ kind }) => kind === "jobs");
  const before = answers().length;
  host.send("jobs");
  await host.seen(() => answers().length > before);
  return answers()[before]?.["jobs"] as readonly SeenJob[];
}

function lastNews(host: HostProcess): string {
  return JSON.stringify(host.lines.slice(-12)).slice(0, 2_000);
}

async function gather(
  pit: Sandpit,
  server: ModelServer,
  hosts: readonly HostProcess[],
  endedJobs: readonly string[],
): Promise<SessionEvidence> {
  const lines = hosts.flatMap((host) => host.lines);
  const texts = (kinds: readonly string[]): readonly string[] =>
    lines
      .flatMap((line) => (kinds.includes(line.kind) ? [String(line["text"])] : []))
      .filter((text) => !/^[/?]/.test(text));
  const id = conversationIdSchema.parse(hosts[0]?.opened.id);
  const directory = join(resolveRoots(pit.environment).data, "conversations");
  const { records, anomalies } = await loadConversation({ directory }, id);
  return {
    accepted: texts(["accepted"]),
    acceptedForms: lines.flatMap((line) =>
      line.kind === "accepted" && String(line["text"]).startsWith("? ")
        ? [String(line["text"]).slice(2)]
        : [],
    ),
    sent: [
      ...firstInputs.map((line) => line.slice(line.indexOf(" ") + 1)),
      "typed-lisp",
      lateInput,
      lastInput,
    ],
    shown: replayedUpdates(records, pit.workspace).map(({ update }) => update),
    requests: server.requests,
    effects: effectsOf(pit),
    endedJobs,
    anomalies: anomalies.map((anomaly) => JSON.stringify(anomaly)),
    sequences: records.map(({ seq }) => seq),
  };
}

/** What commands and Lisp left in the workspace; what was done again is there twice. */
export function effectsOf(pit: Sandpit): readonly string[] {
  const byLisp = readdirSync(pit.workspace).filter((name) => name.startsWith(lispEffect));
  return [...commandEffects(pit), ...byLisp.map((name) => name.replace(/(?:\.again)+$/, ""))];
}

function commandEffects(pit: Sandpit): readonly string[] {
  try {
    return readFileSync(join(pit.workspace, sessionEffectLog), "utf8").split("\n").slice(0, -1);
  } catch {
    // Nothing was done before the kill, and the last prompt's commands say so by their absence elsewhere.
    return [];
  }
}

/** What is left, once processes that are ending have had a moment to end. */
export async function settledRemains(pit: Sandpit): Promise<readonly string[]> {
  for (let looks = 0; looks < 100; looks += 1) {
    if (remains(pit).length === 0) return [];
    await delay(50);
  }
  return remains(pit);
}
