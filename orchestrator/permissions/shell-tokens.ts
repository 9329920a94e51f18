/**
 * Reads POSIX shell text (and what bash adds to it in daily use) into tokens, for judging commands, not for running them: every
 * nested command text is kept, whatever a word expands to at run time is marked, and text that is not understood is an error.
 */
import { type ShellWord, ShellSyntaxError, WordReader, substitutionsIn } from "./shell-word.ts";

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
      const nested = target.quoted ? [] : substitutionsIn(body);
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
