import { expect, it } from "vitest";
import { StartTurns } from "../../../orchestrator/agents/start-turns.ts";

it("the first begins at once, the others in order, one in each turn of the event loop", async () => {
  const turns = new StartTurns();
  const began: number[] = [];
  const all = [0, 1, 2, 3].map((index) => turns.next().then(() => began.push(index)));
  await Promise.resolve();
  await Promise.resolve();
  expect(began).toEqual([0]);
  for (let turn = 1; turn <= 3; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(began.length).toBeLessThanOrEqual(turn + 1);
  }
  await Promise.all(all);
  expect(began).toEqual([0, 1, 2, 3]);
});

it("begins at once again when the turns before are over", async () => {
  const turns = new StartTurns();
  await turns.next();
  await new Promise((resolve) => setImmediate(resolve));
  let began = false;
  void turns.next().then(() => (began = true));
  await Promise.resolve();
  expect(began).toBe(true);
});
