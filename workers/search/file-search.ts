import type { Spawner } from "../spawner/spawner.ts";
import { fuzzyQuery, fuzzyScore } from "./fuzzy-score.ts";
import { compileGlob } from "./glob-pattern.ts";
import { runRipgrep, SearchError } from "./ripgrep.ts";
import type { RipgrepEnd } from "./ripgrep.ts";

/** Most files of a workspace that one search looks at. */
export const fileLimit = 500_000;
/** Time the listing may take, in ms. */
export const listingBudgetMs = 10_000;
/** Time scoring may hold the event loop at once, in ms. */
const sliceMs = 4;

export interface SearchPlace {
  readonly program: string;
  readonly spawner: Spawner;
  /** Absolute path of the directory that is searched. */
  readonly directory: string;
  readonly signal: AbortSignal;
}

export interface FileMatches {
  /** Paths relative to the directory: best first for a query, by name for a glob. */
  readonly paths: readonly string[];
  readonly filesSeen: number;
  readonly ended: RipgrepEnd["ended"];
}

/** Files whose path fits a fuzzy query. */
export async function searchFiles(place: SearchPlace, query: string): Promise<FileMatches> {
  const prepared = fuzzyQuery(query);
  const { paths, ended } = await listFiles(place);
  const scored: { readonly path: string; readonly score: number }[] = [];
  let sliceEnds = performance.now() + sliceMs;
  for (const path of paths) {
    const score = fuzzyScore(path, prepared);
    if (score !== undefined) scored.push({ path, score });
    if (performance.now() < sliceEnds) continue;
    await new Promise(setImmediate);
    place.signal.throwIfAborted();
    sliceEnds = performance.now() + sliceMs;
  }
  scored.sort((left, right) => right.score - left.score || (left.path < right.path ? -1 : 1));
  return { paths: scored.map(({ path }) => path), filesSeen: paths.length, ended };
}

/** Files whose path matches a glob. Throws {@link SearchError} `search-pattern`. */
export async function searchGlob(place: SearchPlace, pattern: string): Promise<FileMatches> {
  const glob = compileGlob(pattern);
  if (glob === undefined) {
    throw new SearchError(
      "search-pattern",
      "The braces of the pattern stand for more than 256 alternatives.",
    );
  }
  const { paths, ended } = await listFiles(place);
  return { paths: paths.filter((path) => glob.matches(path)), filesSeen: paths.length, ended };
}

async function listFiles(
  place: SearchPlace,
): Promise<{ readonly paths: readonly string[]; readonly ended: RipgrepEnd["ended"] }> {
  const paths: string[] = [];
  const { ended } = await runRipgrep({
    ...place,
    parameters: ["--files", "./"],
    timeBudgetMs: listingBudgetMs,
    onLine: (line, stop) => {
      paths.push(line.startsWith("./") ? line.slice(2) : line);
      if (paths.length >= fileLimit) stop();
    },
  });
  return { paths, ended };
}
