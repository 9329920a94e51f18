/** Tab completion inside a form: operators, their options and arguments, symbols of the image, files in strings. */
import { type TextToken, plainTokens } from "../../../lisp/reader/plain-reading.ts";
import type { LispCompletion } from "../../contract/lisp-image.ts";
import type { ModelRow, SettingRow } from "../../contract/session/catalogs.ts";
import type { Command } from "../commands/command.ts";

export type LispCompletionSources = {
  readonly commands: readonly Command[];
  /** Names of tools, and of the arguments of one. */
  readonly tools: {
    names(): readonly string[];
    argumentNames(tool: string): readonly string[];
  };
  readonly settings: readonly SettingRow[];
  readonly models: readonly ModelRow[];
  /** Symbols of the image that begin so; none while there is no image. */
  readonly symbols: (prefix: string) => Promise<readonly LispCompletion[]>;
};

export type LispCandidates = {
  /** Where what they replace begins. */
  readonly from: number;
  readonly candidates: readonly { readonly text: string; readonly note?: string }[];
};

/** Where the cursor is in a form. */
type Place = {
  readonly from: number;
  /** What is typed of the object at the cursor, with its quote; empty behind white space. */
  readonly word: string;
  /** The operator of the innermost open form, lower case; undefined when the cursor is at its place. */
  readonly operator: string | undefined;
  /** Objects between the operator and the cursor. */
  readonly index: number;
  /** The object before the cursor, as it is written. */
  readonly before: string;
  /** Keywords of the form so far. */
  readonly used: ReadonlySet<string>;
};

