import { DataFormError, type DataFormErrorKind } from "./data-form-error.ts";
import { DataFloat, integer, type DataForm } from "./form.ts";
import { arrayForm, maxJsonDepth, nullKeyword, objectForm } from "./portable-json.ts";
import { maxNumberCharacters } from "./read-options.ts";
import { positionAt } from "./text-position.ts";

const numberToken = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
// oxlint-disable-next-line no-control-regex -- JSON strings may not hold control characters
const stringToken = /"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/y;
const blanks = /[ \t\n\r]*/y;

/**
 * The portable form of a JSON text, exactly: `3` stays apart from `3.0`, integers of any size are kept, and duplicate
 * keys are refused, none of which survives `JSON.parse`.
 * @param maxCharacters bound on the text, checked first.
 * @throws DataFormError with the place: `invalid-syntax`, `invalid-structure` (duplicate key), `invalid-value` (a number
 *   no double can hold), `data-too-deep`, `data-too-large`.
 */
export function jsonTextToForm(text: string, maxCharacters: number): DataForm {
  if (text.length > maxCharacters) {
    const problem = `${text.length} characters of JSON exceed the limit of ${maxCharacters}`;
    throw new DataFormError("data-too-large", problem);
  }
  return new JsonTextParser(text).document();
}

class JsonTextParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): DataForm {
    const form = this.#value(0);
    this.#skipBlanks();
    if (this.#at < this.#text.length) throw this.#error("invalid-syntax", "text follows the JSON value");
    return form;
  }

  #value(depth: number): DataForm {
    this.#skipBlanks();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(depth);
      case "[":
        return this.#array(depth);
      case '"':
        return this.#string();
      case "t":
        return this.#literal("true", true);
      case "f":
        return this.#literal("false", false);
      case "n":
        return this.#literal("null", nullKeyword);
      default:
        return this.#number();
    }
  }

  #object(depth: number): DataForm {
    const members = new Map<string, DataForm>();
    this.#sequence("}", depth, () => {
      this.#skipBlanks();
      const keyStart = this.#at;
      const key = this.#string();
      if (members.has(key)) {
        throw this.#error("invalid-structure", `duplicate object key ${JSON.stringify(key)}`, keyStart);
      }
      this.#skipBlanks();
      this.#expect(":");
      members.set(key, this.#value(depth + 1));
    });
    return objectForm([...members]);
  }

  #array(depth: number): DataForm {
    const elements: DataForm[] = [];
    this.#sequence("]", depth, () => elements.push(this.#value(depth + 1)));
    return arrayForm(elements);
  }

  #sequence(close: string, depth: number, element: () => void): void {
    if (depth >= maxJsonDepth) throw this.#error("data-too-deep", `JSON nests deeper than ${maxJsonDepth}`);
    this.#at++;
    this.#skipBlanks();
    if (this.#take(close)) return;
    for (;;) {
      element();
      this.#skipBlanks();
      if (this.#take(close)) return;
      this.#expect(",");
    }
  }

  #string(): string {
    const token = this.#match(stringToken);
    if (token === undefined) throw this.#error("invalid-syntax", "a JSON string was expected here");
    this.#at += token[0].length;
    return (JSON.parse(token[0]) as string).toWellFormed();
  }

  #number(): DataForm {
    const token = this.#match(numberToken);
    if (token === undefined) throw this.#error("invalid-syntax", "a JSON value was expected here");
    const [digits, fraction, exponent] = token;
    if (digits.length > maxNumberCharacters) {
      const problem = `a number of ${digits.length} characters exceeds the limit of ${maxNumberCharacters}`;
      throw this.#error("data-too-large", problem);
    }
    if (fraction === undefined && exponent === undefined && digits !== "-0") {
      this.#at += digits.length;
      return integer(BigInt(digits));
    }
    const value = Number(digits);
    if (!Number.isFinite(value))
      throw this.#error("invalid-value", `${digits} is outside the range of a double float`);
    this.#at += digits.length;
    return new DataFloat(value, "double");
  }

  #literal(word: string, form: DataForm): DataForm {
    if (!this.#text.startsWith(word, this.#at))
      throw this.#error("invalid-syntax", "a JSON value was expected here");
    this.#at += word.length;
    return form;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text) ?? undefined;
  }

  #skipBlanks(): void {
    this.#at += this.#match(blanks)?.[0].length ?? 0;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #expect(character: string): void {
    if (!this.#take(character)) throw this.#error("invalid-syntax", `"${character}" was expected here`);
  }

  #error(code: DataFormErrorKind, problem: string, index = this.#at): DataFormError {
    const before = Buffer.from(this.#text.slice(0, index), "utf8");
    return new DataFormError(code, problem, { position: positionAt(before, before.length) });
  }
}
