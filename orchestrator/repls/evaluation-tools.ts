/** `lisp.eval`, `lisp.scratchpad-run`, `lisp.load-system`, `lisp.run-tests`: evaluations as supervised jobs in named REPLs. */
import { isAbsolute, resolve } from "node:path";
import { z } from "zod";
import { completionPolicySchema, lispSourceLimits } from "../contract/job-catalog.ts";
import { AutolithError } from "../contract/failure.ts";
import { type ToolContext, type ToolDeclaration, type ToolOutcome, declareTool } from "../contract/tool.ts";
import { reportLimit } from "../tasks/report-form.ts";
import { type EvaluationJobParts, superviseEvaluation } from "./evaluation-job.ts";
import { heldMessage } from "./host-tools.ts";
import { lispString, replArgument, replPlace } from "./repl-call.ts";

export type EvaluationToolParts = EvaluationJobParts;

const formSchema = z
  .string()
  .trim()
  .min(1)
  .max(lispSourceLimits.formCharacters - 64);
const asyncArgument = z.boolean().default(false).describe("Return at once and go on as a job.");
const hostToolsArgument = z
  .array(z.string().min(1).max(64))
  .max(32)
  .default([])
  .describe("Exact names of your tools that the code may call with (autolith:worker-tool-call NAME JSON).");
const timeoutArgument = z.number().positive().max(31_536_000);

/** Room for what `compile` adds to each form. */
const sourceCharacters = lispSourceLimits.characters - lispSourceLimits.forms * 64;

const common = {
  repl: replArgument,
  async: asyncArgument,
  "completion-policy": completionPolicySchema.default("continue"),
};

const evalArguments = z
  .strictObject({
    forms: z
      .array(formSchema)
      .min(1)
      .max(lispSourceLimits.forms)
      .optional()
      .describe("Forms, evaluated one after the other; the first that fails is the last."),
    form: formSchema.optional().describe("One form, instead of forms."),
    compile: z
      .boolean()
      .default(false)
      .describe("Compile each form as a function of its own before it is called."),
    ...common,
    "timeout-seconds": timeoutArgument.default(60),
    "host-tools": hostToolsArgument,
  })
  .refine(({ form, forms }) => (form === undefined) !== (forms === undefined), {
    error: "give either forms or form",
  })
  .refine(({ forms = [] }) => forms.reduce((sum, { length }) => sum + length, 0) <= sourceCharacters, {
    error: `all forms together have at most ${sourceCharacters} characters; lisp.scratchpad-run loads longer ones from a file`,
  });

const scratchpadArguments = z.strictObject({
  path: z.string().min(1).max(4_096).describe("A Lisp file, relative to the working directory."),
  ...common,
  "timeout-seconds": timeoutArgument.default(600),
  "host-tools": hostToolsArgument,
});

const systemArguments = z.strictObject({
  system: z.string().trim().min(1).max(256).describe("Name of the ASDF system."),
  asd: z.string().min(1).max(4_096).optional().describe("Its .asd file, where it is not found by itself."),
  ...common,
  "timeout-seconds": timeoutArgument.default(600),
});

/** What a tool asks to be evaluated. */
type Evaluation = {
  readonly tool: string;
  readonly repl: string;
  readonly forms: readonly string[];
  readonly async: boolean;
  readonly "completion-policy": z.infer<typeof completionPolicySchema>;
  readonly "timeout-seconds": number;
  readonly "host-tools"?: readonly string[];
  readonly description?: string;
};

export function evaluationTools(parts: EvaluationToolParts): readonly ToolDeclaration[] {
  return [
    evalTool(parts),
    scratchpadTool(parts),
    systemTool("load-system", parts),
    systemTool("run-tests", parts),
  ];
}

const replOf = ({ repl }: { readonly repl: string }): string => `repl:${repl}`;

function evalTool(parts: EvaluationToolParts): ToolDeclaration {
  return declareTool({
    name: "lisp.eval",
    description:
      "Evaluates Common Lisp in a named REPL, an isolated image of yours that keeps its definitions between calls, and returns values, output and conditions. Files outside the workspace can be used in permission mode full only; commands cannot be run. An evaluation that runs longer than 10 s goes on as a job, whose completion you are told.",
    arguments: evalArguments,
    effects: "external",
    concurrency: replOf,
    audience: "all",
    resultLimit: reportLimit,
    execute: (args, context) => {
      const given = args.forms ?? (args.form === undefined ? [] : [args.form]);
      const forms = args.compile
        ? given.map((form) => `(funcall (compile nil '(lambda () ${form}\n)))`)
        : given;
      return evaluate({ ...args, tool: "lisp.eval", forms, description: titleOf(given) }, context, parts);
    },
  });
}

function scratchpadTool(parts: EvaluationToolParts): ToolDeclaration {
  return declareTool({
    name: "lisp.scratchpad-run",
    description: "Loads a Lisp file into a named REPL (see lisp.eval) and returns its output and conditions.",
    arguments: scratchpadArguments,
    effects: "external",
    concurrency: replOf,
    audience: "all",
    resultLimit: reportLimit,
    execute: (args, context) =>
      evaluate(
        {
          ...args,
          tool: "lisp.scratchpad-run",
          forms: [`(load ${lispString(absolute(args.path, context))})`],
          description: args.path.slice(0, 256),
        },
        context,
        parts,
      ),
  });
}

function systemTool(kind: "load-system" | "run-tests", parts: EvaluationToolParts): ToolDeclaration {
  const tests = kind === "run-tests";
  return declareTool({
    name: `lisp.${kind}`,
    description: tests
      ? "Runs the tests of an ASDF system in a named REPL (see lisp.eval)."
      : "Loads an ASDF system into a named REPL (see lisp.eval).",
    arguments: systemArguments,
    effects: "external",
    concurrency: replOf,
    audience: "all",
    resultLimit: reportLimit,
    execute: (args, context) => {
      const system = lispString(args.system);
      const asd = args.asd === undefined ? undefined : lispString(absolute(args.asd, context));
      const forms = [
        ...(asd === undefined ? [] : [`(asdf:load-asd ${asd})`]),
        `(asdf:${tests ? "test" : "load"}-system ${system})`,
      ];
      return evaluate({ ...args, tool: `lisp.${kind}`, forms, description: args.system }, context, parts);
    },
  });
}

function titleOf(forms: readonly string[]): string {
  return forms.join(" ").replaceAll(/\s+/g, " ").slice(0, 200).toWellFormed();
}

function absolute(path: string, { workspace }: ToolContext): string {
  return isAbsolute(path) ? path : resolve(workspace, path);
}

async function evaluate(
  asked: Evaluation,
  context: ToolContext,
  parts: EvaluationToolParts,
): Promise<ToolOutcome> {
  const { tool, repl, forms, description } = asked;
  if (parts.hostTools.heldBy(context.callId).includes(repl))
    throw new AutolithError("repl-in-use", heldMessage(tool, repl));
  const names = asked["host-tools"] ?? [];
  const hostTools = parts.hostTools.prepare(names, repl, context);
  return superviseEvaluation(
    {
      payload: {
        tool,
        target: { kind: "repl", ...replPlace(repl, context) },
        forms: [...forms],
        timeoutMs: Math.ceil(asked["timeout-seconds"] * 1_000),
        hostTools: [...names],
        ...(description === undefined ? {} : { description }),
      },
      hostTools,
      async: asked.async,
      completionPolicy: asked["completion-policy"],
    },
    context,
    parts,
  );
}
