import { realpathSync } from "node:fs";
import { conversationIdSchema, newExecutionId } from "../../../orchestrator/contract/identifiers.ts";
import type { ToolContext } from "../../../orchestrator/contract/tool.ts";
import type { PermissionMode } from "../../../orchestrator/contract/permissions.ts";
import { headlessAuthority } from "../../../orchestrator/permissions/headless-authority.ts";
import { scratchDirectory } from "../spawner/collect.ts";

const conversationId = conversationIdSchema.parse("b6uouHJ");

/** The context of a call by the primary in a fresh workspace, or in the one given. */
export function toolContext(
  options: {
    readonly workspace?: string;
    readonly mode?: PermissionMode;
    readonly signal?: AbortSignal;
  } = {},
): ToolContext {
  const workspace = realpathSync(options.workspace ?? scratchDirectory());
  return {
    caller: {
      kind: "primary",
      conversationId,
      rootConversationId: conversationId,
      executionId: newExecutionId(),
      jobName: "primary",
      depth: 0,
      role: "primary",
      lineage: [],
      position: "primary",
    },
    callId: "call-1",
    workspace,
    authority: headlessAuthority({
      mode: options.mode ?? "sandbox",
      sandboxProblem: async () => await Promise.resolve(undefined),
      classify: undefined,
      workspace,
    }),
    signal: options.signal ?? new AbortController().signal,
  };
}
