/** Integrating twice, or while something else is going on in the target. */
import { describe, expect, test } from "vitest";
import type { CheckoutState } from "../../../orchestrator/worktrees/worktree-machine.ts";
import type { WorktreeRecord } from "../../../orchestrator/worktrees/worktree.ts";
import { commitAll, git, writeFiles } from "../../support/git/repository.ts";
import { type WorktreeScene, worktreeScene } from "../../support/git/worktrees.ts";

async function standing(scene: WorktreeScene, record: WorktreeRecord): Promise<CheckoutState> {
  const state = await scene.machine.survey(record, scene.leave);
  if (state === "unfinished") throw new Error("expected a finished checkout");
  return state;
}

describe("integrating", () => {
  test("a patch that was applied and committed before is said to be there", async () => {
    const scene = worktreeScene();
    const record = await scene.checkout();
    writeFiles(record.path, { "a.txt": "one\ntwo\n" });
    const { patch } = await standing(scene, record);
    await scene.machine.apply(scene.source, patch, scene.leave);
    git(scene.source, "commit", "-qm", "taken");
    await expect(scene.machine.apply(scene.source, patch, scene.leave)).rejects.toMatchObject({
      code: "worktree-conflict",
      message: expect.stringContaining("has the changes of this patch already") as string,
    });
  });

  test("while a cherry-pick is open nothing else is integrated, and nobody is told to stash or commit it", async () => {
    const scene = worktreeScene();
    const record = await scene.checkout({ kind: "commit-range" });
    writeFiles(record.path, { "a.txt": "two\n" });
    commitAll(record.path, "two");
    const state = await standing(scene, record);
    writeFiles(scene.source, { "a.txt": "other\n" });
    commitAll(scene.source, "other");
    const range = { baseline: record.baseline, tip: state.tip };
    await expect(scene.machine.pick(scene.source, range, scene.leave)).rejects.toMatchObject({
      code: "worktree-conflict",
    });
    for (const again of [
      () => scene.machine.pick(scene.source, range, scene.leave),
      () => scene.machine.apply(scene.source, state.patch, scene.leave),
      () => scene.machine.check(scene.source, state.patch, scene.leave),
    ])
      await expect(again()).rejects.toMatchObject({
        code: "worktree-dirty",
        message: expect.stringMatching(/^A cherry-pick is in progress.*action abort\.$/) as string,
      });
    expect(await scene.machine.abort(scene.source, scene.leave)).toBe(true);
    expect(git(scene.source, "log", "--format=%s")).toBe("other\nfirst");
  });
});
