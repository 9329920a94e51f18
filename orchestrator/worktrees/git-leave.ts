/** Asks the ordinary authority over commands and paths for what git shall do. */
import type { ToolContext } from "../contract/tool.ts";
import { WorktreeError } from "./worktree-error.ts";
import type { GitLeave } from "./worktree-machine.ts";

/**
 * Leave for the commands of one tool call. Whether a command may run sandboxed or with full access makes no difference here: git
 * runs in the host, and runs nothing that the repository or its configuration names.
 */
export function gitLeave(context: ToolContext): GitLeave {
  return {
    signal: context.signal,
    permit: async (command) => {
      const decision = await context.authority.decideCommand(
        { command, directory: context.workspace, caller: context.caller, callId: context.callId },
        context.signal,
      );
      if (decision.kind === "denied")
        throw new WorktreeError("worktree-denied", `Not permitted: ${command}\n${decision.reason}`);
    },
  };
}

/** Leave to look, and to secure work in the child's own checkout, which the child was permitted to have. */
export function ownLeave(signal: AbortSignal = new AbortController().signal): GitLeave {
  return {
    signal,
    permit: (command) =>
      Promise.reject(
        new WorktreeError("worktree-denied", `Nobody can be asked for leave to run: ${command}`),
      ),
  };
}

/** Requires that a real path may be used so. */
export async function permitPath(
  path: string,
  access: "read" | "write",
  context: ToolContext,
): Promise<void> {
  const decision = await context.authority.decidePath(
    { path, access, callId: context.callId, caller: context.caller },
    context.signal,
  );
  if (decision.kind === "denied")
    throw new WorktreeError(
      "worktree-denied",
      `${path} may not be ${access === "read" ? "read" : "written"}: ${decision.reason}`,
    );
}
