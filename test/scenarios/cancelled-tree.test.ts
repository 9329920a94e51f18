import { expect, it } from "vitest";
import { cancelTree, treeSize } from "../support/sessions/cancelled-tree.ts";

it("cancelling a tree of 30 children ends all of them with everything they run, and nothing of them is left when the last is told to have ended", async () => {
  const { before, left, liveJobs, tookMs, computingMs } = await cancelTree();
  expect(treeSize).toBe(30);
  expect(before).toBeGreaterThan(0);
  expect(left).toEqual([]);
  expect(liveJobs).toBe(0);
  // Wall time is for the reader: the machine is shared. `npm run bench cancel` measures it.
  process.stdout.write(
    `a tree of ${treeSize} children was gone ${Math.round(tookMs)} ms after its cancel (${Math.round(computingMs)} ms of computing)\n`,
  );
}, 180_000);
