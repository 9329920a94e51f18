/** Runs the cases of one assignment in this process and tells the campaign how they went. */
import { Random } from "./random.ts";
import { type Assignment, type Report, assignmentSchema } from "./assignment.ts";
import { type FuzzSubject, FuzzViolation } from "./subject.ts";

/** Takes the one assignment that the parent process sends, runs it and ends this process. */
export function serveAssignment(subjectNamed: (name: string) => FuzzSubject): void {
  process.once("message", (raw: unknown) => {
    const assignment = assignmentSchema.parse(raw);
    void runCases(assignment, subjectNamed(assignment.subject)).then(() => process.disconnect?.());
  });
}

async function runCases(
  { seed, from, to, progressEvery, caseMs }: Assignment,
  subject: FuzzSubject,
): Promise<void> {
  let slowestMs = 0;
  for (let number = from; number < to; number += 1) {
    if (number % progressEvery === 0) await say({ kind: "progress", number });
    const startedMs = processorMs();
    try {
      await subject.run(new Random(seed, number));
    } catch (error) {
      await say({ kind: "violation", number, text: describe(error) });
    }
    const usedMs = processorMs() - startedMs;
    slowestMs = Math.max(slowestMs, usedMs);
    if (usedMs > caseMs)
      await say({
        kind: "violation",
        number,
        text: `took ${Math.round(usedMs)} ms of processor time, over ${caseMs}`,
      });
  }
  await say({ kind: "done", slowestMs, peakBytes: process.resourceUsage().maxRSS * 1024 });
}

/** Resolves when the report has left this process, so that a case that ends it cannot take the report with it. */
function say(report: Report): Promise<void> {
  return new Promise((settle) => process.send?.(report, undefined, undefined, () => settle()));
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function describe(error: unknown): string {
  if (error instanceof FuzzViolation) return error.message;
  if (!(error instanceof Error)) return `threw ${typeof error}`;
  const frames = (error.stack ?? "").split("\n").slice(1, 6).join(" ");
  return `threw ${error.name}: ${error.message.slice(0, 300)} ${frames}`;
}
