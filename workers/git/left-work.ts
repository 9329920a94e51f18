/** Work of a checkout that its tip does not hold: commits that were left, amended or reset away, and stashed changes. */
import { patchLimitBytes } from "../../orchestrator/worktrees/worktree.ts";
import type { WorktreeRecord } from "../../orchestrator/worktrees/worktree.ts";
import type { LeftWork } from "../../orchestrator/worktrees/worktree-machine.ts";
import { type Repository, splitNul } from "./repository.ts";

/** Commits that are told of those that were left, at most. */
const leftCommitLimit = 64;

/** One step of the checkout's own log of where it was, newest first. */
type Step = {
  readonly commit: string;
  /** Seconds since 1970. */
  readonly at: number;
  readonly what: string;
};

/** Without a log of its own there are no steps. */
async function stepsOf(repository: Repository): Promise<readonly Step[]> {
  const log = await repository.run(
    ["log", "--walk-reflogs", "-z", "--date=unix", "--format=%H %gd %gs", "HEAD", "--"],
    { accepted: [0, 128], outputLimitBytes: patchLimitBytes },
  );
  if (log.code !== 0) return [];
  return splitNul(log.output).flatMap((line) => {
    const [, commit, at, what] = /^([0-9a-f]+) \S*@\{(\d+)\} ?(.*)$/s.exec(line) ?? [];
    return commit === undefined ? [] : [{ commit, at: Number(at), what: what ?? "" }];
  });
}

/** What excludes commits that the tip, or any branch, tag or reference of ours holds. */
function held(tip: string | undefined): readonly string[] {
  const tips = tip === undefined ? [] : [tip];
  return ["--not", ...tips, "--branches", "--tags", "--remotes", "--glob=refs/autolith/*", "--"];
}

/** Those of the commits, and of what leads to them, that nothing holds: abbreviated, with their subjects, newest first. */
async function unheld(
  repository: Repository,
  commits: readonly string[],
  tip: string,
): Promise<readonly string[]> {
  if (commits.length === 0) return [];
  return repository.list([
    ...["log", "-z", "--ignore-missing", "--format=%h %s", `--max-count=${leftCommitLimit}`],
    ...new Set(commits),
    ...held(tip),
  ]);
}

/**
 * What the checkout's own log of where it was knows beyond its tip. `leftCommits` were left by checking out another commit, `discardedCommits`
 * in any other way: amended, rebased or reset away.
 */
export async function leftWork(repository: Repository, tip: string): Promise<LeftWork> {
  const steps = await stepsOf(repository);
  const left = steps.flatMap(({ what }, index) => {
    const before = steps[index + 1]?.commit;
    return before !== undefined && what.startsWith("checkout: moving from ") ? [before] : [];
  });
  const leftCommits = await unheld(repository, left, tip);
  const all = await unheld(
    repository,
    steps.map(({ commit }) => commit),
    tip,
  );
  return {
    leftCommits,
    discardedCommits: all.filter((commit) => !leftCommits.includes(commit)),
    stashes: await stashesOf(repository, steps),
  };
}

/**
 * Entries of the repository's stash list that were made in the checkout: since it began, on a commit that it was at, and on no branch or on one
 * that it had checked out (two checkouts of one commit have nothing else that tells theirs apart).
 */
async function stashesOf(repository: Repository, steps: readonly Step[]): Promise<readonly string[]> {
  const log = await repository.run(
    ["log", "--walk-reflogs", "-z", "--format=%ct %P%n%gs", "refs/stash", "--"],
    { accepted: [0, 128], outputLimitBytes: patchLimitBytes },
  );
  const beganAt = steps.at(-1)?.at;
  if (log.code !== 0 || beganAt === undefined) return [];
  const commits = new Set(steps.map(({ commit }) => commit));
  const branches = new Set(["(no branch)", ...steps.flatMap(({ what }) => branchesOf(what))]);
  return splitNul(log.output).flatMap((entry, index) => {
    const [facts = "", subject = ""] = entry.split("\n", 2);
    const [at, base = ""] = facts.split(" ");
    const branch = /^(?:WIP on|On) (.*?): /.exec(subject)?.[1] ?? "";
    const isOurs = Number(at) >= beganAt && commits.has(base) && branches.has(branch);
    return isOurs ? [`stash@{${index}}: ${subject}`] : [];
  });
}

function branchesOf(what: string): readonly string[] {
  const [, from, to] = /^checkout: moving from (\S+) to (\S+)$/.exec(what) ?? [];
  return from === undefined || to === undefined ? [] : [from, to];
}

/**
 * Keeps every commit that only the checkout's own log holds under a reference, so that the checkout may go. Answers those references, with the
 * commits' subjects, and the stash entries, which stay in any case.
 */
export async function keepLeftWork(
  checkout: Repository,
  { id }: Pick<WorktreeRecord, "id">,
): Promise<{ readonly kept: readonly string[]; readonly stashes: readonly string[] }> {
  const root = `refs/autolith/left/${id}/`;
  const steps = await stepsOf(checkout);
  const { code, output } = await checkout.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], {
    accepted: [0, 1, 128],
  });
  const tip = code === 0 ? output.toString("utf8").trim() : undefined;
  // Some may be there from a removal that was cut off.
  const earlier = await checkout.list(["for-each-ref", "--format=%(refname)%00", root]);
  const numbers = earlier.map((name) => Number(name.trim().slice(root.length)));
  let number = Math.max(0, ...numbers.filter(Number.isSafeInteger));
  for (const commit of await headsOf(checkout, steps, tip)) {
    number += 1;
    await checkout.run(["update-ref", `${root}${number}`, commit, ""], { mayRefresh: true });
  }
  const kept = await checkout.list(["for-each-ref", "--format=%(refname) %(contents:subject)%00", root]);
  return { kept: kept.map((line) => line.trim()).filter(Boolean), stashes: await stashesOf(checkout, steps) };
}

/** Of the commits that nothing holds, those that no other one of them leads to. */
async function headsOf(
  checkout: Repository,
  steps: readonly Step[],
  tip: string | undefined,
): Promise<readonly string[]> {
  const commits = new Set(steps.map(({ commit }) => commit));
  if (commits.size === 0) return [];
  const { output } = await checkout.run(
    ["rev-list", "--parents", "--ignore-missing", ...commits, ...held(tip)],
    { outputLimitBytes: patchLimitBytes },
  );
  const lines = output
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" "));
  const parents = new Set(lines.flatMap(([, ...before]) => before));
  return lines.flatMap(([commit]) => (commit === undefined || parents.has(commit) ? [] : [commit]));
}
