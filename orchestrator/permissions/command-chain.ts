/**
 * Splits shell text into every command it would run: parts of lists and pipelines, subshells, substitutions, bodies of loops and
 * functions, here-documents fed to a shell, and what wrappers such as `env`, `sudo`, `xargs` and `find -exec` start. Permission
 * modes judge each of them; the most dangerous one decides.
 */
import {
  executedByFind,
  scriptOption,
  takesAssignments,
  withoutOptions,
  wrapped,
} from "./command-wrappers.ts";
import { type Draft, ListReader, isAssignment } from "./shell-list.ts";
import { shellTokens } from "./shell-tokens.ts";
import { type ShellWord, ShellSyntaxError } from "./shell-word.ts";

/** One command of a chain. */
export type ChainCommand = {
  /** As written, assignments and redirections left out. */
  readonly text: string;
  /** Its program, function or builtin; undefined when only running it tells (`$CMD`, `*`). */
  readonly name: string | undefined;
  /** Words after the name: values known beforehand, undefined for those an expansion decides. */
  readonly arguments: readonly (string | undefined)[];
  readonly assignments: readonly string[];
  readonly redirections: readonly { readonly operator: string; readonly target: string | undefined }[];
  /** What leads to it, outermost first: `pipe`, `substitution`, `xargs`, `env`, `bash -c`, `here-document`… */
  readonly via: readonly string[];
  /** Whether it gets the output of another command as its input. */
  readonly piped: boolean;
};

/** `opaque`: what it runs is not known beforehand; `reason` says why. The commands that could be read are given all the same. */
export type CommandChain =
  | { readonly kind: "known"; readonly commands: readonly ChainCommand[] }
  | { readonly kind: "opaque"; readonly commands: readonly ChainCommand[]; readonly reason: string };

/** Most commands one text may hold. */
export const chainLimit = 512;
/** Deepest nesting of texts within texts. */
export const depthLimit = 16;

/** Every command of a text. Never throws: what is not understood makes the chain opaque. */
export function commandChain(text: string): CommandChain {
  const reader = new ChainReader();
  try {
    reader.read(text, [], 0);
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    reader.reasons.push(error.message);
  }
  const [reason] = reader.reasons;
  return reason === undefined
    ? { kind: "known", commands: reader.commands }
    : { kind: "opaque", commands: reader.commands, reason };
}

const shells = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "busybox"]);
const interpreters = new Set(["python", "python3", "perl", "ruby", "node", "php", "lua", "osascript"]);

class ChainReader {
  readonly commands: ChainCommand[] = [];
  readonly reasons: string[] = [];

  read(text: string, via: readonly string[], depth: number): void {
    if (depth > depthLimit) throw new ShellSyntaxError(`Commands nest more than ${depthLimit} deep.`);
    new ListReader(shellTokens(text), {
      command: (draft) => {
        this.#take(draft, via, depth);
      },
      nested: (nestedText) => {
        this.read(nestedText, [...via, "substitution"], depth + 1);
      },
    }).run();
  }

