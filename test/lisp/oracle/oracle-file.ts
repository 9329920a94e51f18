import { readFileSync } from "node:fs";

/** One form of an oracle file, and the text SBCL prints for its list of values (or the kind of its error). */
export interface OracleCase {
  readonly form: string;
  readonly expected: string;
}

const marker = ";=> ";

/** Cases of an oracle file: a form on one line, and its expectation as a comment on the next. Other lines are ignored. */
export function readOracleFile(path: string): OracleCase[] {
  const lines = readFileSync(path, "utf8").split("\n");
  const cases: OracleCase[] = [];
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    if (line.startsWith("(") && next?.startsWith(marker)) {
      cases.push({ form: line, expected: next.slice(marker.length) });
    }
  }
  return cases;
}
