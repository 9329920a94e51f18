/**
 * Chains whose effects can be read from their words: the only ones that may run with the user's privileges because a classifier says so.
 * A list of what is known, since a list of what is dangerous is never complete. When in doubt a chain is not readable, which costs it no
 * more than the network and places outside of the workspace.
 */
import { resolve } from "node:path";
import type { ChainCommand } from "./command-chain.ts";

/** Where a chain would run, and what is there. Paths are absolute. */
export type CommandPlace = {
  /** Real path of the directory that may be written. */
  readonly workspace: string;
  /** Directory the chain starts in. */
  readonly directory: string;
  /**
   * Whether a path lies in the workspace once its links are followed (for a new file those of the directories that exist), and not in
   * what a sandbox protects there.
   */
  readonly isInside: (path: string) => boolean;
  readonly exists: (path: string) => boolean;
  /** Directories in which programs are looked for. */
  readonly searchPath: readonly string[];
};

/** Programs that only read or print what their arguments name, whatever their options are. */
const readers = new Set([
  ...[
    "echo",
    "cat",
    "head",
    "tail",
    "wc",
    "ls",
    "grep",
    "cut",
    "tr",
    "jq",
    "true",
    "false",
    ":",
    "pwd",
    "exit",
  ],
  ...["basename", "dirname", "stat", "sha256sum", "sha1sum", "md5sum", "base64", "cmp", "nl", "fold", "seq"],
  ...["sleep", "uname", "whoami", "id", "nproc", "wait"],
]);
/** Programs that make files named by their arguments. */
const makers = new Set(["mkdir", "tee"]);
/** Text in which shells see commands, expansions or word ends that a reader of words may not see: arithmetic, `$"…"`, controls. */
const hiding = /\[\[|\(\(|\$\[|\$\{|\$"|[^\P{Cc}\t\n]/u;
/** Commands that touch no file. */
const talkers = new Set(["echo", "true", "false", ":", "exit", "sleep", "cd"]);

/** Why the effects of a chain cannot be read from its words, or undefined when they can. */
export function unreadableEffect(
  text: string,
  commands: readonly ChainCommand[],
  place: CommandPlace,
): string | undefined {
  if (hiding.test(text)) return "It holds an expression that is only worked out when it runs.";
  // A command may have put a program of its own there, under the name of a known one.
  if (place.searchPath.some((directory) => !directory.startsWith("/") || place.isInside(directory)))
    return "Programs are looked for in the working directory too.";
  const bases = basesOf(commands, place);
  if (bases === undefined) return "It leaves the working directory, or changes it on its way.";
  for (const [index, command] of commands.entries()) {
    const problem = problemOf(command, index, place, bases);
    if (problem !== undefined) return `${JSON.stringify(command.text.slice(0, 120))} ${problem}.`;
  }
  // A clone may bring links that lead anywhere, and nobody has looked at them.
  const others = commands.filter(({ name }) => !talkers.has(name ?? ""));
  if (!others.some(({ name }) => name === "git")) return undefined;
  return others.length > 1 || commands.some(writesFile) ? "It does more than what git does." : undefined;
}

/** The directories its relative paths may start from; undefined when they are not known. */
function basesOf(commands: readonly ChainCommand[], place: CommandPlace): readonly string[] | undefined {
  const moves = commands.filter(({ name }) => name === "cd");
  if (moves.length === 0) return [place.directory];
  const [move] = moves;
  const target = move?.arguments[0];
  if (moves.length > 1 || move !== commands[0] || move?.arguments.length !== 1) return undefined;
  if (target === undefined || target.startsWith("-")) return undefined;
  const moved = resolve(place.directory, target);
  return isInside(target, place, [place.directory]) ? [...new Set([place.directory, moved])] : undefined;
}

function problemOf(
  command: ChainCommand,
  index: number,
  place: CommandPlace,
  bases: readonly string[],
): string | undefined {
  const words = command.arguments.filter((argument) => argument !== undefined);
  if (command.assignments.length > 0) return "runs with an environment that decides what programs do";
  if (words.length < command.arguments.length) return "has arguments that are only known when it runs";
  if (command.redirections.some((redirection) => !isKnownRedirection(redirection, place, bases)))
    return "reads or writes a place outside of the working directory, or one that is only known when it runs";
  if (hasBraces(command.text)) return "has words that are only known when it runs";
  if (command.name === "cd") return index === 0 ? undefined : "changes the directory on the way";
  if (command.name === "curl") return curlProblem(words, place, bases);
  if (command.name === "git") return gitProblem(words, place, bases);
  // A program that is given by its path may be anything, and so may all that are not listed.
  if (!readers.has(command.name ?? "") && !makers.has(command.name ?? "") && command.name !== "")
    return "is no program whose effects can be read from its words";
  if (command.name === "grep" && words.some((word) => /^-[A-Za-z]*R|^--d/.test(word)))
    return "follows links that are only known when it runs";
  return words.every((word) => isInsideWord(word, place, bases)) ? undefined : outside;
}

const outside = "names a place outside of the working directory";

/** Whether braces outside of quotes may make several words of one. */
function hasBraces(text: string): boolean {
  return text.replaceAll(/\\.|'[^']*'|"(?:\\.|[^"\\])*"/gs, "").includes("{");
}

function isInside(path: string, place: CommandPlace, bases: readonly string[]): boolean {
  // The way up from a linked directory is not the way it came.
  if (path.split("/").includes("..")) return false;
  return bases.every((base) => place.isInside(resolve(base, path)));
}

/** Whether a word names nothing outside, taken as a path, as a value of an option, and as text with paths in it. */
function isInsideWord(word: string, place: CommandPlace, bases: readonly string[]): boolean {
  const value = /^--[a-z-]+=(.*)$/s.exec(word)?.[1] ?? word;
  if (/^-[^-]/.test(value) && value.includes("/")) return false;
  if (/^[\w./@+-]*$/.test(value)) return isInside(value, place, bases);
  // Of text only what looks like an absolute path, a home, or a way up could lead out.
  return !/(?:^|[^\w.-])[/~]|\.\./.test(value) && isInside(value, place, bases);
}

const harmlessTargets = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

function isKnownRedirection(
  { operator, target }: ChainCommand["redirections"][number],
  place: CommandPlace,
  bases: readonly string[],
): boolean {
  // The end word of a here-document, and the text of a here-string, are no places.
  if (operator.startsWith("<<")) return target !== undefined;
  if (target === undefined) return false;
  if (operator.endsWith("&") && /^[0-9]+$|^-$/.test(target)) return true;
  return harmlessTargets.has(target) || isInside(target, place, bases);
}

function writesFile({ redirections }: ChainCommand): boolean {
  return redirections.some(
    ({ operator, target }) =>
      operator.includes(">") && !harmlessTargets.has(target ?? "") && !/^[0-9]+$|^-$/.test(target ?? ""),
  );
}

const curlFlags =
  /^(?:-[sSfLiIvg]+|--(?:silent|show-error|fail|location|include|head|verbose|compressed|fail-with-body|no-progress-meter))$/;
const curlValues =
  /^(?:-[sSfLiIvg]*[XHdmoA]|--(?:request|header|data|data-raw|json|max-time|connect-timeout|retry|output|user-agent))$/;

/** `curl` with listed options only: others read settings from files, or name their output by what a server says. */
function curlProblem(
  words: readonly string[],
  place: CommandPlace,
  bases: readonly string[],
): string | undefined {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (curlFlags.test(word)) continue;
    if (curlValues.test(word)) {
      at += 1;
      const value = words[at] ?? "";
      const isOutput = /o$|output$/.test(word);
      // `#1` in the name of an output is a part of the address.
      if (isOutput && (value.includes("#") || value.startsWith("-") !== (value === "-"))) return outside;
      if (isOutput || value.startsWith("@")) {
        if (!isInside(value.replace(/^@/, ""), place, bases)) return outside;
      }
      continue;
    }
    if (!/^https?:\/\/[^\s]+$/.test(word)) return "has an option or an address whose effect is not known";
  }
  return undefined;
}

const cloneAddress = /^(?:https:\/\/|http:\/\/|ssh:\/\/(?!-)|git@(?!-))[\w.@:/~+-]+$/;

/** What git does over the network without running anything of the project's: hooks, filters, settings of nested repositories. */
function gitProblem(
  words: readonly string[],
  place: CommandPlace,
  bases: readonly string[],
): string | undefined {
  const [subcommand, ...rest] = words;
  const unknown = "may run settings, hooks or filters of the project";
  if (subcommand === "clone") return cloneProblem(rest, place, bases);
  if (subcommand !== "push" && subcommand !== "ls-remote") return unknown;
  // Only the settings of the checkout that the sandbox protects are known not to come from a command.
  const settled = bases.every((base) => base === place.workspace) && isCheckout(place);
  if (!settled || (subcommand === "push" && !rest.includes("--no-verify"))) return unknown;
  const options = rest.filter((word) => word.startsWith("-"));
  if (
    !options.every((word) =>
      /^(?:-u|--set-upstream|--tags|-q|--quiet|--no-verify|--follow-tags|--heads)$/.test(word),
    )
  )
    return "has an option whose effect is not known";
  const remote = rest.find((word) => !word.startsWith("-")) ?? "origin";
  if (cloneAddress.test(remote)) return undefined;
  // A name that is no remote's is taken for a path, and a repository there has hooks of its own.
  return /^[\w-]+$/.test(remote) && !place.exists(resolve(place.workspace, remote)) ? undefined : outside;
}

function isCheckout({ workspace, exists }: CommandPlace): boolean {
  return (
    exists(resolve(workspace, ".git/HEAD")) || (exists(`${workspace}/.git`) && !exists(`${workspace}/.git/.`))
  );
}

function cloneProblem(
  words: readonly string[],
  place: CommandPlace,
  bases: readonly string[],
): string | undefined {
  const plain: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (/^(?:--depth|-b|--branch)$/.test(word)) at += 1;
    else if (word.startsWith("-")) {
      if (!/^(?:-q|--quiet|--single-branch|--no-tags|--depth=[0-9]+|--branch=[\w./-]+)$/.test(word))
        return "has an option whose effect is not known";
    } else plain.push(word);
  }
  const [address, directory] = plain;
  if (address === undefined || !cloneAddress.test(address)) return "clones from an address that is not known";
  const name = address
    .replace(/\/+$/, "")
    .split(/[/:]/)
    .at(-1)
    ?.replace(/\.git$/, "");
  return plain.length <= 2 && isInside(directory ?? name ?? "..", place, bases) ? undefined : outside;
}
