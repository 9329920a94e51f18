/** Runs the code of a skill: in an image that is made for it, from the files that were approved, and reads its result when the image is gone. */
import { createHash } from "node:crypto";
import { dirname, sep } from "node:path";
import { failureOf } from "../contract/failure.ts";
import type { HostCalls, LispImage } from "../contract/lisp-image.ts";
import type { LispJobResult, LispTarget } from "../contract/job-catalog.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import { type Evaluated, evaluateForms } from "../repls/evaluate-forms.ts";
import { type LispJob, type OutcomeParts, emptyResult, notStarted } from "../repls/evaluation-outcome.ts";
import type { HostToolTable } from "../repls/host-tools.ts";
import { replLimits } from "../repls/repl-limits.ts";
import { manifestLimits } from "./executable-manifest.ts";
import { type ExecutableSkill, readExecutableSkill } from "./executable-skill.ts";
import { settledSkill } from "./skill-outcome.ts";
import { SkillReport, skillEvent } from "./skill-prelude.ts";
import { boundedFile } from "./skill-scan.ts";
import type { SkillWorkers } from "./skill-workers.ts";

/** Which code runs where, as it was approved. */
export type SkillTarget = Extract<LispTarget, { kind: "skill" }>;

export type SkillExecutorParts = OutcomeParts & {
  readonly skills: SkillWorkers;
  readonly hostTools: HostToolTable;
};

/** Rejects with what {@link SkillWorkers.use} rejects with; what the code itself does is in the outcome. */
export async function runSkill(
  job: LispJob,
  target: SkillTarget,
  parts: SkillExecutorParts,
): Promise<Outcome<LispJobResult>> {
  const onCall = parts.hostTools.answersFor(job.executionId, job.name);
  if (onCall === undefined)
    return notStarted(
      "host-tools-gone",
      "The skill was asked for by a host that died, and with it went its caller, for whom its code works. It did not begin.",
    );
  const skill = await approvedSkill(target);
  if (skill === undefined)
    return notStarted(
      "skill-identity-changed",
      `The files of the skill ${target.skill} changed after its code was approved, so none of it was loaded. Ask again for what is there now.`,
    );
  const report = new SkillReport();
  const evaluated = await parts.skills.use(target.workspace, (image) =>
    evaluateIn(image, job, report, onCall),
  );
  const outcome = await settledSkill({ job, skill, target, evaluated, report }, parts);
  return verified(outcome, skill, target, report, parts);
}

function evaluateIn(
  image: LispImage,
  job: LispJob,
  report: SkillReport,
  onCall: HostCalls,
): Promise<Evaluated> {
  const { forms, timeoutMs } = job.payload;
  return evaluateForms(image, {
    forms,
    signal: job.signal,
    timeoutMs,
    onCall: (args, call) => (call.name === skillEvent ? report.told(args) : onCall(args, call)),
    previewLength: replLimits.valueCharacters,
    outputLimit: replLimits.outputCharacters,
    abandon: () => void image.terminate("it did not stop when it was cancelled"),
  });
}

/** The skill when its files are those that were approved. */
async function approvedSkill(target: SkillTarget): Promise<ExecutableSkill | undefined> {
  try {
    const skill = await readExecutableSkill(target.skill, target.path);
    const isSame =
      skill.identity === target.identity &&
      skill.path === target.path &&
      (await fileDigest(target.asd)) === target.asdDigest;
    return isSame ? skill : undefined;
  } catch {
    // A file that is gone or that declares something else was not approved either.
    return undefined;
  }
}

/** SHA-256 of the file that defines a system. Rejects as {@link boundedFile}. */
export async function fileDigest(path: string): Promise<string> {
  return createHash("sha256")
    .update(await boundedFile(path, manifestLimits.systemBytes))
    .digest("hex");
}

/** Directories in which the systems of a skill are looked for. */
export function skillRegistry({ directory }: ExecutableSkill, asd: string): readonly string[] {
  return [...new Set([dirname(asd), directory])].map((path) => `${path}${sep}`);
}

/** Keeps what came of a function that tries the skill; what cannot be kept is told. */
async function verified(
  outcome: Outcome<LispJobResult>,
  skill: ExecutableSkill,
  { operation, asd }: SkillTarget,
  report: SkillReport,
  { skills }: SkillExecutorParts,
): Promise<Outcome<LispJobResult>> {
  if (operation === "invoke" || outcome.state === "aborted") return outcome;
  const { path, identity } = skill;
  const isPassed = outcome.state === "completed";
  try {
    await skills.verifications.keep({ skill: path, operation, identity, isPassed }, [asd, ...report.sources]);
    return outcome;
  } catch (error) {
    const result = outcome.result ?? emptyResult("");
    const note = `(${failureOf(error).message} The list of skills does not show this verification.)`;
    return { ...outcome, result: { ...result, content: `${result.content}\n${note}` } };
  }
}
