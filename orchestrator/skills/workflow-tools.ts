/** `skill.invoke` and `skill.verify`: the code of a skill as a supervised job, in an image that is made for it and ends with it. */
import { lstat, realpath } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { z } from "zod";
import {
  type DataForm,
  DataFormError,
  jsonTextToForm,
  jsonToForm,
  portableObject,
  printDataForm,
} from "../../lisp/data-forms/index.ts";
import { describeViolations, validateOutput } from "../../roles/output-contract/index.ts";
import { AutolithError, failureOf } from "../contract/failure.ts";
import { completionPolicySchema } from "../contract/job-catalog.ts";
import { type ToolContext, type ToolDeclaration, type ToolOutcome, declareTool } from "../contract/tool.ts";
import { isWithin } from "../permissions/headless-authority.ts";
import { type EvaluationJobParts, superviseEvaluation } from "../repls/evaluation-job.ts";
import { reportLimit } from "../tasks/report-form.ts";
import type { FunctionName, SkillOperation } from "./executable-manifest.ts";
import type { ExecutableSkill } from "./executable-skill.ts";
import { type SkillTarget, fileDigest, skillRegistry } from "./skill-executor.ts";
import { skillCodeLimits } from "./skill-limits.ts";
import { skillForm } from "./skill-prelude.ts";

export type WorkflowToolParts = EvaluationJobParts & {
  /** The skill of that name with its code; rejects with `unknown-skill`, `skill-not-executable`, `invalid-skill-executable`. */
  readonly executable: (name: string) => Promise<ExecutableSkill>;
};

const common = {
  name: z.string().min(1).max(256).describe("Exact name of a skill that has code."),
  asd: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe(
      "The file that defines its ASDF system; when absent, the one of that name beside the skill or in the workspace.",
    ),
};

const invokeArguments = z.strictObject({
  ...common,
  input: z.json().default({}).describe("What the skill's input contract asks for."),
  async: z.boolean().default(false).describe("Return at once and go on as a job."),
  "completion-policy": completionPolicySchema.default("continue"),
});

const verifyArguments = z.strictObject({
  ...common,
  entrypoint: z
    .enum(["self-test", "verify"])
    .default("self-test")
    .describe("Which of its functions tries it."),
});

export function workflowTools(parts: WorkflowToolParts): readonly ToolDeclaration[] {
  const shared = {
    effects: "external",
    concurrency: "parallel",
    audience: "all",
    resultLimit: reportLimit,
  } as const;
  return [
    declareTool({
      ...shared,
      name: "skill.invoke",
      description:
        "Runs the code of a skill with input that fits its contract, in a new image that ends with it, and returns its result. It has full access to files, so it needs an approval wherever approvals are asked for. A run that takes longer than 10 s goes on as a job, whose completion you are told.",
      arguments: invokeArguments,
      execute: (args, context) =>
        answered(() =>
          run(
            { ...args, operation: "invoke", input: inputForm(args.input, context.argumentText) },
            context,
            parts,
          ),
        ),
    }),
    declareTool({
      ...shared,
      name: "skill.verify",
      description:
        "Runs the self-test of a skill that has code, or its verification, in a new image (see skill.invoke).",
      arguments: verifyArguments,
      execute: ({ entrypoint, ...args }, context) =>
        answered(() =>
          run(
            {
              ...args,
              operation: entrypoint,
              input: undefined,
              async: false,
              "completion-policy": "continue",
            },
            context,
            parts,
          ),
        ),
    }),
  ];
}

async function answered(work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = failureOf(error);
    return { status: "error", code, content: message };
  }
}

type Run = {
  readonly name: string;
  readonly operation: SkillOperation;
  readonly input: DataForm | undefined;
  readonly asd?: string | undefined;
  readonly async: boolean;
  readonly "completion-policy": z.infer<typeof completionPolicySchema>;
};

async function run(asked: Run, context: ToolContext, parts: WorkflowToolParts): Promise<ToolOutcome> {
  const skill = await parts.executable(asked.name);
  const called = functionOf(skill, asked.operation);
  const input = asked.input === undefined ? undefined : checkedInput(skill, asked.input);
  const asd = await systemFile(skill, asked.asd, context);
  const asdDigest = await fileDigest(asd);
  const facts = factsOf(skill, asked.operation);
  const tools = [...skill.manifest.tools];
  const who = `The skill ${skill.name} declares the tools`;
  const hostTools = parts.hostTools.prepareSkill(tools, who, facts, context);
  await requireApproval(
    { ...facts, asd, "asd-digest": asdDigest, tools, ...onceOnly(skill, asd, context) },
    asked,
    context,
  );
  const registry = skillRegistry(skill, asd);
  const { resultBytes: resultLimit, timeMs: timeoutMs } = skillCodeLimits;
  return superviseEvaluation(
    {
      payload: {
        tool: toolOf(asked.operation),
        target: targetOf(skill, asked.operation, { asd, asdDigest }, context),
        forms: [skillForm({ manifest: skill.manifest, function: called, input, asd, registry, resultLimit })],
        timeoutMs,
        hostTools: tools,
        description: `${asked.operation} of the skill ${skill.name}`.slice(0, 256),
      },
      hostTools,
      async: asked.async,
      completionPolicy: asked["completion-policy"],
    },
    context,
    parts,
  );
}

