/** The thread in which `autolith lisp` runs: boots an image, does what it was asked to do, and exits with its code. */
import { setFlagsFromString } from "node:v8";
import { workerData } from "node:worker_threads";
import { bootImage } from "../image/boot.ts";
import type { Image } from "../image/image.ts";
import { arrayToList, list } from "../data/cons.ts";
import { LString } from "../data/string.ts";
import { NIL, T, symbolFunction } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { UnhandledCondition } from "../runtime/runtime.ts";
import { Scheduler } from "../runtime/scheduler.ts";
import type { GreenThread } from "../runtime/green-thread.ts";
import { nodeHostPort } from "../streams/node-host.ts";
import type { LispAction } from "./arguments.ts";
import { commandTerminal } from "./command-terminal.ts";
import { interruptExit } from "./interrupts.ts";
import type { CommandThreadData } from "./thread-data.ts";

const { image: file, actions, programArguments, columns, interrupts } = workerData as CommandThreadData;
const machine = nodeHostPort();
const terminal = commandTerminal(machine.terminal, interrupts, columns);
const port = { ...machine, terminal };
const image = file === null ? bootImage(port) : await restoredImage(file);

/** The image of a file. One that cannot be restored ends the command with status 1. */
async function restoredImage(path: string): Promise<Image> {
  // Loaded only here: a fresh image starts without it.
  const { restoreImageFile } = await import("../saved-images/restore-image.ts");
  try {
    return restoreImageFile(path, { port }).image;
  } catch (error) {
    terminal.writeError(`cannot start from ${path}: ${(error as Error).message}\n`);
    process.exit(1);
  }
}

// Lisp functions are small and typed by what they meet first: a third of the usual number of calls tells enough to optimize them. Set when
// the library is loaded: V8 takes no code from a cache that was made under other flags.
setFlagsFromString("--invocation-count-for-turbofan=1000");

function actionForm(action: LispAction): LispValue {
  const keyword = image.keyword(action.kind.toUpperCase());
  if (action.kind === "load") return list(keyword, LString.from(action.file));
  if (action.kind === "eval") return list(keyword, LString.from(action.text), action.print ? T : NIL);
  return list(keyword);
}

function unhandledReport({ type, text, location }: NonNullable<GreenThread["unhandledText"]>): string {
  const place = location === null ? "" : `  in the form at ${location.file}:${location.line}\n`;
  return `Unhandled ${type}: ${text}\n${place}`;
}

function exitCode(thread: GreenThread): number {
  const outcome = thread.outcome!;
  // A terminal that hangs up takes its output along.
  if (outcome.kind === "quit" && outcome.code === interruptExit.hungUp) return outcome.code;
  if (terminal.outputGone()) return interruptExit.outputGone;
  const unhandled = thread.unhandledText;
  if (unhandled !== null) terminal.writeError(unhandledReport(unhandled));
  if (outcome.kind === "values") return 0;
  if (outcome.kind === "quit") return outcome.code;
  if (unhandled === null) terminal.writeError(`evaluation ended: ${outcome.reason}\n`);
  return 1;
}

/** Passes on what was written; a stream that a program put in the place of the standard ones may fail. */
function finishOutput(): void {
  for (const name of ["SYS:FINISH-ALL-OUTPUT", "SYS:%FLUSH-TERMINAL"]) {
    try {
      image.runtime.callNow(symbolFunction(image.symbol(name))!);
      return;
    } catch (error) {
      if (!(error instanceof UnhandledCondition)) throw error;
      terminal.writeError("the streams in the place of standard output could not be finished\n");
    }
  }
}

async function main(): Promise<void> {
  const run = symbolFunction(image.symbol("SYS:RUN-ACTIONS"))!;
  // Nothing else needs this thread's event loop while Lisp runs: it is interrupted through a shared word.
  image.runtime.yieldsToHost = false;
  const scheduler = new Scheduler(image.runtime);
  const running = scheduler.start("listener", run, [
    arrayToList(actions.map(actionForm)),
    arrayToList(programArguments.map((word) => LString.from(word))),
  ]);
  const answer = symbolFunction(image.symbol("SYS:INTERRUPTED"))!;
  image.runtime.interrupts = { word: interrupts, thread: running.thread, answer };
  await running.outcome;
  finishOutput();
  process.exit(exitCode(running.thread));
}

await main();
