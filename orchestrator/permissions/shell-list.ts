/** Walks the tokens of one shell text and finds its simple commands. */
import type { ShellToken } from "./shell-tokens.ts";
import { type ShellWord, ShellSyntaxError } from "./shell-word.ts";

/** A simple command while it is being read. */
export type Draft = {
  words: ShellWord[];
  assignments: ShellWord[];
  redirections: { operator: string; target: ShellWord; body: string | undefined }[];
  piped: boolean;
};

/** Words that begin or continue a construct and are no commands. */
const reserved = new Set([
  "if",
  "then",
  "elif",
  "else",
  "fi",
  "while",
  "until",
  "do",
  "done",
  "{",
  "}",
  "!",
  "coproc",
]);
export function isAssignment(word: ShellWord): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=/.test(word.text);
}

export type ListEvents = {
  readonly command: (draft: Draft) => void;
  /** Substitutions in words that belong to no command (lists of `for`, subjects of `case`, tests). */
  readonly nested: (text: string) => void;
};

/** Walks the tokens of one text and announces each simple command. */
export class ListReader {
  readonly #tokens: readonly ShellToken[];
  readonly #events: ListEvents;
  #at = 0;
  #draft: Draft = emptyDraft(false);
  /** Open `case` constructs; true while a pattern is expected. */
  readonly #cases: boolean[] = [];

  constructor(tokens: readonly ShellToken[], events: ListEvents) {
    this.#tokens = tokens;
    this.#events = events;
  }

  run(): void {
    for (; this.#at < this.#tokens.length; this.#at += 1) {
      const token = this.#tokens[this.#at];
      if (token === undefined) break;
      if (token.kind === "operator") this.#operator(token.text);
      else if (token.kind === "redirection") this.#draft.redirections.push(token);
      else this.#word(token);
    }
    this.#finish(false);
  }

  #finish(piped: boolean): void {
    const draft = this.#draft;
    this.#draft = emptyDraft(piped);
    this.#events.command(draft);
  }

  #operator(text: string): void {
    if (this.#cases.at(-1) === true && (text === "(" || text === "|" || text === "\n")) return;
    if (this.#cases.at(-1) === true && text === ")") {
      this.#cases[this.#cases.length - 1] = false;
      this.#draft = emptyDraft(false);
      return;
    }
    if (text === "(" && this.#isFunction()) return;
    this.#finish(text === "|" || text === "|&");
    if (text.startsWith(";;") || text === ";&") {
      if (this.#cases.length > 0) this.#cases[this.#cases.length - 1] = true;
    }
  }

  /** `name ()`: the name is no command; its body follows and is read like any other. */
  #isFunction(): boolean {
    const next = this.#tokens[this.#at + 1];
    if (this.#draft.words.length !== 1 || next?.kind !== "operator" || next.text !== ")") return false;
    this.#draft = emptyDraft(false);
    this.#at += 1;
    return true;
  }

  #word(word: ShellWord): void {
    const { words, assignments } = this.#draft;
    if (this.#cases.at(-1) === true) {
      if (word.literal === "esac" && words.length === 0) {
        this.#cases.pop();
        return;
      }
      word.nested.forEach(this.#events.nested);
      return;
    }
    const atStart = words.length === 0;
    if (atStart && !word.quoted && this.#construct(word)) return;
    if (atStart && isAssignment(word)) assignments.push(word);
    else words.push(word);
  }

  /** Handles reserved words at the beginning of a command; true when the word is one. */
  #construct(word: ShellWord): boolean {
    if (this.#draft.assignments.length > 0) return false;
    switch (word.text) {
      case "for":
      case "select":
        this.#skipTo(["do", "{"]);
        return true;
      case "case":
        this.#skipTo(["in"]);
        this.#cases.push(true);
        return true;
      case "esac":
        this.#cases.pop();
        return true;
      case "function":
        this.#at += 1;
        return true;
      case "[[":
        this.#skipTo(["]]"]);
        return true;
      default:
        return reserved.has(word.text);
    }
  }

  /**
   * Passes the words up to one of these, taking note of substitutions. Throws when a command could begin before: shells
   * differ in which of these words they know, and nothing may hide from one behind a construct of another.
   */
  #skipTo(ends: readonly string[]): void {
    let separated = false;
    for (this.#at += 1; this.#at < this.#tokens.length; this.#at += 1) {
      const token = this.#tokens[this.#at];
      if (token?.kind === "operator" && (token.text === ";" || token.text === "\n")) separated = true;
      if (token?.kind !== "word") continue;
      if (!token.quoted && ends.includes(token.text)) {
        if (separated && ends.includes("]]")) break;
        return;
      }
      if (separated) break;
      token.nested.forEach(this.#events.nested);
    }
    throw new ShellSyntaxError(`There is no ${ends.join(" or ")} where one is needed.`);
  }
}

function emptyDraft(piped: boolean): Draft {
  return { words: [], assignments: [], redirections: [], piped };
}
