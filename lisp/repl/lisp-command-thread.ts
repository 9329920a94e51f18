/** The thread in which `autolith lisp` runs: boots an image, does what it was asked to do, and exits with its code. */
import { workerData } from "node:worker_threads";
import { bootImage } from "../image/boot.ts";
import { arrayToList, list } from "../data/cons.ts";
import { LString } from "../data/string.ts";
import { NIL, T, symbolFunction } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { Scheduler } from "../runtime/scheduler.ts";
import type { GreenThread } from "../runtime/green-thread.ts";
import { nodeHostPort } from "../streams/node-host.ts";
import type { LispAction } from "./arguments.ts";
import type { CommandThreadData } from "./thread-data.ts";

const { actions, columns } = workerData as CommandThreadData;
const machine = nodeHostPort();
const port = { ...machine, terminal: { ...machine.terminal, width: () => columns } };
const image = bootImage(port);

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
  if (outcome.kind === "values") return 0;
  if (outcome.kind === "quit") return outcome.code;
  const unhandled = thread.unhandledText;
  port.terminal.writeError(
    unhandled === null ? `evaluation ended: ${outcome.reason}\n` : unhandledReport(unhandled),
  );
  return 1;
}

async function main(): Promise<void> {
  const run = symbolFunction(image.symbol("SYS:RUN-ACTIONS"))!;
  // Nothing else needs this thread's event loop while Lisp runs: it is ended from outside, and SLEEP waits by itself.
  image.runtime.yieldsToHost = false;
  const scheduler = new Scheduler(image.runtime);
  const running = scheduler.start("listener", run, [arrayToList(actions.map(actionForm))]);
  await running.outcome;
  const finish = symbolFunction(image.symbol("SYS:FINISH-ALL-OUTPUT"))!;
  image.runtime.callNow(finish);
  process.exit(exitCode(running.thread));
}

await main();
