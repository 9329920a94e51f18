/** Most alternatives the braces of one pattern may stand for. */
export const alternativeLimit = 256;

/** A glob over `/`-separated relative paths, compiled. */
export interface GlobPattern {
  matches(path: string): boolean;
}

/**
 * Compiles a glob: `*` and `?` within a name, `[a-z]` and `[!a]`, `**` over any number of directories, `{a,b}`
 * alternatives, `\` before a character taken as it is. A pattern without `/` is matched against names at any depth, one
 * that ends in `/` against everything below. Undefined when the braces stand for more than 256 alternatives. Matching
 * takes time proportional to pattern and path, whatever the pattern.
 */
export function compileGlob(pattern: string): GlobPattern | undefined {
  const alternatives = expandBraces(pattern);
  if (alternatives === undefined) return undefined;
  const compiled = alternatives.map((text) => {
    const trimmed = text.replace(/^\.?\/+/, "");
    const below = trimmed.endsWith("/") ? `${trimmed}**` : trimmed;
    const anywhere = below.includes("/") ? below : `**/${below}`;
    return anywhere.split("/").filter((segment) => segment !== "");
  });
  return { matches: (path) => compiled.some((segments) => matchSegments(segments, path.split("/"))) };
}

/** All texts the braces of a pattern stand for. */
export function expandBraces(pattern: string): readonly string[] | undefined {
  let done: string[] = [];
  let open = [pattern];
  while (open.length > 0) {
    const next: string[] = [];
    for (const text of open) {
      const brace = firstBrace(text);
      if (brace === undefined) done = [...done, text];
      else {
        const { from, to, options } = brace;
        next.push(...options.map((option) => text.slice(0, from) + option + text.slice(to)));
      }
    }
    open = next;
    if (done.length + open.length > alternativeLimit) return undefined;
  }
  return done;
}

/** The first brace pair that holds a comma at its own level; others are ordinary characters. */
function firstBrace(
  text: string,
): { readonly from: number; readonly to: number; readonly options: readonly string[] } | undefined {
  for (let from = text.indexOf("{"); from >= 0; from = text.indexOf("{", from + 1)) {
    if (text[from - 1] === "\\") continue;
    const options: string[] = [];
    let depth = 0;
    let start = from + 1;
    for (let at = from; at < text.length; at += 1) {
      const character = text[at];
      if (character === "\\") at += 1;
      else if (character === "{") depth += 1;
      else if (character === "," && depth === 1) {
        options.push(text.slice(start, at));
        start = at + 1;
      } else if (character === "}" && (depth -= 1) === 0) {
        options.push(text.slice(start, at));
        if (options.length > 1) return { from, to: at + 1, options };
        break;
      }
    }
  }
  return undefined;
}

/** Greedy matching of path segments; only the last `**` needs to be retried, as with `*` in a name. */
function matchSegments(pattern: readonly string[], path: readonly string[]): boolean {
  let at = 0;
  let in_ = 0;
  let retryPattern = -1;
  let retryPath = 0;
  while (in_ < path.length) {
    const segment = pattern[at];
    if (segment === "**") {
      retryPattern = at;
      retryPath = in_;
      at += 1;
      // A last `**` needs something below it: `src/**` does not match `src` itself.
      if (at === pattern.length) return true;
    } else if (segment !== undefined && matchName(segment, path[in_] ?? "")) {
      at += 1;
      in_ += 1;
    } else if (retryPattern >= 0) {
      retryPath += 1;
      at = retryPattern + 1;
      in_ = retryPath;
    } else return false;
  }
  return at === pattern.length;
}

function matchName(pattern: string, name: string): boolean {
  let at = 0;
  let in_ = 0;
  let retryPattern = -1;
  let retryName = 0;
  while (in_ < name.length) {
    const step = at < pattern.length ? matchOne(pattern, at, name[in_] ?? "") : undefined;
    if (pattern[at] === "*") {
      retryPattern = at;
      retryName = in_;
      at += 1;
    } else if (step !== undefined) {
      at = step;
      in_ += 1;
    } else if (retryPattern >= 0) {
      retryName += 1;
      at = retryPattern + 1;
      in_ = retryName;
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}

/** Position behind the pattern element at `at` when it matches the character, else undefined. */
function matchOne(pattern: string, at: number, character: string): number | undefined {
  const element = pattern[at];
  if (element === "?") return at + 1;
  if (element === "\\" && at + 1 < pattern.length) return pattern[at + 1] === character ? at + 2 : undefined;
  if (element === "[") {
    const end = pattern.indexOf("]", at + 2);
    if (end > 0) return inClass(pattern.slice(at + 1, end), character) ? end + 1 : undefined;
  }
  return element === character ? at + 1 : undefined;
}

function inClass(text: string, character: string): boolean {
  const negated = text.startsWith("!") || text.startsWith("^");
  const members = negated ? text.slice(1) : text;
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] ?? "";
    const isRange = members[at + 1] === "-" && at + 2 < members.length;
    const to = isRange ? (members[at + 2] ?? from) : from;
    if (character >= from && character <= to) return !negated;
    if (isRange) at += 2;
  }
  return negated;
}
