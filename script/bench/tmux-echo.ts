/** Keys into a pane of tmux and what comes back, by its control mode: one process for all keys, and every byte of output as it comes. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { threadTimes } from "./process-figures.ts";

export type PaneOptions = {
  readonly command: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** How long an echo took, in milliseconds, and how much of that other work of the machine had the cores. */
export type Echo = { readonly ms: number; readonly waitMs: number };

/** Longest wait for anything, in milliseconds. */
const patienceMs = 30_000;

export class EchoPane {
  /** Process of the pane's program. */
  readonly processId: number;
  readonly #server: number;
  readonly #folder: string;
  readonly #environment: PaneOptions["environment"];
  readonly #control: ChildProcessWithoutNullStreams;
  #output = "";
  #heard: (() => void) | undefined;

  constructor({ command, directory, environment }: PaneOptions) {
    this.#folder = mkdtempSync(join(tmpdir(), "te-"));
    this.#environment = { ...environment, LANG: "C.UTF-8" };
    this.#tmux("new-session", "-d", "-x", "100", "-y", "30", "-c", directory, ...command);
    this.#server = Number(this.#tmux("display-message", "-p", "#{pid}"));
    this.processId = Number(this.#tmux("display-message", "-p", "#{pane_pid}"));
    this.#control = spawn("tmux", ["-u", "-C", "-S", join(this.#folder, "s"), "attach"], {
      env: this.#environment,
    });
    this.#control.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
      this.#heard?.();
    });
  }

  /** The rows of the screen. */
  screen(): string {
    return this.#tmux("capture-pane", "-p");
  }

  /** Waits until the screen holds the text. */
  async shows(text: string): Promise<void> {
    for (const until = performance.now() + patienceMs; ; await delay(5)) {
      if (this.screen().includes(text)) return;
      if (performance.now() > until) throw new Error(`the terminal never showed ${text}:\n${this.screen()}`);
    }
  }

  /** Types text and waits until it comes back as `echo`. */
  async echoOf(text: string, echo: string): Promise<Echo> {
    this.#output = "";
    const waited = this.#waitMs();
    const at = performance.now();
    this.#control.stdin.write(`send-keys -l ${text}\n`);
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${text} never came back:\n${this.screen()}\n${this.#output.slice(-2_000)}`)),
        patienceMs,
      );
      this.#heard = () => {
        if (!this.#output.includes(echo)) return;
        clearTimeout(timer);
        this.#heard = undefined;
        resolve();
      };
      this.#heard();
    });
    const ms = performance.now() - at;
    return { ms, waitMs: Math.min(ms, this.#waitMs() - waited) };
  }

  /** What the processes on the way have waited for a core so far. */
  #waitMs(): number {
    return [this.processId, this.#server, this.#control.pid ?? 0, process.pid].reduce(
      (sum, pid) => sum + threadTimes(pid).mainWaitMs,
      0,
    );
  }

  /** Named keys. */
  keys(...names: readonly string[]): void {
    this.#tmux("send-keys", ...names);
  }

  close(): void {
    this.#control.kill();
    try {
      this.#tmux("kill-server");
    } catch {
      // It has ended with its last pane.
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #tmux(...argv: readonly string[]): string {
    return execFileSync("tmux", ["-u", "-f", "/dev/null", "-S", join(this.#folder, "s"), ...argv], {
      env: this.#environment,
      encoding: "utf8",
    });
  }
}
