import { describe, expect, it } from "vitest";
import type { SessionUpdate } from "../../orchestrator/contract/session.ts";
import { terminalEvents, terminalPlan, terminalVictims } from "../../script/drill/terminals/terminal-plan.ts";
import { screenMarks, screenViolations } from "../../script/drill/terminals/terminal-verdict.ts";

const shown: readonly SessionUpdate[] = [
  { type: "user-message", messageId: "m:1", text: "typed-one", origin: "prompt", at: 0 },
  { type: "message-chunk", messageId: "r:1:m1", text: "before-1", final: true, at: 0 },
  {
    type: "tool-call",
    callId: "c",
    tool: "shell.run",
    title: "echo one-first >> effects.log",
    kind: "execute",
    status: "completed",
    arguments: {},
    locations: [],
    at: 0,
  },
  { type: "user-message", messageId: "m:2", text: "told", origin: "automatic", at: 0 },
  { type: "message-chunk", messageId: "r:2:m1", text: "answer-2-1\n\nanswer-2-2", final: true, at: 0 },
];

const whole = [
  "❯ you",
  "  typed-one",
  "",
  "● autolith",
  "  before-1",
  "",
  "✓ shell.run echo one-first >> effects.log",
  "  │ exit 0",
  "",
  "∙ continuing",
  "",
  "● autolith",
  "  answer-2-1",
  "",
  "  answer-2-2",
  "",
  "❯ Ask for something, or /help",
];

describe("the terminal drill", () => {
  it("finds nothing wrong with a whole screen, nor with words of an answer that broke off", () => {
    expect(screenMarks(whole)).toEqual(["typed-one", "before-1", "one-first", "answer-2-1", "answer-2-2"]);
    expect(screenViolations(whole, shown)).toEqual([]);
    expect(screenViolations([...whole, "  answer-9-1"], shown)).toEqual([]);
  });

  it.each([
    ["an input that is not shown", whole.filter((row) => row !== "  typed-one")],
    ["an input that is shown twice", [...whole, "  typed-one"]],
    ["an input that nobody recorded", [...whole, "  typed-two"]],
    ["an answer of which a line is missing", whole.filter((row) => row !== "  answer-2-2")],
    ["a broken answer that is shown twice", [...whole, "  answer-9-1", "  answer-9-1"]],
    ["a call that is shown twice", [...whole, "? shell.run echo one-first >> effects.log (outcome unknown)"]],
    ["a call that seems to run", [...whole, "◐ shell.run sleep 1 (running)"]],
    ["another order", whole.toReversed()],
  ])("reports %s", (_, rows) => {
    expect(screenViolations(rows, shown)).not.toEqual([]);
  });

  it("visits every event, and each kind of kill equally often", () => {
    const plan = terminalPlan(300, 7);
    expect(new Set(plan.map(({ events }) => events)).size).toBe(terminalEvents + 1);
    for (const kind of terminalVictims)
      expect(plan.filter(({ victim }) => victim === kind)).toHaveLength(100);
    expect(terminalPlan(300, 7)).toEqual(plan);
    expect(terminalPlan(300, 8)).not.toEqual(plan);
  });
});
