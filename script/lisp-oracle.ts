/**
 * Writes the expectations of oracle files anew: `node script/lisp-oracle.ts test/lisp/oracle/FILE…`. Needs `sbcl`. Every line
 * that begins with a parenthesis is a form; the comment after it becomes what SBCL prints for its values. Check the
 * difference before committing it.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const driver = fileURLToPath(new URL("../test/lisp/oracle/classify.lisp", import.meta.url));
const marker = ";=> ";

/** What SBCL prints for each form, evaluated one after the other in one process. */
function ask(forms: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "oracle-"));
  try {
    const input = join(folder, "forms");
    const output = join(folder, "values");
    writeFileSync(input, forms.join("\n"));
    const program = `(load ${JSON.stringify(driver)})
      (with-open-file (in ${JSON.stringify(input)})
        (with-open-file (out ${JSON.stringify(output)} :direction :output)
          (loop for line = (read-line in nil) while line do (write-line (oracle-text line) out))))`;
    const script = join(folder, "program.lisp");
    writeFileSync(script, program);
    const run = spawnSync("sbcl", ["--script", script], { encoding: "utf8", timeout: 300_000 });
    if (run.status !== 0) throw new Error(`sbcl ended with ${run.status}: ${run.stderr.slice(-500)}`);
    return readFileSync(output, "utf8").trimEnd().split("\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const path of process.argv.slice(2)) {
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => !line.startsWith(marker));
  const values = ask(lines.filter((line) => line.startsWith("(")));
  const text = lines
    .map((line) => (line.startsWith("(") ? `${line}\n${marker}${values.shift()}` : line))
    .join("\n");
  writeFileSync(path, text);
}
