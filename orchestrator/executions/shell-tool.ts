/**
 * `shell.run`: every command is a supervised job of kind `shell`. A synchronous call waits 10 s for it and then hands the same job off
 * as a detached one; an asynchronous call hands it off at once.
 */
import { isAbsolute, resolve } from "node:path";
import { z } from "zod";
import { AutolithError } from "../contract/failure.ts";
import { type ShellResult, completionPolicySchema } from "../contract/job-catalog.ts";
import type { CommandDecision } from "../contract/permissions.ts";
import { type ToolContext, type ToolDeclaration, type ToolOutcome, declareTool } from "../contract/tool.ts";
import type { Job } from "../jobs/job-table.ts";
import type { Outcome } from "../jobs/lifecycle.ts";
import { ownerOf } from "../jobs/ownership.ts";
import type { Settlement } from "../jobs/settlements.ts";
import type { Supervisor } from "../jobs/supervisor.ts";
import { type JobView, jobRecordForm } from "../tasks/job-record.ts";
import { fitReport, report, reportLimit, word } from "../tasks/report-form.ts";

export type ShellToolParts = {
  readonly supervisor: Supervisor;
  readonly view: (job: Job) => Promise<JobView>;
  /** How long a synchronous call waits before hand-off; 10,000 ms unless a test says otherwise. */
  readonly graceMs: number;
};

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
export function shellTool(parts: ShellToolParts): ToolDeclaration {
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
  parts: ShellToolParts,
): Promise<ToolOutcome> {
  const directory = args.directory ?? context.workspace;
  const absolute = isAbsolute(directory) ? directory : resolve(context.workspace, directory);
  const decision = await context.authority.decideCommand(
    { command: args.command, directory: absolute, caller: context.caller, callId: context.callId },
    context.signal,
  );
  if (decision.kind === "denied") return refusal(decision);
  const [job] = await parts.supervisor.admit(context.caller.rootConversationId, [
    {
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
    },
  ]);
  if (job === undefined) throw new AutolithError("internal-error", "The command was not admitted.");
  if (args.async) return handOffOutcome(job, "requested", parts);
  return awaitCommand(job, context, parts);
}

function refusal(decision: Extract<CommandDecision, { kind: "denied" }>): ToolOutcome {
  return {
    status: "error",
    code: decision.code,
    content: `The command was not run: ${decision.reason}`,
  };
}

async function awaitCommand(job: Job, context: ToolContext, parts: ShellToolParts): Promise<ToolOutcome> {
  const settled = await settledWithin(job, parts.graceMs, context, parts.supervisor);
  if (settled !== undefined) return commandOutcome(settled.outcome as Outcome<ShellResult>);
  await parts.supervisor.handOff(job);
  if (job.detached) return handOffOutcome(job, "grace-expired", parts);
  // It ended at the last moment: nobody will be told of it later.
  const ended = await parts.supervisor.settled(job.executionId);
  return commandOutcome(ended.outcome as Outcome<ShellResult>);
}

/** The settlement, or undefined after `graceMs`. Cancelling the caller cancels its synchronous command and waits for its end. */
async function settledWithin(
  job: Job,
  graceMs: number,
  context: ToolContext,
  supervisor: Supervisor,
): Promise<Settlement | undefined> {
  const grace = AbortSignal.timeout(graceMs);
  const signal = AbortSignal.any([grace, context.signal]);
  try {
    return await supervisor.settled(job.executionId, { signal });
  } catch (error) {
    if (context.signal.aborted) {
      await supervisor.cancel(job, "user");
      return supervisor.settled(job.executionId);
    }
    if (grace.aborted) return undefined;
    throw error;
  }
}

async function handOffOutcome(
  job: Job,
  reason: "requested" | "grace-expired",
  parts: ShellToolParts,
): Promise<ToolOutcome> {
  const view = await parts.view(job);
  const guidance =
    reason === "requested"
      ? `${job.name} runs in the background.`
      : `${job.name} is still running and goes on in the background.`;
  const form = fitReport((size) =>
    report("tool-execution", {
      "handed-off-p": true,
      "handoff-reason": word(reason),
      job: jobRecordForm(view, size),
    }),
  );
  return {
    status: "ok",
    content: `${guidance} Continue with other work; you will be told when it ends. job.wait, job.get and job.cancel take its id.\n${form}`,
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
  return { status: "error", content, resourceUris: shellLogs, code };
}
