/** Reads one word of shell text: quotes, expansions and the substitutions nested in them. */
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

/** `shell-syntax`: the text ends inside a quote, substitution or here-document, or a bound is passed; the message says which. */
export class ShellSyntaxError extends AutolithError {
  constructor(message: string) {
    super("shell-syntax", message);
  }
}

/** Deepest nesting of quotes and substitutions within one word. */
const nestingLimit = 64;

/** Reads one word from a position on. */
export class WordReader {
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

  /** Reads the one expansion that begins here, as between double quotes. */
  readExpansion(): { readonly nested: readonly string[]; readonly end: number } {
    if (this.#text[this.#at] === "`") this.#backquoted();
    else this.#dollar(1);
    return { nested: this.#nested, end: this.#at };
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

  /** `$((…))` is arithmetic only when the inner parentheses enclose all of it: `$((a); b)` runs commands. */
  #arithmetic(): void {
    this.#dynamic = true;
    this.#at += 1;
    const inside = this.#parenthesized();
    if (endOfSubstitution(inside, 0) === inside.length - 1) this.#nested.push(...substitutionsIn(inside));
    else this.#nested.push(inside);
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

/** Command substitutions in text that is no command itself (arithmetic, array elements, here-documents): quotes mean nothing. */
export function substitutionsIn(text: string): readonly string[] {
  const nested: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "$" || text[at] === "`") {
      const expansion = new WordReader(text, at).readExpansion();
      nested.push(...expansion.nested);
      at = Math.max(at, expansion.end - 1);
    }
  }
  return nested;
}
