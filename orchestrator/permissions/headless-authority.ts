/**
 * Authority of a run without a person: nothing is ever asked, so what would need an approval is denied at once, visibly (facts A.5).
 *
 * | mode | commands | paths outside the workspace | external tools that need approval |
 * |---|---|---|---|
 * | full | run with the user's privileges | allowed | allowed |
 * | sandbox | sandboxed, or denied where no sandbox is possible | denied | denied |
 * | auto | as a classifier decides, within the ceiling of the command's parts; denied without one | denied | denied |
 * | ask | denied | denied | denied |
 */
import { isAbsolute, relative } from "node:path";
import { failureOf } from "../contract/failure.ts";
import { commandCeiling } from "./command-ceiling.ts";
import { commandChain } from "./command-chain.ts";
import type {
  Authority,
  CommandDecision,
  CommandRequest,
  PathDecision,
  PermissionMode,
} from "../contract/permissions.ts";

/** A classifier's answer about one command. */
export type Verdict = "sandbox" | "full" | "deny";

export type HeadlessAuthorityParts = {
  readonly mode: PermissionMode;
  /** Why commands cannot be sandboxed on this machine, or undefined when they can. */
  readonly sandboxProblem: () => Promise<string | undefined>;
  /** Judges a command in mode auto; undefined where no model is available. A rejection denies. */
  readonly classify: ((request: CommandRequest, signal: AbortSignal) => Promise<Verdict>) | undefined;
  /** Absolute real path of the directory that may be read and written without asking. */
  readonly workspace: string;
};

/** True when `path` is `root` or below it. Both absolute and real. */
export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith("../") && !isAbsolute(way));
}

function denied(code: string, reason: string): Extract<CommandDecision, { kind: "denied" }> {
  return { kind: "denied", code, reason };
}

/** Builds the authority of one headless run. */
export function headlessAuthority(parts: HeadlessAuthorityParts): Authority {
  return {
    mode: parts.mode,
    decideCommand: (request, signal) => decideCommand(request, signal, parts),
    decidePath: (request) => Promise.resolve(decidePath(request.path, parts)),
    decideExternalTool: ({ tool }) =>
      Promise.resolve(
        parts.mode === "full"
          ? { kind: "allowed" }
          : denied("approval-unavailable", `${tool} needs an approval and nobody can be asked in this run.`),
      ),
  };
}

async function decideCommand(
  request: CommandRequest,
  signal: AbortSignal,
  parts: HeadlessAuthorityParts,
): Promise<CommandDecision> {
  if (parts.mode === "full") return { kind: "full" };
  if (!isWithin(parts.workspace, request.directory))
    return denied(
      "directory-outside-workspace",
      `${request.directory} is outside the workspace ${parts.workspace}; permission mode ${parts.mode} does not allow that.`,
    );
  switch (parts.mode) {
    case "ask":
      return denied(
        "approval-unavailable",
        "permission mode ask needs a person to approve, and nobody can be asked in this run.",
      );
    case "sandbox":
      return sandboxed(parts);
    case "auto":
      return classified(request, signal, parts);
  }
}

async function sandboxed(parts: HeadlessAuthorityParts): Promise<CommandDecision> {
  const problem = await parts.sandboxProblem();
  return problem === undefined
    ? { kind: "sandboxed" }
    : denied(
        "sandbox-unavailable",
        `commands may only run sandboxed, and no sandbox is possible here: ${problem}`,
      );
}

async function classified(
  request: CommandRequest,
  signal: AbortSignal,
  parts: HeadlessAuthorityParts,
): Promise<CommandDecision> {
  if (parts.classify === undefined)
    return denied("classifier-unavailable", "permission mode auto has no model to judge commands with.");
  let verdict: Verdict;
  try {
    verdict = await parts.classify(request, signal);
  } catch (error) {
    signal.throwIfAborted();
    return denied("classifier-failed", `the command could not be judged: ${failureOf(error).message}`);
  }
  if (verdict === "sandbox") return sandboxed(parts);
  // What the rules hold in the sandbox stays there: the text that is judged can talk a model into anything.
  if (verdict === "full") {
    return commandCeiling(commandChain(request.command)).kind === "full"
      ? { kind: "full" }
      : sandboxed(parts);
  }
  return denied(
    "classifier-denied",
    "permission mode auto judged that this job does not call for the command.",
  );
}

function decidePath(path: string, parts: HeadlessAuthorityParts): PathDecision {
  if (parts.mode === "full" || isWithin(parts.workspace, path)) return { kind: "allowed" };
  return denied(
    "path-outside-workspace",
    `${path} is outside the workspace ${parts.workspace}; permission mode ${parts.mode} does not allow that.`,
  );
}
