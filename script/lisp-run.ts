/**
 * Development driver of the Lisp engine: `node script/lisp-run.ts [--each] FILE… | --eval FORM …`.
 * `--each` prints the value of every form, and goes on after a form that fails.
 */
import { readFileSync } from "node:fs";
import { bootImage } from "../lisp/image/boot.ts";
import { loadText, readForms } from "../lisp/image/source-loading.ts";
import { debugText } from "../lisp/image/debug-text.ts";

const args = process.argv.slice(2);
const each = args[0] === "--each";
if (each) args.shift();

function run(): void {
  const started = performance.now();
  const image = bootImage();
  process.stderr.write(`boot ${(performance.now() - started).toFixed(0)} ms\n`);
  for (let i = 0; i < args.length; i++) {
    const text = args[i] === "--eval" ? args[++i]! : readFileSync(args[i]!, "utf8");
    if (!each) {
      const value = loadText(image, text);
      if (args[i - 1] === "--eval" && value !== null) console.log(debugText(value));
      continue;
    }
    for (const form of readForms(image, text)) {
      try {
        console.log(debugText(form.evaluate()));
      } catch (error) {
        console.log(`FAILED ${debugText(form.form).slice(0, 200)}\n  ${(error as Error).message}`);
      }
    }
  }
}

try {
  run();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