  #take(draft: Draft, via: readonly string[], depth: number): void {
    if (this.commands.length >= chainLimit) throw new ShellSyntaxError(`More than ${chainLimit} commands.`);
    for (const word of [...draft.words, ...draft.assignments]) this.#nested(word, via, depth);
    for (const { target, body } of draft.redirections) {
      this.#nested(target, via, depth);
      if (body !== undefined && isShell(draft.words)) this.read(body, [...via, "here-document"], depth + 1);
    }
    if (draft.words.length === 0 && draft.assignments.length === 0 && draft.redirections.length === 0) return;
    this.#add(draft, via);
    this.#unwrap(draft, via, depth);
  }

  #nested(word: ShellWord, via: readonly string[], depth: number): void {
    for (const text of word.nested) this.read(text, [...via, "substitution"], depth + 1);
  }

  #add(draft: Draft, via: readonly string[]): void {
    const [first, ...rest] = draft.words;
    this.commands.push({
      text: draft.words.map(({ text }) => text).join(" "),
      name: first === undefined ? "" : first.literal,
      arguments: rest.map(({ literal }) => literal),
      assignments: draft.assignments.map(({ text }) => text),
      redirections: draft.redirections.map(({ operator, target }) => ({ operator, target: target.literal })),
      via,
      piped: draft.piped,
    });
    if (first !== undefined && first.literal === undefined) {
      this.reasons.push(
        `The program of ${JSON.stringify(first.text.slice(0, 80))} is only known when it runs.`,
      );
    }
  }

  /** Finds the command that a wrapper starts and takes it too. */
  #unwrap(draft: Draft, via: readonly string[], depth: number): void {
    if (depth > depthLimit) throw new ShellSyntaxError(`Commands nest more than ${depthLimit} deep.`);
    const name = programName(draft.words[0]);
    if (name === undefined) return;
    const rest = draft.words.slice(1);
    const inner = (words: readonly ShellWord[], piped = draft.piped): void => {
      if (words.length === 0) return;
      const split = words.findIndex((word) => !isAssignment(word));
      const own = takesAssignments.has(name) && split > 0 ? split : 0;
      const next: Draft = {
        words: words.slice(own),
        assignments: words.slice(0, own),
        redirections: [],
        piped,
      };
      if (next.words.length === 0) return;
      this.#add(next, [...via, name]);
      this.#unwrap(next, [...via, name], depth + 1);
    };
    const script = (word: ShellWord | undefined): void => {
      if (word?.literal === undefined) {
        this.reasons.push(`What ${name} runs is only known when it runs.`);
        return;
      }
      this.read(word.literal, [...via, name], depth + 1);
    };
    if (shells.has(name)) return this.#shell(name, rest, draft, script);
    switch (name) {
      case "eval":
        return this.#joined(name, rest, via, depth);
      case "env":
        return this.#env(rest, inner, script);
      case "find":
        return executedByFind(rest).forEach((words) => {
          inner(words);
        });
      case "trap":
        return rest[0]?.literal === "-" || rest.length < 2 ? undefined : script(rest[0]);
      case "su":
      case "runuser":
      case "script":
        return scriptOption(rest).forEach(script);
      case "watch":
        return this.#joined(name, withoutOptions(rest, ["-n", "--interval"]), via, depth);
      case "alias":
        this.reasons.push("An alias may give a program another meaning.");
        return undefined;
      default:
        return inner(wrapped(name, rest), name === "xargs" ? true : draft.piped);
    }
  }

  /** Words that are joined into one text and run. */
  #joined(name: string, words: readonly ShellWord[], via: readonly string[], depth: number): void {
    const literals = words.map(({ literal }) => literal);
    if (literals.includes(undefined)) this.reasons.push(`What ${name} runs is only known when it runs.`);
    else if (literals.length > 0) this.read(literals.join(" "), [...via, name], depth + 1);
  }

  #shell(
    name: string,
    rest: readonly ShellWord[],
    draft: Draft,
    script: (word: ShellWord | undefined) => void,
  ): void {
    const at = rest.findIndex(
      ({ literal }) => literal !== undefined && /^-[A-Za-z]*c[A-Za-z]*$/.test(literal),
    );
    if (at >= 0) {
      script(rest[at + 1]);
      return;
    }
    const readsInput = rest.every(({ literal }) => literal?.startsWith("-") === true);
    const input = draft.redirections.find(({ operator }) => operator.startsWith("<"));
    if (
      readsInput &&
      (draft.piped || (input !== undefined && input.body === undefined && input.operator !== "<<<"))
    ) {
      this.reasons.push(`${name} runs whatever it is given as input.`);
    }
    if (input?.operator === "<<<") script(input.target);
  }

  #env(
    rest: readonly ShellWord[],
    inner: (words: readonly ShellWord[]) => void,
    script: (word: ShellWord | undefined) => void,
  ): void {
    const split = rest.findIndex(
      ({ literal }) => literal === "-S" || literal?.startsWith("--split-string") === true,
    );
    if (split >= 0) {
      const value = rest[split]?.literal;
      script(value === "-S" ? rest[split + 1] : undefined);
      return;
    }
    inner(withoutOptions(rest, ["-u", "-C", "--unset", "--chdir"]));
  }
}

function programName(word: ShellWord | undefined): string | undefined {
  return word?.literal?.split("/").at(-1);
}

function isShell(words: readonly ShellWord[]): boolean {
  const names = words.map(programName);
  return names.some((name) => name !== undefined && shells.has(name));
}

/** Whether a program reads its own program from its input when it gets no file: a pipe into it is opaque. */
export function runsItsInput(command: ChainCommand): boolean {
  const name = command.name?.split("/").at(-1);
  if (name === undefined || !(interpreters.has(name) || shells.has(name))) return false;
  return command.arguments.every((argument) => argument === "-" || argument?.startsWith("-s") === true);
}