/** True for text that is a form, or a form behind a question mark. */
export function isFormText(text: string): boolean {
  return /^\s*\(/.test(text) || /^\?\s+\S/.test(text);
}

/** Where a string is open at the end of the text; undefined outside of strings. */
export function openString(head: string): number | undefined {
  const last = plainTokens(head).at(-1);
  if (last?.kind !== "string" || last.end !== head.length) return undefined;
  const text = head.slice(last.start);
  const isClosed = text.length > 1 && /(?:^|[^\\])(?:\\\\)*"$/.test(text.slice(1));
  return isClosed ? undefined : last.start + 1;
}

/** Candidates at the end of `head`, which is no open string. */
export async function lispCandidates(head: string, sources: LispCompletionSources): Promise<LispCandidates> {
  const place = placeAt(head);
  if (place === undefined) return { from: head.length, candidates: [] };
  const fixed = fixedCandidates(place, sources);
  const { word, from } = place;
  const bare = word.replace(/^#?'/, "");
  const isName = bare !== "" && !bare.startsWith(":") && !/^[\d"#]/.test(bare);
  const symbols = fixed.isWhole || !isName ? [] : await sources.symbols(bare);
  const known = new Set(fixed.candidates.map(({ text }) => text));
  const lead = word.slice(0, word.length - bare.length);
  const more = symbols
    .map(({ name, kind }) => ({ text: lead + name.toLowerCase(), note: kind }))
    .filter(({ text }) => !known.has(text));
  return { from, candidates: [...fixed.candidates, ...more] };
}

function fixedCandidates(
  place: Place,
  sources: LispCompletionSources,
): {
  readonly candidates: readonly { readonly text: string; readonly note?: string }[];
  readonly isWhole: boolean;
} {
  const { operator, word } = place;
  const fitting = (all: readonly { readonly text: string; readonly note?: string }[]) =>
    all.filter(({ text }) => text.startsWith(word.toLowerCase()));
  if (operator === undefined) return { candidates: fitting(operators(sources)), isWhole: false };
  const values = valuesFor(place, sources);
  if (values !== undefined) return { candidates: fitting(values), isWhole: true };
  const names = sources.tools
    .argumentNames(operator)
    .map((name) => `:${name}`)
    .filter((name) => !place.used.has(name));
  const wantsName = word.startsWith(":") || (word === "" && !place.before.startsWith(":"));
  if (names.length > 0 && wantsName)
    return { candidates: fitting(names.map((text) => ({ text }))), isWhole: true };
  return { candidates: [], isWhole: false };
}

function operators({
  commands,
  tools,
}: LispCompletionSources): readonly { readonly text: string; readonly note?: string }[] {
  return [
    ...commands.map(({ name, summary }) => ({ text: name, note: summary })),
    ...tools.names().map((text) => ({ text, note: "tool" })),
    ...["prompt", "read-file", "eval-now", "vault-contents", "config", "setf"].map((text) => ({ text })),
  ].toSorted((left, right) => (left.text < right.text ? -1 : 1));
}

/** The values that there are at this place, when they are finite; undefined when anything may stand there. */
function valuesFor(
  { operator, index, before }: Place,
  { commands, tools, settings, models }: LispCompletionSources,
): readonly { readonly text: string; readonly note?: string }[] | undefined {
  const plain = (texts: readonly string[]) => texts.map((text) => ({ text }));
  const settingNames = () =>
    settings.map(({ name, description }) => ({ text: `:${name}`, note: description }));
  if (index === 0)
    switch (operator) {
      case "help": {
        const topics = [...new Set(commands.map(({ topic }) => topic))];
        const namespaces = [...new Set(tools.names().map((name) => name.slice(0, name.indexOf("."))))];
        return [
          ...plain(
            [
              ...new Set([":all", ":commands", ...topics.map(keywordOf), ...namespaces.map(keywordOf)]),
            ].sort(),
          ),
          ...commands.map(({ name, summary }) => ({ text: `'${name}`, note: summary })),
          ...tools.names().map((name) => ({ text: `"${name}"`, note: "tool" })),
        ];
      }
      case "settings":
      case "config":
        return settingNames();
      case "model":
        return plain(models.map(({ id }) => `"${id}"`));
      case "effort":
        return plain(
          (settings.find(({ name }) => name === "reasoning-effort")?.choices ?? []).map(keywordOf),
        );
      case "permissions":
        return plain(["ask", "auto", "sandbox", "full", "list", "clear"].map(keywordOf));
      case "tasks":
        return plain(["list", "get", "transcript", "send", "cancel", "revive", "abandon"].map(keywordOf));
      default: {
        const command = commands.find(({ name }) => name === operator);
        if (command?.choices !== undefined) return plain(command.choices);
        return /\bon\b.*\boff\b|\[t\|nil\]/i.test(command?.arguments ?? "") ? plain(["t", "nil"]) : undefined;
      }
    }
  if (operator === "settings" && index === 1) {
    const row = settings.find(({ name }) => `:${name}` === before);
    if (row?.type === "boolean") return plain(["t", "nil"]);
    return row?.choices === undefined ? undefined : plain(row.choices.map(keywordOf));
  }
  return undefined;
}

function keywordOf(name: string): string {
  return `:${name}`;
}

function placeAt(head: string): Place | undefined {
  const tokens = plainTokens(head).filter(({ kind }) => kind !== "skipped");
  const last = tokens.at(-1);
  if (last?.kind === "comment" && last.end === head.length) return undefined;
  const isOpen =
    last !== undefined &&
    last.end === head.length &&
    ["symbol", "keyword", "number", "invalid"].includes(last.kind);
  const complete = isOpen ? tokens.slice(0, -1) : tokens;
  const quote = complete.at(-1);
  const hasQuote =
    (quote?.kind === "quote" || quote?.kind === "dispatch") &&
    quote.end === (isOpen ? last.start : head.length);
  const from = hasQuote ? quote.start : isOpen ? last.start : head.length;
  const objects = objectsOfInnermost(hasQuote ? complete.slice(0, -1) : complete, head);
  if (objects === undefined) return undefined;
  const [operator, ...rest] = objects;
  return {
    from,
    word: head.slice(from),
    operator: operator?.toLowerCase().replace(/^autolith::?/, ""),
    index: rest.length,
    before: rest.at(-1) ?? "",
    used: new Set(rest.filter((text) => text.startsWith(":"))),
  };
}

/** The objects of the innermost form that is open, as written; a nested form counts as one. Undefined outside of forms. */
function objectsOfInnermost(tokens: readonly TextToken[], text: string): string[] | undefined {
  const open: string[][] = [];
  for (const { kind, start, end } of tokens) {
    if (kind === "quote" || kind === "dispatch" || kind === "comment") continue;
    if (kind === "open") open.push([]);
    else if (kind === "close") {
      open.pop();
      open.at(-1)?.push("()");
    } else open.at(-1)?.push(text.slice(start, end));
  }
  return open.at(-1);
}
