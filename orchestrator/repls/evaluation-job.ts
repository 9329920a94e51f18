/** An evaluation as a supervised job of whoever calls a tool, with the tools that it may call itself. */
import { newExecutionId } from "../contract/identifiers.ts";
import type { CompletionPolicy, JobPayload } from "../contract/job-catalog.ts";
import type { ToolContext, ToolOutcome } from "../contract/tool.ts";
import { type SupervisedCallParts, superviseCall } from "../executions/supervised-call.ts";
import { ownerOf } from "../jobs/ownership.ts";
import type { HostToolTable, HostTools } from "./host-tools.ts";
import { evaluationOutcome } from "./repl-call.ts";

export type EvaluationJobParts = SupervisedCallParts & { readonly hostTools: HostToolTable };

export type EvaluationJob = {
  readonly payload: JobPayload<"lisp">;
  /** What it may call; undefined: nothing. */
  readonly hostTools: HostTools | undefined;
  readonly async: boolean;
  readonly completionPolicy: CompletionPolicy;
};

/** Admits it and answers its outcome, or that it goes on by itself. Rejects as {@link superviseCall}. */
export async function superviseEvaluation(
  { payload, hostTools, async: detached, completionPolicy }: EvaluationJob,
  context: ToolContext,
  parts: EvaluationJobParts,
): Promise<ToolOutcome> {
  const executionId = newExecutionId();
  if (hostTools !== undefined) parts.hostTools.admit(executionId, hostTools);
  try {
    return await superviseCall(
      {
        kind: "lisp",
        executionId,
        payload,
        owner: ownerOf(context),
        detached,
        completionPolicy,
        completionOwner: context.caller.conversationId,
      },
      context,
      parts,
      evaluationOutcome,
    );
  } catch (error) {
    // It was not admitted; what was is forgotten when it ends.
    if (parts.supervisor.find(context.caller.rootConversationId, executionId) === undefined)
      parts.hostTools.ended(executionId);
    throw error;
  }
}
