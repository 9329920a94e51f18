import type { SessionUpdate as AcpUpdate } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { acpUpdates, mergeChunks, mergedChunkLimit } from "../../../../cli/acp/translation/acp-updates.ts";
import type { SessionUpdate } from "../../../../orchestrator/contract/session.ts";

const plain = { notices: false };
const counters = {
  inputTokens: 5,
  cachedInputTokens: null,
  outputTokens: 1,
  reasoningTokens: null,
  requests: 1,
};

describe("updates of a session as ACP has them", () => {
  test.each<[SessionUpdate, readonly AcpUpdate[]]>([
    [
      { type: "user-message", messageId: "m:1", text: "hi", origin: "queue", inputId: "i", images: 1, at: 0 },
      [
        {
          sessionUpdate: "user_message_chunk",
          messageId: "m:1",
          content: { type: "text", text: "hi" },
          _meta: { autolith: { origin: "queue", inputId: "i", images: 1 } },
        },
      ],
    ],
    [{ type: "message-chunk", messageId: "r:1:1", text: "", final: true, at: 0 }, []],
    [
      { type: "thought-chunk", messageId: "r:1:1", text: "hm", at: 0 },
      [{ sessionUpdate: "agent_thought_chunk", messageId: "r:1:1", content: { type: "text", text: "hm" } }],
    ],
    [
      {
        type: "tool-call",
        callId: "c",
        tool: "shell.run",
        title: "ls",
        kind: "execute",
        status: "running",
        arguments: { command: "ls" },
        locations: [{ path: "/a" }, { path: "/b", line: 2 }],
        at: 0,
      },
      [
        {
          sessionUpdate: "tool_call",
          toolCallId: "c",
          title: "ls",
          name: "shell.run",
          kind: "execute",
          status: "in_progress",
          locations: [{ path: "/a" }, { path: "/b", line: 2 }],
          rawInput: { command: "ls" },
        },
      ],
    ],
    [
      {
        type: "tool-call-update",
        callId: "c",
        status: "unknown",
        content: [
          { type: "text", text: "out" },
          { type: "diff", path: "/a", oldText: "a", newText: "b" },
        ],
        resourceUris: ["shell-log:x"],
        durationMs: 3,
        at: 0,
      },
      [
        {
          sessionUpdate: "tool_call_update",
          toolCallId: "c",
          status: "failed",
          content: [
            { type: "content", content: { type: "text", text: "out" } },
            { type: "diff", path: "/a", oldText: "a", newText: "b" },
          ],
          _meta: { autolith: { status: "unknown", resourceUris: ["shell-log:x"], durationMs: 3 } },
        },
      ],
    ],
    [
      { type: "usage", turn: counters, total: counters, contextTokens: 100, contextWindow: 1_000, at: 0 },
      [
        {
          sessionUpdate: "usage_update",
          used: 100,
          size: 1_000,
          _meta: { autolith: { turn: counters, total: counters } },
        },
      ],
    ],
    [
      { type: "usage", turn: counters, total: counters, contextTokens: null, contextWindow: 1_000, at: 0 },
      [],
    ],
    [
      { type: "title", title: "t", at: 0 },
      [{ sessionUpdate: "session_info_update", title: "t", updatedAt: "1970-01-01T00:00:00.000Z" }],
    ],
    [
      { type: "mode", mode: "full", at: 0 },
      [{ sessionUpdate: "current_mode_update", currentModeId: "full-access" }],
    ],
  ])("$type", (update, expected) => {
    expect(acpUpdates(update, plain)).toEqual(expected);
  });

  test("notices are notices for those who show them, and marked text for all others", () => {
    const retry: SessionUpdate = {
      type: "notice",
      level: "warning",
      code: "retry",
      text: "Again.\nIn 2 s.",
      at: 7,
    };
    expect(acpUpdates(retry, { notices: true })).toEqual([
      {
        sessionUpdate: "notice",
        severity: "warning",
        title: "Again.",
        description: "In 2 s.",
        _meta: { autolith: { code: "retry" } },
      },
    ]);
    expect(acpUpdates(retry, plain)).toMatchObject([
      { sessionUpdate: "agent_message_chunk", content: { text: "[retry] Again.\nIn 2 s.\n" } },
    ]);
    const presented: SessionUpdate = { type: "notice", level: "info", code: "command", text: "done", at: 7 };
    expect(acpUpdates(presented, plain)).toMatchObject([{ content: { text: "done\n" } }]);
    expect(acpUpdates({ ...presented, text: " " }, plain)).toEqual([]);
    expect(acpUpdates({ type: "output-discarded", prefix: "r:1:", at: 7 }, plain)).toMatchObject([
      { sessionUpdate: "agent_message_chunk" },
    ]);
  });
});

describe("neighbouring chunks", () => {
  const chunk = (messageId: string, text: string): SessionUpdate => ({
    type: "message-chunk",
    messageId,
    text,
    at: 0,
  });
  const texts = (updates: readonly SessionUpdate[]): readonly unknown[] =>
    mergeChunks(updates.flatMap((update) => acpUpdates(update, plain))).map((update) =>
      "content" in update && !Array.isArray(update.content)
        ? (update.content as { text: string }).text
        : update.sessionUpdate,
    );

  test("of one message are joined, others are not", () => {
    const plan: SessionUpdate = { type: "plan", entries: [], at: 0 };
    expect(texts([chunk("a", "1"), chunk("a", "2"), chunk("b", "3"), plan, chunk("b", "4")])).toEqual([
      "12",
      "3",
      "plan",
      "4",
    ]);
    expect(texts([chunk("a", "1"), { ...chunk("a", "2"), type: "thought-chunk" } as SessionUpdate])).toEqual([
      "1",
      "2",
    ]);
  });

  test("are joined up to a bound", () => {
    const half = "x".repeat(mergedChunkLimit / 2);
    expect(texts([chunk("a", half), chunk("a", half), chunk("a", "y")])).toEqual([half + half, "y"]);
  });
});
