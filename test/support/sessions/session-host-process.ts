/** Starts and kills session hosts in processes of their own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ReplayedUpdate, SessionState } from "../../../orchestrator/contract/session.ts";
import type { Sandpit } from "../cli/launch.ts";

const main = join(dirname(fileURLToPath(import.meta.url)), "session-host-main.ts");

type Line = { readonly kind: string } & Readonly<Record<string, unknown>>;

export type HostProcess = {
  readonly child: ChildProcess;
  readonly opened: {
    readonly id: string;
    readonly state: SessionState;
    readonly history: readonly ReplayedUpdate[];
  };
  /** All lines so far. */
  readonly lines: readonly Line[];
  send(line: string): void;
  /** Resolves with the first line, seen or to come, that the check accepts; rejects when the process ends before. */
  seen(check: (line: Line) => boolean): Promise<Line>;
  /** kill -9, and waits for its end. The Redis of the sandpit goes on: the last host of a test is closed instead. */
  kill(): Promise<void>;
  /** Lets it end in order, with everything it started. */
  close(): Promise<void>;
};

export async function startHostProcess(
  pit: Sandpit,
  environment: Readonly<Record<string, string>>,
  conversation?: string,
): Promise<HostProcess> {
  const argv = [main, pit.workspace, ...(conversation === undefined ? [] : [conversation])];
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...argv], {
    env: { ...pit.environment, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const lines: Line[] = [];
  const watchers = new Set<() => void>();
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(JSON.parse(line) as Line);
    for (const watcher of watchers) watcher();
  });
  const ended = once(child, "close");
  const seen: HostProcess["seen"] = (check) =>
    new Promise((settle, reject) => {
      const look = (): void => {
        const found = lines.find(check);
        if (found === undefined) return;
        watchers.delete(look);
        settle(found);
      };
      watchers.add(look);
      look();
      void ended.then(() => {
        if (!watchers.delete(look)) return;
        reject(new Error(`the host ended: ${stderr}\n${JSON.stringify(lines.slice(-20)).slice(-2_000)}`));
      });
    });
  const opened = (await seen(({ kind }) => kind === "open")) as unknown as HostProcess["opened"];
  return {
    child,
    opened,
    lines,
    seen,
    send: (line) => child.stdin.write(`${line}\n`),
    close: async () => {
      child.stdin.end();
      await ended;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
