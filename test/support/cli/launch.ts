/** Runs the command line of this checkout in a process of its own, with roots of its own, and reads back what it left. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const main = resolve(dirname(fileURLToPath(import.meta.url)), "../../../cli/main.ts");

/** A person's home and a workspace, both temporary. */
export type Sandpit = {
  readonly home: string;
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Writes a file of the workspace, making its directories. */
  write(path: string, content: string | Uint8Array): string;
  [Symbol.dispose](): void;
};

/** Makes an empty home and workspace below a short path (Unix sockets live below the home). */
export function makeSandpit(): Sandpit {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "al-")));
  const [home, workspace] = [join(root, "h"), join(root, "w")];
  for (const path of [home, workspace]) mkdirSync(path);
  return {
    home,
    workspace,
    environment: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: home },
    write: (path, content) => {
      const target = join(workspace, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
      return target;
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

export type Ended = {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type Running = {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when standard output holds the text; rejects when the process ends before. */
  printed(text: string): Promise<void>;
};

export type LaunchOptions = {
  readonly environment?: Readonly<Record<string, string>>;
  /** `ignore` closes standard input; `open` leaves a pipe that never ends. */
  readonly stdin?: "ignore" | "open" | { readonly text: string };
  readonly directory?: string;
};

/** Starts `autolith ARGUMENTS…` in the sandpit's workspace. */
export function launch(pit: Sandpit, argv: readonly string[], options: LaunchOptions = {}): Running {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main, ...argv], {
    cwd: options.directory ?? pit.workspace,
    env: { ...pit.environment, ...options.environment },
    stdio: [options.stdin === "ignore" ? "ignore" : "pipe", "pipe", "pipe"],
  });
  if (typeof options.stdin === "object") child.stdin?.end(options.stdin.text);
  let [stdout, stderr] = ["", ""];
  const watchers = new Set<() => void>();
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const watcher of watchers) watcher();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Ended>((settle) => {
    child.once("close", (status, signal) => {
      child.stdin?.destroy();
      settle({ status, signal, stdout, stderr });
    });
  });
  return {
    child,
    ended,
    printed: (text) =>
      new Promise((settle, reject) => {
        const check = (): void => {
          if (!stdout.includes(text)) return;
          watchers.delete(check);
          settle();
        };
        watchers.add(check);
        check();
        void ended.then(() => reject(new Error(`ended before printing ${text}:\n${stdout}\n${stderr}`)));
      }),
  };
}
