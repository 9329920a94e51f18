/** The text behind a slash command as words and options, as in `transcript "ID" :offset 0`. Pure. */
import { AutolithError } from "../../contract/failure.ts";

export type SlashWords = {
  /** In order; the first one without its colon. */
  readonly words: readonly string[];
  /** By lower-case name without colon. */
  readonly options: ReadonlyMap<string, string>;
};

const word = /"((?:[^"\\]|\\.)*)"|(\S+)/gs;

/** The words of a text; those in quotes are one, without them. */
export function slashPieces(
  input: string,
): readonly { readonly text: string; readonly isKeyword: boolean }[] {
  return [...input.matchAll(word)].map(([, quoted, plain]) => ({
    text: plain ?? (quoted ?? "").replaceAll(/\\(.)/gs, "$1"),
    isKeyword: plain?.startsWith(":") === true,
  }));
}

/** Takes it apart. An option is `:name value` behind the first word. Throws `invalid-argument` for an option without value. */
export function slashWords(input: string): SlashWords {
  const pieces = slashPieces(input);
  const words: string[] = [];
  const options = new Map<string, string>();
  for (let index = 0; index < pieces.length; index += 1) {
    const { text = "", isKeyword = false } = pieces[index] ?? {};
    if (!isKeyword || index === 0) {
      words.push(index === 0 ? text.replace(/^:/, "") : text);
      continue;
    }
    index += 1;
    const value = pieces[index];
    if (value === undefined)
      throw new AutolithError("invalid-argument", `${text.slice(0, 80)} needs a value behind it.`);
    options.set(text.slice(1).toLowerCase(), value.text);
  }
  return { words, options };
}

/** A whole number of an option; undefined when it is not given. Throws `invalid-argument`. */
export function wholeOption({ options }: SlashWords, name: string): number | undefined {
  const text = options.get(name);
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new AutolithError(
    "invalid-argument",
    `:${name} is a whole number, not ${JSON.stringify(text.slice(0, 40))}.`,
  );
}

/** True for `:name t`, and for the bare word at the end. */
export function isGiven({ words, options }: SlashWords, name: string): boolean {
  const value = options.get(name)?.toLowerCase();
  return value === undefined
    ? words.slice(2).includes(name)
    : !["nil", "no", "off", "false", "0"].includes(value);
}
