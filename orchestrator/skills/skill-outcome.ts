/** What the code of a skill came to: its result, read as data when its image is gone, with the identity of the code. */
import { type DataForm, formToJson, printDataForm, readDataForm } from "../../lisp/data-forms/index.ts";
import { describeViolations, validateOutput } from "../../roles/output-contract/index.ts";
import { type Failure, failureOf } from "../contract/failure.ts";
import type { LispJobResult, LispTarget } from "../contract/job-catalog.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import type { Evaluated } from "../repls/evaluate-forms.ts";
import {
  type LispJob,
  type OutcomeParts,
  evaluationFailure,
  keptOutput,
  settledEvaluation,
} from "../repls/evaluation-outcome.ts";
import { outputTexts, shortenedOutput } from "../repls/evaluation-report.ts";
import { report, word } from "../tasks/report-form.ts";
import type { ExecutableSkill } from "./executable-skill.ts";
import { skillCodeLimits } from "./skill-limits.ts";
import type { SkillReport } from "./skill-prelude.ts";

export type SettledSkill = {
  readonly job: LispJob;
  readonly skill: ExecutableSkill;
  readonly target: Extract<LispTarget, { kind: "skill" }>;
  readonly evaluated: Evaluated;
  /** What its image told. */
  readonly report: SkillReport;
};

type Evidence = NonNullable<LispJobResult["skill"]>;

/** Never rejects. */
export async function settledSkill(
  settled: SettledSkill,
  parts: OutcomeParts,
): Promise<Outcome<LispJobResult>> {
  const { job, evaluated, report: told } = settled;
  if (evaluated.forms.at(-1)?.result.kind === "values") return finished(settled, parts);
  const outcome = await settledEvaluation(job, evaluated, [], parts);
  const result = { ...(outcome.result as LispJobResult), skill: evidenceOf(settled) };
  if (outcome.state === "aborted") return { ...outcome, result };
  if (told.refusal !== undefined)
    return { state: "failed", failure: evaluationFailure(told.refusal.code, told.refusal.message), result };
  if (outcome.state === "completed")
    return {
      state: "failed",
      failure: evaluationFailure("skill-quit", "The code of the skill ended its image."),
      result,
    };
  const { code, message } = outcome.failure;
  return told.isRunning || code !== "lisp-condition"
    ? { ...outcome, result }
    : {
        state: "failed",
        failure: evaluationFailure("skill-load-failed", `Its system could not be loaded. ${message}`),
        result,
      };
}

function evidenceOf({ skill, target }: SettledSkill): Evidence {
  const { skillVersion, system, systemVersion } = skill.manifest;
  const { name, identity } = skill;
  return { name, operation: target.operation, skillVersion, system, systemVersion, identity };
}

/** The code returned: what it published is read, and with its output becomes the result. */
async function finished(settled: SettledSkill, parts: OutcomeParts): Promise<Outcome<LispJobResult>> {
  const { job, evaluated } = settled;
  const output = parts.withoutSecrets(evaluated.output);
  const kept = await keptOutput(output, parts.overflow(job));
  const { content, failure, ...evidence } = await published(settled, parts);
  const told = outputTexts({ evaluated: { ...evaluated, output }, outputProblem: undefined, ...kept });
  const result: LispJobResult = {
    ending: "values",
    content: [...content, ...told].join("\n"),
    values: evidence.output === undefined ? [] : [evidence.output],
    output: shortenedOutput(output),
    ...(kept.outputUri === undefined ? {} : { outputUri: kept.outputUri }),
    skill: { ...evidenceOf(settled), ...evidence },
    durationMs: evaluated.durationMs,
  };
  return failure === undefined ? { state: "completed", result } : { state: "failed", failure, result };
}

type Published = Pick<Evidence, "output" | "outputUri"> & {
  readonly content: readonly string[];
  readonly failure?: Failure;
};

/** The result in full or where it is kept, or why there is none. */
async function published(
  settled: SettledSkill,
  { withoutSecrets, overflow }: OutcomeParts,
): Promise<Published> {
  const { job, target } = settled;
  const failed = (code: string, problem: string): Published => ({
    content: [problem, evidenceText(settled, {})],
    failure: evaluationFailure(code, problem),
  });
  const read = readResult(settled, withoutSecrets);
  if (!read.ok) return failed(read.code, read.problem);
  const { form } = read;
  if (target.operation !== "invoke")
    return form === true
      ? { content: [evidenceText(settled, { "passed-p": true })] }
      : failed(
          "skill-verification-failed",
          `The function for ${target.operation} answered NIL: the skill did not pass.`,
        );
  const text = printDataForm(form);
  if (text.length <= skillCodeLimits.shownResultCharacters)
    return { output: text, content: [evidenceText(settled, { output: form })] };
  try {
    const outputUri = await overflow(job).put(text);
    const where = { "output-uri": outputUri, "output-characters": text.length };
    return { outputUri, content: [evidenceText(settled, where)] };
  } catch (error) {
    const { message } = failureOf(error);
    return failed(
      "skill-result-lost",
      `Its result of ${text.length} characters could not be kept: ${message}`,
    );
  }
}

/** Which code it was, as a form. */
function evidenceText(settled: SettledSkill, fields: Readonly<Record<string, DataForm>>): string {
  const { name, operation, skillVersion, system, systemVersion, identity } = evidenceOf(settled);
  return printDataForm(
    report("skill-execution", {
      name,
      operation: word(operation),
      "skill-version": skillVersion,
      system,
      "system-version": systemVersion,
      identity,
      ...fields,
      "duration-ms": settled.evaluated.durationMs,
    }),
  );
}

type ReadResult =
  | { readonly ok: true; readonly form: DataForm }
  | { readonly ok: false; readonly code: string; readonly problem: string };

function readResult(
  { skill, target, report: told }: SettledSkill,
  remove: (text: string) => string,
): ReadResult {
  const refused = (code: string, problem: string): ReadResult => ({ ok: false, code, problem });
  const result = told.result;
  if (result === undefined) return refused("skill-result", "The image ended without a result of the skill.");
  const text = remove(result.text);
  const bytes = Buffer.byteLength(text);
  if (result.isCut || bytes > skillCodeLimits.resultBytes)
    return refused(
      "skill-result-too-large",
      `Its result has more than ${skillCodeLimits.resultBytes} bytes as a printed form, which is the limit. A file can hold more; return its name.`,
    );
  try {
    const form = readDataForm(text, {
      limits: {
        maxBytes: skillCodeLimits.resultBytes,
        maxDepth: skillCodeLimits.resultDepth,
        maxNodes: skillCodeLimits.resultNodes,
        maxStringCharacters: skillCodeLimits.resultBytes,
      },
      floatFormat: "single",
    });
    if (target.operation !== "invoke") return { ok: true, form };
    formToJson(form);
    const violations = validateOutput(skill.manifest.output, form);
    if (violations.length === 0) return { ok: true, form };
    return refused(
      "skill-output-contract",
      `Its result breaks the output contract that the skill declares.\n${describeViolations(violations)}`,
    );
  } catch (error) {
    return refused(
      "skill-result-invalid",
      `Its result is no portable form, such as (:object ("status" "ready")): ${failureOf(error).message}. It begins ${JSON.stringify(text.slice(0, 200).toWellFormed())}.`,
    );
  }
}
