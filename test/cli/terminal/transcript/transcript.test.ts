import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Entry, type EntryUpdate, isEntryUpdate } from "../../../../cli/terminal/transcript/entries.ts";
import {
  type PrintedEntry,
  type Transcript,
  beginReplay,
  emptyTranscript,
  endReplay,
  settle,
  withUpdate,
} from "../../../../cli/terminal/transcript/transcript.ts";
import { anyText, anyUpdate } from "../screen/any-state.ts";

/** Applies updates, settling after each, as frames do. */
function shown(
  updates: readonly EntryUpdate[],
  start: Transcript = emptyTranscript,
): { readonly transcript: Transcript; readonly printed: readonly PrintedEntry[] } {
  let transcript = start;
  const printed: PrintedEntry[] = [];
  for (const update of updates) {
    const settled = settle(withUpdate(transcript, update));
    transcript = settled.transcript;
    printed.push(...settled.printed);
  }
  return { transcript, printed };
}

/** All text of one message, printed and live. */
function messageText(entries: readonly Entry[], messageId: string): string {
  return entries
    .map((entry) => (entry.kind === "message" && entry.messageId === messageId ? entry.text : ""))
    .join("");
}

function chunk(
  text: string,
  more: Partial<Extract<EntryUpdate, { type: "message-chunk" }>> = {},
): EntryUpdate {
  return { type: "message-chunk", messageId: "r:1:0", text, at: 0, ...more };
}

const anyEntryUpdate = anyUpdate.filter(isEntryUpdate);

describe("the transcript", () => {
  it("loses and doubles nothing of a stream, however it is cut", () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 40 }), (texts) => {
        const { transcript, printed } = shown([
          ...texts.map((text) => chunk(text)),
          chunk("", { final: true }),
        ]);
        expect(transcript.live).toEqual([]);
        const all = messageText(
          printed.map(({ entry }) => entry),
          "r:1:0",
        );
        // Blank blocks alone are left out.
        expect(all.replace(/\s+/g, "")).toBe(texts.join("").replace(/\s+/g, ""));
      }),
      { numRuns: 300 },
    );
  });

  it("keeps the live part of a stream bounded", () => {
    const lines = Array.from({ length: 3_000 }, (_, index) => `line ${index}\n`);
    for (const texts of [
      lines,
      ["```js\n", ...lines],
      ["- ", ...lines.map((text) => `- ${text}`)],
      ["word ".repeat(60_000)],
    ]) {
      let transcript: Transcript = emptyTranscript;
      for (const text of texts) {
        ({ transcript } = settle(withUpdate(transcript, chunk(text))));
        expect(messageText(transcript.live, "r:1:0").length).toBeLessThanOrEqual(16_384);
      }
    }
  });

  it("shows nothing twice and loses nothing when the history is read again", () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1, maxLength: 20 }), fc.nat(20), (texts, lostAt) => {
        const before = texts.slice(0, lostAt).map((text) => chunk(text));
        const first = shown([
          { type: "user-message", messageId: "m:1", text: "q", origin: "prompt", at: 0 },
          ...before,
        ]);
        const again = shown(
          [
            { type: "user-message", messageId: "m:1", text: "q", origin: "prompt", at: 0 },
            chunk(texts.join(""), { final: true }),
          ],
          beginReplay(first.transcript),
        );
        const entries = [...first.printed, ...again.printed].map(({ entry }) => entry);
        expect(entries.filter(({ kind }) => kind === "user")).toHaveLength(1);
        expect(endReplay(again.transcript).live).toEqual([]);
        expect(messageText(entries, "r:1:0").replace(/\s+/g, "")).toBe(texts.join("").replace(/\s+/g, ""));
      }),
      { numRuns: 300 },
    );
  });

  it("shows an answer whole that got the id of one which a dead host never recorded", () => {
    const lost = shown([chunk("the lost answer\n\nhas begun")]);
    const other = chunk("the lost answer is another one", { final: true });
    const recorded = shown([other], beginReplay(lost.transcript));
    const later = shown([other], endReplay(beginReplay(lost.transcript)));
    for (const { printed } of [recorded, later])
      expect(
        messageText(
          printed.map(({ entry }) => entry),
          "r:1:0",
        ),
      ).toBe("the lost answer is another one");
  });

  it("prints every tool call once, with its last status, in the order of the calls", () => {
    fc.assert(
      fc.property(fc.array(anyEntryUpdate, { maxLength: 60 }), (updates) => {
        const { transcript, printed } = shown(updates);
        const calls = [...printed.map(({ entry }) => entry), ...transcript.live].flatMap((entry) =>
          entry.kind === "tool" ? [entry.callId] : [],
        );
        expect(new Set(calls).size).toBe(calls.length);
        for (const { entry } of printed)
          if (entry.kind === "tool") expect(["pending", "running"]).not.toContain(entry.status);
      }),
      { numRuns: 300 },
    );
  });

  it("says that an answer which was printed in part is made again", () => {
    const broken = shown([
      chunk("first paragraph\n\nsecond"),
      { type: "output-discarded", prefix: "r:1:", at: 0 },
    ]);
    expect(broken.printed.map(({ entry }) => entry.kind)).toEqual(["message", "notice"]);
    const again = shown([chunk("first paragraph\n\nsecond", { final: true })], broken.transcript);
    expect(
      messageText(
        again.printed.map(({ entry }) => entry),
        "r:1:0",
      ),
    ).toBe("first paragraph\n\nsecond");
  });

  it("keeps what was written when the turn is stopped, and marks where it was cut off", () => {
    const stopped: EntryUpdate = {
      type: "turn-end",
      turnId: "t:9",
      outcome: "cancelled",
      source: "prompt",
      durationMs: 5,
      usage: {
        inputTokens: null,
        cachedInputTokens: null,
        outputTokens: null,
        reasoningTokens: null,
        requests: 0,
      },
      at: 0,
    };
    const { printed, transcript } = shown([chunk("first paragraph\n\nsecond par"), stopped]);
    expect(transcript.live).toEqual([]);
    expect(printed.map(({ entry }) => ("text" in entry ? entry.text : entry.kind))).toEqual([
      "first paragraph\n\n",
      "second par",
      expect.stringContaining("cut off here"),
      expect.stringContaining("stopped"),
    ]);
    // A whole answer has no such mark.
    const whole = shown([chunk("all", { final: true }), stopped]);
    expect(whole.printed.map(({ entry }) => entry.kind)).toEqual(["message", "turn"]);
  });

  it("does not cut a streaming text where a form or a notice comes: they stand behind it", () => {
    const { printed } = shown([
      chunk("one wo"),
      { type: "form", formId: "form:1", source: "(f)", at: 0 },
      { type: "notice", level: "info", code: "news", text: "news", at: 0 },
      chunk("rd and mo"),
      chunk("re", { final: true }),
    ]);
    expect(printed.map(({ entry }) => ("text" in entry ? entry.text : entry.kind))).toEqual([
      "one word and more",
    ]);
  });
});
