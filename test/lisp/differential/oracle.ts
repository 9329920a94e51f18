/** The Lisp we compare with: SBCL, where this machine has it. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Folder of the chapters: `NAME.lisp` with one form a line and `NAME.expected` with one answer a line. */
export const chapters = join(here, "chapters");
/** The Lisp program that writes the answers. */
export const driver = join(here, "driver.lisp");

/** Path of SBCL, or undefined. */
export function findOracle(): string | undefined {
  const candidates = (process.env["PATH"] ?? "").split(delimiter).map((directory) => join(directory, "sbcl"));
  return candidates.find((path) => existsSync(path));
}

/** Answers of SBCL to the forms of a chapter; at most 50 s. */
export function oracleAnswers(oracle: string, chapter: string): string[] {
  const form = `(progn (write-results ${JSON.stringify(join(chapters, `${chapter}.lisp`))}) (sb-ext:exit))`;
  const output = execFileSync(
    oracle,
    ["--noinform", "--no-userinit", "--disable-debugger", "--load", driver, "--eval", form],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 50_000 },
  );
  return output.split("\n").slice(0, -1);
}
