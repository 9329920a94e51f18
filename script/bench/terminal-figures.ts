/** The built terminal on its host: how soon it is there, what it takes while nothing happens, and how soon a key is on the screen while children write. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { benchProgram, environmentOf, makePlace, terminalArguments } from "./built-program.ts";
import { pssMiB, threadTimes } from "./process-figures.ts";
import { type Echo, EchoPane } from "./tmux-echo.ts";

export type TerminalFigures = {
  /** From its start to its prompt, with a host that runs, in ms. */
  readonly promptMs: number;
  /** Of these, the time in which its main thread was ready and other work of the machine had the cores. */
  readonly promptWaitMs: number;
  readonly pssMiB: number;
  /** Time on a core while nothing happens, in ms for each second. */
  readonly idleCpuMsPerSecond: number;
  /** Echoes of keys while children write. */
  readonly echoes: readonly Echo[];
  /** The same of a bare `cat`, typed in turn with them: what tmux and the machine take. */
  readonly floor: readonly Echo[];
  /** Children that were running at the last key. */
  readonly children: number;
};

/** Keys that are measured, and the pause between two, in ms: a quick typist's. */
const keys = 300;
const pauseMs = 40;
/** What is typed, over and over: letters that nothing else on the screen has, each once in a line. */
const letters = Array.from("αβγδεζηθικλμνξοπρστυφχψω");
/** Time after which the terminal counts as idle, and in which it is watched then, in ms. */
const settleMs = 2_000;
const watchMs = 5_000;

export async function terminalFigures(children: number): Promise<TerminalFigures> {
  const place = makePlace("p");
  const model = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", benchProgram("terminal-model-main.ts")],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const panes: EchoPane[] = [];
  try {
    const [url] = (await once(model.stdout, "data")) as [Buffer];
    const environment = { ...environmentOf(place, url.toString().trim()), OPENAI_API_KEY: "none" };
    const open = (...words: readonly string[]): EchoPane => {
      const command = [process.execPath, ...terminalArguments(...words)];
      const pane = new EchoPane({ command, directory: place.workspace, environment });
      panes.push(pane);
      return pane;
    };
    const first = open();
    await first.shows("❯ Ask for");
    const openedAt = performance.now();
    const second = open("lg", "attach");
    await second.shows("❯ Ask for");
    const promptMs = performance.now() - openedAt;
    const promptWaitMs = threadTimes(second.processId).mainWaitMs;
    await delay(settleMs);
    const before = threadTimes(first.processId).cpuMs;
    await delay(watchMs);
    const idle = {
      pssMiB: pssMiB(first.processId),
      idleCpuMsPerSecond: (threadTimes(first.processId).cpuMs - before) / (watchMs / 1_000),
    };
    const cat = new EchoPane({ command: ["cat"], directory: place.workspace, environment });
    panes.push(cat);
    await first.echoOf(`start\\ ${children}\\ children`, "children");
    first.keys("Enter");
    await first.shows(`… ${children - 4} more running`);
    const { echoes, floor } = await typedInTurn(first, cat);
    const more = Number(/… (\d+) more running/.exec(first.screen())?.[1] ?? Number.NaN);
    return { promptMs, promptWaitMs, ...idle, echoes, floor, children: more + 4 };
  } finally {
    for (const pane of panes) pane.close();
    for (const pid of hostsOf(place.home)) process.kill(pid, "SIGTERM");
    model.kill();
    for (let looks = 0; looks < 200 && hostsOf(place.home).length > 0; looks += 1) await delay(50);
    rmSync(place.home, { recursive: true, force: true });
  }
}

/** Types into both in turn, and measures what comes back. */
export async function typedInTurn(
  terminal: EchoPane,
  cat: EchoPane,
): Promise<Pick<TerminalFigures, "echoes" | "floor">> {
  const [echoes, floor]: [Echo[], Echo[]] = [[], []];
  for (let key = 0; key < keys; key += 1) {
    const place = key % letters.length;
    const letter = letters[place] ?? "";
    echoes.push(await terminal.echoOf(letter, letter));
    await delay(pauseMs / 2);
    floor.push(await cat.echoOf(letter, letter));
    if (place === letters.length - 1) for (const pane of [terminal, cat]) pane.keys("C-u");
    await delay(pauseMs / 2);
  }
  return { echoes, floor };
}

/** Processes of the hosts of that home that run. */
export function hostsOf(home: string): readonly number[] {
  const directory = join(home, ".local/state/autolith/localgroup");
  return readdirSync(directory)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => {
      const { process: host } = JSON.parse(readFileSync(join(directory, name), "utf8")) as {
        readonly process: { readonly pid: number };
      };
      return [host.pid];
    });
}
