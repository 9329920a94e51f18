import { describe, expect, test } from "vitest";
import {
  type ClientEvent,
  clientEventOf,
  eventNotification,
} from "../../../../orchestrator/contract/acp/events.ts";
import { conversationIdSchema } from "../../../../orchestrator/contract/identifiers.ts";

const sessionId = conversationIdSchema.parse("abcdefg");
const head = { seq: 7, at: 1_000 };

const events: readonly ClientEvent[] = [
  { ...head, kind: "turn", state: "running", epoch: 1, source: "prompt", outcome: null },
  { ...head, kind: "update", update: { type: "title", title: "a title", at: 5 } },
  { ...head, kind: "gap", lost: 3, deliveredThrough: 4 },
  { ...head, kind: "detached", reason: "taken-over" },
  { ...head, kind: "state" },
];

describe("_autolith/event", () => {
  test.each(events)("$kind comes back as it was sent", (event) => {
    const wire: unknown = JSON.parse(JSON.stringify(eventNotification(sessionId, event)));
    expect(clientEventOf(wire as ReturnType<typeof eventNotification>)).toEqual(event);
  });

  test("another shape is refused by code", () => {
    const wire = { ...eventNotification(sessionId, { ...head, kind: "state" }), kind: "turn" };
    expect(() => clientEventOf(wire)).toThrow(expect.objectContaining({ code: "malformed" }));
  });
});
