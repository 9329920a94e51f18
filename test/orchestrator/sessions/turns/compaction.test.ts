import { describe, expect, it } from "vitest";
import type {
  ConversationRecord,
  StoredRecord,
} from "../../../../orchestrator/record/conversation-record.ts";
import { compactionCut, summaryContent } from "../../../../orchestrator/sessions/turns/compaction.ts";

const stored = (...records: readonly ConversationRecord[]): readonly StoredRecord[] =>
  records.map((record, index) => ({ seq: index + 1, at: 0, record }));
const message = (content: string): ConversationRecord => ({ kind: "message", content });
const said = (text: string): ConversationRecord => ({
  kind: "provider-item",
  item: { type: "assistant-message", text },
});

describe("what is compacted", () => {
  it("is everything but unanswered messages at the end", () => {
    const cut = compactionCut(stored(message("one"), said("two"), message("three"), message("four")));
    expect(cut?.throughSeq).toBe(2);
    expect(cut?.items.map((item) => ("text" in item ? item.text : ""))).toEqual(["one", "two"]);
  });

  it("is nothing where nothing was answered since the last summary", () => {
    expect(compactionCut(stored(message("one")))).toBeUndefined();
    const summary: ConversationRecord = { kind: "summary", throughSeq: 2, content: "S" };
    expect(compactionCut(stored(message("one"), said("two"), summary, message("three")))).toBeUndefined();
    expect(
      compactionCut(stored(message("one"), said("two"), summary, message("x"), said("y")))?.throughSeq,
    ).toBe(5);
  });

  it("refuses summaries that are empty or save nothing", () => {
    const items = [{ type: "user-message" as const, text: "0123456789" }];
    for (const summary of ["", "  \n", "0123456789", "longer than the history"])
      expect(() => summaryContent(summary, items, [])).toThrow(
        expect.objectContaining({ code: "compaction-no-progress" }),
      );
    expect(summaryContent("short", items, [])).toContain("short");
  });
});
