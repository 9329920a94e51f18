/**
 * `npm run bench:lisp images`: saving and restoring of images. `npm run bench:lisp [NAME…]`: runs the programs of `test/lisp/bench` in our Lisp and, where they are installed, in SBCL, ECL and CLISP
 * (all compiled), and prints milliseconds for each, their ratio to CLISP and the geometric means. Each program defines
 * BENCH; the time is the processor time of the best of three runs after one to warm up. A program may say what BENCH gives in a
 * line that begins with `;=> `; a run that gives something else does not count and makes the exit status 1.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { imageFigures } from "./bench/image-figures.ts";

const folder = new URL("../test/lisp/bench/", import.meta.url).pathname;
const work = mkdtempSync(join(tmpdir(), "bench-lisp-"));
const names = process.argv.slice(2);
if (names.includes("images")) {
  imageFigures();
  process.exit(0);
}
const programs = readdirSync(folder)
  .map((file) => basename(file, ".lisp"))
  .filter((name) => names.length === 0 || names.includes(name));

const timing = `
(defun time-it ()
  (let ((best nil))
    (dotimes (i 4 best)
      (let ((start (get-internal-run-time)))
        (bench)
        (let ((ms (/ (* 1000.0 (- (get-internal-run-time) start)) internal-time-units-per-second)))
          (when (and (> i 0) (or (null best) (< ms best))) (setq best ms)))))))
(format t "~&RESULT ~,3F~%" (time-it))
(format t "~&VALUE ~S~%" (bench))`;

interface Implementation {
  readonly name: string;
  readonly command: readonly string[];
  readonly compiles: boolean;
}

const implementations: readonly Implementation[] = [
  {
    name: "autolith",
    command: [process.execPath, new URL("lisp.ts", import.meta.url).pathname],
    compiles: false,
  },
  { name: "sbcl", command: ["sbcl", "--script"], compiles: true },
  { name: "ecl", command: ["ecl", "--norc", "--shell"], compiles: true },
  { name: "clisp", command: ["clisp", "-q", "-norc"], compiles: true },
];

/** Milliseconds, or null when the implementation is not there or fails. */
function measure(implementation: Implementation, program: string): number | null {
  const source = join(folder, `${program}.lisp`);
  const driver = join(work, `${program}-${implementation.name}.lisp`);
  const output = JSON.stringify(join(work, `${program}.fasl`));
  const load = implementation.compiles
    ? `(let ((*standard-output* (make-broadcast-stream)) (*error-output* (make-broadcast-stream)))
         (load (compile-file ${JSON.stringify(source)} :output-file ${output})))`
    : `(load ${JSON.stringify(source)})`;
  writeFileSync(driver, `${load}\n(compile 'bench)\n${timing}\n`);
  const [command, ...args] = implementation.command;
  const run = spawnSync(command!, [...args, driver], { encoding: "utf8", timeout: 120_000 });
  const found = /RESULT ([\d.]+)/.exec(run.stdout ?? "");
  if (found === null && run.error === undefined)
    process.stderr.write(`${program} ${implementation.name}: ${run.stderr.slice(0, 300)}\n`);
  const expected = /^;=> (.*)$/m.exec(readFileSync(source, "utf8"))?.[1];
  const value = /VALUE (.*)/.exec(run.stdout ?? "")?.[1];
  if (found !== null && expected !== undefined && value !== expected) {
    process.stderr.write(`${program} ${implementation.name}: expected ${expected}, got ${value}\n`);
    process.exitCode = 1;
    return null;
  }
  return found === null ? null : Math.max(Number(found[1]), 0.05);
}

function cell(value: number | null, digits = 1): string {
  return (value === null ? "-" : value.toFixed(digits)).padStart(10);
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

const ratios = new Map<string, number[]>();
console.log(
  [
    "program".padEnd(12),
    ...implementations.map(({ name }) => name.padStart(10)),
    "ours/clisp".padStart(12),
    "ours/sbcl".padStart(12),
  ].join(""),
);
for (const program of programs) {
  const times = implementations.map((implementation) => measure(implementation, program));
  const [ours, sbcl, , clisp] = times;
  for (const [i, { name }] of implementations.entries()) {
    const time = times[i];
    if (time !== null && time !== undefined && clisp != null)
      ratios.set(name, [...(ratios.get(name) ?? []), time / clisp]);
  }
  const ratio = (other: number | null | undefined): string =>
    (ours == null || other == null ? "-" : (ours / other).toFixed(2)).padStart(12);
  console.log([program.padEnd(12), ...times.map((time) => cell(time)), ratio(clisp), ratio(sbcl)].join(""));
}
console.log("geometric mean relative to clisp:");
for (const [name, values] of ratios)
  console.log(`  ${name.padEnd(10)} ${geometricMean(values).toFixed(3)} (${values.length} programs)`);
rmSync(work, { recursive: true, force: true });
