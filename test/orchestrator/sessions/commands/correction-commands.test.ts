import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  complaintInputCharacters,
  complaintOf,
} from "../../../../orchestrator/sessions/commands/correction-commands.ts";
import {
  candidateOf,
  triggerOccurs,
} from "../../../../orchestrator/sessions/corrections/correction-question.ts";

const parsed = (input: string) => {
  const { text, options } = complaintOf(input);
  return [text, Object.fromEntries(options)];
};

describe("the text behind complain", () => {
  it.each([":scope", '"Too long" :trigger'])("an option without its value is refused: %s", (input) => {
    expect(() => complaintOf(input)).toThrow(/needs a value behind it/);
  });

  it.each([
    ["", "", {}],
    ["nil", "", {}],
    ['""', "", {}],
    ["Too long. Don't explain.", "Too long. Don't explain.", {}],
    ['"Too \\"long\\"."', 'Too "long".', {}],
    ["Use :key arguments :scope global", "Use :key arguments", { scope: "global" }],
    ['"Never say :scope global"', "Never say :scope global", {}],
    ['"Never say :scope global" :scope :workspace', "Never say :scope global", { scope: ":workspace" }],
    ['"Quoted" in the beginning :scope global', '"Quoted" in the beginning', { scope: "global" }],
    [
      ':scope global :id "a-b" :instruction "Do \\"it\\"." :trigger ":scope x" :confirm-unmatched t',
      "",
      {
        scope: "global",
        id: "a-b",
        instruction: 'Do "it".',
        trigger: ":scope x",
        "confirm-unmatched": "t",
      },
    ],
  ])("%j", (input, text, options) => {
    expect(parsed(input)).toEqual([text, options]);
  });

  it("in quotes is the complaint whatever it holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (complaint) => {
        const text = complaint.trim();
        fc.pre(text.toLowerCase() !== "nil");
        const quoted = `"${complaint.replaceAll(/["\\]/g, "\\$&")}"`;
        expect(parsed(`${quoted} :scope global`)).toEqual([text, { scope: "global" }]);
      }),
    );
  });
});

describe("a complaint of any length", () => {
  it("is read within its bound, and refused beyond it", () => {
    for (const piece of [" ", ' "', " :scope", " :scope x", '\\"']) {
      const most = piece.repeat(Math.floor((complaintInputCharacters - 2) / piece.length));
      expect(typeof parsed(`a${most}b`)[0]).toBe("string");
      expect(() => complaintOf(`a${most}${most}b`)).toThrow(/at most 20000 characters/);
    }
  });
});

describe("the answer of a model", () => {
  it("holds one correction, in a fence or between sentences", () => {
    const candidate = { id: "a", instruction: "Do it.", trigger: "I will" };
    const text = `Sure:\n\`\`\`json\n${JSON.stringify({ ...candidate, reason: "more" })}\n\`\`\`\nDone.`;
    expect(candidateOf(text)).toEqual(candidate);
    for (const wrong of ["", "{}", "no", '{"id":"a","instruction":" ","trigger":"x"}', "[1]"])
      expect(() => candidateOf(wrong)).toThrow(expect.objectContaining({ code: "correction-unreadable" }));
  });

  it("has a trigger that is compared as it is, in any case", () => {
    expect(triggerOccurs("LET me.*", "and let me.* explain")).toBe(true);
    expect(triggerOccurs("let me.*", "and let me explain")).toBe(false);
  });
});
