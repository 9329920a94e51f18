/** One point of the terminal drill: a person types into a real terminal, kill -9 of it or of its host, and what is there when all rests again. */
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { loadConversation } from "../../../orchestrator/record/conversation.ts";
import { resolveRoots } from "../../../orchestrator/record/roots.ts";
import { replayedUpdates } from "../../../orchestrator/sessions/view/history-pages.ts";
import { type Sandpit, makeSandpit } from "../../../test/support/cli/launch.ts";
import { type ModelServer, startModelServer } from "../../../test/support/model-server/server.ts";
import { type TmuxWindow, openTmuxWindow } from "../../../test/support/terminal/tmux-window.ts";
import { effectsOf, settledRemains } from "../sessions/session-point.ts";
import { type SessionEvidence, sessionViolations } from "../sessions/session-verdict.ts";
import type { TerminalPoint } from "./terminal-plan.ts";
import { type TypedInput, answerTerminal, lastTyped, typedInputs } from "./terminal-script.ts";
import { screenViolations } from "./terminal-verdict.ts";
import { TerminalWatch } from "./terminal-watch.ts";

export type TerminalPointResult = {
  readonly point: TerminalPoint;
  /** False when everything had come to rest before the kill. */
  readonly hit: boolean;
  readonly violations: readonly string[];
  readonly inputs: number;
  readonly durationMs: number;
};

/** Longest wait for anything that has to come, in milliseconds. */
const patienceMs = 120_000;
/** Pause between two looks, in milliseconds. */
const lookMs = 15;
/** Pause between two inputs, in milliseconds: the person is quick. */
const typingMs = 250;

const main = resolve(import.meta.dirname, "../../../cli/main.ts");

/** Runs one point in a directory of its own, which is gone afterwards unless something was violated. */
export async function runTerminalPoint(point: TerminalPoint): Promise<TerminalPointResult> {
  const startedAt = performance.now();
  const pit = makeSandpit();
  await using server = await startModelServer(answerTerminal);
  await using scene = new Scene(pit, server);
  const hit = await scene.play(point);
  const rest = await scene.rest();
  const evidence = await gather(pit, server, scene, rest ?? []);
  const rows = await settledRows(scene, evidence);
  await scene.endHosts();
  const found = [
    ...(rest === undefined ? [`it did not come to rest:\n${rows.slice(-30).join("\n")}`] : []),
    ...scene.problems,
    ...sessionViolations(evidence),
    ...screenViolations(rows, evidence.shown),
    ...(await settledRemains(pit)).map((each) => `left behind: ${each}`),
  ];
  if (found.length === 0) pit[Symbol.dispose]();
  const kept = `kept in ${join(pit.home, "..")}; the screen:\n${rows.join("\n")}`;
  return {
    point,
    hit,
    violations: found.length === 0 ? found : [...found, kept],
    inputs: evidence.accepted.length,
    durationMs: performance.now() - startedAt,
  };
}

/** The person, the terminal in front of them, and the kills. */
class Scene {
  readonly watch: TerminalWatch;
  /** What went wrong on the way. */
  readonly problems: string[] = [];
  readonly #pit: Sandpit;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #hosts = new Set<number>();
  #terminal: TmuxWindow | undefined;
  #typed = 0;

