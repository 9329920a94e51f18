/** Starts one process of a command, with its output on pipes, and tells how the process came to its end. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { CommandExit } from "./command-end.ts";
import type { CommandRequest } from "./command-request.ts";
import { OutputReader, type PipeSource } from "./output-pipe.ts";
import { cookieVariable } from "./process-tree.ts";

/**
 * Starts the process in a group of its own, marked with `cookie`. A failure to start is returned, or emitted by the child.
 * Descriptors in `leaked` lead to nothing in it. Throws what opening files and pipes throws.
 */
export function launch(
  request: CommandRequest,
  cookie: string,
  pipes: PipeSource,
  leaked: readonly number[],
): { readonly child: ChildProcess | Error; readonly readers: readonly OutputReader[] } {
  const opened = Object.entries(request.opened ?? {}).map(
    ([descriptor, { path, mode }]) => [Number(descriptor), openSync(path, mode)] as const,
  );
  const output = pipes.open();
  const errors = request.stderr === undefined ? undefined : pipes.open();
  const readers = [new OutputReader(output.reader, request.stdout)];
  if (request.stderr !== undefined && errors !== undefined) {
    readers.push(new OutputReader(errors.reader, request.stderr));
  }
  const nothing = openSync("/dev/null", "r");
  const stdio: (number | "ignore")[] = [nothing, output.writeEnd, errors?.writeEnd ?? output.writeEnd];
  // A descriptor the host inherited by accident is replaced, so that no command can write to a stranger's pipe.
  for (const descriptor of leaked) stdio[descriptor] = nothing;
  for (const [descriptor, file] of opened) stdio[descriptor] = file;
  const [program, ...parameters] = request.argv;
  try {
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
    for (const descriptor of [
      nothing,
      output.writeEnd,
      errors?.writeEnd,
      ...opened.map(([, file]) => file),
    ]) {
      if (descriptor !== undefined) closeSync(descriptor);
    }
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
