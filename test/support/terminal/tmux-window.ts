/** A terminal as a person has it: a tmux server of its own with one window, keys sent to it and its screen read back. Needs no test runner. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export type TmuxWindowOptions = {
  readonly columns?: number;
  readonly rows?: number;
  /** Program and arguments; a shell only when it is one. */
  readonly command: readonly [string, ...string[]];
  readonly directory?: string;
  readonly environment?: Readonly<Record<string, string>>;
};

export type TmuxWindow = {
  /** Named keys of tmux: `Enter`, `C-c`, `Escape`. */
  keys(...names: readonly string[]): Promise<void>;
  /** Text as if typed, in one piece. */
  type(text: string): Promise<void>;
  /** A paste; bracketed when the program asked for that. */
  paste(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** The visible rows without trailing blanks and trailing empty rows. */
  screen(): Promise<readonly string[]>;
  /** Scrollback and screen. */
  history(): Promise<readonly string[]>;
  /** Column and row of the cursor, from 0. */
  cursor(): Promise<readonly [number, number]>;
  /** `1 STATUS` when the program has ended, as far as tmux knows its status; `0` before. */
  state(): Promise<string>;
  /** Sends a signal to the program; to what it runs when it is a shell. */
  signal(name: NodeJS.Signals): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Starts it. */
export async function openTmuxWindow(options: TmuxWindowOptions): Promise<TmuxWindow> {
  const { columns = 80, rows = 24, command, directory = tmpdir(), environment = {} } = options;
  const folder = mkdtempSync(join(tmpdir(), "tx-"));
  const socket = join(folder, "s");
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folder, LANG: "C.UTF-8", ...environment };
  const tmux = async (...argv: readonly string[]): Promise<string> =>
    (await run("tmux", ["-u", "-f", "/dev/null", "-S", socket, ...argv], { env, maxBuffer: 1 << 26 })).stdout;
  await tmux(
    ...["new-session", "-d", "-x", String(columns), "-y", String(rows), "-c", directory, ...command],
    ...[";", "set-option", "-g", "remain-on-exit", "on", ";", "set-option", "-g", "history-limit", "100000"],
  );
  const capture = async (...argv: readonly string[]): Promise<readonly string[]> =>
    withoutTrailingEmpty((await tmux("capture-pane", "-p", ...argv)).split("\n").map((row) => row.trimEnd()));
  return {
    keys: async (...names) => void (await tmux("send-keys", ...names)),
    type: async (text) => void (await tmux("send-keys", "-l", text)),
    paste: async (text) => {
      const loading = run("tmux", ["-S", socket, "load-buffer", "-"], { env });
      loading.child.stdin?.end(text);
      await loading;
      await tmux("paste-buffer", "-p", "-r");
    },
    resize: async (width, height) =>
      void (await tmux("resize-window", "-x", String(width), "-y", String(height))),
    screen: () => capture(),
    history: () => capture("-S", "-"),
    cursor: async () => {
      const [x = "", y = ""] = (await tmux("display-message", "-p", "#{cursor_x} #{cursor_y}"))
        .trim()
        .split(" ");
      return [Number(x), Number(y)];
    },
    state: async () => (await tmux("display-message", "-p", "#{pane_dead} #{pane_dead_status}")).trim(),
    signal: async (name) => {
      const pane = (await tmux("display-message", "-p", "#{pane_pid}")).trim();
      if (command[0] !== "sh") {
        process.kill(Number(pane), name);
        return;
      }
      const { stdout } = await run("ps", ["-o", "pid=", "--ppid", pane]);
      for (const pid of stdout.split(/\s+/).filter((each) => each !== "")) process.kill(Number(pid), name);
    },
    [Symbol.asyncDispose]: async () => {
      await tmux("kill-server").catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function withoutTrailingEmpty(rows: readonly string[]): readonly string[] {
  return rows.slice(0, rows.findLastIndex((row) => row !== "") + 1);
}
