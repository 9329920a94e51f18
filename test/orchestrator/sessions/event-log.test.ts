import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventLog } from "../../../orchestrator/sessions/event-log.ts";
import { ScriptedService } from "../../support/sessions/scripted-service.ts";
import { eventsUntil, isTurnEnd, textOf } from "../../support/sessions/read-events.ts";

describe("the event log", () => {
  it("gives every reader every event in order, and counts what a slow one lost", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 64 }),
        async (bursts, kept) => {
          const log = new EventLog(() => 0, { events: kept, characters: 1_000_000 });
          const reader = log.reader();
          let seen = 0;
          for (const burst of bursts) {
            for (let index = 0; index < burst; index += 1) log.append({ kind: "state" });
            if (burst === 0) continue;
            const { events, lost } = await reader.read();
            expect(events[0]?.seq).toBe(seen + lost + 1);
            expect(events.length).toBe(Math.min(burst, kept));
            seen += lost + events.length;
            expect(seen).toBe(log.seq);
          }
        },
      ),
    );
  });

  it("ends for everybody with the closed event", async () => {
    const log = new EventLog(() => 0);
    const reader = log.reader();
    log.append({ kind: "closed", reason: "closed" });
    log.append({ kind: "state" });
    expect(await reader.read()).toMatchObject({ ended: true, events: [{ kind: "closed" }] });
    expect(await reader.read()).toEqual({ ended: true, events: [], lost: 0 });
  });

  it("a waiting read ends with its signal, and with the client", async () => {
    const log = new EventLog(() => 0);
    const reader = log.reader();
    await expect(reader.read(AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
    const waiting = reader.read();
    reader.detach();
    expect(await waiting).toMatchObject({ ended: true, events: [] });
  });

  it("is bounded by characters, too", async () => {
    const log = new EventLog(() => 0, { events: 100, characters: 1_000 });
    const reader = log.reader();
    for (let index = 0; index < 10; index += 1)
      log.append({
        kind: "update",
        update: { type: "message-chunk", messageId: "r:1:m", text: "x".repeat(400), at: 0 },
      });
    const { events, lost } = await reader.read();
    expect([events.length, lost]).toEqual([2, 8]);
  });
});

describe("the scripted service for front ends", () => {
  it("echoes, queues and asks like the contract says", async () => {
    const service = new ScriptedService({
      script: async (text, turn) => {
        const answer = await turn.ask({
          kind: "command",
          callId: "c",
          tool: "shell.run",
          asker: "primary",
          title: text,
        });
        turn.emit({ type: "message-chunk", messageId: "r:1:m", text: answer, final: true, at: 0 });
      },
    });
    const session = await service.create({ workingDirectory: "/tmp" });
    const denied = await session.prompt({ parts: [{ type: "text", text: "ls" }] });
    if (denied.kind !== "turn") throw new Error("a turn was expected");
    expect(await denied.finished).toMatchObject({ outcome: "end-turn", epoch: 1 });
    const client = await session.attach({ name: "test", answersPermissions: true, tail: "all" });
    expect(client.history.updates.map(({ update }) => update.type)).toEqual([
      "user-message",
      "message-chunk",
      "turn-end",
    ]);
    await session.queue({ parts: [{ type: "text", text: "pwd" }] });
    const asked = await eventsUntil(client, (event) => event.kind === "permission-requested");
    const request = asked.find((event) => event.kind === "permission-requested");
    session.answerPermission(request?.request.requestId ?? "", "allow-once");
    expect(textOf(await eventsUntil(client, isTurnEnd))).toBe("allow-once");
  });
});
