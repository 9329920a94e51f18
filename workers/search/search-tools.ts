import { z } from "zod";
import type { ToolContext, ToolDeclaration, ToolOutcome } from "../../orchestrator/contract/tool.ts";
import { declareTool } from "../../orchestrator/contract/tool.ts";
import type { Spawner } from "../spawner/spawner.ts";
import { searchContent } from "./content-search.ts";
import type { ContentMatches, FileContent } from "./content-search.ts";
import { fileLimit, searchFiles, searchGlob } from "./file-search.ts";
import type { FileMatches, SearchPlace } from "./file-search.ts";
import { findRipgrep } from "./ripgrep.ts";

export interface SearchToolsParts {
  readonly spawner: Spawner;
  /** PATH of the host, for a ripgrep that is not packaged. */
  readonly searchPath: string | undefined;
}

const page = z.int().min(1).max(10_000).default(1).describe("Page of results, from 1.");
const maxResults = z.int().min(1).max(100).default(20).describe("Results on a page.");

const filesArguments = z.strictObject({
  query: z.string().min(1).max(512).describe("Parts of the path in any order, such as 'agent loop test'."),
  page,
  "max-results": maxResults,
});

const globArguments = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(1_024)
    .describe("A glob such as src/**/*.{ts,tsx}; without / it matches names at any depth."),
  page,
  "max-results": maxResults,
});

const patternText = z.string().min(1).max(4_096);

const contentArguments = z
  .strictObject({
    query: patternText.optional().describe("What to look for; or patterns."),
    patterns: z
      .array(patternText)
      .min(1)
      .max(32)
      .optional()
      .describe("Several texts: a line with any of them is found."),
    mode: z
      .enum(["plain", "regex", "fuzzy"])
      .default("plain")
      .describe(
        "plain: literal text. regex: Rust regular expression. fuzzy: all words in one line, any order and case.",
      ),
    constraints: z
      .array(z.string().min(1).max(1_024))
      .max(64)
      .default([])
      .describe("Globs the path must match, such as src/ or *.ts; with a leading ! it must not."),
    "file-offset": z.int().min(0).max(1_000_000).default(0).describe("Files with matches to skip, to go on."),
    "max-results": z.int().min(1).max(200).default(50),
    "max-matches-per-file": z.int().min(1).max(200).default(20),
    context: z.int().min(0).max(10).default(0).describe("Lines shown around each match."),
    "time-budget-ms": z.int().min(1).max(10_000).default(3_000),
  })
  .refine((args) => (args.query === undefined) !== (args.patterns === undefined), {
    message: "give either query or patterns",
  });

/** `search.files`, `search.glob` and `search.content` over the caller's workspace; ignore files are honoured. */
export function searchTools(parts: SearchToolsParts): readonly ToolDeclaration[] {
  return [filesTool(parts), globTool(parts), contentTool(parts)];
}

function filesTool(parts: SearchToolsParts): ToolDeclaration {
  return declareTool({
    name: "search.files",
    description:
      "Finds files of the workspace by parts of their path, best first. Files that ignore rules name are left out.",
    arguments: filesArguments,
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    execute: async (args, context) =>
      pathsOutcome(
        await searchFiles(await placeOf(parts, context), args.query),
        args.page,
        args["max-results"],
      ),
  });
}

function globTool(parts: SearchToolsParts): ToolDeclaration {
  return declareTool({
    name: "search.glob",
    description:
      "Lists files of the workspace whose path matches a glob, by name. Ignored files are left out.",
    arguments: globArguments,
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    execute: async (args, context) =>
      pathsOutcome(
        await searchGlob(await placeOf(parts, context), args.pattern),
        args.page,
        args["max-results"],
      ),
  });
}

function contentTool(parts: SearchToolsParts): ToolDeclaration {
  return declareTool({
    name: "search.content",
    description:
      "Searches the text of the workspace's files (ignored, binary and very large ones left out), sorted by path. Lower-case texts match either case in modes plain and regex.",
    arguments: contentArguments,
    effects: "none",
    concurrency: "parallel",
    audience: "all",
    resultLimit: 24_000,
    execute: async (args, context) =>
      contentOutcome(
        await searchContent(await placeOf(parts, context), {
          patterns: args.patterns ?? (args.query === undefined ? [] : [args.query]),
          mode: args.mode,
          constraints: args.constraints,
          fileOffset: args["file-offset"],
          maxResults: args["max-results"],
          maxMatchesPerFile: args["max-matches-per-file"],
          context: args.context,
          timeBudgetMs: args["time-budget-ms"],
        }),
        args["time-budget-ms"],
      ),
  });
}

async function placeOf(
  { spawner, searchPath }: SearchToolsParts,
  context: ToolContext,
): Promise<SearchPlace> {
  const { workspace: directory, signal } = context;
  return { program: await findRipgrep(searchPath), spawner, directory, signal };
}

function pathsOutcome(found: FileMatches, pageNumber: number, perPage: number): ToolOutcome {
  const { paths, filesSeen, ended } = found;
  const first = (pageNumber - 1) * perPage;
  const shown = paths.slice(first, first + perPage);
  const more = first + shown.length < paths.length ? `\n[more: page ${pageNumber + 1}]` : "";
  const limit =
    ended === "complete"
      ? ""
      : ended === "time"
        ? " (the listing ran out of time)"
        : ` (the first ${fileLimit} were looked at)`;
  const range = shown.length === 0 ? "" : `, ${first + 1}-${first + shown.length} shown`;
  return {
    status: "ok",
    content: `${paths.length} of ${filesSeen} files${limit}${range}\n${shown.map(printable).join("\n")}${more}`,
    details: { total: paths.length, filesSeen, complete: ended === "complete" },
  };
}

function contentOutcome(found: ContentMatches, budgetMs: number): ToolOutcome {
  const { files, matches, nextFileOffset, ended, droppedLines } = found;
  const notes = [`${matches} matches in ${files.length} files`];
  if (ended === "time")
    notes.push(`stopped after ${budgetMs} ms (raise time-budget-ms or narrow by constraints)`);
  if (droppedLines > 0) notes.push(`${droppedLines} matches in lines of more than 4 MiB left out`);
  const more = nextFileOffset === undefined ? "" : `\n[more: file-offset ${nextFileOffset}]`;
  return {
    status: "ok",
    content: `${notes.join("; ")}\n${files.map(showFile).join("\n")}${more}`,
    details: { matches, files: files.length, complete: ended === "complete" },
  };
}

function showFile({ path, lines }: FileContent): string {
  const rows: string[] = [printable(path)];
  let last: number | undefined;
  for (const { line, isMatch, text } of lines) {
    if (last !== undefined && line > last + 1 && lines.some((other) => !other.isMatch)) rows.push("  --");
    rows.push(`  ${line}${isMatch ? ":" : "-"} ${printable(text)}`);
    last = line;
  }
  return rows.join("\n");
}

/** Control characters as a picture, so that no result moves a terminal. */
function printable(text: string): string {
  return text.replaceAll(/[^\P{Cc}\t]/gu, "\u2421");
}
