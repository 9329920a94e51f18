/**
 * Looks at the nesting of JSON before it is parsed. V8 14.6 ends the whole process (with no error to catch) when `JSON.parse` meets a
 * syntax error inside some thousands of nested objects, so text of others must not reach it when it nests so deep. No zod here, so that
 * agent threads can load it cheaply.
 */
import { jsonFault } from "./json-fault.ts";

/** Nesting of a value that crosses a thread, a file or a connection; a number has depth 0, `[1]` depth 1. */
export const jsonDepthLimit = 512;

const code = (character: string): number => character.charCodeAt(0);
const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [
  code('"'),
  code("\\"),
  code("{"),
  code("}"),
  code("["),
  code("]"),
];

/** Follows JSON unit by unit, UTF-8 bytes or UTF-16 units alike: all that matters is ASCII. */
export class JsonNesting {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** False once the text nests deeper than `jsonDepthLimit`. */
  take(unit: number): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (unit === backslash) this.#escaped = true;
      else if (unit === quote) this.#inString = false;
      return true;
    }
    if (unit === quote) this.#inString = true;
    else if (unit === openBrace || unit === openBracket) this.#depth += 1;
    else if (unit === closeBrace || unit === closeBracket) this.#depth -= 1;
    return this.#depth <= jsonDepthLimit;
  }

  reset(): void {
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
  }
}

/** Texts shorter than this cannot nest deep enough to matter. */
const harmlessLength = 2 * jsonDepthLimit;

/**
 * The value of a JSON text from outside.
 * @throws SyntaxError for text that is no JSON, or nests deeper than `jsonDepthLimit`.
 */
export function parseForeignJson(text: string): unknown {
  checkJsonNesting(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SyntaxError(jsonFault(text), { cause: error });
  }
}

/** @throws SyntaxError when a text is nested deeper than a parser may be given. */
export function checkJsonNesting(text: string): void {
  if (text.length > harmlessLength) {
    const nesting = new JsonNesting();
    for (let index = 0; index < text.length; index += 1) {
      if (!nesting.take(text.charCodeAt(index)))
        throw new SyntaxError(`it nests deeper than ${jsonDepthLimit} at position ${index}`);
    }
  }
}
