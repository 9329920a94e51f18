/** What would be lost with a checkout: a pure decision over its state and its artifact. */
import { namedPaths } from "./worktree-error.ts";
import type { CheckoutState } from "./worktree-machine.ts";
import { type WorktreeArtifact, type WorktreeRecord, decodedPatch } from "./worktree.ts";

/** Reasons against removing a checkout, each a clause; none when nothing would be lost and nothing is open. */
export function reasonsToKeep(
  record: Pick<WorktreeRecord, "baseline">,
  state: CheckoutState,
  artifact: WorktreeArtifact | undefined,
): readonly string[] {
  const lists: readonly (readonly [readonly string[], string])[] = [
    [state.uncommitted, "changes that are not committed"],
    [state.untracked, "untracked files"],
    [state.ignored, "ignored files"],
    [state.submodules, "submodules with work of their own"],
    [state.leftCommits, "commits that neither its tip nor a branch holds"],
  ];
  const open = lists.flatMap(([paths, what]) =>
    paths.length === 0 ? [] : [`${what} (${namedPaths(paths, { limit: 4 })})`],
  );
  const isUnchanged = state.tip === record.baseline && state.patch.length === 0;
  return isUnchanged || isSecured(state, artifact)
    ? open
    : [...open, "work since the baseline that no artifact holds"];
}

function isSecured(state: CheckoutState, artifact: WorktreeArtifact | undefined): boolean {
  return (
    artifact !== undefined &&
    artifact.tip === state.tip &&
    decodedPatch(artifact).equals(Buffer.from(state.patch))
  );
}
