/**
 * Reads POSIX shell text (and what bash adds to it in daily use) into tokens, for judging commands, not for running them: every
 * nested command text is kept, whatever a word expands to at run time is marked, and text that is not understood is an error.
 */
import { AutolithError } from "../contract/failure.ts";

/** A word as written, with what is known of it before it is run. */
export type ShellWord = {
  readonly kind: "word";
  readonly text: string;
  /** The word's value; undefined when an expansion (`$x`, `$(…)`, `*`, `~`, `{a,b}`) decides it at run time. */
  readonly literal: string | undefined;
  /** Whether any part is quoted: a quoted word is never a reserved word or a function's name. */
  readonly quoted: boolean;
  /** Texts of command and process substitutions in it, in order. */
  readonly nested: readonly string[];
};

export type ShellRedirection = {
  readonly kind: "redirection";
  /** `<`, `>`, `>>`, `<<`, `<<<`, `>&`, `&>`… without the descriptor number. */
  readonly operator: string;
  readonly target: ShellWord;
  /** Body of a here-document. */
  readonly body: string | undefined;
};

export type ShellOperator = { readonly kind: "operator"; readonly text: string };

export type ShellToken = ShellWord | ShellRedirection | ShellOperator;

/** `shell-syntax`: the text ends inside a quote, substitution or here-document, or a bound is passed; the message says which. */
export class ShellSyntaxError extends AutolithError {
  constructor(message: string) {
    super("shell-syntax", message);
  }
}

/** Deepest nesting of quotes and substitutions within one word. */
const nestingLimit = 64;

const operators = [";;&", ";;", ";&", "&&", "||", "|&", ";", "&", "|", "(", ")", "\n"];
const redirections = ["&>>", "<<<", "<<-", "&>", ">>", "<<", "<&", ">&", "<>", ">|", "<", ">"];

/** All tokens of a text. Throws {@link ShellSyntaxError}. */
export function shellTokens(text: string): readonly ShellToken[] {
  return new TokenReader(text).all();
}

type OpenDocument = {
  readonly index: number;
  readonly operator: string;
  readonly target: ShellWord;
};

