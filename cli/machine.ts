/** The machine-side parts of a host: spawner, sandbox, captures and the tools over them, from one environment. */
import { secretValues } from "../orchestrator/secrets/secret-removal.ts";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { ToolDeclaration } from "../orchestrator/contract/tool.ts";
import type { Roots } from "../orchestrator/record/roots.ts";
import type { Executor } from "../orchestrator/jobs/supervisor.ts";
import type { Sandbox } from "../workers/sandbox/confined-command.ts";
import { probeSandbox } from "../workers/sandbox/sandbox.ts";
import { privateServerLocation } from "../redis/private-server/location.ts";
import { worktreesDirectory } from "../orchestrator/host/conversation-places.ts";
import { checkoutAround } from "../orchestrator/worktrees/conversation-worktrees.ts";
import type { WorktreeMachine } from "../orchestrator/worktrees/worktree-machine.ts";
import { GitWorktrees } from "../workers/git/git-worktrees.ts";
import { CaptureStore } from "../workers/shell/capture-store.ts";
import { searchTools } from "../workers/search/search-tools.ts";
import { shellExecutor } from "../workers/shell/shell-executor.ts";
import { parenCheckTool } from "../workers/workspace/paren-check.ts";
import { MutationLocks } from "../workers/workspace/mutation-lock.ts";
import { Spawner } from "../workers/spawner/spawner.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The sandbox of this machine, probed once when first asked for. */
export class LazySandbox {
  readonly #environment: Environment;
  readonly #hidden: () => readonly string[];
  #probe: ReturnType<typeof probeSandbox> | undefined;

  /** `hidden`: directories and sockets of ours that no sandboxed command may see. */
  constructor(environment: Environment, hidden: () => readonly string[]) {
    this.#environment = environment;
    this.#hidden = hidden;
  }

  /** Why no sandbox is possible, or undefined. */
  async problem(): Promise<string | undefined> {
    const probe = await this.#probed();
    return probe.available ? undefined : probe.reason;
  }

  async sandbox(): Promise<Sandbox | { readonly reason: string }> {
    const probe = await this.#probed();
    return probe.available ? probe.sandbox : { reason: probe.reason };
  }

  /** Gives back what a probed sandbox holds of the machine. */
  async close(): Promise<void> {
    if (this.#probe === undefined) return;
    const probe = await this.#probe;
    if (probe.available) probe.sandbox.close();
  }

  #probed(): ReturnType<typeof probeSandbox> {
    this.#probe ??= probeSandbox({ environment: this.#environment, hidden: this.#hidden() });
    return this.#probe;
  }
}

/** Directories of ours that sandboxed commands never see. */
export function hiddenDirectories(roots: Roots): readonly string[] {
  const redis = privateServerLocation(roots.state, process.getuid?.() ?? 0).directory;
  return [roots.config, roots.state, roots.data, roots.cache, redis].filter((path) => existsSync(path));
}

export type Machine = {
  readonly spawner: Spawner;
  readonly captures: CaptureStore;
  readonly locks: MutationLocks;
  readonly sandbox: LazySandbox;
  readonly shellExecutor: Executor<"shell">;
  /** Tools that need nothing but the machine. */
  readonly tools: readonly ToolDeclaration[];
  readonly worktrees: WorktreeMachine;
  close(): Promise<void>;
};

/** Where the spawner records what it started; one part for each host of this user. */
export function ledgerDirectory(roots: Roots): string {
  return join(roots.state, "processes");
}

/** Where sandboxed commands have their private /tmp; one directory for each root conversation. */
export function sandboxTemporaryRoot(roots: Roots): string {
  return join(roots.cache, "sandbox-temporary");
}

/** What a sandboxed command may write: in an isolated checkout all of it, and git's own directories, so that its child can commit. */
export function confinementOf(
  workspace: string,
  roots: Pick<Roots, "data">,
): { readonly workspace: string; readonly git: "protect" | "administer" } {
  const checkout = checkoutAround(join(worktreesDirectory(roots.data), "checkouts"), workspace);
  return checkout === undefined ? { workspace, git: "protect" } : { workspace: checkout, git: "administer" };
}

/** Where patches are on their way to git. */
export function patchDirectory(roots: Pick<Roots, "cache">): string {
  return join(roots.cache, "worktree-patches");
}

/** Opens the spawner and what stands on it. Throws `spawner-setup` when processes cannot be recorded. */
export function openMachine(environment: Environment, roots: Roots): Machine {
  const spawner = new Spawner({ ledgerDirectory: ledgerDirectory(roots) });
  const captures = new CaptureStore({
    root: join(roots.data, "shell-logs"),
    secrets: secretValues(environment),
  });
  const sandbox = new LazySandbox({ ...environment, HOME: environment["HOME"] ?? homedir() }, () =>
    hiddenDirectories(roots),
  );
  const locks = new MutationLocks({ directory: join(roots.state, "workspace-locks") });
  return {
    spawner,
    captures,
    locks,
    sandbox,
    shellExecutor: shellExecutor({
      spawner,
      captures,
      sandbox: () => sandbox.sandbox(),
      confinement: ({ payload }) => confinementOf(payload.workspace, roots),
      temporaryRoot: sandboxTemporaryRoot(roots),
      environment,
    }),
    tools: [...searchTools({ spawner, searchPath: environment["PATH"] }), parenCheckTool()],
    worktrees: new GitWorktrees({
      spawner,
      environment,
      locks,
      scratchDirectory: patchDirectory(roots),
    }),
    close: async () => {
      await spawner.close();
      await sandbox.close();
    },
  };
}
