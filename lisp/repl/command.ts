import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { parseLispArguments, takeImageOption } from "./arguments.ts";
import { interruptWord, passInterruptsOn } from "./interrupts.ts";
import { type CommandThreadData, maximumHeapMb, maximumNurseryMb, stackMb } from "./thread-data.ts";

/** Where the command reads and writes. Text goes straight to the descriptors of the process. */
export interface LispCommandIo {
  /** Standard input is a terminal: without arguments the listener starts. */
  readonly interactive: boolean;
  /** Writes a message of the command itself (not of Lisp) to standard error. */
  readonly writeError: (text: string) => void;
}

/**
 * `autolith lisp`: runs files, forms or the listener in an image of its own, in a thread with a deep stack. Returns the exit
 * code: 0, 1 after an unhandled condition, what QUIT was given, 130 after SIGINT outside the listener, 143 after SIGTERM, 129 after
 * SIGHUP, 141 when nobody reads its output any more; wrong arguments are thrown as LispArgumentError.
 */
export async function runLispCommand(argv: readonly string[], io: LispCommandIo): Promise<number> {
  const { image, rest } = takeImageOption(argv);
  const { actions, programArguments } = parseLispArguments(rest, io.interactive);
  const data: CommandThreadData = {
    image,
    actions,
    programArguments,
    // A terminal that does not know its width says 0.
    columns: process.stdout.isTTY ? process.stdout.columns || 80 : undefined,
    interrupts: interruptWord(),
  };
  // What the boot leaves alive sets the size: larger nurseries start a little faster and take more memory (16: 100 MB, 2: 90 MB).
  setFlagsFromString("--min-semi-space-size=2");
  const { promise, resolve } = Promise.withResolvers<number>();
  const thread = new Worker(new URL(threadModule(), import.meta.url), {
    workerData: data,
    resourceLimits: {
      stackSizeMb: stackMb,
      maxOldGenerationSizeMb: maximumHeapMb,
      maxYoungGenerationSizeMb: maximumNurseryMb,
    },
  });
  thread.on("error", (error: NodeJS.ErrnoException) => {
    const bound = error.code === "ERR_WORKER_OUT_OF_MEMORY";
    io.writeError(
      bound ? `heap exhausted: more than ${maximumHeapMb} MB\n` : `${error.stack ?? error.message}\n`,
    );
    resolve(1);
  });
  thread.on("exit", (code) => resolve(code));
  const stopPassing = passInterruptsOn(data.interrupts);
  const code = await promise;
  stopPassing();
  return code;
}

/** The thread's module beside this one: TypeScript from the sources, JavaScript when built. */
function threadModule(): string {
  return import.meta.url.endsWith(".ts") ? "./lisp-command-thread.ts" : "./lisp-command-thread.js";
}