  constructor(pit: Sandpit, server: ModelServer) {
    const cache = process.env["NODE_COMPILE_CACHE"];
    this.#pit = pit;
    this.#environment = {
      ...pit.environment,
      OPENAI_API_KEY: "none",
      AUTOLITH_OPENAI_BASE_URL: server.baseUrl,
      ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }),
    };
    this.watch = new TerminalWatch(this.#environment);
  }

  /** Types the script, kills at the moment of the point, comes back, and types the rest. False when it rested before. */
  async play(point: TerminalPoint): Promise<boolean> {
    await this.#open();
    const hit = await this.#killAt(point);
    await this.#comeBack(point);
    if (point.againMs !== undefined) {
      const until = performance.now() + point.againMs;
      while (performance.now() < until) await this.#go();
      await this.#kill(point);
      await this.#comeBack(point);
    }
    while (this.#typed < typedInputs.length) await this.#go();
    await this.#type(lastTyped);
    return hit;
  }

  /** Waits until nothing runs or waits; answers the executions of detached jobs, undefined when that never comes. */
  async rest(): Promise<readonly string[] | undefined> {
    const until = performance.now() + patienceMs;
    while (performance.now() < until) {
      const jobs = await this.watch.atRest(lastTyped.text);
      if (jobs !== undefined) return jobs;
      await delay(lookMs);
    }
    return undefined;
  }

  async rows(): Promise<readonly string[]> {
    return (await this.#terminal?.history()) ?? [];
  }

  /** Ends the terminal, which would start another host, and then the hosts in order. */
  async endHosts(): Promise<void> {
    await this.#terminal?.[Symbol.asyncDispose]();
    this.#terminal = undefined;
    await this.watch.look();
    this.#noteHost();
    this.watch.close();
    for (const pid of this.#hosts) signal(pid, "SIGTERM");
    const until = performance.now() + patienceMs;
    while ([...this.#hosts].some((pid) => signal(pid, 0)) && performance.now() < until) await delay(lookMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#terminal !== undefined) await this.endHosts();
  }

  /** A terminal on the session that goes on, on the stored conversation, or on a new one. */
  async #open(): Promise<void> {
    await this.#terminal?.[Symbol.asyncDispose]();
    const { sessionId } = this.watch;
    const isOpen = sessionId !== undefined && (await this.watch.look());
    const argv = sessionId === undefined ? [] : isOpen ? ["lg", "attach", sessionId] : ["resume", sessionId];
    const permissions = argv[0] === "lg" ? [] : ["--permissions", "full"];
    this.#terminal = await openTmuxWindow({
      columns: 100,
      rows: 24,
      command: [process.execPath, "--disable-warning=ExperimentalWarning", main, ...permissions, ...argv],
      directory: this.#pit.workspace,
      environment: this.#environment,
    });
    await this.#shows(/^❯ /m);
  }

  /** Types the next input, if there is one, or waits a moment. */
  async #go(): Promise<void> {
    const input = typedInputs[this.#typed];
    if (input !== undefined) {
      this.#typed += 1;
      await this.#type(input);
    }
    await this.watch.look();
    this.#noteHost();
    await delay(input === undefined ? lookMs : typingMs);
  }

  /** People see what they have written before they send it. */
  async #type({ text, key }: TypedInput): Promise<void> {
    await this.#terminal?.type(text);
    await this.#shows(new RegExp(`^❯ .*${text}$`, "m"));
    await this.#terminal?.keys(key);
  }

  async #killAt(point: TerminalPoint): Promise<boolean> {
    const until = performance.now() + patienceMs;
    let hit = true;
    while (this.watch.events < point.events && performance.now() < until) {
      await this.#go();
      const last = typedInputs.at(-1)?.text ?? "";
      if (this.#typed === typedInputs.length && (await this.watch.atRest(last)) !== undefined) {
        hit = false;
        break;
      }
    }
    await delay(point.delayMs);
    await this.#kill(point);
    return hit;
  }

  async #kill({ victim }: TerminalPoint): Promise<void> {
    await this.watch.look();
    this.#noteHost();
    const host = this.watch.hostProcess;
    if (victim !== "host") await this.#terminal?.signal("SIGKILL");
    if (victim === "terminal" || host === undefined) return;
    signal(host, "SIGKILL");
    while (this.watch.hostProcess === host) await delay(1);
    this.#hosts.delete(host);
  }

  /** The terminal that lives starts the host again by itself; instead of one that does not, the person opens another. */
  async #comeBack({ victim }: TerminalPoint): Promise<void> {
    if (victim !== "host") await this.#open();
  }

  async #shows(pattern: RegExp): Promise<void> {
    const until = performance.now() + patienceMs;
    let rows: readonly string[] = [];
    while (performance.now() < until) {
      rows = (await this.#terminal?.screen()) ?? [];
      if (pattern.test(rows.join("\n"))) return;
      await delay(lookMs);
    }
    this.problems.push(`the terminal never showed ${String(pattern)}:\n${rows.join("\n")}`);
  }

  #noteHost(): void {
    const pid = this.watch.hostProcess;
    if (pid !== undefined) this.#hosts.add(pid);
  }
}

/** True when the process is there. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** The rows once the screen has caught up with the record, or as they are when it does not. */
async function settledRows(scene: Scene, { shown }: SessionEvidence): Promise<readonly string[]> {
  const until = performance.now() + 20_000;
  for (;;) {
    const rows = await scene.rows();
    if (screenViolations(rows, shown).length === 0 || performance.now() > until) return rows;
    await delay(100);
  }
}

async function gather(
  pit: Sandpit,
  server: ModelServer,
  { watch }: Scene,
  endedJobs: readonly string[],
): Promise<SessionEvidence> {
  const { sessionId } = watch;
  const directory = join(resolveRoots(pit.environment).data, "conversations");
  const { records, anomalies } =
    sessionId === undefined
      ? { records: [], anomalies: [] }
      : await loadConversation({ directory }, sessionId);
  return {
    accepted: watch.accepted.filter((text) => !text.startsWith("/")),
    acceptedForms: [],
    sent: [...typedInputs, lastTyped].map(({ text }) => text).filter((text) => !text.startsWith("/")),
    shown: replayedUpdates(records, pit.workspace).map(({ update }) => update),
    requests: server.requests,
    effects: effectsOf(pit),
    endedJobs,
    anomalies: anomalies.map((anomaly) => JSON.stringify(anomaly)),
    sequences: records.map(({ seq }) => seq),
  };
}
