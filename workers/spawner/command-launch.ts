/** Starts one process of a command, with its output on pipes, and tells how the process came to its end. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { CommandExit } from "./command-end.ts";
import type { CommandRequest } from "./command-request.ts";
import { OutputReader, type OutputSink, type PipeSource } from "./output-pipe.ts";
import { cookieVariable } from "./process-tree.ts";

/**
 * Starts the process in a group of its own, marked with `cookie`. Descriptors in `leaked` lead to nothing in it. A failure to start, or to
 * open what it needs, is returned, or emitted by the child; nothing stays open behind it but the readers.
 */
export function launch(
  request: CommandRequest,
  cookie: string,
  pipes: PipeSource,
  leaked: readonly number[],
): { readonly child: ChildProcess | Error; readonly readers: readonly OutputReader[] } {
  const readers: OutputReader[] = [];
  /** Descriptors that only the command keeps. */
  const handed: number[] = [];
  const hand = (descriptor: number): number => {
    handed.push(descriptor);
    return descriptor;
  };
  const pipe = (sink: OutputSink): number => {
    const { reader, writeEnd } = pipes.open();
    readers.push(new OutputReader(reader, sink));
    return hand(writeEnd);
  };
  try {
    const output = pipe(request.stdout);
    const errors = request.stderr === undefined ? output : pipe(request.stderr);
    const nothing = hand(openSync("/dev/null", "r"));
    const stdio: (number | "ignore")[] = [nothing, output, errors];
    // A descriptor the host inherited by accident is replaced, so that no command can write to a stranger's pipe.
    for (const descriptor of leaked) stdio[descriptor] = nothing;
    for (const [descriptor, { path, mode }] of Object.entries(request.opened ?? {}))
      stdio[Number(descriptor)] = hand(openSync(path, mode));
    const [program, ...parameters] = request.argv;
    const child = spawn(program, parameters, {
      cwd: request.directory,
      env: { ...request.environment, [cookieVariable]: cookie },
      stdio: Array.from(stdio, (entry) => entry ?? "ignore"),
      detached: true,
    });
    return { child, readers };
  } catch (error) {
    // Some failures to start (too long an argument, no memory) are thrown, others are emitted; all are one to callers.
    return { child: error instanceof Error ? error : new Error(String(error)), readers };
  } finally {
    for (const descriptor of handed) closeSync(descriptor);
  }
}

/** How an error of starting reads as an exit. */
export function startFailure(error: NodeJS.ErrnoException): CommandExit {
  return { kind: "not-started", code: error.code ?? "EIO", message: error.message };
}

/** Resolves when the process has exited or could not be started; never rejects. */
export function exitOf(child: ChildProcess): Promise<CommandExit> {
  return new Promise((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      // Also emitted when a signal could not be sent to a process that runs; then "exit" still follows.
      if (child.pid !== undefined) return;
      resolve(startFailure(error));
    });
    child.once("exit", (code, signal) => {
      resolve(signal === null ? { kind: "exited", code: code ?? 0 } : { kind: "signalled", signal });
    });
  });
}
