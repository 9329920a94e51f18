import { z } from "zod";
import type { SearchPlace } from "./file-search.ts";
import { compileGlob } from "./glob-pattern.ts";
import type { GlobPattern } from "./glob-pattern.ts";
import { runRipgrep, SearchError } from "./ripgrep.ts";
import type { RipgrepEnd } from "./ripgrep.ts";

/** `plain`: literal text. `regex`: Rust regular expressions. `fuzzy`: all words in one line, any order and case. */
type ContentMode = "plain" | "regex" | "fuzzy";

export interface ContentQuery {
  /** At least one; a line that holds any of them is found. */
  readonly patterns: readonly string[];
  readonly mode: ContentMode;
  /** Globs over paths; a leading `!` excludes. */
  readonly constraints: readonly string[];
  /** Files with matches that are skipped: for paging. */
  readonly fileOffset: number;
  readonly maxResults: number;
  readonly maxMatchesPerFile: number;
  /** Lines shown before and after a match. */
  readonly context: number;
  readonly timeBudgetMs: number;
}

interface ContentLine {
  readonly line: number;
  readonly isMatch: boolean;
  readonly text: string;
}

export interface FileContent {
  readonly path: string;
  readonly lines: readonly ContentLine[];
}

export interface ContentMatches {
  readonly files: readonly FileContent[];
  readonly matches: number;
  /** `file-offset` to go on from; undefined when nothing is left. */
  readonly nextFileOffset: number | undefined;
  readonly ended: RipgrepEnd["ended"];
  /** Matches in lines too long to be taken. */
  readonly droppedLines: number;
}

/** Characters of one line that are shown. */
export const lineTextLimit = 300;
/** Larger files are not searched. */
const fileSizeLimit = "32M";

const textSchema = z.union([z.object({ text: z.string() }), z.object({ bytes: z.string() })]);
const lineDataSchema = z.object({
  path: textSchema,
  lines: textSchema,
  line_number: z.number().nullable(),
  submatches: z.array(z.object({ start: z.number() })).default([]),
});
const eventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("begin"), data: z.object({ path: textSchema }) }),
  z.object({ type: z.literal("match"), data: lineDataSchema }),
  z.object({ type: z.literal("context"), data: lineDataSchema }),
  z.object({ type: z.literal("end"), data: z.unknown() }),
  z.object({ type: z.literal("summary"), data: z.unknown() }),
]);

/** Searches the contents of files. Throws {@link SearchError} `search-pattern` for what is not understood. */
export async function searchContent(place: SearchPlace, query: ContentQuery): Promise<ContentMatches> {
  const collector = new Collector(query, pathFilter(query.constraints), lineFilter(query));
  const end = await runRipgrep({
    ...place,
    parameters: [...contentParameters(query), "./"],
    timeBudgetMs: query.timeBudgetMs,
    onLine: (line, stop) => {
      if (collector.take(line)) stop();
    },
  });
  return collector.result(end);
}

function contentParameters(query: ContentQuery): readonly string[] {
  const { mode, patterns, context, maxMatchesPerFile, constraints } = query;
  const texts =
    mode === "fuzzy" ? patterns.map((pattern) => fuzzyExpression(longestWord(pattern))) : patterns;
  return [
    ...["--json", "--max-filesize", fileSizeLimit, "--crlf"],
    ...["--before-context", String(context), "--after-context", String(context)],
    // Lines that are filtered afterwards must not use up the count.
    ...(mode === "fuzzy" ? [] : ["--max-count", String(maxMatchesPerFile)]),
    mode === "fuzzy" ? "--ignore-case" : "--smart-case",
    ...(mode === "plain" ? ["--fixed-strings"] : []),
    ...constraints.filter(isPassedOn).flatMap((constraint) => ["--glob", constraint]),
    ...texts.flatMap((text) => ["--regexp", text]),
  ];
}

/**
 * Whether ripgrep itself applies a constraint. A glob of its own overrides ignore files, so only exclusions and plain
 * name patterns (which match no directory that is ignored as a whole) are left to it.
 */
function isPassedOn(constraint: string): boolean {
  return constraint.startsWith("!") || /^\*\.[A-Za-z0-9]+$/.test(constraint);
}

function pathFilter(constraints: readonly string[]): (path: string) => boolean {
  const globs = constraints
    .filter((constraint) => !constraint.startsWith("!"))
    .map((constraint): GlobPattern => {
      const glob = compileGlob(constraint);
      if (glob !== undefined) return glob;
      throw new SearchError(
        "search-pattern",
        `The braces of ${constraint} stand for more than 256 alternatives.`,
      );
    });
  return (path) => globs.length === 0 || globs.some((glob) => glob.matches(path));
}

