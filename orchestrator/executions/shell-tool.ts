/** `shell.run`: every command is a supervised job of kind `shell`. */
import { isAbsolute, resolve } from "node:path";
import { z } from "zod";
import { type ShellResult, completionPolicySchema } from "../contract/job-catalog.ts";
import type { CommandDecision } from "../contract/permissions.ts";
import { type ToolContext, type ToolDeclaration, type ToolOutcome, declareTool } from "../contract/tool.ts";
import type { JobRequest } from "../jobs/admissions.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import { ownerOf } from "../jobs/ownership.ts";
import { reportLimit } from "../tasks/report-form.ts";
import { type SupervisedCallParts, superviseCall } from "./supervised-call.ts";

const shellArguments = z.strictObject({
  command: z.string().min(1).max(131_072).describe("POSIX shell text."),
  description: z.string().max(256).optional().describe("A few words for the row that shows the command."),
  directory: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe("Where it runs; the working directory when absent."),
  "timeout-seconds": z.number().positive().max(31_536_000).default(60),
  async: z.boolean().default(false).describe("Return at once and go on as a job."),
  "completion-policy": completionPolicySchema.default("continue"),
  "separate-output": z.boolean().default(false).describe("Capture standard output and standard error apart."),
});

/** The tool. */
export function shellTool(parts: SupervisedCallParts): ToolDeclaration {
  return declareTool({
    name: "shell.run",
    description:
      "Runs a shell command and returns its exit status and output (long output is shortened and kept whole under a shell-log: reference). Standard input is empty: commands cannot ask. Processes left in the background end with the command; to keep one, run it in the foreground with async: true. A command that runs longer than 10 s goes on as a job, whose completion you are told.",
    arguments: shellArguments,
    effects: "external",
    concurrency: "parallel",
    audience: "all",
    resultLimit: reportLimit,
    execute: (args, context) => runShell(args, context, parts),
  });
}

async function runShell(
  args: z.infer<typeof shellArguments>,
  context: ToolContext,
  parts: SupervisedCallParts,
): Promise<ToolOutcome> {
  const directory = args.directory ?? context.workspace;
  const absolute = isAbsolute(directory) ? directory : resolve(context.workspace, directory);
  const decision = await context.authority.decideCommand(
    { command: args.command, directory: absolute, caller: context.caller, callId: context.callId },
    context.signal,
  );
  if (decision.kind === "denied") return refusal(decision);
  const request: JobRequest<"shell"> = {
    kind: "shell",
    payload: {
      command: args.command,
      directory: absolute,
      workspace: context.workspace,
      timeoutMs: Math.ceil(args["timeout-seconds"] * 1_000),
      separateOutput: args["separate-output"],
      execution: decision.kind,
      ...(args.description === undefined ? {} : { description: args.description }),
    },
    owner: ownerOf(context),
    detached: args.async,
    completionPolicy: args["completion-policy"],
    completionOwner: context.caller.conversationId,
  };
  return superviseCall(request, context, parts, (outcome) => commandOutcome(outcome as Outcome<ShellResult>));
}

function refusal(decision: Extract<CommandDecision, { kind: "denied" }>): ToolOutcome {
  return {
    status: "error",
    code: decision.code,
    content: `The command was not run: ${decision.reason}`,
  };
}

function commandOutcome(outcome: Outcome<ShellResult>): ToolOutcome {
  const { result } = outcome;
  const shellLogs = result?.shellLogs ?? [];
  const content =
    result?.content ?? (outcome.state === "failed" ? outcome.failure.message : "The command was cancelled.");
  if (outcome.state === "completed" && result?.ending === "exited")
    return {
      status: result.exitCode === 0 ? "ok" : "error",
      content,
      resourceUris: shellLogs,
      ...(result.exitCode === 0 ? {} : { code: "command-failed" }),
    };
  const code = outcome.state === "failed" ? outcome.failure.code : (result?.ending ?? "cancelled");
  return { status: "error", content: `${content}${unkept(outcome)}`, resourceUris: shellLogs, code };
}

/** A command that ran and whose record could not be kept: its exit alone would not say what failed. */
function unkept(outcome: Outcome<ShellResult>): string {
  if (outcome.state !== "failed" || outcome.result === undefined || outcome.result.ending === "not-started")
    return "";
  return `\nThe command ran as shown; its record could not be kept: ${outcome.failure.message}`;
}
