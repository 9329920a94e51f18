import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  conversationIdAt,
  conversationIdHorizonAt,
  displayConversationId,
  parseConversationId,
} from "../../../orchestrator/record/conversation-id.ts";

describe("conversation ids", () => {
  it("are seven Base58 characters that sort as time does", () => {
    const instant = fc.integer({ min: 0, max: conversationIdHorizonAt - 1 });
    fc.assert(
      fc.property(instant, instant, (left, right) => {
        const [a, b] = [conversationIdAt(left), conversationIdAt(right)];
        expect(a).toMatch(/^[1-9A-HJ-NP-Za-km-z]{7}$/);
        expect(Math.sign(left - right)).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  it("are shown with a hyphen and read with or without it, case kept", () => {
    const id = conversationIdAt(1_796_000_000_000);
    const shown = displayConversationId(id);
    expect(shown).toMatch(/^.-.{6}$/);
    expect(parseConversationId(shown)).toBe(id);
    expect(parseConversationId(id)).toBe(id);
    for (const wrong of ["", "short", "0OIl111", "12-34567", "1234567-", `${id}x`]) {
      expect(parseConversationId(wrong)).toBeUndefined();
    }
  });

  it("of children are their execution's id and shown as they are", () => {
    const child = parseConversationId("0b0e7d0e-5c7f-4b57-9a3e-0d5f6f0d9b11");
    expect(child).toBe("0b0e7d0e-5c7f-4b57-9a3e-0d5f6f0d9b11");
    expect(child === undefined ? "" : displayConversationId(child)).toBe(
      "0b0e7d0e-5c7f-4b57-9a3e-0d5f6f0d9b11",
    );
  });

  it("refuse instants they cannot hold", () => {
    expect(() => conversationIdAt(conversationIdHorizonAt)).toThrow(RangeError);
    expect(() => conversationIdAt(-1)).toThrow(/got -1$/);
  });
});
