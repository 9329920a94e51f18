/**
 * Authority of an interactive session: what the headless authority decides, and in mode ask a person. The mode may change at any time; each
 * decision is made under the mode of its moment.
 */
import type { Authority, CommandDecision, PathDecision, PermissionMode } from "../../contract/permissions.ts";
import type { ToolCaller } from "../../contract/caller.ts";
import {
  type HeadlessAuthorityParts,
  headlessAuthority,
  isWithin,
} from "../../permissions/headless-authority.ts";
import type { PermissionBroker, Reply } from "./permission-broker.ts";

export type SessionAuthorityParts = Omit<HeadlessAuthorityParts, "mode" | "workspace"> & {
  readonly mode: () => PermissionMode;
  /** Absolute real path of the session's working directory. */
  readonly workspace: () => string;
  readonly broker: PermissionBroker;
  /** The turn that runs, when it is the primary that asks. */
  readonly epoch: () => number | null;
};

/** Builds the authority that a session, its primary and its children work under. */
export function sessionAuthority(parts: SessionAuthorityParts): Authority {
  const headless = (): Authority =>
    headlessAuthority({ ...parts, mode: parts.mode(), workspace: parts.workspace() });
  const epochOf = (caller: ToolCaller): number | null => (caller.kind === "primary" ? parts.epoch() : null);
  return {
    get mode() {
      return parts.mode();
    },
    decideCommand: async (request, signal) => {
      if (parts.mode() !== "ask") return headless().decideCommand(request, signal);
      const { command, directory, callId, caller } = request;
      const reply = await parts.broker.ask(
        {
          kind: "command",
          epoch: epochOf(caller),
          callId,
          tool: "shell.run",
          asker: caller.jobName,
          title: `Run a command in ${directory}`,
          command,
          directory,
          approvalKey: JSON.stringify(["command", directory, command]),
        },
        signal,
      );
      return isAllowed(reply) ? { kind: "full" } : refusal(reply, "The command");
    },
    decidePath: async (request, signal) => {
      const { path, access, caller } = request;
      if (parts.mode() !== "ask" || isWithin(parts.workspace(), path))
        return headless().decidePath(request, signal);
      const reply = await parts.broker.ask(
        {
          kind: "path",
          epoch: epochOf(caller),
          callId: "",
          tool: access === "read" ? "resource.read" : "resource.edit",
          asker: caller.jobName,
          title: `${access === "read" ? "Read" : "Change"} ${path}, outside the working directory`,
          arguments: { path, access },
          approvalKey: JSON.stringify(["path", access, path]),
        },
        signal,
      );
      return isAllowed(reply) ? { kind: "allowed" } : refusal(reply, path);
    },
    decideExternalTool: async (request, signal): Promise<PathDecision> => {
      if (parts.mode() !== "ask") return headless().decideExternalTool(request, signal);
      const { tool, caller } = request;
      const args = JSON.parse(JSON.stringify(request.arguments ?? null)) as null;
      const reply = await parts.broker.ask(
        {
          kind: "tool",
          epoch: epochOf(caller),
          callId: "",
          tool,
          asker: caller.jobName,
          title: `Call ${tool}`,
          arguments: args,
          approvalKey: JSON.stringify(["tool", tool, args]),
        },
        signal,
      );
      return isAllowed(reply) ? { kind: "allowed" } : refusal(reply, tool);
    },
    within: (workspace) => sessionAuthority({ ...parts, workspace: () => workspace }),
  };
}

function isAllowed(reply: Reply): boolean {
  return reply === "allow-once" || reply === "allow-session";
}

function refusal(reply: Reply, what: string): Extract<CommandDecision, { kind: "denied" }> {
  switch (reply) {
    case "nobody":
      return {
        kind: "denied",
        code: "approval-unavailable",
        reason: `${what} needs an approval and nobody is attached who could give it.`,
      };
    case "cancelled":
      return { kind: "denied", code: "cancelled", reason: `${what} was not approved before the work ended.` };
    default:
      return { kind: "denied", code: "approval-denied", reason: `${what} was not approved by the person.` };
  }
}
