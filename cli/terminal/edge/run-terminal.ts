/** Runs the terminal: state, screen, session, timers, signals. Resolves when the person left; the terminal is as it was before. */
import { randomBytes } from "node:crypto";
import type { PermissionMode } from "../../../orchestrator/contract/permission-mode.ts";
import type { AttachedImage } from "../composer/attached-image.ts";
import { composedText } from "../composer/composer.ts";
import type { ConnectToHost, Opening } from "../link/host-link.ts";
import {
  type Action,
  type Command,
  type ScreenState,
  initialScreen,
  isTurnRunning,
} from "../screen/screen-state.ts";
import { update } from "../screen/screen-update.ts";
import { paletteOf } from "../text/palette.ts";
import { earlyPresses, takeEarlyInput } from "./early-input.ts";
import { codeOf, messageOf } from "./link-errors.ts";
import { LagWatch } from "./lag-watch.ts";
import { ScreenDriver } from "./screen-driver.ts";
import { SessionController } from "./session-controller.ts";
import { sizeOf } from "./terminal-output.ts";
import { marksPastes, restoreTerminal } from "./terminal-modes.ts";

export type TerminalOptions = {
  readonly connect: ConnectToHost;
  readonly opening: Opening;
  readonly mode: PermissionMode | undefined;
  readonly model: string | undefined;
  readonly isReadOnly: boolean;
  readonly takeOver: boolean;
  /** Go with the first input. */
  readonly images?: readonly AttachedImage[];
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** How a terminal ended. */
export type TerminalEnd = {
  readonly reason: "left" | "detached" | "quit" | "ended" | "failed" | "signal";
  readonly sessionId: string | undefined;
  /** True when something of the session was running. */
  readonly isRunning: boolean;
  /** True when something was said in the conversation. */
  readonly hasTurns: boolean;
  readonly error?: unknown;
  readonly signal?: NodeJS.Signals;
};

/** Time between two drawings of clocks while something runs, in milliseconds. */
const tickMs = 250;
/** Time without a further change after which a new size is taken over, in milliseconds. */
const resizeSettleMs = 60;
/** Time between two looks at running jobs, in milliseconds. */
const jobsMs = 1_000;
/** Time that leaving may take to put the draft away, in milliseconds. */
const closeMs = 1_000;

const endingSignals = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const;

/** Runs it. Never rejects: what went wrong is in the end. */
export async function runTerminal(options: TerminalOptions): Promise<TerminalEnd> {
  const terminal = new Terminal(options);
  const end = await terminal.run();
  return end;
}

class Terminal {
  readonly #options: TerminalOptions;
  readonly #driver: ScreenDriver;
  readonly #session: SessionController;
  readonly #lag = new LagWatch();
  readonly #ended = Promise.withResolvers<TerminalEnd>();
  #state: ScreenState;
  #ticker: NodeJS.Timeout | undefined;
  #resizing: NodeJS.Timeout | undefined;
  #jobsAt = 0;
  #isEnding = false;

  constructor(options: TerminalOptions) {
    this.#options = options;
    const { stdin, stdout, environment } = options;
    this.#driver = new ScreenDriver({
      stdin,
      stdout,
      palette: paletteOf(environment),
      onKey: (press) => this.#dispatch({ type: "key", press, at: Date.now() }),
      onPaste: (text) => this.#dispatch({ type: "paste", text, at: Date.now() }),
      circumstances: () => ({ isBehind: this.#lag.isBehind, marksPastes: marksPastes(environment) }),
    });
    const { columns, rows } = this.#driver.output;
    this.#state = initialScreen({ columns, rows }, randomBytes(6).toString("hex"));
    for (const image of options.images ?? [])
      for (const action of [
        { type: "image", image, insteadOf: "", at: 0 },
        { type: "paste", text: " ", at: 0 },
      ] as const)
        this.#state = update(this.#state, action).state;
    this.#session = new SessionController({
      ...options,
      dispatch: (action) => this.#dispatch(action),
      now: Date.now,
    });
  }

  async run(): Promise<TerminalEnd> {
    const { stdin, stdout } = this.#options;
    const restore = (): void => restoreTerminal(stdin, 1);
    const fail = (error: unknown): void => this.#end({ reason: "failed", error });
    const signals = endingSignals.map((signal) => {
      const listener = (): void => this.#end({ reason: "signal", signal });
      process.on(signal, listener);
      return { signal, listener };
    });
    const onResize = (): void => this.#resizeSoon();
    process.on("exit", restore);
    process.on("uncaughtException", fail);
    process.on("unhandledRejection", fail);
    stdout.on("error", fail);
    stdout.on("resize", onResize);
    this.#lag.watch(true);
    const early = takeEarlyInput(stdin);
    // The terminal has echoed it.
    if (early !== "") this.#driver.output.write("\r\u001B[K");
    this.#driver.show(this.#state);
    this.#driver.finished().catch(fail);
    this.#session.start().catch(fail);
    for (const press of earlyPresses(early)) this.#dispatch({ type: "key", press, at: Date.now() });
    const end = await this.#ended.promise;
    clearTimeout(this.#ticker);
    this.#lag.watch(false);
    clearTimeout(this.#resizing);
    stdout.off("resize", onResize);
    this.#giveBack(restore);
    await this.#closeSession();
    for (const { signal, listener } of signals) process.off(signal, listener);
    process.off("uncaughtException", fail);
    process.off("unhandledRejection", fail);
    process.off("exit", restore);
    return end;
  }

  /** Puts the screen in order; a failing view must not keep the terminal from being restored. */
  #giveBack(restore: () => void): void {
    try {
      this.#driver.close();
    } finally {
      restore();
    }
  }

  #draft(): { readonly text: string; readonly cursor: number } {
    const { buffer } = this.#state.composer;
    const text = composedText(this.#state.composer);
    return { text, cursor: text === buffer.text ? buffer.cursor : text.length };
  }

  async #closeSession(): Promise<void> {
    const closed = this.#session.close(this.#draft());
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, closeMs).unref())]);
  }

  #end(end: Omit<TerminalEnd, "sessionId" | "isRunning" | "hasTurns">): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const isRunning = isTurnRunning(this.#state) || this.#state.jobs.some(isLive);
    const { session } = this.#state;
    const hasTurns = session !== undefined && (session.userTurns > 0 || session.turn.epoch > 0);
    this.#ended.resolve({ ...end, sessionId: this.#session.sessionId, isRunning, hasTurns });
  }

  #dispatch(action: Action): void {
    if (this.#isEnding) return;
    const { state, commands } = update(this.#state, action);
    const isWritten = state.composer.buffer.text !== this.#state.composer.buffer.text;
    this.#state = state;
    if (isWritten) this.#session.keepDraft(() => this.#draft());
    const printed = commands.flatMap((command) => (command.type === "print" ? command.entries : []));
    if (printed.length > 0) this.#driver.print(printed, state);
    else this.#driver.show(state);
    for (const command of commands) this.#carryOut(command);
    this.#watchClock();
  }

  #carryOut(command: Command): void {
    switch (command.type) {
      case "print":
        return;
      case "leave":
        this.#end({ reason: command.reason });
        return;
      case "redraw":
        this.#driver.redraw(this.#state);
        return;
      case "suspend":
        this.#suspend();
        return;
      case "load-image":
        this.#loadImage(command.path, command.insteadOf);
        return;
      default:
        this.#session.run(command);
    }
  }

  /** What cannot be read stays the text that it is. */
  #loadImage(path: string, insteadOf: string): void {
    const read = async (): Promise<void> => {
      const { readImage } = await import("./image-file.ts");
      this.#dispatch({ type: "image", image: await readImage(path), insteadOf, at: Date.now() });
    };
    read().catch((error: unknown) => {
      // A name of no file is just text; a file that cannot be sent is worth a word.
      if (/^E[A-Z]+$/.test(codeOf(error))) return;
      this.#dispatch({ type: "flash", level: "warning", text: messageOf(error), at: Date.now() });
    });
  }

  /** Clocks run only while there is something to time: an idle terminal does nothing at all. */
  #watchClock(): void {
    const { jobs, flash, link } = this.#state;
    this.#lag.watch(isTurnRunning(this.#state) || link === "connecting" || link === "lost");
    const hasJobs = jobs.some(isLive);
    if (this.#ticker !== undefined || !(isTurnRunning(this.#state) || hasJobs || flash !== undefined)) return;
    this.#ticker = setTimeout(() => {
      this.#ticker = undefined;
      const at = Date.now();
      if (hasJobs && at - this.#jobsAt >= jobsMs) {
        this.#jobsAt = at;
        this.#session.run({ type: "fetch", what: "jobs" });
      }
      this.#dispatch({ type: "tick", at });
    }, tickMs);
  }

  /** Dragging a window's edge makes many changes of size; the last one counts. */
  #resizeSoon(): void {
    clearTimeout(this.#resizing);
    this.#resizing = setTimeout(() => this.#resize(), resizeSettleMs);
  }

  #resize(): void {
    const { columns, rows } = sizeOf(this.#options.stdout);
    this.#state = update(this.#state, { type: "resize", columns, rows }).state;
    this.#driver.resize(this.#state);
  }

  /** Ctrl-Z: the shell gets its terminal; `fg` brings the screen back. */
  #suspend(): void {
    const fail = (error: unknown): void => this.#end({ reason: "failed", error });
    const back = (): void => {
      this.#driver.resume().then(() => this.#resize(), fail);
    };
    this.#driver
      .pause(() => {
        process.once("SIGCONT", back);
        process.kill(process.pid, "SIGTSTP");
      })
      .catch(fail);
  }
}

function isLive({ state }: { readonly state: string }): boolean {
  return state === "running" || state === "queued";
}
