/** Tab completion: commands after a slash, values behind some commands, else paths. */
import { dirname, isAbsolute, resolve } from "node:path";
import { homedir } from "node:os";
import type { Completion, ModelRow, SettingRow } from "../../contract/session/catalogs.ts";
import type { Command } from "../commands/command.ts";

export type CompletionSources = {
  readonly commands: readonly Command[];
  readonly workingDirectory: string;
  readonly settings: readonly SettingRow[];
  readonly models: readonly ModelRow[];
  /** Names in a directory; directories end with a slash. */
  readonly listDirectory: (path: string) => Promise<readonly string[]>;
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
  const from = Math.max(head.lastIndexOf(" "), head.lastIndexOf("\n"), head.lastIndexOf("\t")) + 1;
  const word = head.slice(from);
  const candidates = await candidatesFor(head, word, from, sources);
  return {
    from,
    to: cursor,
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
  const mark = /^["'@]/.exec(word)?.[0] ?? "";
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
