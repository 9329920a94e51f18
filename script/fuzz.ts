/**
 * `npm run fuzz [-- --count N] [--seed S] [--subject NAME]… [--case NUMBER] [--parallel P]`: gives damaged input to every reader of what others wrote.
 * No crash, no hang, bounded memory, and every refusal names its place. The last line sums up; the exit status is 1 when anything was
 * violated. `--case` with the seed of a run brings one of its cases back.
 */
import { parseArgs } from "node:util";
import { type SubjectResult, runCampaign } from "./fuzz/campaign.ts";
import { subjectNames } from "./fuzz/subjects.ts";

/** The one line of counts. */
export function fuzzSummary(results: readonly SubjectResult[], seed: number): string {
  const counts = results.map(({ subject, cases }) => `${cases} ${subject}`).join(", ");
  const violations = results.reduce((sum, result) => sum + result.violations.length, 0);
  const slowest = Math.max(0, ...results.map(({ slowestMs }) => slowestMs));
  const peak = Math.max(0, ...results.map(({ peakBytes }) => peakBytes)) / 2 ** 20;
  return `fuzz: ${counts}; ${violations} violations, slowest case ${slowest.toFixed(0)} ms, at most ${peak.toFixed(0)} MiB, seed ${seed}`;
}

function wholeNumber(text: string, name: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0 || value >= 2 ** 31)
    throw new Error(`--${name} takes a whole number from 0 below 2^31, not ${text}.`);
  return value;
}

function chosenSubjects(names: readonly string[]): readonly string[] {
  const unknown = names.find((name) => !subjectNames.includes(name));
  if (unknown === undefined) return names.length === 0 ? subjectNames : names;
  throw new Error(`There is no subject ${JSON.stringify(unknown)}; there are ${subjectNames.join(", ")}.`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "100000" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      subject: { type: "string", multiple: true, default: [] },
      case: { type: "string" },
      parallel: { type: "string", default: "2" },
    },
  });
  const seed = wholeNumber(values.seed, "seed");
  const results = await runCampaign({
    subjects: chosenSubjects(values.subject),
    count: values.case === undefined ? wholeNumber(values.count, "count") : 1,
    seed,
    parallel: Math.max(1, wholeNumber(values.parallel, "parallel")),
    firstCase: values.case === undefined ? 0 : wholeNumber(values.case, "case"),
    report: ({ subject, cases, violations, slowestMs, peakBytes }) => {
      const figures = `slowest ${slowestMs.toFixed(0)} ms, at most ${(peakBytes / 2 ** 20).toFixed(0)} MiB`;
      process.stdout.write(`${subject}: ${cases} cases, ${figures}, ${violations.length} violations\n`);
      for (const violation of violations) process.stdout.write(`    ${violation}\n`);
    },
  });
  process.stdout.write(`${fuzzSummary(results, seed)}\n`);
  if (results.some(({ violations }) => violations.length > 0)) process.exitCode = 1;
}

if (import.meta.main) await main();