/** In mode fuzzy every word of a pattern must be in the line; ripgrep has looked for the longest one only. */
function lineFilter({ mode, patterns }: ContentQuery): (text: string) => boolean {
  if (mode !== "fuzzy") return () => true;
  const expressions = patterns.map((pattern) =>
    words(pattern).map((word) => new RegExp(fuzzyExpression(word), "i")),
  );
  return (text) => expressions.some((all) => all.every((expression) => expression.test(text)));
}

function words(pattern: string): readonly string[] {
  const found = pattern.split(/\s+/).filter((word) => word !== "");
  return found.length === 0 ? [pattern] : found;
}

function longestWord(pattern: string): string {
  return [...words(pattern)].sort((left, right) => right.length - left.length)[0] ?? pattern;
}

/** The characters of a word with an optional separator between any two: `readfile` finds `read_file` and `readFile`. */
function fuzzyExpression(word: string): string {
  return Array.from(word, (character) => character.replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&")).join("[-_. ]?");
}

interface OpenFile {
  readonly path: string;
  readonly lines: ContentLine[];
  matches: number;
}

/** Gathers ripgrep's events until enough is found. */
class Collector {
  readonly #query: ContentQuery;
  readonly #isWantedPath: (path: string) => boolean;
  readonly #isWantedLine: (text: string) => boolean;
  readonly #files: FileContent[] = [];
  #open: OpenFile | undefined;
  #filesWithMatches = 0;
  #matches = 0;
  #nextFileOffset: number | undefined;

  constructor(
    query: ContentQuery,
    isWantedPath: (path: string) => boolean,
    isWantedLine: (text: string) => boolean,
  ) {
    this.#query = query;
    this.#isWantedPath = isWantedPath;
    this.#isWantedLine = isWantedLine;
  }

  /** Takes one line of output; true when no more is needed. */
  take(line: string): boolean {
    const event = eventSchema.parse(JSON.parse(line));
    switch (event.type) {
      case "begin": {
        const path = decoded(event.data.path).replace(/^\.\//, "");
        this.#open = this.#isWantedPath(path) ? { path, lines: [], matches: 0 } : undefined;
        return false;
      }
      case "match":
      case "context":
        this.#takeLine(event.data, event.type === "match");
        return false;
      case "end":
        return this.#closeFile();
      case "summary":
        return false;
    }
  }

  #takeLine(data: z.infer<typeof lineDataSchema>, found: boolean): void {
    const file = this.#open;
    if (file === undefined || file.matches >= this.#query.maxMatchesPerFile) return;
    const text = decoded(data.lines).replace(/\r?\n$/, "");
    const isMatch = found && this.#isWantedLine(text);
    // A line ripgrep took for a match that is none after all is shown only as context, when context was asked for.
    if (found && !isMatch && this.#query.context === 0) return;
    if (isMatch) file.matches += 1;
    const start = data.submatches[0]?.start ?? 0;
    file.lines.push({ line: data.line_number ?? 0, isMatch, text: shortened(text, start) });
  }

  #closeFile(): boolean {
    const file = this.#open;
    this.#open = undefined;
    if (file === undefined || file.matches === 0) return false;
    this.#filesWithMatches += 1;
    if (this.#filesWithMatches <= this.#query.fileOffset) return false;
    if (this.#matches >= this.#query.maxResults) {
      this.#nextFileOffset = this.#filesWithMatches - 1;
      return true;
    }
    this.#files.push({ path: file.path, lines: file.lines });
    this.#matches += file.matches;
    return false;
  }

  result({ ended, droppedLines }: RipgrepEnd): ContentMatches {
    const timeLeftOff = ended === "time" ? this.#filesWithMatches : undefined;
    return {
      files: this.#files,
      matches: this.#matches,
      nextFileOffset: this.#nextFileOffset ?? timeLeftOff,
      ended,
      droppedLines,
    };
  }
}

function decoded(value: z.infer<typeof textSchema>): string {
  return "text" in value ? value.text : Buffer.from(value.bytes, "base64").toString("utf8");
}

/** The part of a long line around the match; `start` is a byte offset, near enough to place the cut. */
function shortened(text: string, start: number): string {
  if (text.length <= lineTextLimit) return text;
  const from = Math.max(0, Math.min(start - 100, text.length - lineTextLimit));
  const part = text.slice(from, from + lineTextLimit).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
  return `${from > 0 ? "…" : ""}${part}${from + lineTextLimit < text.length ? "…" : ""}`;
}
