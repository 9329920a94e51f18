/**
 * The isolated checkouts of one conversation's children: recorded before they are made, secured when the child ends, found again
 * from git's own records, removed only when asked for.
 */
import { join } from "node:path";
import { AutolithError, failureOf } from "../contract/failure.ts";
import { type ConversationId, type ExecutionId, executionIdSchema } from "../contract/identifiers.ts";
import type { IsolatedCheckout, Isolation } from "../contract/job-catalog.ts";
import type { ToolContext } from "../contract/tool.ts";
import { isWithin } from "../permissions/headless-authority.ts";
import { ExecutionDirectory } from "../record/execution-directory.ts";
import { createDirectory } from "../record/roots.ts";
import { gitLeave, ownLeave } from "./git-leave.ts";
import { reasonsToKeep } from "./unsecured-work.ts";
import { WorktreeError, namedPaths } from "./worktree-error.ts";
import type {
  CheckoutNotes,
  CheckoutState,
  GitLeave,
  LeftWork,
  MarkedCheckout,
  RemovedCheckout,
  WorktreeMachine,
} from "./worktree-machine.ts";
import { WorktreeRegistry } from "./worktree-registry.ts";
import {
  type WorktreeArtifact,
  type WorktreeRecord,
  artifactDocument,
  artifactPathLimit,
  decodedPatch,
  encodedPatch,
  ownerParts,
  ownerText,
  worktreeDocument,
  untrackedNameLimit,
} from "./worktree.ts";

export type WorktreePlaces = {
  readonly conversationId: ConversationId;
  readonly machine: WorktreeMachine;
  /** The data root's directory `task-worktrees`. */
  readonly root: string;
  /** The data root's directory `tasks`. */
  readonly tasksDirectory: string;
};

/** An isolated child that may be admitted. */
export type PreparedIsolation = {
  readonly executionId: ExecutionId;
  readonly checkout: IsolatedCheckout;
  /** Where the child will work: the checkout, or the directory in it that matches its parent's. */
  readonly workspace: string;
};

/** What became of a checkout when its child ended. */
export type SecuredWork = {
  readonly worktree: string;
  readonly artifactPath?: string;
  readonly error?: string;
  /** What the checkout holds and the artifact does not. */
  readonly note?: string;
};

export class ConversationWorktrees {
  readonly #places: WorktreePlaces;
  readonly #registry: WorktreeRegistry;

  constructor(places: WorktreePlaces) {
    this.#places = places;
    this.#registry = new WorktreeRegistry(places.root);
  }

