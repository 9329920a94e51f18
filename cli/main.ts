/**
 * Entry of the command line. Finds the command, loads only what it needs, and turns errors into the exit statuses of the manual.
 * Standard output carries only what a command promises; messages go to standard error.
 */
import "./early-signals.ts";
import { UsageError, splitCommand } from "./arguments.ts";
import { exitStatus } from "./exit-status.ts";
import { programVersion } from "./installation.ts";

/** A subcommand: one line for the overview, and how to load it. `run` resolves to the exit status. */
type Command = {
  readonly summary: string;
  readonly load: () => Promise<(argv: readonly string[]) => Promise<number>>;
};

const commands: Readonly<Record<string, Command>> = {
  resume: {
    summary: "a stored conversation in the terminal; without an id a picker",
    load: async () => (await import("./terminal/terminal-command.ts")).resumeCommand,
  },
  fork: {
    summary: "a copy of a stored conversation in the terminal",
    load: async () => (await import("./terminal/terminal-command.ts")).forkCommand,
  },
  localgroup: {
    summary: "running sessions: status, tell, pause, attach, detach, kill",
    load: async () => (await import("./localgroup/localgroup-command.ts")).localgroupCommand,
  },
  lg: {
    summary: "short for localgroup",
    load: async () => (await import("./localgroup/localgroup-command.ts")).localgroupCommand,
  },
  replay: {
    summary: "looks at a stored conversation, without opening it",
    load: async () => (await import("./replay/replay-command.ts")).replayCommand,
  },
  completion: {
    summary: "a completion script for bash, zsh or fish",
    load: async () => (await import("./completion/completion-command.ts")).completionCommand,
  },
  "run-job": {
    summary: "run one job file without a terminal",
    load: async () => (await import("./run-job/run-job-command.ts")).runJobCommand,
  },
  acp: {
    summary: "serve editors by the Agent Client Protocol, on standard input and output or a port",
    load: async () => (await import("./acp/acp-command.ts")).acpCommand,
  },
  host: {
    summary: "the session host that terminals join; they start it by themselves",
    load: async () => (await import("./host/host-command.ts")).hostCommand,
  },
  lisp: {
    summary: "the Common Lisp: run files and forms, or a listener",
    load: async () => (await import("./lisp/lisp-command.ts")).lispCommand,
  },
  limits: {
    summary: "every bound, its value and how to change it",
    load: async () => (await import("./limits/limits-command.ts")).limitsCommand,
  },
  example: {
    summary: "run a bundled example in a directory of its own",
    load: async () => (await import("./example/example-command.ts")).exampleCommand,
  },
};

/** Commands of the manual that this version does not have, each with the reason. */
const absent: Readonly<Record<string, string>> = {
  auth: "credentials come from the environment in this version (OPENAI_API_KEY)",
  models: "the model catalogue is not in this version yet",
  data: "data transfer is not in this version yet",
  update: "a checkout is updated with git pull; the next start builds it",
  uninstall: "a checkout is removed by deleting it",
};

function overview(): string {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(11)} ${summary}`);
  return [
    "Usage: autolith [SESSION OPTIONS] [COMMAND [OPTIONS]]",
    "",
    "Without a command: a new conversation in the terminal.",
    "",
    "Commands (autolith COMMAND --help says more):",
    ...lines,
    "",
    "Session options, before or after the command:",
    "  --permissions ask|auto|sandbox|full   how commands may run",
    "  --model ID                            such as openai-api/gpt-5.6",
    "  --provider NAME                       together with --model: its exact catalogue id",
    "  --site-config-root DIR                a read-only configuration tree",
    "  --immutable, --pristine               no self-modification; --pristine also skips initialization",
    "  --image FILE, -i FILE                 an image for the first input of a terminal; repeatable",
    "  --version, --help",
    "",
  ].join("\n");
}

async function run(argv: readonly string[]): Promise<number> {
  const { command, rest } = splitCommand(argv);
  if (command === undefined) return withoutCommand(rest);
  const known = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (known !== undefined) return (await known.load())(rest);
  const reason = Object.hasOwn(absent, command) ? absent[command] : undefined;
  throw new UsageError(
    reason === undefined
      ? `Unknown command ${JSON.stringify(command)}. autolith --help lists the commands.`
      : `autolith ${command} is not here: ${reason}.`,
  );
}

async function withoutCommand(argv: readonly string[]): Promise<number> {
  if (argv.includes("--version")) {
    process.stdout.write(`autolith ${programVersion()}\n`);
    return exitStatus.ok;
  }
  if (argv.includes("--help") || argv.includes("-h")) {
    process.stdout.write(overview());
    return exitStatus.ok;
  }
  return (await import("./terminal/terminal-command.ts")).terminalCommand(argv);
}

/** Ends the process once what was written to both streams has been taken. */
function exitWhenWritten(status: number): void {
  process.exitCode = status;
  process.stderr.write("", () => process.stdout.write("", () => process.exit(status)));
}

/** By its code: the terminal is a module of its own in the built program, with a class of its own. */
function isUsageError(error: unknown): error is UsageError {
  return error instanceof Error && (error as { code?: unknown }).code === "usage";
}

function report(error: unknown): number {
  if (isUsageError(error)) {
    process.stderr.write(`autolith: ${error.message}\n`);
    return exitStatus.usage;
  }
  process.stderr.write(
    `autolith: could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return exitStatus.fatal;
}

run(process.argv.slice(2))
  .catch(report)
  .then(exitWhenWritten, () => process.exit(exitStatus.fatal));
