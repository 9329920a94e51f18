/**
 * The command line as data. Session options are accepted before and after the subcommand; every refusal names the argument, the
 * rule and what to do, and ends the process with status 64.
 */
import { type PermissionMode, permissionModes } from "../orchestrator/contract/permission-mode.ts";

/** A refused command line. Not an AutolithError: every command loads this, and schemas come with those. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "usage";
}

/** Options that hold for a whole process, whatever the subcommand. */
export type SessionOptions = {
  readonly permissions: PermissionMode | undefined;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly immutable: boolean;
  readonly pristine: boolean;
  readonly siteConfigRoot: string | undefined;
};

/** What a subcommand takes beside the session options. `value`: the option needs one. */
export type OptionTable = Readonly<Record<string, { readonly value: boolean; readonly repeat?: boolean }>>;

export type ParsedCommand = {
  readonly session: SessionOptions;
  readonly help: boolean;
  /** Values by option name without dashes; flags have one empty string. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
};

const sessionTable: OptionTable = {
  permissions: { value: true },
  model: { value: true },
  provider: { value: true },
  immutable: { value: false },
  pristine: { value: false },
  "site-config-root": { value: true },
  help: { value: false },
};

/** Options of the terminal that come before the subcommand too; `-i` is short for `--image`. */
export const terminalTable: OptionTable = { image: { value: true, repeat: true } };

/** Splits off the subcommand: the first argument that is neither a session option nor the value of one. */
export function splitCommand(argv: readonly string[]): {
  readonly command: string | undefined;
  readonly rest: readonly string[];
} {
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index] ?? "";
    if (argument === "--") return { command: undefined, rest: argv };
    if (!argument.startsWith("-"))
      return { command: argument, rest: [...argv.slice(0, index), ...argv.slice(index + 1)] };
    const name = argument.replace(/^--?/, "");
    const isImage = name === "i" || Object.hasOwn(terminalTable, name);
    if (isImage || sessionTable[name]?.value === true) index += 1;
  }
  return { command: undefined, rest: argv };
}

/** Reads the arguments of one command against its option table. Throws {@link UsageError}. */
export function parseArguments(argv: readonly string[], table: OptionTable): ParsedCommand {
  const all: OptionTable = { ...sessionTable, ...table };
  const options = new Map<string, string[]>();
  const positionals: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index] ?? "";
    if (argument === "--") {
      positionals.push(...argv.slice(index + 1));
      break;
    }
    if (argument === "-" || !argument.startsWith("-")) {
      positionals.push(argument);
      continue;
    }
    const option = readOption(argument, argv[index + 1], all);
    if (option.consumedNext) index += 1;
    addOption(options, option, all);
  }
  return { session: sessionOptions(options), help: options.has("help"), options, positionals };
}

const shortOptions: Readonly<Record<string, string | undefined>> = { "-h": "help", "-i": "image" };

type ReadOption = { readonly name: string; readonly value: string; readonly consumedNext: boolean };

function readOption(argument: string, next: string | undefined, table: OptionTable): ReadOption {
  const equals = argument.indexOf("=");
  const written = equals < 0 ? argument : argument.slice(0, equals);
  const long = shortOptions[written];
  const name = long ?? written.replace(/^--?/, "");
  const entry =
    Object.hasOwn(table, name) && (written.startsWith("--") || long !== undefined) ? table[name] : undefined;
  if (entry === undefined) throw new UsageError(`Unknown option ${written}. Try --help.`);
  if (!entry.value) {
    if (equals >= 0) throw new UsageError(`${written} takes no value.`);
    return { name, value: "", consumedNext: false };
  }
  if (equals >= 0) return { name, value: argument.slice(equals + 1), consumedNext: false };
  if (next === undefined || (next.startsWith("--") && next !== "--"))
    throw new UsageError(`${written} needs a value.`);
  return { name, value: next, consumedNext: true };
}

function addOption(options: Map<string, string[]>, option: ReadOption, table: OptionTable): void {
  const values = options.get(option.name) ?? [];
  if (values.length > 0 && table[option.name]?.repeat !== true && table[option.name]?.value === true)
    throw new UsageError(`--${option.name} is given twice.`);
  options.set(option.name, [...values, option.value]);
}

function sessionOptions(options: ReadonlyMap<string, readonly string[]>): SessionOptions {
  const single = (name: string): string | undefined => options.get(name)?.[0];
  const permissions = single("permissions");
  const mode = permissionModes.find((known) => known === permissions);
  if (permissions !== undefined && mode === undefined)
    throw new UsageError(
      `--permissions takes ${permissionModes.join(", ")}, not ${JSON.stringify(permissions)}.`,
    );
  const [model, provider] = [single("model"), single("provider")];
  if (provider !== undefined && model === undefined) throw new UsageError("--provider needs --model too.");
  if (model === "" || provider === "") throw new UsageError("--model and --provider may not be empty.");
  return {
    permissions: mode,
    model,
    provider,
    immutable: options.has("immutable") || options.has("pristine"),
    pristine: options.has("pristine"),
    siteConfigRoot: single("site-config-root"),
  };
}

/** The only value of an option, or undefined. */
export function optionValue(parsed: ParsedCommand, name: string): string | undefined {
  return parsed.options.get(name)?.[0];
}

/** Refuses positional arguments beyond `limit`. */
export function checkPositionals(parsed: ParsedCommand, limit: number, usage: string): void {
  const extra = parsed.positionals[limit];
  if (extra !== undefined)
    throw new UsageError(`Unexpected argument ${JSON.stringify(extra)}. Usage: ${usage}`);
}
