/** How the process the spawner started came to its end. */
export type CommandExit =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: NodeJS.Signals }
  /** Nothing ran: the program or directory is missing, arguments are too long, no memory or no process left. */
  | { readonly kind: "not-started"; readonly code: string; readonly message: string };

/** Why it ended: by itself, at its deadline, or by cancel. The last two hold whatever the exit says. */
export type CommandCause = "exit" | "timeout" | "cancelled";

/** Everything known once a command has ended and its output is complete. */
export interface CommandEnd {
  readonly exit: CommandExit;
  readonly cause: CommandCause;
  /** From the start to the exit of the started process, in ms. */
  readonly durationMs: number;
  /** Background processes that were still running when the started process ended, and were ended. */
  readonly survivorsEnded: number;
  /** Processes that could not be ended (uninterruptible, or of another user). */
  readonly survivorsLeft: number;
  /** False when output was still held open by a process that could not be ended, so that its tail may be missing. */
  readonly outputComplete: boolean;
}

/** A command succeeded when it exited by itself with code 0. */
export function succeeded(end: CommandEnd): boolean {
  return end.cause === "exit" && end.exit.kind === "exited" && end.exit.code === 0;
}

/** The end of a command of which no process was started. */
export function notStarted(exit: CommandExit): CommandEnd {
  const cancelled = exit.kind === "not-started" && exit.code === "cancelled";
  return {
    exit,
    cause: cancelled ? "cancelled" : "exit",
    durationMs: 0,
    survivorsEnded: 0,
    survivorsLeft: 0,
    outputComplete: true,
  };
}
