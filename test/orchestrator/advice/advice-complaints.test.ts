import { expect, it } from "vitest";
import { AdviceBoard } from "../../../orchestrator/advice/advice-board.ts";
import { TurnTrace } from "../../../orchestrator/advice/turn-trace.ts";

it("tells what is wrong with a source once in a turn, and again in the next", async () => {
  const told: string[] = [];
  const board = new AdviceBoard({
    trace: new TurnTrace(),
    session: () => ({
      conversationId: "b6uouHJ",
      workspace: "/w",
      role: "primary",
      model: "m",
    }),
    sources: [{ name: "broken", contribute: () => Promise.reject(new Error("no notes")) }],
    registered: () => ({ contributors: [], rules: [] }),
    anchored: [],
    historyGeneration: () => 0,
    report: ({ message }) => told.push(message),
  });
  board.turnBegan("one");
  await board.next(0);
  await board.next(1);
  expect(told).toEqual(["Notes of broken were left out of a request: no notes."]);
  board.turnBegan("two");
  await board.next(2);
  expect(told).toHaveLength(2);
});
