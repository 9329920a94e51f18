/** Runs cases in processes of their own, watched from outside: a reader that hangs, crashes or eats memory is found, ended and named. */
import { type ChildProcess, fork } from "node:child_process";
import { type Assignment, reportSchema } from "./assignment.ts";

/** What one subject came to. */
export type SubjectResult = {
  readonly subject: string;
  /** Cases that were run. */
  readonly cases: number;
  /** One line for each violation, with its case number. */
  readonly violations: readonly string[];
  /** Most processor time of one case, in milliseconds. */
  readonly slowestMs: number;
  /** Most resident memory of a process, in bytes, the runtime and our modules included. */
  readonly peakBytes: number;
};

export type CampaignOptions = {
  readonly subjects: readonly string[];
  /** Cases of each subject. */
  readonly count: number;
  readonly seed: number;
  /** Number of the first case; another one than 0 brings a single case back. */
  readonly firstCase?: number;
  /** Subjects that run at once; 1 when absent. */
  readonly parallel?: number;
  /** Longest time without a finished batch of cases before its reader counts as hung, in milliseconds. */
  readonly hangMs?: number;
  /** Most processor time of one case, in milliseconds. */
  readonly caseMs?: number;
  /** Heap of one process, in MiB; a reader that needs more dies of it and is named. */
  readonly heapMb?: number;
  /** What the processes run; another entry has other subjects. */
  readonly entry?: URL;
  readonly report?: (result: SubjectResult) => void;
};

const usualHangMs = 60_000;

const usualCaseMs = 2_000;

const usualHeapMb = 512;

/** Violations of one subject after which it is given up. */
const mostViolations = 10;

/** Cases between two reports of progress, and so the most that are run again to find the one that ended its process. */
const batch = 64;

/** Runs the campaign and resolves with the results in the order of the subjects. */
export async function runCampaign(options: CampaignOptions): Promise<readonly SubjectResult[]> {
  const results: SubjectResult[] = [];
  const waiting = options.subjects.entries();
  const work = async (): Promise<void> => {
    for (const [index, subject] of waiting) {
      const result = await runSubject(subject, options);
      results[index] = result;
      options.report?.(result);
    }
  };
  await Promise.all(Array.from({ length: options.parallel ?? 1 }, work));
  return results;
}

async function runSubject(subject: string, options: CampaignOptions): Promise<SubjectResult> {
  const { count, seed, firstCase = 0, caseMs = usualCaseMs } = options;
  const violations: string[] = [];
  const end = firstCase + count;
  let [from, slowestMs, peakBytes] = [firstCase, 0, 0];
  // After a process has ended too early, cases are counted one by one up to the case that ended it.
  let [searchTo, sought] = [firstCase, ""];
  while (from < end && violations.length < mostViolations) {
    const searching = from < searchTo;
    const to = searching ? searchTo : end;
    const ended = await runProcess(
      { subject, seed, from, to, progressEvery: searching ? 1 : batch, caseMs },
      options,
    );
    slowestMs = Math.max(slowestMs, ended.slowestMs);
    peakBytes = Math.max(peakBytes, ended.peakBytes);
    const isFinal = ended.problem === undefined || searching;
    violations.push(
      ...ended.violations.filter(({ number }) => isFinal || number < ended.reached).map(lineOf),
    );
    if (ended.problem === undefined) {
      if (searching)
        violations.push(`cases ${from} to ${to - 1}: ${sought}, but not when they were run again`);
      from = to;
    } else if (searching) {
      violations.push(`case ${ended.reached}: ${ended.problem}`);
      from = ended.reached + 1;
      searchTo = from;
    } else {
      from = ended.reached;
      searchTo = Math.min(end, from + batch);
      sought = ended.problem;
    }
  }
  return {
    subject,
    cases: from - firstCase,
    violations: violations.slice(0, mostViolations),
    slowestMs,
    peakBytes,
  };
}

type Violation = { readonly number: number; readonly text: string };

const lineOf = ({ number, text }: Violation): string => `case ${number}: ${text}`;

type ProcessEnd = {
  readonly violations: readonly Violation[];
  /** The last case that is known to have begun. */
  readonly reached: number;
  /** Why the process ended before its cases did. */
  readonly problem: string | undefined;
  readonly slowestMs: number;
  readonly peakBytes: number;
};

const errorTail = 600;

function runProcess(assignment: Assignment, options: CampaignOptions): Promise<ProcessEnd> {
  const {
    entry = new URL("./case-main.ts", import.meta.url),
    hangMs = usualHangMs,
    heapMb = usualHeapMb,
  } = options;
  const child = fork(entry, {
    execArgv: ["--disable-warning=ExperimentalWarning", `--max-old-space-size=${heapMb}`],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const violations: Violation[] = [];
  let reached = assignment.from;
  let figures: { slowestMs: number; peakBytes: number } | undefined;
  let problem = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    problem = `${problem}${text}`.slice(0, errorTail);
  });
  const hung = setTimeout(() => {
    problem = `did not end within ${hangMs} ms`;
    child.kill("SIGKILL");
  }, hangMs);
  child.on("message", (raw) => {
    const report = reportSchema.parse(raw);
    hung.refresh();
    if (report.kind === "done") figures = report;
    else if (report.kind === "progress") reached = report.number;
    else violations.push(report);
    if (violations.length >= mostViolations) child.kill("SIGKILL");
  });
  child.send(assignment);
  return endOf(child).then((how) => {
    clearTimeout(hung);
    const gaveUp = violations.length >= mostViolations;
    return {
      violations,
      reached: gaveUp ? (violations.at(-1)?.number ?? reached) + 1 : reached,
      problem: figures !== undefined || gaveUp ? undefined : `${how}: ${problem}`,
      slowestMs: figures?.slowestMs ?? 0,
      peakBytes: figures?.peakBytes ?? 0,
    };
  });
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((settle) => {
    child.once("close", (status, signal) => settle(`the process ended with ${signal ?? `status ${status}`}`));
  });
}
