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
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { failureOf } from "../contract/failure.ts";
import { commandCeiling } from "./command-ceiling.ts";
import type { CommandPlace } from "./readable-effects.ts";
import type {
  Authority,
  CommandDecision,
  CommandRequest,
  PathDecision,
  PathRequest,
  PermissionMode,
} from "../contract/permissions.ts";

/** A classifier's answer about one command. */
export type Verdict = "sandbox" | "full" | "deny";

/** What became of a command that was judged in mode auto. */
export type Judgement = {
  readonly command: string;
  readonly verdict: Verdict;
  readonly decision: CommandDecision;
  /** The rule that held in the sandbox what the classifier would have let out. */
  readonly heldBy: string | undefined;
};

export type HeadlessAuthorityParts = {
  readonly mode: PermissionMode;
  /** Why commands cannot be sandboxed on this machine, or undefined when they can. */
  readonly sandboxProblem: () => Promise<string | undefined>;
  /** Judges a command in mode auto; undefined where no model is available. A rejection denies. */
  readonly classify: ((request: CommandRequest, signal: AbortSignal) => Promise<Verdict>) | undefined;
  /** Absolute real path of the directory that may be read and written without asking. */
  readonly workspace: string;
  /** PATH of the commands. */
  readonly searchPath?: string | undefined;
  /** Told what was decided in mode auto. */
  readonly judged?: ((judgement: Judgement) => void) | undefined;
};

/** What a judgement came to, for people: how the command runs first, then why. */
export function judgementText({ command, verdict, decision, heldBy }: Judgement): string {
  const answer = `the classifier answered ${verdict.toUpperCase()}`;
  const held = heldBy === undefined ? "" : `, but a rule holds it in the sandbox: ${heldBy}`;
  const done = decision.kind === "full" ? "runs with full access" : decision.kind;
  return `${done}: ${JSON.stringify(command.slice(0, 200))} (${answer}${held})`;
}

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
    decidePath: (request) => Promise.resolve(decidePath(request, parts)),
    decideExternalTool: ({ tool }) =>
      Promise.resolve(
        parts.mode === "full"
          ? { kind: "allowed" }
          : denied("approval-unavailable", `${tool} needs an approval and nobody can be asked in this run.`),
      ),
    within: (workspace) => headlessAuthority({ ...parts, workspace }),
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
  // What the rules hold in the sandbox stays there: the text that is judged can talk a model into anything.
  const ceiling = verdict === "full" ? commandCeiling(request.command, placeOf(request, parts)) : undefined;
  const decision = await decisionOf(verdict, ceiling?.kind === "full", parts);
  parts.judged?.({
    command: request.command,
    verdict,
    decision,
    heldBy: ceiling?.kind === "sandbox" ? ceiling.reason : undefined,
  });
  return decision;
}

async function decisionOf(
  verdict: Verdict,
  mayBeFull: boolean,
  parts: HeadlessAuthorityParts,
): Promise<CommandDecision> {
  if (verdict !== "deny") return mayBeFull ? { kind: "full" } : sandboxed(parts);
  return denied(
    "classifier-denied",
    "permission mode auto judged that this job does not call for the command.",
  );
}

function placeOf(
  { directory }: CommandRequest,
  { workspace, searchPath }: HeadlessAuthorityParts,
): CommandPlace {
  return {
    workspace,
    directory,
    isInside: (path) => {
      const real = realPath(path);
      return isWithin(workspace, real) && !/\/\.(?:git|autolith)(?:\/|$)/i.test(real.slice(workspace.length));
    },
    exists: (path) => existsSync(path),
    searchPath: searchPath?.split(":") ?? [],
  };
}

/** The path with all links followed that exist; one that leads nowhere, or cannot be followed, leads to the root. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    if (isPresent(path)) return "/";
    return path === dirname(path) ? path : join(realPath(dirname(path)), basename(path));
  }
}

function isPresent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // No file has so long a name; whatever else cannot be looked at may be anything.
    return (error as NodeJS.ErrnoException).code !== "ENAMETOOLONG";
  }
}

/** Directories of a workspace that only mode full may write: git runs what is in the one, autolith reads roles from the other. */
const protectedDirectories: ReadonlySet<string> = new Set([".git", ".autolith"]);

function decidePath({ path, access }: PathRequest, parts: HeadlessAuthorityParts): PathDecision {
  if (parts.mode === "full") return { kind: "allowed" };
  if (!isWithin(parts.workspace, path))
    return denied(
      "path-outside-workspace",
      `${path} is outside the workspace ${parts.workspace}; permission mode ${parts.mode} does not allow that.`,
    );
  const guarded = relative(parts.workspace, path)
    .split(sep)
    .find((part) => protectedDirectories.has(part.toLowerCase()));
  return access === "read" || guarded === undefined
    ? { kind: "allowed" }
    : denied(
        "path-protected",
        `${path} is inside ${guarded}, which permission mode ${parts.mode} does not write.`,
      );
}
