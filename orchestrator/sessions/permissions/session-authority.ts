/**
 * Authority of an interactive session. In mode ask a person decides; in mode auto the person is asked for what the headless authority would
 * deny; sandbox and full never ask. The mode may change at any time; each decision is made under the mode of its moment.
 */
import type {
  Authority,
  CommandDecision,
  CommandRequest,
  PathDecision,
  PermissionMode,
} from "../../contract/permissions.ts";
import { failureOf } from "../../contract/failure.ts";
import type { ToolCaller } from "../../contract/caller.ts";
import { type HeadlessAuthorityParts, headlessAuthority } from "../../permissions/headless-authority.ts";
import type { PermissionRule, PermissionRules } from "../../permissions/permission-rules.ts";
import type { PermissionBroker, Reply } from "./permission-broker.ts";

export type SessionAuthorityParts = Omit<HeadlessAuthorityParts, "mode" | "workspace"> & {
  readonly mode: () => PermissionMode;
  /** Absolute real path of the session's working directory. */
  readonly workspace: () => string;
  readonly broker: PermissionBroker;
  /** What was approved for good. */
  readonly rules: Pick<PermissionRules, "has" | "add">;
  /** Tells people what is wrong with what was approved for good. */
  readonly warn: (text: string) => void;
  /** The turn that runs, when it is the primary that asks. */
  readonly epoch: () => number | null;
};

/** Builds the authority that a session, its primary and its children work under. */
export function sessionAuthority(parts: SessionAuthorityParts): Authority {
  const headless = (): Authority =>
    headlessAuthority({ ...parts, mode: parts.mode(), workspace: parts.workspace() });
  return {
    get mode() {
      return parts.mode();
    },
    decideCommand: (request, signal) => decideCommand(request, signal, headless(), parts),
    decidePath: async (request, signal) => {
      const { path, access, callId, caller } = request;
      const decision = await headless().decidePath(request, signal);
      if (decision.kind === "allowed" || !asks(parts.mode())) return decision;
      const reply = await parts.broker.ask(
        {
          kind: "path",
          epoch: epochOf(caller, parts),
          callId,
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
      if (!asks(parts.mode())) return headless().decideExternalTool(request, signal);
      const { tool, callId, caller } = request;
      const args = JSON.parse(JSON.stringify(request.arguments ?? null)) as null;
      const reply = await parts.broker.ask(
        {
          kind: "tool",
          epoch: epochOf(caller, parts),
          callId,
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

/** Modes in which a person is asked for what they do not allow by themselves. */
function asks(mode: PermissionMode): boolean {
  return mode === "ask" || mode === "auto";
}

function epochOf(caller: ToolCaller, parts: Pick<SessionAuthorityParts, "epoch">): number | null {
  return caller.kind === "primary" ? parts.epoch() : null;
}

async function decideCommand(
  request: CommandRequest,
  signal: AbortSignal,
  headless: Authority,
  parts: SessionAuthorityParts,
): Promise<CommandDecision> {
  const mode = parts.mode();
  const { command, directory, callId, caller } = request;
  if (!asks(mode)) return headless.decideCommand(request, signal);
  if (await isKept({ command, directory }, parts)) return { kind: "full" };
  // In mode auto the person is asked for what the classifier does not allow, and told why.
  const judged = mode === "auto" ? await headless.decideCommand(request, signal) : undefined;
  if (judged !== undefined && judged.kind !== "denied") return judged;
  const reply = await parts.broker.ask(
    {
      kind: "command",
      epoch: epochOf(caller, parts),
      callId,
      tool: "shell.run",
      asker: caller.jobName,
      title: `Run a command in ${directory}`,
      ...(judged === undefined ? {} : { reason: judged.reason }),
      command,
      directory,
      approvalKey: JSON.stringify(["command", directory, command]),
    },
    signal,
  );
  if (reply === "allow-always") await keepRule({ command, directory }, parts);
  if (isAllowed(reply)) return { kind: "full" };
  return reply === "nobody" && judged !== undefined ? judged : refusal(reply, "The command");
}

/** The approval holds for the session in any case: what was approved is not refused because it could not be kept. */
async function keepRule(
  rule: PermissionRule,
  { rules, warn }: Pick<SessionAuthorityParts, "rules" | "warn">,
): Promise<void> {
  try {
    await rules.add(rule);
  } catch (error) {
    warn(`The approval holds for this session only: ${failureOf(error).message}`);
  }
}

/** Approvals that cannot be read approve nothing: the person is asked. */
async function isKept(
  rule: PermissionRule,
  { rules, warn }: Pick<SessionAuthorityParts, "rules" | "warn">,
): Promise<boolean> {
  try {
    return await rules.has(rule);
  } catch (error) {
    warn(`Approvals for good do not hold: ${failureOf(error).message}`);
    return false;
  }
}

function isAllowed(reply: Reply): boolean {
  return reply === "allow-once" || reply === "allow-session" || reply === "allow-always";
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
