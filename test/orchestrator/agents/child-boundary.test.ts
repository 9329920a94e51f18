/** What a child reads at its boundaries: mail of peers beside steering, and that mail wakes a child that only waits. */
import { describe, expect, it } from "vitest";
import {
  type CompletionSource,
  type MailSource,
  childBoundary,
} from "../../../orchestrator/agents/child-boundary.ts";
import { PromptReplies } from "../../../orchestrator/agents/prompt-replies.ts";
import { SteeringMailbox } from "../../../orchestrator/agents/steering.ts";
import type { AgentTranscript } from "../../../orchestrator/agents/transcript.ts";
import { YieldState } from "../../../orchestrator/agents/yield.ts";

/** Mail that a test puts in. */
function letterbox(): MailSource & { put(text: string): void } {
  let waiting: string[] = [];
  const watchers = new Set<() => void>();
  return {
    put: (text) => {
      waiting.push(text);
      for (const watcher of watchers) watcher();
    },
    waits: () => waiting.length > 0,
    arrival: (signal) =>
      new Promise((resolve) => {
        if (waiting.length > 0 || signal.aborted) return resolve();
        watchers.add(resolve);
        signal.addEventListener("abort", () => resolve(), { once: true });
      }),
    deliver: async (transcript) => {
      const texts = waiting;
      waiting = [];
      for (const text of texts) await transcript.userMessage(text, { automatic: true });
      return texts;
    },
  };
}

function scene(awaiting: boolean) {
  const recorded: string[] = [];
  const transcript = {
    userMessage: (text: string) => {
      recorded.push(text);
      return Promise.resolve();
    },
  } as unknown as AgentTranscript;
  const steering = new SteeringMailbox(() => Promise.resolve());
  const mail = letterbox();
  const completions: CompletionSource = {
    ready: () => [],
    delivered: () => Promise.resolve(),
    awaiting: () => awaiting,
    arrival: (signal, messages) => messages.arrival(signal),
  };
  const next = childBoundary({
    transcript,
    steering,
    mail,
    completions,
    yielding: new YieldState(undefined, () => steering.pendingCount),
    replies: new PromptReplies(() => undefined),
    steeringText: ({ text }) => text,
    signal: new AbortController().signal,
  });
  const turn = { calledTools: false, settled: [], usage: {} };
  return { recorded, steering, mail, boundary: () => next(turn) };
}

describe("a child's boundary", () => {
  it("hands over mail before steering, in the record and to the model alike", async () => {
    const { recorded, steering, mail, boundary } = scene(false);
    mail.put("from a peer");
    await steering.push("from the parent", "parent");
    expect(await boundary()).toEqual([
      { type: "user-message", text: "from a peer" },
      { type: "user-message", text: "from the parent" },
    ]);
    expect(recorded).toEqual(["from a peer", "from the parent"]);
  });

  it("mail wakes a child that only waits for its jobs, and is no reason to remind it", async () => {
    const { mail, boundary } = scene(true);
    const waiting = boundary();
    mail.put("wake up");
    expect(await waiting).toEqual([{ type: "user-message", text: "wake up" }]);
  });

  it("steering wakes it too, and nothing is left behind of either wait", async () => {
    const { steering, mail, boundary } = scene(true);
    const waiting = boundary();
    await steering.push("go on", "parent");
    expect(await waiting).toEqual([{ type: "user-message", text: "go on" }]);
    const again = boundary();
    mail.put("and this");
    expect(await again).toEqual([{ type: "user-message", text: "and this" }]);
  });
});
