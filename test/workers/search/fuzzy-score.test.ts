import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fuzzyQuery, fuzzyScore } from "../../../workers/search/fuzzy-score.ts";

function ranked(query: string, paths: readonly string[]): readonly string[] {
  const prepared = fuzzyQuery(query);
  return paths
    .flatMap((path) => {
      const score = fuzzyScore(path, prepared);
      return score === undefined ? [] : [{ path, score }];
    })
    .sort((left, right) => right.score - left.score)
    .map(({ path }) => path);
}

describe("fuzzyScore", () => {
  test.each<[string, string[], string]>([
    ["worker", ["docs/working.md", "src/worker.ts", "src/workers/pool/queue.ts"], "src/worker.ts"],
    ["wrk", ["README.md", "src/worker.ts"], "src/worker.ts"],
    ["agent loop", ["workers/agent/agent-loop.ts", "workers/agent/pool.ts"], "workers/agent/agent-loop.ts"],
    ["index", ["src/index.ts", "src/index/other/very/deep/file.ts"], "src/index.ts"],
    ["fs", ["src/file-search.ts", "src/aflas.ts"], "src/file-search.ts"],
  ])("%s prefers the right one", (query, paths, best) => {
    expect(ranked(query, paths)[0]).toBe(best);
  });

  test("a path without a term is no match; capitals make the query case sensitive", () => {
    expect(ranked("xyz", ["abc"])).toEqual([]);
    expect(ranked("README", ["readme.md", "README.md"])).toEqual(["README.md"]);
  });

  test("scores exactly the paths that hold every term as a subsequence", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "/", "-"), maxLength: 12 });
    const holds = (text: string, term: string): boolean => {
      let at = 0;
      for (const character of term) {
        at = text.indexOf(character, at) + 1;
        if (at === 0) return false;
      }
      return true;
    };
    fc.assert(
      fc.property(
        letters,
        fc.array(
          letters.filter((term) => term !== ""),
          { minLength: 1, maxLength: 3 },
        ),
        (path, terms) => {
          expect(fuzzyScore(path, fuzzyQuery(terms.join(" "))) !== undefined).toBe(
            terms.every((term) => holds(path, term)),
          );
        },
      ),
    );
  });
});
