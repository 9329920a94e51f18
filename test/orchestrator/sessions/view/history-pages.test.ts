import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type {
  ConversationRecord,
  StoredRecord,
} from "../../../../orchestrator/record/conversation-record.ts";
import {
  callsWithoutResult,
  historyPage,
  replayedUpdates,
} from "../../../../orchestrator/sessions/view/history-pages.ts";

/** Records as turns make them: a message, then responses of texts and calls with results, each closed by its metadata. */
const recordsArbitrary = fc
  .array(
    fc.record({
      prompt: fc.boolean(),
      texts: fc.nat({ max: 2 }),
      calls: fc.nat({ max: 3 }),
      failed: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((responses) => {
    const records: ConversationRecord[] = [];
    for (const [index, { prompt, texts, calls, failed }] of responses.entries()) {
      if (prompt) records.push({ kind: "message", content: `prompt ${index}` });
      if (failed)
        records.push({ kind: "provider", metadata: { requestNumber: index + 1, failedAttempt: {} } });
      for (let text = 0; text < texts; text += 1)
        records.push({
          kind: "provider-item",
          item: { type: "assistant-message", text: `${index}.${text}` },
        });
      for (let call = 0; call < calls; call += 1)
        records.push({
          kind: "provider-item",
          item: { type: "tool-call", callId: `c${index}.${call}`, tool: "shell.run", arguments: "{}" },
        });
      records.push({ kind: "provider", metadata: { requestNumber: index + 1, usage: {} } });
      for (let call = 0; call < calls; call += 1)
        records.push({
          kind: "tool-result",
          callId: `c${index}.${call}`,
          tool: "shell.run",
          status: "ok",
          output: "o",
        });
    }
    return records.map((record, index): StoredRecord => ({ seq: index * 2 + 1, at: 0, record }));
  });

describe("history in pages", () => {
  it("says of calls without a result, of a host that died, that their outcome is unknown", () => {
    fc.assert(
      fc.property(recordsArbitrary, fc.array(fc.nat()), (records, places) => {
        const results = records.filter(({ record }) => record.kind === "tool-result");
        const removed = new Set(places.map((place) => results[place % results.length]));
        const kept = records.filter((each) => !removed.has(each));
        const shown = historyPage(kept, "/w", {}, 200, callsWithoutResult(kept)).updates;
        const lost = shown.flatMap(({ update }) =>
          update.type === "tool-call" && update.status === "unknown" ? [update.callId] : [],
        );
        const expected = [...removed].flatMap((each) =>
          each?.record.kind === "tool-result" ? [each.record.callId] : [],
        );
        expect(lost.toSorted()).toEqual(expected.toSorted());
      }),
    );
  });

  it("pages of any size, from either end, are the whole history", () => {
    fc.assert(
      fc.property(recordsArbitrary, fc.integer({ min: 1, max: 7 }), (records, limit) => {
        const whole = replayedUpdates(records, "/w");
        const back: unknown[] = [];
        let page = historyPage(records, "/w", {}, limit);
        for (;;) {
          back.unshift(...page.updates);
          expect(page.updates.length).toBeLessThanOrEqual(limit);
          if (!page.hasOlder) break;
          page = historyPage(records, "/w", { before: page.firstSeq ?? 0 }, limit);
          expect(page.hasNewer).toBe(true);
        }
        expect(back).toEqual(whole);
        const forth: unknown[] = [];
        let next = historyPage(records, "/w", { after: 0 }, limit);
        for (;;) {
          forth.push(...next.updates);
          if (!next.hasNewer) break;
          next = historyPage(records, "/w", { after: next.lastSeq ?? 0 }, limit);
        }
        expect(forth).toEqual(whole);
      }),
    );
  });

  it("gives the texts of a response the number that its metadata has", () => {
    const records = [
      { kind: "message", content: "hi" },
      { kind: "provider-item", item: { type: "assistant-message", text: "one" } },
      { kind: "provider-item", item: { type: "assistant-message", text: "two" } },
      { kind: "provider", metadata: { requestNumber: 7, usage: {} } },
    ] as const;
    const stored = records.map((record, index): StoredRecord => ({ seq: index + 1, at: 0, record }));
    const ids = replayedUpdates(stored, "/w").map(({ update }) =>
      "messageId" in update ? update.messageId : "",
    );
    expect(ids).toEqual(["m:1", "r:7:m1", "r:7:m2"]);
  });

  it("a page of a conversation of 100,000 records looks at few of them", () => {
    const many = Array.from({ length: 100_000 }, (_, index): StoredRecord => ({
      seq: index + 1,
      at: 0,
      record: manyRecord(index),
    }));
    let looks = 0;
    const counted = new Proxy(many, {
      get: (target, key, receiver) => {
        if (typeof key === "string" && /^\d+$/.test(key)) looks += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    expect(historyPage(counted, "/w", {}, 200).updates.length).toBe(200);
    expect(historyPage(counted, "/w", { before: 50_000 }, 200).updates.length).toBe(200);
    expect(historyPage(counted, "/w", { after: 50_000 }, 200).updates.length).toBe(200);
    // Three pages of 200 updates with their neighbours, and three searches for their places.
    expect(looks).toBeLessThan(6_000);
  });
});

function manyRecord(index: number): ConversationRecord {
  if (index % 4 === 0) return { kind: "message", content: `m${index}` };
  if (index % 4 === 1)
    return { kind: "provider-item", item: { type: "assistant-message", text: `a${index}` } };
  if (index % 4 === 2) return { kind: "provider", metadata: { requestNumber: index, usage: {} } };
  return { kind: "tool-result", callId: `c${index}`, tool: "shell.run", status: "ok", output: "o" };
}
