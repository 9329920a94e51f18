/** Journal records of invented jobs, for tests of what a new host makes of them. */
import {
  type ConversationId,
  type ExecutionId,
  claimTokenSchema,
  conversationIdSchema,
  jobNameSchema,
  newExecutionId,
} from "../../../orchestrator/contract/identifiers.ts";
import type {
  AdmittedRecord,
  IntentRecord,
  JobRecord,
  SettledRecord,
} from "../../../orchestrator/jobs/journal-records.ts";

export const conversationId: ConversationId = conversationIdSchema.parse("b6uouHJ");

let order = 0;

/** The admission of a shell command that the primary asked for. */
export function admitted(more: Partial<AdmittedRecord> = {}): AdmittedRecord {
  order += 1;
  return {
    kind: "admitted",
    at: 1_000 + order,
    executionId: newExecutionId(),
    name: jobNameSchema.parse(`exec:${order}`),
    order,
    jobKind: "shell",
    payload: {
      command: "true",
      directory: "/",
      workspace: "/",
      timeoutMs: 1_000,
      separateOutput: false,
      execution: "full",
    },
    owner: { lineage: [], parentCallId: "call-1" },
    detached: false,
    completionPolicy: "continue",
    completionOwner: conversationId,
    ...more,
  };
}

/** The admission of a root child, which no tool call waits for. */
export function admittedAgent(more: Partial<AdmittedRecord> = {}): AdmittedRecord {
  return admitted({
    jobKind: "agent",
    payload: {
      role: "task",
      assignment: "Work.",
      model: "m",
      reasoningEffort: "medium",
      position: "root",
      depth: 1,
      workspace: "/",
    },
    owner: { lineage: [] },
    ...more,
  });
}

export const token = claimTokenSchema.parse("token-of-a-dead-host");

export function claimed(executionId: ExecutionId): JobRecord {
  return { kind: "claimed", at: 2_000, executionId, claimToken: token, attempt: 1 };
}

export function cancelRequested(executionId: ExecutionId): JobRecord {
  return { kind: "cancel-requested", at: 2_100, executionId, reason: "user" };
}

export function settled(executionId: ExecutionId, more: Partial<SettledRecord> = {}): SettledRecord {
  return { kind: "settled", at: 3_000, executionId, claimToken: token, state: "completed", ...more };
}

export function intent(callId: string, more: Partial<IntentRecord> = {}): IntentRecord {
  return { kind: "intent", at: 900, conversationId, callId, tool: "shell.run", effects: "external", ...more };
}
