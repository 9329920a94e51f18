import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionUpdate } from "../../../../orchestrator/contract/session.ts";
import { LiveOutput, keptCharacters } from "../../../../orchestrator/sessions/view/live-output.ts";

const recorded = (text: string) =>
  ({ type: "message-chunk", messageId: "r:1:m1", text, final: true, at: 0 }) as const;

const shownText = (updates: readonly (SessionUpdate | undefined)[]): string =>
  updates.map((update) => (update?.type === "message-chunk" ? update.text : "")).join("");

describe("what is shown of an answer while it streams", () => {
  it("is the recorded text in the end, exactly once, whatever was left out on the way", () => {
    const pieces = fc.array(fc.record({ text: fc.string(), isOmitted: fc.boolean() }), { maxLength: 20 });
    fc.assert(
      fc.property(pieces, (all) => {
        const live = new LiveOutput();
        live.begin(1);
        let omitted = 0;
        const streamed = all.map(({ text, isOmitted }) => {
          if (isOmitted) {
            omitted += text.length;
            return undefined;
          }
          const update = live.stream("text", text, omitted, 0);
          omitted = 0;
          return update;
        });
        const text = all.map((piece) => piece.text).join("");
        const rest = live.reconcile(recorded(text));
        expect(rest.map(({ type }) => type)).toEqual(["message-chunk"]);
        expect(shownText([...streamed, ...rest])).toBe(text);
      }),
    );
  });

  it("is bounded: what comes beyond is shown with the recorded text", () => {
    const live = new LiveOutput();
    live.begin(1);
    const half = "x".repeat(keptCharacters / 2 + 1);
    const streamed = [live.stream("text", half, 0, 0), live.stream("text", half, 0, 0)];
    expect(streamed[1]).toBeUndefined();
    expect(shownText([...streamed, ...live.reconcile(recorded(half + half))])).toBe(half + half);
  });

  it("is void and shown anew when the recorded text is another one", () => {
    const live = new LiveOutput();
    live.begin(1);
    live.stream("text", "half a thou", 0, 0);
    expect(live.reconcile(recorded("another")).map(({ type }) => type)).toEqual([
      "output-discarded",
      "message-chunk",
    ]);
  });

  it("says of a result whether it was shown before it was recorded", () => {
    const live = new LiveOutput();
    const done = { type: "tool-call-update", callId: "c", status: "completed", content: [], at: 1 } as const;
    live.call({ ...done, content: [] });
    expect(live.callRecorded({ ...done, content: [], at: 2 })).toBe(true);
    live.call({ ...done, content: [] });
    expect(live.callRecorded({ ...done, status: "failed", content: [], at: 2 })).toBe(false);
    expect(live.callRecorded({ ...done, content: [] })).toBe(false);
  });
});
