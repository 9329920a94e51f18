/** `autolith`, `autolith resume` and `autolith fork`: arguments and terminal around {@link runTerminal}. */
import {
  type ParsedCommand,
  type SessionOptions,
  UsageError,
  checkPositionals,
  parseArguments,
  terminalTable,
} from "../arguments.ts";
import { exitStatus } from "../exit-status.ts";
import { hostLaunch } from "../host/host-launch.ts";
import type { AttachedImage } from "./composer/attached-image.ts";
import { inputImages } from "./composer/input-bound.ts";
import { type TerminalEnd, runTerminal } from "./edge/run-terminal.ts";
import type { ConnectToHost, Opening } from "./link/host-link.ts";
import { conversationName } from "./screen/conversation-name.ts";

const resumeUsage = `Usage: autolith [SESSION OPTIONS] resume [ID]
Opens a stored conversation in the terminal; without ID, a picker with a search.

  --image FILE, -i FILE   an image for the first input; several times, or several names with commas
`;

const forkUsage = `Usage: autolith [SESSION OPTIONS] fork SOURCE
Copies a stored conversation and opens the copy in the terminal.

  --image FILE, -i FILE   an image for the first input; several times, or several names with commas
`;

/** The terminal on a new conversation. */
export async function terminalCommand(argv: readonly string[]): Promise<number> {
  const parsed = parseArguments(argv, terminalTable);
  checkPositionals(parsed, 0, "autolith [SESSION OPTIONS]");
  return openTerminal(parsed, { kind: "new", directory: process.cwd() });
}

/** The terminal on a stored conversation. */
export async function resumeCommand(argv: readonly string[]): Promise<number> {
  const parsed = parseArguments(argv, terminalTable);
  checkPositionals(parsed, 1, "autolith resume [ID]");
  if (parsed.help) return help(resumeUsage);
  const [id] = parsed.positionals;
  const opening: Opening =
    id === undefined
      ? { kind: "choose", directory: process.cwd() }
      : { kind: "load", sessionId: conversationIdOf(id) };
  return openTerminal(parsed, opening);
}

/** The terminal on a copy of a stored conversation. */
export async function forkCommand(argv: readonly string[]): Promise<number> {
  const parsed = parseArguments(argv, terminalTable);
  checkPositionals(parsed, 1, "autolith fork SOURCE");
  if (parsed.help) return help(forkUsage);
  const [source] = parsed.positionals;
  if (source === undefined)
    throw new UsageError("autolith fork needs the conversation to copy: autolith fork SOURCE.");
  return openTerminal(parsed, { kind: "fork", sessionId: conversationIdOf(source) });
}

function help(usage: string): number {
  process.stdout.write(usage);
  return exitStatus.ok;
}

/** The id as it is stored: what people see has a hyphen behind the first character. */
function conversationIdOf(text: string): string {
  const compact = text.length === 8 && text[1] === "-" ? text[0] + text.slice(2) : text;
  if (/^(?:[1-9A-HJ-NP-Za-km-z]{7}|[0-9a-f-]{36})$/.test(compact)) return compact;
  throw new UsageError(
    `A conversation id has seven letters and digits, as in b-6uouHJ, not ${JSON.stringify(text)}. autolith resume lists them.`,
  );
}

async function openTerminal(parsed: ParsedCommand, opening: Opening): Promise<number> {
  requireTerminal();
  const images = await imagesOf(parsed);
  const { session } = parsed;
  const launch = hostLaunch(session, process.env);
  const connect: ConnectToHost = async () => {
    const { sharedHost } = await import("./link/shared-host.ts");
    return sharedHost(process.env, launch)();
  };
  return showTerminal({ connect, opening, session, images, isReadOnly: false, takeOver: false });
}

/** The images that the options name; one that cannot be sent is refused before anything opens. */
async function imagesOf({ options }: ParsedCommand): Promise<readonly AttachedImage[]> {
  const paths = (options.get("image") ?? [])
    .flatMap((names) => names.split(","))
    .filter((name) => name !== "");
  if (paths.length === 0) return [];
  if (paths.length > inputImages)
    throw new UsageError(`--image names ${paths.length} files; one input takes ${inputImages} images.`);
  const { readImage } = await import("./edge/image-file.ts");
  try {
    return await Promise.all(paths.map(readImage));
  } catch (error) {
    throw new UsageError(`--image: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export type ShowOptions = {
  readonly connect: ConnectToHost;
  readonly opening: Opening;
  readonly session: Pick<SessionOptions, "permissions" | "model" | "provider">;
  readonly isReadOnly: boolean;
  readonly takeOver: boolean;
  readonly images?: readonly AttachedImage[];
};

/** Runs the terminal and says afterwards how to come back. Resolves to the exit status. */
export async function showTerminal({ session, ...options }: ShowOptions): Promise<number> {
  const end = await runTerminal({
    ...options,
    mode: session.permissions,
    model: modelOf(session),
    stdin: process.stdin,
    stdout: process.stdout,
    environment: process.env,
  });
  return farewell(end);
}

/** Refuses to run without a terminal: nobody could answer what a session asks. */
export function requireTerminal(): void {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError(
      "An interactive session needs a terminal as standard input and output. Without one, run a job: autolith run-job --input FILE --output FILE.",
    );
  if (process.env["TERM"] === "dumb")
    throw new UsageError(
      "A terminal with TERM=dumb cannot show an interactive session. Set TERM to what your terminal is, or run a job: autolith run-job --input FILE --output FILE.",
    );
}

/** A provider is the first part of a model's id. */
function modelOf({ model, provider }: ShowOptions["session"]): string | undefined {
  if (model === undefined || provider === undefined || model.startsWith(`${provider}/`)) return model;
  return `${provider}/${model}`;
}

function farewell(end: TerminalEnd): number {
  const name = end.sessionId === undefined ? undefined : conversationName(end.sessionId);
  if (end.reason === "failed") return failed(end.error);
  if (name !== undefined && end.hasTurns && end.reason !== "ended")
    process.stdout.write(
      end.isRunning && end.reason !== "quit"
        ? `The session goes on without you. Come back: autolith lg attach ${name}\n`
        : `Come back to this conversation: autolith resume ${name}\n`,
    );
  if (end.signal === undefined) return exitStatus.ok;
  return signalStatus[end.signal] ?? exitStatus.terminated;
}

const signalStatus: Readonly<Partial<Record<NodeJS.Signals, number>>> = {
  SIGHUP: exitStatus.hangUp,
  SIGINT: exitStatus.interrupted,
  SIGQUIT: exitStatus.quit,
  SIGTERM: exitStatus.terminated,
};

/** What hindered the start is for people; a fault of the program comes with its place. */
function failed(error: unknown): number {
  const isOpening = error instanceof Error && error.name === "OpeningError";
  const text =
    error instanceof Error ? (isOpening ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`autolith: ${isOpening ? "could not start" : "the terminal failed"}: ${text}\n`);
  return isOpening ? exitStatus.usage : exitStatus.fatal;
}