class TokenReader {
  readonly #text: string;
  #at = 0;
  readonly #tokens: ShellToken[] = [];
  /** Here-documents whose bodies begin after the next newline. */
  #open: OpenDocument[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  all(): readonly ShellToken[] {
    while (this.#skipBlanks()) this.#token();
    if (this.#open.length > 0) throw new ShellSyntaxError("A here-document has no body.");
    return this.#tokens;
  }

  #skipBlanks(): boolean {
    for (;;) {
      if (this.#text.startsWith("\\\n", this.#at)) this.#at += 2;
      else if (" \t\r".includes(this.#text[this.#at] ?? "x")) this.#at += 1;
      else break;
    }
    if (this.#text[this.#at] === "#") {
      const end = this.#text.indexOf("\n", this.#at);
      this.#at = end < 0 ? this.#text.length : end;
    }
    return this.#at < this.#text.length;
  }

  #token(): void {
    const redirection = this.#redirection();
    if (redirection) return;
    const operator = operators.find((candidate) => this.#text.startsWith(candidate, this.#at));
    if (operator === undefined) {
      this.#tokens.push(this.#word());
      return;
    }
    this.#at += operator.length;
    this.#tokens.push({ kind: "operator", text: operator });
    if (operator === "\n") this.#bodies();
  }

  /** Reads a redirection with its target, if there is one here. */
  #redirection(): boolean {
    const number =
      /^(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})(?=[<>])/.exec(this.#text.slice(this.#at, this.#at + 40))?.[0] ??
      "";
    const from = this.#at + number.length;
    const operator = redirections.find((candidate) => this.#text.startsWith(candidate, from));
    if (operator === undefined) return false;
    // <( and >( begin a word: process substitution.
    if (number === "" && /^[<>]$/.test(operator) && this.#text[from + 1] === "(") return false;
    this.#at = from + operator.length;
    if (!this.#skipBlanks()) throw new ShellSyntaxError(`${operator} has no target.`);
    const target = this.#word();
    if (operator === "<<" || operator === "<<-")
      this.#open.push({ index: this.#tokens.length, operator, target });
    this.#tokens.push({ kind: "redirection", operator, target, body: undefined });
    return true;
  }

  /** Reads the bodies of the here-documents announced on the line that has just ended. */
  #bodies(): void {
    const open = this.#open;
    this.#open = [];
    for (const { index, operator, target } of open) {
      const end = target.text.replaceAll(/['"\\]/g, "");
      const lines: string[] = [];
      for (;;) {
        if (this.#at >= this.#text.length)
          throw new ShellSyntaxError(`The here-document ${end} does not end.`);
        const raw = this.#bodyLine(!target.quoted);
        const line = operator === "<<-" ? raw.replace(/^\t+/, "") : raw;
        if (line === end) break;
        lines.push(line);
      }
      const body = lines.join("\n");
      // In a body whose end word is not quoted, substitutions are run.
      const nested = target.quoted
        ? []
        : new WordReader(`"${body.replaceAll('"', '\\"')}"`, 0).read().word.nested;
      this.#tokens[index] = { kind: "redirection", operator, target: { ...target, nested }, body };
    }
  }

  /** One line of a body; where escapes count, a line end after a backslash does not end it. */
  #bodyLine(joins: boolean): string {
    let line = "";
    for (;;) {
      const newline = this.#text.indexOf("\n", this.#at);
      const part = this.#text.slice(this.#at, newline < 0 ? this.#text.length : newline);
      this.#at += part.length + 1;
      const slashes = /\\*$/.exec(part)?.[0].length ?? 0;
      if (!joins || slashes % 2 === 0 || newline < 0) return line + part;
      line += part.slice(0, -1);
    }
  }

  #word(): ShellWord {
    const { word, end } = new WordReader(this.#text, this.#at).read();
    if (end === this.#at) {
      throw new ShellSyntaxError(
        `Not understood: ${JSON.stringify(this.#text.slice(this.#at, this.#at + 20))}.`,
      );
    }
    this.#at = end;
    return word;
  }
}

/** Reads one word from a position on. */
class WordReader {
  readonly #text: string;
  readonly #start: number;
  #at: number;
  #value = "";
  #dynamic = false;
  #quoted = false;
  readonly #nested: string[] = [];

  constructor(text: string, start: number) {
    this.#text = text;
    this.#start = start;
    this.#at = start;
  }

  read(): { readonly word: ShellWord; readonly end: number } {
    while (this.#at < this.#text.length && this.#part()) continue;
    const text = this.#text.slice(this.#start, this.#at);
    // Brace expansion makes several words of one.
    if (/\{[^{}]*(?:,|\.\.)[^{}]*\}/.test(text) && !this.#quoted) this.#dynamic = true;
    return {
      word: {
        kind: "word",
        text,
        literal: this.#dynamic ? undefined : this.#value,
        quoted: this.#quoted,
        nested: this.#nested,
      },
      end: this.#at,
    };
  }

  /** Reads one part of the word; false at its end. */
  #part(): boolean {
    const character = this.#text[this.#at] ?? "";
    if (/[\s;&|)]/.test(character)) return false;
    switch (character) {
      case "'":
        this.#singleQuoted();
        return true;
      case '"':
        this.#doubleQuoted();
        return true;
      case "\\":
        this.#escaped();
        return true;
      case "$":
        this.#dollar(0);
        return true;
      case "`":
        this.#backquoted();
        return true;
      case "<":
      case ">":
        if (this.#text[this.#at + 1] !== "(") return false;
        this.#at += 1;
        this.#dynamic = true;
        this.#nested.push(this.#parenthesized());
        return true;
      case "(":
        return this.#opening();
      default:
        this.#plain(character);
        return true;
    }
  }

  /** `(` inside a word: an array assignment or an extended glob; else the word ends here. */
  #opening(): boolean {
    const before = this.#text.slice(this.#start, this.#at);
    if (!/(?:=|[?*+@!])$/.test(before)) return false;
    this.#dynamic = true;
    const inside = this.#parenthesized();
    if (before.endsWith("=")) this.#nested.push(...substitutionsIn(inside));
    return true;
  }

  /** A backslash takes the next character as it is; before a newline both vanish. */
  #escaped(): void {
    const next = this.#text[this.#at + 1] ?? "";
    if (next !== "\n") {
      this.#quoted = true;
      this.#value += next;
    }
    this.#at += 2;
  }

  #plain(character: string): void {
    if ("*?[".includes(character) || (character === "~" && this.#at === this.#start)) this.#dynamic = true;
    this.#value += character;
    this.#at += 1;
  }

  #singleQuoted(): void {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end < 0) throw new ShellSyntaxError("A single quote does not end.");
    this.#quoted = true;
    this.#value += this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
  }

  #doubleQuoted(depth = 0): void {
    this.#quoted = true;
    this.#at += 1;
    while (this.#text[this.#at] !== '"') {
      const character = this.#text[this.#at];
      if (character === undefined) throw new ShellSyntaxError("A double quote does not end.");
      if (character === "$") this.#dollar(depth + 1);
      else if (character === "`") this.#backquoted();
      else if (character === "\\") {
        const next = this.#text[this.#at + 1] ?? "";
        if (next !== "\n") this.#value += '$`"\\'.includes(next) ? next : `\\${next}`;
        this.#at += 2;
      } else {
        this.#value += character;
        this.#at += 1;
      }
    }
    this.#at += 1;
  }

  #dollar(depth: number): void {
    if (depth > nestingLimit)
      throw new ShellSyntaxError(`Quotes and substitutions nest more than ${nestingLimit} deep.`);
    const rest = this.#text.slice(this.#at + 1, this.#at + 3);
    if (rest.startsWith("((")) this.#arithmetic();
    else if (rest.startsWith("(")) {
      this.#at += 1;
      this.#dynamic = true;
      this.#nested.push(this.#parenthesized());
    } else if (rest.startsWith("{")) this.#parameter(depth);
    else if (rest.startsWith("'") && depth === 0) this.#ansiQuoted();
    else if (/^[A-Za-z0-9_@*#?$!-]/.test(rest)) {
      this.#dynamic = true;
      this.#at +=
        1 +
        (/^(?:[A-Za-z_][A-Za-z0-9_]*|.)/.exec(this.#text.slice(this.#at + 1, this.#at + 300))?.[0].length ??
          1);
    } else {
      this.#value += "$";
      this.#at += 1;
    }
  }

  /** `$'…'`: its escapes are not worked out, so the value is only known at run time. */
  #ansiQuoted(): void {
    this.#dynamic = true;
    this.#quoted = true;
    this.#at += 2;
    while (this.#text[this.#at] !== "'") {
      if (this.#at >= this.#text.length) throw new ShellSyntaxError("A $' quote does not end.");
      this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    }
    this.#at += 1;
  }

  #arithmetic(): void {
    this.#dynamic = true;
    this.#at += 1;
    this.#nested.push(...substitutionsIn(this.#parenthesized()));
  }

  /** `${…}`: a value may hold quotes and substitutions. */
  #parameter(depth: number): void {
    this.#dynamic = true;
    this.#at += 2;
    while (this.#text[this.#at] !== "}") {
      const character = this.#text[this.#at];
      if (character === undefined) throw new ShellSyntaxError("A ${ does not end.");
      if (character === "$") this.#dollar(depth + 1);
      else if (character === "`") this.#backquoted();
      else if (character === '"') this.#doubleQuoted(depth + 1);
      else if (character === "'") this.#singleQuoted();
      else this.#at += character === "\\" ? 2 : 1;
    }
    this.#at += 1;
  }

  #backquoted(): void {
    this.#dynamic = true;
    let inside = "";
    this.#at += 1;
    while (this.#text[this.#at] !== "`") {
      const character = this.#text[this.#at];
      if (character === undefined) throw new ShellSyntaxError("A backquote does not end.");
      const next = this.#text[this.#at + 1] ?? "";
      if (character === "\\" && "`$\\".includes(next)) {
        inside += next;
        this.#at += 2;
      } else {
        inside += character;
        this.#at += 1;
      }
    }
    this.#at += 1;
    this.#nested.push(inside);
  }

  /** The text between `(` here and the `)` that belongs to it, past quotes, comments and case patterns. */
  #parenthesized(): string {
    const start = this.#at + 1;
    let depth = 0;
    let cases = 0;
    for (let at = this.#at; at < this.#text.length; at += 1) {
      const character = this.#text[at];
      if (character === "\\") at += 1;
      else if (character === "'" || character === '"' || character === "`") at = endOfQuote(this.#text, at);
      else if (character === "#" && /[\s;(]/.test(this.#text[at - 1] ?? "\n")) {
        const newline = this.#text.indexOf("\n", at);
        at = newline < 0 ? this.#text.length : newline - 1;
      } else if (isWordAt(this.#text, at, "case")) cases += 1;
      else if (isWordAt(this.#text, at, "esac")) cases = Math.max(0, cases - 1);
      else if (character === "(") depth += 1;
      else if (character === ")") {
        // A case pattern ends in a parenthesis that was never opened.
        if (depth === 1 && cases > 0) continue;
        depth -= 1;
        if (depth > 0) continue;
        this.#at = at + 1;
        return this.#text.slice(start, at);
      }
    }
    throw new ShellSyntaxError("A parenthesis does not end.");
  }
}

function isWordAt(text: string, at: number, word: string): boolean {
  return (
    text.startsWith(word, at) &&
    !/[\w$-]/.test(text[at - 1] ?? " ") &&
    !/[\w-]/.test(text[at + word.length] ?? " ")
  );
}

/** Position of the quote that closes the one at `at`. */
function endOfQuote(text: string, at: number): number {
  const quote = text[at];
  for (let end = at + 1; end < text.length; end += 1) {
    if (text[end] === "\\" && quote !== "'") end += 1;
    else if (text[end] === quote) return end;
    else if (quote === '"' && text.startsWith("$(", end)) end = endOfSubstitution(text, end + 1);
  }
  throw new ShellSyntaxError(`A quote (${quote}) does not end.`);
}

function endOfSubstitution(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\") at += 1;
    else if (character === "'" || character === '"' || character === "`") at = endOfQuote(text, at);
    else if (character === "(") depth += 1;
    else if (character === ")" && (depth -= 1) === 0) return at;
  }
  throw new ShellSyntaxError("A substitution does not end.");
}

/** Command substitutions in text that is no command itself (arithmetic, array elements). */
function substitutionsIn(text: string): readonly string[] {
  const nested: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== "$" && text[at] !== "`") continue;
    const { word, end } = new WordReader(text, at).read();
    nested.push(...word.nested);
    at = Math.max(at, end - 1);
  }
  return nested;
}
