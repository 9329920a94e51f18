/** Writes the stored answers of the differential tests: `node script/lisp-oracle.ts CHAPTER…` after editing `chapters/CHAPTER.lisp`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { chapters, findOracle, oracleAnswers } from "../test/lisp/differential/oracle.ts";

const oracle = findOracle();
if (oracle === undefined) throw new Error("sbcl is not on PATH, so there is nothing to ask");
for (const name of process.argv.slice(2)) {
  writeFileSync(join(chapters, `${name}.expected`), `${oracleAnswers(oracle, name).join("\n")}\n`);
}
