import { hash } from "node:crypto";
import type { Dirent } from "node:fs";
import { lstat, opendir, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { ToolOutcome } from "../../orchestrator/contract/tool.ts";
import type { ResourceRead } from "../../orchestrator/resources/resource-scheme.ts";
import { linesTextLimit } from "./file-reading.ts";
import { revisionLength } from "./line-index.ts";

/** Most entries of one directory that are looked at. */
export const directoryLimit = 20_000;

/** Lists a directory: directories first, then files with their sizes and links with their targets, each sorted by name. */
export async function readDirectory(
  request: ResourceRead,
  uri: string,
  path: string,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const entries: Dirent[] = [];
  let more = false;
  for await (const entry of await opendir(path, { bufferSize: 256 })) {
    signal.throwIfAborted();
    if (entries.length >= directoryLimit) {
      more = true;
      break;
    }
    entries.push(entry);
  }
  const query = request.query;
  const chosen = (query === undefined ? entries : entries.filter(({ name }) => name.includes(query))).sort(
    byKindAndName,
  );
  const first = request["start-line"] ?? 1;
  const count = request["line-count"] ?? 400;
  const lines: string[] = [];
  let size = 0;
  for (const entry of chosen.slice(first - 1, first - 1 + count)) {
    const line = await describe(entry, path);
    if (size + line.length > linesTextLimit) break;
    lines.push(line);
    size += line.length + 1;
  }
  const next = first + lines.length;
  const revision = hash(
    "sha256",
    entries
      .map(({ name }) => name)
      .sort()
      .join("\0"),
    "hex",
  ).slice(0, revisionLength);
  const facts = [
    `directory · revision ${revision}`,
    `${chosen.length} entries${query === undefined ? "" : ` with ${JSON.stringify(query)}`}`,
    ...(more ? [`only ${directoryLimit} entries were looked at`] : []),
  ];
  const tail = next <= chosen.length ? `\n[more: start-line ${next}]` : "";
  return {
    status: "ok",
    content: `${uri}\n${facts.join(" · ")}\n${lines.join("\n")}${tail}`,
    details: { revision },
  };
}

function byKindAndName(left: Dirent, right: Dirent): number {
  const kind = Number(right.isDirectory()) - Number(left.isDirectory());
  return kind !== 0 ? kind : left.name < right.name ? -1 : 1;
}

async function describe(entry: Dirent, directory: string): Promise<string> {
  const name = entry.name.replaceAll(/\p{Cc}/gu, "\u2421");
  if (entry.isDirectory()) return `${name}/`;
  const path = join(directory, entry.name);
  try {
    if (entry.isSymbolicLink()) return `${name} -> ${await readlink(path)}`;
    if (entry.isFile()) return `${name} ${(await lstat(path)).size}`;
    return `${name} (special)`;
  } catch {
    // It was removed while the directory was being listed, or may not be looked at.
    return name;
  }
}
