import type { ConversationId, ExecutionId, JobName } from "./identifiers.ts";

/** Who calls a tool. */
export type ToolCaller = {
  readonly kind: "primary" | "child";
  /** The conversation whose record holds the call. */
  readonly conversationId: ConversationId;
  /** The conversation at the root of the tree: owner of captures, journal and artifacts. */
  readonly rootConversationId: ConversationId;
  /** The caller's own execution; absent for the primary's turns made outside a job. */
  readonly executionId: ExecutionId | undefined;
  /** Executions from the root's child down to the caller itself; empty for the primary. */
  readonly lineage: readonly ExecutionId[];
  /** Place in the agent tree, the same in every replay; `primary` for the primary. */
  readonly position: string;
  /** Visible name, or `primary`. */
  readonly jobName: JobName | "primary";
  /** 0 for the primary, 1 for its children. */
  readonly depth: number;
  /** Role name, lower case. */
  readonly role: string;
};

/** The primary of a conversation, or the person before it. */
export function primaryCaller(conversationId: ConversationId, position: "primary" | "user"): ToolCaller {
  return {
    kind: "primary",
    conversationId,
    rootConversationId: conversationId,
    executionId: undefined,
    lineage: [],
    position,
    jobName: "primary",
    depth: 0,
    role: "primary",
  };
}
