/** Tab completion: commands after a slash, values behind some commands, else paths. */
import { dirname, isAbsolute, resolve } from "node:path";
import { homedir } from "node:os";
import type { Completion } from "../../contract/session/catalogs.ts";
import { type LispCompletionSources, isFormText, lispCandidates, openString } from "./lisp-completion.ts";

export type CompletionSources = LispCompletionSources & {
  readonly workingDirectory: string;
  /** Names in a directory; directories end with a slash. */
  readonly listDirectory: (path: string) => Promise<readonly string[]>;
  /** Files of the working directory that fit a query, best first. */
  readonly searchFiles: (query: string) => Promise<readonly string[]>;
};

/** Candidates that are given. */
export const candidateLimit = 200;

type Candidate = Completion["candidates"][number];

/** What may stand at the cursor instead of the word before it. */
export async function completionOf(
  text: string,
  cursor: number,
  sources: CompletionSources,
): Promise<Completion> {
  const head = text.slice(0, cursor);
  if (isFormText(text)) {
    const string = openString(head);
    if (string === undefined) {
      const { from, candidates } = await lispCandidates(head, sources);
      return bounded(from, cursor, candidates);
    }
    const mention = mentionAt(head, string);
    if (mention !== undefined)
      return bounded(mention, cursor, await mentioned(head.slice(mention + 1), sources));
    return bounded(string, cursor, await pathCandidates(head.slice(string), sources, false));
  }
  const mention = mentionAt(head, 0);
  if (mention !== undefined)
    return bounded(mention, cursor, await mentioned(head.slice(mention + 1), sources));
  const from = Math.max(head.lastIndexOf(" "), head.lastIndexOf("\n"), head.lastIndexOf("\t")) + 1;
  const word = head.slice(from);
  const candidates = await candidatesFor(head, word, from, sources);
  return bounded(from, cursor, candidates);
}

/** The paths in what `search.files` says: a line of counts, a path in each line, perhaps a line that there are more. */
export function foundPaths(report: string): readonly string[] {
  return report
    .split("\n")
    .slice(1)
    .filter((line) => line !== "" && !line.startsWith("[more: "));
}

/** Where an `@` begins the word at the end of the text; undefined when none does. */
function mentionAt(head: string, start: number): number | undefined {
  const found = /(?:^|\s)@\S*$/.exec(head.slice(start));
  return found === null ? undefined : start + found.index + found[0].indexOf("@");
}

/** Files for what stands behind an `@`; a match takes the place of it and of the sign. */
async function mentioned(query: string, sources: CompletionSources): Promise<readonly Candidate[]> {
  const here = await pathCandidates(query, sources, false);
  if (query === "" || query.endsWith("/")) return here;
  const found = await sources.searchFiles(query);
  const directories = here.filter(({ text }) => text.endsWith("/"));
  const known = new Set(directories.map(({ text }) => text));
  return [...directories, ...found.filter((path) => !known.has(path)).map((text) => ({ text }))];
}

function bounded(from: number, to: number, candidates: readonly Candidate[]): Completion {
  return {
    from,
    to,
    candidates: candidates.slice(0, candidateLimit),
    omitted: Math.max(0, candidates.length - candidateLimit),
  };
}

async function candidatesFor(
  head: string,
  word: string,
  from: number,
  sources: CompletionSources,
): Promise<readonly Candidate[]> {
  if (from === 0 && /^\/[a-z0-9-]*$/i.test(word))
    return sources.commands
      .filter(({ name }) => `/${name}`.startsWith(word.toLowerCase()))
      .map(({ name, summary }) => ({ text: `/${name}`, note: summary }));
  const command = /^\/([a-z0-9-]+)\s/i.exec(head)?.[1]?.toLowerCase();
  const values = command === undefined ? undefined : valuesOf(command, head, sources);
  if (values !== undefined) return values.filter(({ text }) => text.startsWith(word));
  return pathCandidates(word, sources, command === "cwd");
}

function valuesOf(
  command: string,
  head: string,
  sources: CompletionSources,
): readonly Candidate[] | undefined {
  const words = head.trimStart().split(/\s+/);
  const plain = (texts: readonly string[]): readonly Candidate[] => texts.map((text) => ({ text }));
  if (command === "settings" && words.length > 2) {
    const row = sources.settings.find(({ name }) => name === words[1]);
    return plain(row?.type === "boolean" ? ["on", "off"] : (row?.choices ?? []));
  }
  if (words.length > 2) return undefined;
  switch (command) {
    case "model":
      return plain(sources.models.map(({ id }) => id));
    case "settings":
      return sources.settings.map(({ name, description }) => ({ text: name, note: description }));
    case "effort":
      return plain(sources.settings.find(({ name }) => name === "reasoning-effort")?.choices ?? []);
    case "permissions":
      return plain(["ask", "auto", "sandbox", "full", "list", "clear"]);
    case "help":
      return plain(sources.commands.map(({ name }) => name));
    default: {
      const choices = sources.commands.find(({ name }) => name === command)?.choices;
      return choices === undefined ? undefined : plain(choices);
    }
  }
}

async function pathCandidates(
  word: string,
  { workingDirectory, listDirectory }: CompletionSources,
  directoriesOnly: boolean,
): Promise<readonly Candidate[]> {
  const mark = /^["']/.exec(word)?.[0] ?? "";
  const path = word.slice(mark.length);
  const shownDirectory = path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : "";
  const prefix = path.slice(shownDirectory.length);
  const expanded = shownDirectory.startsWith("~/") ? homedir() + shownDirectory.slice(1) : shownDirectory;
  const directory = isAbsolute(expanded) ? dirname(`${expanded}x`) : resolve(workingDirectory, expanded);
  const names = await listDirectory(directory);
  return names
    .filter(
      (name) =>
        name.startsWith(prefix) &&
        (prefix !== "" || !name.startsWith(".")) &&
        (!directoriesOnly || name.endsWith("/")),
    )
    .sort()
    .map((name) => ({ text: `${mark}${shownDirectory}${name}` }));
}
