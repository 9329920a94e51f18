/** A query prepared for scoring many paths. */
export interface FuzzyQuery {
  readonly terms: readonly string[];
  /** Upper-case letters in the query make it case sensitive. */
  readonly caseSensitive: boolean;
}

export function fuzzyQuery(query: string): FuzzyQuery {
  const caseSensitive = query !== query.toLowerCase();
  return { terms: query.split(/\s+/).filter((term) => term !== ""), caseSensitive };
}

const scoreOf = { character: 16, consecutive: 14, boundary: 10, name: 6, gap: 1, whole: 60, exactName: 120 };

/**
 * How well a path fits: every term must occur in it as a subsequence. Undefined when one does not. Runs of characters,
 * beginnings of words and matches in the file's own name count more; longer paths a little less.
 */
export function fuzzyScore(path: string, query: FuzzyQuery): number | undefined {
  const text = query.caseSensitive ? path : path.toLowerCase();
  const nameStart = path.lastIndexOf("/") + 1;
  let total = 0;
  for (const term of query.terms) {
    const score = termScore(path, text, term, nameStart);
    if (score === undefined) return undefined;
    total += score;
  }
  return total - path.length / 8;
}

function termScore(path: string, text: string, term: string, nameStart: number): number | undefined {
  const whole = text.lastIndexOf(term);
  if (whole >= 0) {
    const inName = whole >= nameStart;
    const name = text.slice(nameStart);
    const stem = name.replace(/\.[^.]*$/, "");
    const exact = inName && (name === term || stem === term) ? scoreOf.exactName : 0;
    const start = isBoundary(path, whole) ? scoreOf.boundary : 0;
    const runs = term.length * (scoreOf.character + scoreOf.consecutive);
    return scoreOf.whole + runs + exact + start + (inName ? scoreOf.name * term.length : 0);
  }
  // From the end backwards, so that the file's own name is preferred.
  let at = text.length;
  let score = 0;
  let last = -1;
  for (let index = term.length - 1; index >= 0; index -= 1) {
    const found = text.lastIndexOf(term[index] ?? "", at - 1);
    if (found < 0 || at === 0) return undefined;
    score += scoreOf.character + (found >= nameStart ? scoreOf.name : 0);
    if (isBoundary(path, found)) score += scoreOf.boundary;
    if (last >= 0)
      score += last - found === 1 ? scoreOf.consecutive : -Math.min(12, (last - found) * scoreOf.gap);
    last = found;
    at = found;
  }
  return score;
}

/** Whether a word begins here: after a separator, or an upper-case letter after a lower-case one. */
function isBoundary(path: string, at: number): boolean {
  const before = path[at - 1];
  if (before === undefined || "/._- ".includes(before)) return true;
  const character = path[at] ?? "";
  return before === before.toLowerCase() && character !== character.toLowerCase();
}
