import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelItem } from "../../../../orchestrator/contract/model.ts";
import { pairCalls } from "../../../../orchestrator/model-exchange/call-pairing.ts";
import type {
  ConversationRecord,
  StoredRecord,
} from "../../../../orchestrator/record/conversation-record.ts";
import { providerHistory } from "../../../../orchestrator/record/provider-history.ts";
import { failedExchanges, withoutExchanges } from "../../../../orchestrator/sessions/turns/precompaction.ts";

const stored = (...records: readonly ConversationRecord[]): readonly StoredRecord[] =>
  records.map((record, index) => ({ seq: index + 1, at: index, record }));
const user = (content: string): ConversationRecord => ({ kind: "message", content });
const call = (callId: string): ConversationRecord => ({
  kind: "provider-item",
  item: { type: "tool-call", callId, tool: "shell.run", arguments: "{}" },
});
const result = (callId: string, status: "ok" | "error"): ConversationRecord => ({
  kind: "tool-result",
  callId,
  tool: "shell.run",
  status,
  output: status,
});
const thought: ConversationRecord = { kind: "provider-item", item: { type: "reasoning", text: "hm" } };

describe("mechanical precompaction", () => {
  it("leaves out failed exchanges of earlier turns with the reasoning that led to them alone", () => {
    const records = stored(
      user("one"),
      thought,
      call("a"),
      result("a", "error"),
      thought,
      call("b"),
      call("c"),
      result("b", "error"),
      result("c", "ok"),
      user("two"),
      call("d"),
      result("d", "error"),
    );
    const failed = failedExchanges(records);
    expect([...failed]).toEqual(["a", "b"]);
    const kept = withoutExchanges(providerHistory(records).items, failed);
    expect(
      kept.map((item) => (item.type.startsWith("tool-") ? (item as { callId: string }).callId : item.type)),
    ).toEqual(["user-message", "reasoning", "c", "c", "user-message", "d", "d"]);
  });

  it("a message that nobody typed does not make a turn earlier", () => {
    const records = stored(user("one"), call("a"), result("a", "error"), {
      kind: "message",
      content: "a job ended",
      automatic: true,
    });
    expect([...failedExchanges(records)]).toEqual([]);
  });

  it("never leaves a call without its result, or a result without its call", () => {
    const item: fc.Arbitrary<ModelItem> = fc.oneof(
      fc.constant<ModelItem>({ type: "user-message", text: "u" }),
      fc.constant<ModelItem>({ type: "reasoning", text: "" }),
      fc.integer({ min: 0, max: 5 }).map<ModelItem>((id) => ({
        type: "tool-call",
        callId: `c${id}`,
        tool: "t.t",
        arguments: "{}",
      })),
      fc.integer({ min: 0, max: 5 }).map<ModelItem>((id) => ({
        type: "tool-result",
        callId: `c${id}`,
        status: "error",
        output: "",
      })),
    );
    fc.assert(
      fc.property(fc.array(item), fc.uniqueArray(fc.integer({ min: 0, max: 5 })), (items, pruned) => {
        const paired = pairCalls(items).items;
        const kept = withoutExchanges(paired, new Set(pruned.map((id) => `c${id}`)));
        expect(pairCalls(kept)).toEqual({ items: kept, added: [] });
      }),
    );
  });
});
