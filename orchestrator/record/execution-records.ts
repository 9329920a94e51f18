import {
  type DocumentOf,
  countField,
  countersField,
  formField,
  jsonField,
  optionalField,
  plistDocument,
  stringField,
  stringsField,
  truthField,
  wordField,
} from "./plist-document.ts";

const id = 256;
const path = 4096;
const long = 16 * 1024 * 1024;

/**
 * `continuity.sexp`: what must be known about a job when its host is gone (facts C.9). Written before the job may be
 * dispatched. `createdAt` is a universal time, as in every record.
 */
const continuityShape = {
  version: countField("version", 1),
  jobId: stringField("job-id", id),
  executionId: stringField("execution-id", id),
  rootConversation: stringField("root-conversation", id),
  /** Job names from the root's child down to the direct parent. */
  owners: stringsField("owners", 64),
  ownerExecutionIds: stringsField("owner-execution-ids", 64),
  parentCallId: optionalField(stringField("parent-call-id", id)),
  completionOwnerConversation: stringField("completion-owner-conversation", id),
  completionPolicy: wordField("completion-policy", ["continue", "notify"]),
  completionMissionId: optionalField(stringField("completion-mission-id", id)),
  detached: truthField("detached-p"),
  createdAt: countField("created-at"),
  kind: wordField("kind", ["task", "tool"]),
  specification: jsonField("specification"),
  /** Why the work may be started again, as the primary recorded it. */
  restartSafety: optionalField(stringField("restart-safety", 4000)),
  checkpoint: optionalField(jsonField("checkpoint")),
};
export type ContinuityRecord = DocumentOf<typeof continuityShape>;
export const continuityDocument = plistDocument("the continuity record", continuityShape);

/** `activity.sexp`: the latest sign of life, replaced as often as the host likes. */
const activityShape = {
  toolCount: countField("tool-count"),
  /** Universal time. */
  updatedAt: countField("updated-at"),
  latestActivity: optionalField(stringField("latest-activity", 16_384)),
  tool: optionalField(stringField("tool", id)),
  progress: optionalField(jsonField("progress")),
};
export type ActivityRecord = DocumentOf<typeof activityShape>;
export const activityDocument = plistDocument("the activity record", activityShape);

/** `terminal.sexp`: that and how the execution ended. Written once. */
const terminalShape = {
  state: wordField("state", ["completed", "failed", "aborted"]),
  /** Of a tool execution: its result. A child's is in `result.sexp`. */
  result: optionalField(jsonField("result")),
  /** Universal time. */
  endedAt: countField("ended-at"),
};
export type TerminalRecord = DocumentOf<typeof terminalShape>;
export const terminalDocument = plistDocument("the terminal record", terminalShape);

/** `result.sexp`: the result of a child (facts C.6). Written once, never overwritten. */
const resultShape = {
  id: stringField("id", id),
  name: optionalField(stringField("name", id)),
  agent: stringField("agent", 64),
  agentSource: wordField("agent-source", ["project", "user", "site", "bundled", "programmatic"]),
  assignment: stringField("assignment", long),
  status: wordField("status", ["success", "failed", "aborted"]),
  output: stringField("output", long),
  error: optionalField(stringField("error", long)),
  yielded: truthField("yielded-p"),
  structuredOutputPresent: truthField("structured-output-present-p"),
  structuredOutput: optionalField(jsonField("structured-output")),
  label: optionalField(stringField("label", id)),
  requestCount: countField("request-count"),
  /** Provider counters summed over the requests. */
  usage: countersField("usage"),
  durationMs: countField("duration-ms"),
  model: stringField("model", id),
  conversationFile: stringField("conversation-file", path),
  detached: truthField("detached"),
  undeliveredPromptCount: optionalField(countField("undelivered-prompt-count")),
  worktree: optionalField(stringField("worktree", path)),
  worktreeArtifactPath: optionalField(stringField("worktree-artifact-path", path)),
  worktreeError: optionalField(stringField("worktree-error", long)),
  worktreeNote: optionalField(stringField("worktree-note", long)),
  /** The role as it was when the child started. */
  agentDefinition: formField("agent-definition"),
};
export type ResultRecord = DocumentOf<typeof resultShape>;
export const resultDocument = plistDocument("the result record", resultShape);

/** `reattach.sexp`: that the owner took hold of live work again. */
const reattachShape = {
  version: countField("version", 1),
  /** Universal time. */
  at: countField("at"),
};
export type ReattachRecord = DocumentOf<typeof reattachShape>;
export const reattachDocument = plistDocument("the reattachment record", reattachShape);

/** `revive.sexp`: the claim of a revival. Written once, before anything is dispatched. */
const reviveShape = {
  version: countField("version", 1),
  at: countField("at"),
  action: wordField("action", ["restart", "checkpoint"]),
  /** The call that asked for it. */
  callId: stringField("call-id", id),
};
export type ReviveRecord = DocumentOf<typeof reviveShape>;
export const reviveDocument = plistDocument("the revival record", reviveShape);

/** `revive-result.sexp`: what came of a claimed revival. */
const reviveResultShape = {
  version: countField("version", 1),
  at: countField("at"),
  recoveryOutcome: wordField("recovery-outcome", ["dispatched", "failed", "unknown"]),
  /** The new execution and its visible name. */
  executionId: optionalField(stringField("execution-id", id)),
  jobId: optionalField(stringField("job-id", id)),
  message: optionalField(stringField("message", 16_384)),
};
export type ReviveResultRecord = DocumentOf<typeof reviveResultShape>;
export const reviveResultDocument = plistDocument("the outcome of a revival", reviveResultShape);

/** `abandon.sexp`: the decision that nothing more is done about it. Written once. */
const abandonShape = {
  version: countField("version", 1),
  at: countField("at"),
  callId: stringField("call-id", id),
};
export type AbandonRecord = DocumentOf<typeof abandonShape>;
export const abandonDocument = plistDocument("the abandonment record", abandonShape);
