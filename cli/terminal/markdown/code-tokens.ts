/** Highlighting of code by words: comments, strings, numbers and keywords of the common languages, line by line. */
import { type Ink, type Line, type Span, span } from "../text/styled-line.ts";

type Grammar = {
  readonly keywords: ReadonlySet<string>;
  /** Marks of a comment up to the end of the line. */
  readonly lineComments: readonly string[];
  readonly blockComment?: readonly [string, string];
  readonly quotes: string;
};

/** What a line begins inside of. */
export type CodeState = "code" | "comment";

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const cLike = { lineComments: ["//"], blockComment: ["/*", "*/"], quotes: "\"'`" } as const;

const script: Grammar = {
  ...cLike,
  keywords: words(
    "abstract as async await break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in instanceof interface is keyof let namespace new null of override private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while with yield",
  ),
};

const cFamily: Grammar = {
  ...cLike,
  quotes: "\"'",
  keywords: words(
    "abstract auto bool break case catch char class const constexpr continue crate def default defer delete do double else enum explicit extern false final float fn for func go goto if impl implements import in inline int interface let long loop match mod move mut namespace new nil null nullptr operator override package private protected pub public range ref return self short signed sizeof static string struct super switch template this throw throws trait true try type typedef typename union unsafe unsigned use using var virtual void volatile where while",
  ),
};

const python: Grammar = {
  lineComments: ["#"],
  quotes: "\"'",
  keywords: words(
    "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield",
  ),
};

const shell: Grammar = {
  lineComments: ["#"],
  quotes: "\"'",
  keywords: words(
    "case cd do done echo elif else esac exec exit export fi for function if in local read return set shift source then trap unset until while",
  ),
};

const lisp: Grammar = {
  lineComments: [";"],
  blockComment: ["#|", "|#"],
  quotes: '"',
  keywords: words(
    "and block case cond declare defclass defgeneric define defmacro defmethod defpackage defparameter defstruct defun defvar do dolist dotimes ecase eval-when flet function handler-case if in-package labels lambda let let* loop multiple-value-bind nil not or progn quote return return-from setf setq t typecase unless unwind-protect when with-open-file",
  ),
};

const data: Grammar = {
  lineComments: ["#"],
  quotes: "\"'",
  keywords: words("true false null yes no on off"),
};

const sql: Grammar = {
  lineComments: ["--"],
  blockComment: ["/*", "*/"],
  quotes: "'\"",
  keywords: words(
    "and as by case create delete desc distinct drop else end exists from full group having in index inner insert into is join left like limit not null on or order outer primary right select set table then union unique update values when where with",
  ),
};

const grammars: Readonly<Record<string, Grammar>> = {
  ...named("js jsx javascript ts tsx typescript mjs cjs mts", script),
  ...named("json json5 jsonc", { ...data, lineComments: ["//"] }),
  ...named("c h cc cpp c++ cs csharp java kotlin kt go rust rs swift scala php dart zig", cFamily),
  ...named("py python rb ruby", python),
  ...named("sh bash zsh fish shell console make makefile dockerfile", shell),
  ...named("lisp cl common-lisp elisp el scheme scm clojure clj sexp racket", lisp),
  ...named("yaml yml toml ini conf env properties", data),
  ...named("sql psql mysql sqlite", sql),
};

function named(names: string, grammar: Grammar): Readonly<Record<string, Grammar>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, grammar]));
}

/** One line of code in colours, and what the next one begins inside of. Lines of unknown languages stay plain. */
export function highlightLine(
  text: string,
  language: string,
  state: CodeState = "code",
): { readonly line: Line; readonly state: CodeState } {
  const key = language.toLowerCase();
  if (key === "diff" || key === "patch") return { line: diffLine(text), state };
  const grammar = Object.hasOwn(grammars, key) ? grammars[key] : undefined;
  if (grammar === undefined || text.length > 2_000) return { line: text === "" ? [] : [span(text)], state };
  return tokens(text, grammar, state);
}

function diffLine(text: string): Line {
  const inks: Readonly<Record<string, Ink>> = { "+": "good", "-": "bad", "@": "accent" };
  const ink = inks[text[0] ?? ""];
  return text === "" ? [] : [span(text, ink === undefined ? {} : { ink })];
}

const wordPattern = /[A-Za-z_$][\w$*!?<>=-]*|\d[\w.]*|\s+|[^\sA-Za-z_$\d]/y;
const plainWord = /[A-Za-z_$][\w$]*|\d[\w.]*|\s+|[^\sA-Za-z_$\d]/y;

function tokens(text: string, grammar: Grammar, state: CodeState): { line: Line; state: CodeState } {
  const spans: Span[] = [];
  const push = (piece: string, ink?: Ink): void => {
    if (piece !== "") spans.push(span(piece, ink === undefined ? {} : { ink }));
  };
  let [offset, inside] = [0, state];
  while (offset < text.length) {
    const end = specialEnd(text, offset, grammar, inside);
    if (end !== undefined) {
      push(text.slice(offset, end.offset), end.ink);
      [offset, inside] = [end.offset, end.state];
      continue;
    }
    const pattern = grammar === lisp ? wordPattern : plainWord;
    pattern.lastIndex = offset;
    const word = pattern.exec(text)?.[0] ?? text.slice(offset, offset + 1);
    push(word, inkOf(word, grammar));
    offset += word.length;
  }
  return { line: spans, state: inside };
}

/** The end of the comment or string that begins, or goes on, at `offset`. */
function specialEnd(
  text: string,
  offset: number,
  grammar: Grammar,
  state: CodeState,
): { readonly offset: number; readonly ink: Ink; readonly state: CodeState } | undefined {
  const [start, stop] = grammar.blockComment ?? [undefined, undefined];
  if (
    stop !== undefined &&
    (state === "comment" || (start !== undefined && text.startsWith(start, offset)))
  ) {
    const from = state === "comment" ? offset : offset + (start?.length ?? 0);
    const end = text.indexOf(stop, from);
    return end < 0
      ? { offset: text.length, ink: "comment", state: "comment" }
      : { offset: end + stop.length, ink: "comment", state: "code" };
  }
  if (grammar.lineComments.some((mark) => text.startsWith(mark, offset)))
    return { offset: text.length, ink: "comment", state: "code" };
  const quote = text[offset] ?? "";
  if (!grammar.quotes.includes(quote)) return undefined;
  return { offset: stringEnd(text, offset, quote), ink: "string", state: "code" };
}

function stringEnd(text: string, offset: number, quote: string): number {
  for (let at = offset + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === quote) return at + 1;
  }
  return text.length;
}

function inkOf(word: string, grammar: Grammar): Ink | undefined {
  if (/^\d/.test(word)) return "number";
  if (grammar.keywords.has(grammar === sql ? word.toLowerCase() : word)) return "keyword";
  return undefined;
}