/** What is approved, and known again before anything is loaded. */
function targetOf(
  { name, path, identity }: ExecutableSkill,
  operation: SkillOperation,
  system: { readonly asd: string; readonly asdDigest: string },
  { workspace }: ToolContext,
): SkillTarget {
  return { kind: "skill", skill: name, operation, path, identity, workspace, ...system };
}

function toolOf(operation: SkillOperation): string {
  return operation === "invoke" ? "skill.invoke" : "skill.verify";
}

function functionOf({ name, manifest }: ExecutableSkill, operation: SkillOperation): FunctionName {
  const found = manifest.functions[operation];
  if (found !== undefined) return found;
  throw new AutolithError(
    "skill-entrypoint",
    `The skill ${name} declares no function for ${operation}: its EXECUTABLE.sexp has no :${operation}.`,
  );
}

/** `3` and `3.0` differ for contracts: the text tells which it was. */
function inputForm(input: z.infer<ReturnType<typeof z.json>>, argumentText: string | undefined): DataForm {
  const written =
    argumentText === undefined || argumentText.trim() === ""
      ? undefined
      : portableObject(jsonTextToForm(argumentText, argumentText.length))?.get("input");
  return written ?? jsonToForm(input);
}

/** The input as printed form. Throws `skill-input-contract`, `skill-input-too-large`. */
function checkedInput({ name, manifest }: ExecutableSkill, input: DataForm): string {
  const violations = violationsOf(manifest.input, input);
  if (violations !== "")
    throw new AutolithError(
      "skill-input-contract",
      `The input breaks the contract that the skill ${name} declares; nothing was run.\n${violations}`,
    );
  const text = printDataForm(input, { floatFormat: "single" });
  if (text.length <= skillCodeLimits.inputCharacters) return text;
  throw new AutolithError(
    "skill-input-too-large",
    `The input has ${text.length} characters as a form; at most ${skillCodeLimits.inputCharacters} are taken. A file can hold more; give its name.`,
  );
}

function violationsOf(contract: ExecutableSkill["manifest"]["input"], input: DataForm): string {
  try {
    return describeViolations(validateOutput(contract, input));
  } catch (error) {
    if (error instanceof DataFormError) return error.message;
    throw error;
  }
}

/** Real path of the file that defines the system, which the caller may read. Rejects with `skill-system-missing` and the authority's codes. */
async function systemFile(
  skill: ExecutableSkill,
  given: string | undefined,
  { workspace, authority, caller, callId, signal }: ToolContext,
): Promise<string> {
  const file = `${skill.manifest.system.split("/")[0] ?? ""}.asd`;
  const places =
    given === undefined
      ? [skill.directory, workspace].map((directory) => join(directory, file))
      : [isAbsolute(given) ? given : resolve(workspace, given)];
  for (const place of places) {
    const path = await regularFile(place);
    if (path === undefined) continue;
    const decision = await authority.decidePath({ path, access: "read", callId, caller }, signal);
    if (decision.kind === "denied") throw new AutolithError(decision.code, decision.reason);
    return path;
  }
  throw new AutolithError(
    "skill-system-missing",
    `The system ${skill.manifest.system} of the skill ${skill.name} is defined by no file: ${places.join(" and ")} ${places.length === 1 ? "is" : "are"} not there. Give asd, the path of its definition.`,
  );
}

async function regularFile(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await lstat(real)).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

type Facts = Readonly<Record<string, string | readonly string[]>>;

/** What whoever approves is shown, and what the code is told of itself. */
function factsOf({ name, directory, identity, manifest }: ExecutableSkill, operation: SkillOperation): Facts {
  return {
    skill: name,
    "skill-directory": directory,
    "skill-version": manifest.skillVersion,
    "skill-operation": operation,
    system: manifest.system,
    "system-version": manifest.systemVersion,
    identity,
    capabilities: [...manifest.capabilities],
  };
}

/**
 * The directory of a skill is written by people. Code that lies elsewhere may be another one the next time, so an approval of it holds for this
 * call only: nothing else has the same arguments.
 */
function onceOnly({ directory }: ExecutableSkill, asd: string, { callId }: ToolContext): Facts {
  return isWithin(directory, asd) ? {} : { "for-call": callId };
}

/** Its code has the person's access to files: where approvals are asked for, it needs one. A person who calls it has decided. */
async function requireApproval(
  facts: Facts,
  { operation }: Run,
  { authority, callId, caller, signal }: ToolContext,
): Promise<void> {
  if (caller.position === "user") return;
  const decision = await authority.decideExternalTool(
    { tool: toolOf(operation), arguments: facts, callId, caller },
    signal,
  );
  if (decision.kind === "denied")
    throw new AutolithError(
      decision.code,
      `The code of the skill was not run: ${decision.reason} Code of skills has full access to files, which needs permission mode full or an approval.`,
    );
}
