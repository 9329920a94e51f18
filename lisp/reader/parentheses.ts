/** Whether the parentheses of Lisp text match, by its lexical syntax alone: nothing is read, and no package or readtable is asked. Pure. */

/** Lines and columns count from 1; columns in characters of the text. */
export type ParenProblem = { readonly line: number; readonly column: number; readonly message: string };

export type ParenCheck = {
  /** Forms at the top level that begin with a parenthesis. */
  readonly forms: number;
  readonly problems: readonly ParenProblem[];
};

/** `margin`: where a form inside it begins at the margin, which shows that this one lacks a parenthesis. */
type Open = { readonly at: number; margin: number | undefined };

/** Problems that are reported of one text. */
export const parenProblemLimit = 20;

const delimiters = /[\s()"';`,]/;

export function checkParens(text: string): ParenCheck {
  const open: Open[] = [];
  const problems: { readonly at: number; readonly message: string }[] = [];
  let forms = 0;
  let at = 0;
  // Inside a token `#` is a letter like others.
  let inToken = false;
  while (at < text.length && problems.length < parenProblemLimit) {
    const next = skipped(text, at, inToken);
    if (next !== undefined) {
      inToken = text[at] === "\\" || text[at] === "|";
      if (next.unfinished !== undefined) problems.push({ at, message: `${next.unfinished} is not ended` });
      at = next.end;
      continue;
    }
    const character = text[at] ?? "";
    inToken = !delimiters.test(character);
    if (character === "(") {
      const outer = open.at(-1);
      if (outer === undefined) forms += 1;
      else if (text[at - 1] === "\n") outer.margin ??= at;
      open.push({ at, margin: undefined });
    } else if (character === ")" && open.pop() === undefined)
      problems.push({ at, message: "closes nothing" });
    at += 1;
  }
  problems.push(...open.map(({ at: start, margin }) => ({ at: start, message: unclosed(text, margin) })));
  return {
    forms,
    problems: problems
      .toSorted((left, right) => left.at - right.at)
      .slice(0, parenProblemLimit)
      .map((problem) => ({ ...positionOf(text, problem.at), message: problem.message })),
  };
}

function unclosed(text: string, margin: number | undefined): string {
  if (margin === undefined) return "is not closed";
  return `is not closed; the form at the margin of line ${positionOf(text, margin).line} is inside it`;
}

/** Text at `at` in which parentheses mean nothing: comments, strings, characters, symbols with bars, escaped characters. */
function skipped(
  text: string,
  at: number,
  inToken: boolean,
): { readonly end: number; readonly unfinished?: string } | undefined {
  switch (text[at]) {
    case ";": {
      const end = text.indexOf("\n", at);
      return { end: end < 0 ? text.length : end };
    }
    case '"':
      return quoted(text, at, '"', "the string");
    case "|":
      return quoted(text, at, "|", "the symbol in bars");
    case "\\":
      return { end: at + 2 };
    case "#":
      if (inToken) return undefined;
      if (text[at + 1] === "|") return blockComment(text, at);
      return text[at + 1] === "\\" ? characterName(text, at + 2) : undefined;
    default:
      return undefined;
  }
}

function quoted(text: string, at: number, mark: string, what: string): { end: number; unfinished?: string } {
  for (let index = at + 1; index < text.length; index += 1) {
    if (text[index] === "\\") index += 1;
    else if (text[index] === mark) return { end: index + 1 };
  }
  return { end: text.length, unfinished: what };
}

function blockComment(text: string, at: number): { end: number; unfinished?: string } {
  let depth = 0;
  for (let index = at; index < text.length - 1; index += 1) {
    const pair = text.slice(index, index + 2);
    if (pair !== "#|" && pair !== "|#") continue;
    depth += pair === "#|" ? 1 : -1;
    index += 1;
    if (depth === 0) return { end: index + 1 };
  }
  return { end: text.length, unfinished: "the block comment" };
}

/** `#\(` is one character whatever it is; `#\Space` goes on to the next delimiter. */
function characterName(text: string, at: number): { end: number; unfinished?: string } {
  let end = at + String.fromCodePoint(text.codePointAt(at) ?? 0).length;
  while (end < text.length && !delimiters.test(text[end] ?? "")) {
    if (text[end] === "|") {
      const bars = quoted(text, end, "|", "the symbol in bars");
      if (bars.unfinished !== undefined) return bars;
      ({ end } = bars);
    } else end += text[end] === "\\" ? 2 : 1;
  }
  return { end };
}

function positionOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}
