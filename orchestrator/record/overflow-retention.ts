/** Which kept texts may go, and how they go: `context:` texts are bounded in number, size and age. */
import { open, readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf, recordFailure } from "./failure.ts";
import { isRunning } from "./process-identity.ts";
import { lockHolder } from "./writer-lock.ts";

export interface OverflowLimits {
  /** Bytes of all texts together. */
  readonly totalBytes: number;
  /** Number of texts. */
  readonly texts: number;
  /** Age since a text was last stored or read, in milliseconds. */
  readonly ageMs: number;
}

export const defaultOverflowLimits: OverflowLimits = {
  totalBytes: 1024 * 1024 * 1024,
  texts: 4096,
  ageMs: 30 * 24 * 3_600_000,
};

/** A text on disk. */
export interface KeptText {
  readonly digest: string;
  readonly bytes: number;
  /** When it was last stored or read, in epoch milliseconds. */
  readonly usedAt: number;
}

/**
 * The digests of the texts that go: all that are too old, then the longest unused until the bounds hold. Texts that are
 * `referenced` stay, and count.
 */
export function textsToPrune(
  kept: readonly KeptText[],
  referenced: ReadonlySet<string>,
  limits: OverflowLimits,
  now: number,
): readonly string[] {
  let bytes = kept.reduce((sum, text) => sum + text.bytes, 0);
  let count = kept.length;
  const oldestFirst = kept.toSorted((left, right) => left.usedAt - right.usedAt);
  return oldestFirst.flatMap((text) => {
    const fits = bytes <= limits.totalBytes && count <= limits.texts;
    if (referenced.has(text.digest) || (fits && now - text.usedAt <= limits.ageMs)) return [];
    bytes -= text.bytes;
    count -= 1;
    return text.digest;
  });
}

/** Where texts and conversations are. */
export interface OverflowPlaces {
  /** The directory of the texts. */
  readonly directory: string;
  /** The directory of all conversations; what their live writers refer to stays. */
  readonly conversations: string;
}

/** The places below a data root. */
export function overflowPlaces(dataRoot: string): OverflowPlaces {
  return { directory: join(dataRoot, "context"), conversations: join(dataRoot, "conversations") };
}

/** What is left after pruning. */
export interface OverflowUse {
  readonly bytes: number;
  readonly texts: number;
  readonly pruned: number;
}

/**
 * Removes what may go. Nothing but a directory listing happens while the bounds hold.
 *
 * @throws RecordError of the file system.
 */
export async function pruneOverflow(
  places: OverflowPlaces,
  limits: OverflowLimits = defaultOverflowLimits,
  now: number = Date.now(),
): Promise<OverflowUse> {
  try {
    const kept = await keptTexts(places.directory);
    const tentative = textsToPrune(kept, new Set(), limits, now);
    // Only now is it worth to know what live conversations refer to.
    const digests =
      tentative.length === 0
        ? []
        : textsToPrune(kept, await liveReferences(places.conversations), limits, now);
    const gone = new Set<string>();
    for (const digest of digests) if (await removed(places.directory, digest, kept)) gone.add(digest);
    const left = kept.filter(({ digest }) => !gone.has(digest));
    return { bytes: left.reduce((sum, text) => sum + text.bytes, 0), texts: left.length, pruned: gone.size };
  } catch (error) {
    throw recordFailure(error, places.directory, "prune the texts in");
  }
}

const digestPattern = /^[0-9a-f]{64}$/;

async function keptTexts(directory: string): Promise<readonly KeptText[]> {
  const texts: KeptText[] = [];
  for (const part of await namesIn(directory)) {
    for (const name of await namesIn(join(directory, part))) {
      if (!digestPattern.test(name)) continue;
      const found = await stat(join(directory, part, name)).catch(missing);
      if (found !== undefined) texts.push({ digest: name, bytes: found.size, usedAt: found.mtimeMs });
    }
  }
  return texts;
}

const lockName = /^(.+)\.lock$/;

/** Digests that the records of conversations with a live writer name. */
async function liveReferences(conversations: string): Promise<ReadonlySet<string>> {
  const references = new Set<string>();
  for (const name of await namesIn(conversations)) {
    const id = lockName.exec(name)?.[1];
    if (id === undefined) continue;
    const holder = await lockHolder(join(conversations, name));
    if (holder === undefined || !isRunning(holder)) continue;
    for (const chunk of await namesIn(join(conversations, id))) {
      await addReferences(join(conversations, id, chunk), references);
    }
  }
  return references;
}

const blockBytes = 1 << 20;
const referencePattern = /context:([0-9a-f]{64})/g;
/** Characters of a reference: what may stand across two blocks. */
const referenceLength = "context:".length + 64;

async function addReferences(path: string, references: Set<string>): Promise<void> {
  const handle = await open(path, "r").catch(missing);
  if (handle === undefined) return;
  try {
    const block = Buffer.alloc(blockBytes);
    for (let carried = ""; ;) {
      const { bytesRead } = await handle.read(block, 0, blockBytes, null);
      if (bytesRead === 0) return;
      const text = carried + block.toString("latin1", 0, bytesRead);
      for (const [, digest = ""] of text.matchAll(referencePattern)) references.add(digest);
      carried = text.slice(-(referenceLength - 1));
    }
  } finally {
    await handle.close();
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    // Conversations have files beside their directories; neither need exist.
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return [];
    throw error;
  }
}

/** Removes a text unless it was used since it was listed. */
async function removed(directory: string, digest: string, kept: readonly KeptText[]): Promise<boolean> {
  const path = join(directory, digest.slice(0, 2), digest);
  const found = await stat(path).catch(missing);
  const listed = kept.find((text) => text.digest === digest);
  if (found !== undefined && found.mtimeMs !== listed?.usedAt) return false;
  await unlink(path).catch(missing);
  return true;
}

function missing(error: unknown): undefined {
  if (errnoOf(error) !== "ENOENT") throw error;
}