  /**
   * Resolves where an isolated child would begin and asks for the command that will make its checkout. Nothing is made yet. Rejects with
   * a {@link WorktreeError}.
   */
  async prepare(
    isolation: Isolation,
    context: ToolContext,
    executionId: ExecutionId,
  ): Promise<PreparedIsolation> {
    const { machine } = this.#places;
    const leave = gitLeave(context);
    const { source, prefix, baseline } = await machine.examine(
      context.workspace,
      { baseline: isolation.baseline, ignoreChanges: isolation.dirtyPolicy === "ignore" },
      leave,
    );
    const path = this.#registry.checkoutOf(executionId);
    const checkout: IsolatedCheckout = { source, path, baseline, artifactKind: isolation.artifactKind };
    await leave.permit(machine.creationCommand(this.#recordOf(executionId, checkout)), source);
    return { executionId, checkout, workspace: join(path, prefix) };
  }

  /** The checkout that a directory lies in, undefined for directories elsewhere. */
  checkoutAround(directory: string): string | undefined {
    return checkoutAround(this.#registry.checkouts, directory);
  }

  /** Records and makes the checkout of a child that is about to start. When that fails nothing is left. */
  async create(
    executionId: ExecutionId,
    checkout: IsolatedCheckout,
    workspace: string,
  ): Promise<CheckoutNotes> {
    const record = this.#recordOf(executionId, checkout);
    await this.#directory(executionId).writeForm("worktree.sexp", worktreeDocument.toForm(record));
    await this.#registry.publish(record);
    try {
      const notes = await this.#places.machine.create(record, ownLeave());
      // The parent may work in a directory that the baseline does not have.
      await createDirectory(workspace);
      return notes;
    } catch (error) {
      if (!(await this.#places.machine.exists(record))) await this.#registry.forget(record.id);
      throw error;
    }
  }

  /** Secures the work of a child that has ended, once. Never rejects: what went wrong is part of the answer. */
  async secureEnded(executionId: ExecutionId, checkout: IsolatedCheckout): Promise<SecuredWork> {
    const record = this.#recordOf(executionId, checkout);
    try {
      const note = leftBehind(record, await this.#securedNow(record, ownLeave()));
      return {
        worktree: record.path,
        artifactPath: this.artifactPath(record),
        ...(note === undefined ? {} : { note }),
      };
    } catch (error) {
      return { worktree: record.path, error: failureOf(error).message };
    }
  }

  /** The artifact of a checkout, made now when there is none yet; one that is there stays as it is. */
  async secure(record: WorktreeRecord, leave: GitLeave): Promise<WorktreeArtifact> {
    return (await this.#securedNow(record, leave)).artifact;
  }

  /** The same, with what only the checkout had when the artifact was made; of commits it left, only an artifact made now knows. */
  async #securedNow(record: WorktreeRecord, leave: GitLeave): Promise<Secured> {
    const existing = await this.artifact(record);
    if (existing !== undefined)
      return {
        ...{ artifact: existing, untracked: existing.untracked ?? [] },
        ...{ leftCommits: [], discardedCommits: [], stashes: [] },
      };
    const { machine } = this.#places;
    const state = await machine.survey(record, leave);
    if (state === "unfinished") throw unfinished(record);
    if (state.paths.length > artifactPathLimit)
      throw new WorktreeError(
        "worktree-limit",
        `The work changes ${state.paths.length} paths; an artifact holds at most ${artifactPathLimit}.`,
      );
    if (record.artifactKind === "commit-range") await machine.secureRange(record, state, leave);
    const artifact: WorktreeArtifact = {
      worktreeId: record.id,
      owner: record.owner,
      source: record.source,
      isolatedPath: record.path,
      baseline: record.baseline,
      kind: record.artifactKind,
      tip: state.tip,
      paths: state.paths,
      ...(state.untracked.length === 0 ? {} : { untracked: state.untracked.slice(0, untrackedNameLimit) }),
      ...(state.untracked.length <= untrackedNameLimit ? {} : { untrackedCount: state.untracked.length }),
      ...encodedPatch(state.patch),
    };
    await this.#directoryOf(record).writeForm("worktree-artifact.sexp", artifactDocument.toForm(artifact));
    const { untracked, leftCommits, discardedCommits, stashes } = state;
    return { artifact, untracked, leftCommits, discardedCommits, stashes };
  }

  /** Whether the checkout, where it still is, holds other work than its artifact. */
  async changedSince(record: WorktreeRecord, artifact: WorktreeArtifact, leave: GitLeave): Promise<boolean> {
    const state = await this.state(record, leave);
    return state !== undefined && (state.tip !== artifact.tip || !decodedPatch(artifact).equals(state.patch));
  }

  async artifact(record: WorktreeRecord): Promise<WorktreeArtifact | undefined> {
    const form = await this.#directoryOf(record).readForm("worktree-artifact.sexp");
    return form === undefined ? undefined : artifactDocument.fromForm(form);
  }

  artifactPath(record: WorktreeRecord): string {
    return this.#directoryOf(record).pathOf("worktree-artifact.sexp");
  }

  /** The record of an execution of this conversation; undefined when it had no checkout. */
  async record(executionId: ExecutionId): Promise<WorktreeRecord | undefined> {
    const form = await this.#directory(executionId).readForm("worktree.sexp");
    if (form !== undefined) return worktreeDocument.fromForm(form);
    const registered = await this.#registry.read(executionId);
    return registered?.owner === ownerText(this.#places.conversationId, executionId) ? registered : undefined;
  }

  /** How the checkout stands; undefined when it is gone or was never finished. */
  async state(record: WorktreeRecord, leave: GitLeave): Promise<CheckoutState | undefined> {
    const { machine } = this.#places;
    if (!(await machine.exists(record))) return undefined;
    const state = await machine.survey(record, leave);
    return state === "unfinished" ? undefined : state;
  }

  /** Removes a checkout. Without `discard` it rejects with `worktree-unsecured` when anything would be lost or is open. */
  async remove(record: WorktreeRecord, discard: boolean, leave: GitLeave): Promise<RemovedCheckout> {
    if (!discard) {
      const state = await this.state(record, leave);
      const artifact = await this.artifact(record);
      const reasons = state === undefined ? [] : reasonsToKeep(record, state, artifact);
      if (reasons.length > 0)
        throw new WorktreeError(
          "worktree-unsecured",
          `${record.path} stays: it has ${reasons.join(", ")}. ${artifact === undefined ? "No artifact holds its work; action extract makes one." : `Its artifact ${this.artifactPath(record)} is independent of it.`} Set discardDirty (:discard-dirty t in a form, true in JSON) to remove it nevertheless.`,
        );
    }
    const removed = await this.#places.machine.remove(record, leave);
    await this.#registry.forget(record.id);
    return removed;
  }

  /** Our records: with `source`, also those that only the repository there still knows; they are registered again. */
  async discover(
    source: string | undefined,
    leave: GitLeave,
    report: (error: unknown) => void,
  ): Promise<{ readonly active: readonly WorktreeRecord[]; readonly absent: readonly WorktreeRecord[] }> {
    if (source !== undefined) await this.#registerMarked(source, leave);
    const active: WorktreeRecord[] = [];
    const absent: WorktreeRecord[] = [];
    for (const record of await this.#registry.ownedBy(this.#places.conversationId, report))
      ((await this.#places.machine.exists(record)) ? active : absent).push(record);
    return { active, absent };
  }

  /** The record of a discovered worktree: from the registry, else from what the repository of `source` knows. */
  async discovered(id: string, source: string, leave: GitLeave): Promise<WorktreeRecord | undefined> {
    await this.#registerMarked(source, leave);
    const executionId = executionIdSchema.safeParse(id);
    return executionId.success ? this.record(executionId.data) : undefined;
  }

  async #registerMarked(source: string, leave: GitLeave): Promise<void> {
    const top = await this.#places.machine.topOf(source, leave);
    for (const marked of await this.#places.machine.marked(source, leave)) {
      const record = this.#recordOfMarked(marked, top);
      if (record !== undefined && (await this.#registry.read(record.id)) === undefined)
        await this.#registry.publish((await this.record(executionIdSchema.parse(record.id))) ?? record);
    }
  }

  /** Undefined for checkouts of other conversations, and for what does not stand where ours do. */
  #recordOfMarked(marked: MarkedCheckout, source: string): WorktreeRecord | undefined {
    const owner = ownerParts(marked.owner);
    if (owner?.conversation !== this.#places.conversationId) return undefined;
    const path = this.#registry.checkoutOf(owner.executionId);
    if (marked.path !== path) return undefined;
    return this.#recordOf(owner.executionId, {
      source,
      path,
      baseline: marked.baseline,
      artifactKind: marked.artifactKind,
    });
  }

  #recordOf(executionId: ExecutionId, checkout: IsolatedCheckout): WorktreeRecord {
    return {
      version: 1,
      id: executionId,
      owner: ownerText(this.#places.conversationId, executionId),
      ...checkout,
      metadataPath: this.#directory(executionId).pathOf("worktree.sexp"),
    };
  }

  #directoryOf({ id }: WorktreeRecord): ExecutionDirectory {
    return this.#directory(executionIdSchema.parse(id));
  }

  #directory(executionId: ExecutionId): ExecutionDirectory {
    return new ExecutionDirectory(this.#places.tasksDirectory, this.#places.conversationId, executionId);
  }
}

/** The isolated checkout, a child of the directory `checkouts`, that a directory lies in. All paths absolute. */
export function checkoutAround(checkouts: string, directory: string): string | undefined {
  if (!isWithin(checkouts, directory) || directory === checkouts) return undefined;
  const name = directory.slice(checkouts.length + 1).split("/")[0] ?? "";
  return join(checkouts, name);
}

function unfinished(record: WorktreeRecord): AutolithError {
  return new WorktreeError(
    "worktree-damaged",
    `Making the checkout ${record.path} was cut off, so nobody has worked in it. Clean it up.`,
  );
}

type Secured = LeftWork & {
  readonly artifact: WorktreeArtifact;
  readonly untracked: readonly string[];
};

/** What was not handed over, as a note; undefined when that is nothing. */
function leftBehind(record: WorktreeRecord, secured: Secured): string | undefined {
  const { artifact, untracked, leftCommits, discardedCommits, stashes } = secured;
  const parts = [
    ...(untracked.length === 0
      ? []
      : [`files that nobody staged: ${namedPaths(untracked, { count: artifact.untrackedCount })}`]),
    ...(leftCommits.length === 0
      ? []
      : [`commits that it left and no branch holds: ${namedPaths(leftCommits)}`]),
  ];
  const sentences = [
    ...(parts.length === 0
      ? []
      : [
          `Not handed over: ${parts.join("; ")}. Only the checkout ${record.path} has them; take what you need before it is cleaned up.`,
        ]),
    ...(discardedCommits.length === 0
      ? []
      : [
          `Not handed over: commits that it amended, rebased or reset away: ${namedPaths(discardedCommits)}. Clean-up keeps them under refs/autolith/left/${record.id}.`,
        ]),
    ...(stashes.length === 0
      ? []
      : [
          `Not handed over: ${stashes.length} stash ${stashes.length === 1 ? "entry" : "entries"}, now in the stash list of ${record.source}: ${namedPaths(stashes)}.`,
        ]),
  ];
  return sentences.length === 0 ? undefined : sentences.join(" ");
}
