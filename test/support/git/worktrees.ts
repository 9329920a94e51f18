/** A machine for worktrees over real git, with a source repository and one recorded checkout. */
import { join } from "node:path";
import { newExecutionId } from "../../../orchestrator/contract/identifiers.ts";
import type { GitLeave } from "../../../orchestrator/worktrees/worktree-machine.ts";
import type { ArtifactKind, WorktreeRecord } from "../../../orchestrator/worktrees/worktree.ts";
import { GitWorktrees } from "../../../workers/git/git-worktrees.ts";
import { MutationLocks } from "../../../workers/workspace/mutation-lock.ts";
import { scratchDirectory, scratchSpawner } from "../../workers/spawner/collect.ts";
import { makeRepository } from "./repository.ts";

export type Asked = { readonly commands: readonly string[]; readonly leave: GitLeave };

/** Leave that is always given, and remembers what was asked. */
export function openLeave(): Asked {
  const commands: string[] = [];
  return {
    commands,
    leave: {
      signal: new AbortController().signal,
      permit: (command) => {
        commands.push(command);
        return Promise.resolve();
      },
    },
  };
}

export type WorktreeScene = {
  readonly root: string;
  readonly source: string;
  readonly machine: GitWorktrees;
  readonly leave: GitLeave;
  readonly commands: readonly string[];
  /** A record for a checkout that is not made yet. */
  record(options?: {
    readonly baseline?: string;
    readonly kind?: ArtifactKind;
    readonly source?: string;
  }): Promise<WorktreeRecord>;
  /** The same, made. */
  checkout(options?: { readonly kind?: ArtifactKind; readonly source?: string }): Promise<WorktreeRecord>;
};

export type SceneOptions = {
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** Name of the source's directory. */
  readonly name?: string;
  readonly environment?: Readonly<Record<string, string>>;
};

export function worktreeScene(options: SceneOptions = {}): WorktreeScene {
  const root = scratchDirectory();
  const source = makeRepository(join(root, options.name ?? "source"), options.files);
  const machine = new GitWorktrees({
    spawner: scratchSpawner(),
    environment: { PATH: process.env["PATH"], HOME: join(root, "home"), ...options.environment },
    locks: new MutationLocks({ directory: join(root, "locks") }),
    scratchDirectory: join(root, "patches"),
  });
  const { leave, commands } = openLeave();
  const scene: WorktreeScene = {
    root,
    source,
    machine,
    leave,
    commands,
    record: async ({ baseline = "HEAD", kind = "patch", source: from = source } = {}) => {
      const id = newExecutionId();
      const examined = await machine.examine(from, { baseline, ignoreChanges: true }, leave);
      return {
        version: 1,
        id,
        owner: `abcdefg/${id}`,
        source: examined.source,
        path: join(root, "data", "checkouts", id),
        baseline: examined.baseline,
        artifactKind: kind,
        metadataPath: join(root, "data", id, "worktree.sexp"),
      };
    },
    checkout: async (checkoutOptions = {}) => {
      const record = await scene.record(checkoutOptions);
      await machine.create(record, leave);
      return record;
    },
  };
  return scene;
}
