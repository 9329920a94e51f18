import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countWithin, listPage, pageWithin } from "../../../../cli/acp/extension/response-bounds.ts";
import type { HistoryPage } from "../../../../orchestrator/contract/session.ts";

/** A page of records with one to three updates each, of up to 200 characters. */
const page: fc.Arbitrary<HistoryPage> = fc
  .array(fc.array(fc.string({ maxLength: 200 }), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((records) => {
    const updates = records.flatMap((texts, index) =>
      texts.map((text) => ({
        recordSeq: index + 5,
        update: { type: "message-chunk" as const, messageId: "m", text, at: 0 },
      })),
    );
    return { updates, firstSeq: 5, lastSeq: records.length + 4, hasOlder: true, hasNewer: false };
  });

const sequences = ({ updates }: HistoryPage): readonly number[] => updates.map(({ recordSeq }) => recordSeq);

describe("pages of history", () => {
  test("are cut to whole records from the right end, and the rest is found by asking on", () => {
    fc.assert(
      fc.property(page, fc.integer({ min: 1, max: 3_000 }), fc.boolean(), (given, limit, newest) => {
        const cut = pageWithin(given, newest, limit);
        expect(cut.updates.length).toBeGreaterThan(0);
        expect([cut.firstSeq, cut.lastSeq]).toEqual([sequences(cut)[0], sequences(cut).at(-1)]);
        // Exactly the updates of its records, in order.
        const inside = given.updates.filter(
          ({ recordSeq }) => recordSeq >= (cut.firstSeq ?? 0) && recordSeq <= (cut.lastSeq ?? 0),
        );
        expect(cut.updates).toEqual(inside);
        const isWhole = cut.updates.length === given.updates.length;
        if (isWhole) expect(cut).toEqual(given);
        else if (newest) expect([cut.lastSeq, cut.hasOlder]).toEqual([given.lastSeq, true]);
        else expect([cut.firstSeq, cut.hasNewer]).toEqual([given.firstSeq, true]);
        const bytes = Buffer.byteLength(JSON.stringify(cut.updates));
        expect(new Set(sequences(cut)).size === 1 || bytes <= limit + 2).toBe(true);
      }),
    );
  });
});

describe("lists", () => {
  test("are paged completely, each row once", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), fc.integer({ min: 1, max: 10 }), (rows, limit) => {
        const seen: number[] = [];
        let cursor: string | null = "0";
        do {
          const next: ReturnType<typeof listPage<number>> = listPage(rows, cursor, limit);
          expect(next.total).toBe(rows.length);
          seen.push(...next.rows);
          cursor = next.nextCursor;
        } while (cursor !== null);
        expect(seen).toEqual(rows);
      }),
    );
  });

  test("begin at the start for a cursor that is none", () => {
    expect(listPage([1, 2, 3], "nonsense", 2)).toEqual({ rows: [1, 2], nextCursor: "2", total: 3 });
    expect(listPage([1, 2, 3], "99", 2)).toEqual({ rows: [], nextCursor: null, total: 3 });
  });

  test("that fit in part keep at least the first", () => {
    expect(countWithin(["aaaa", "bbbb"], 3)).toBe(1);
    expect(countWithin(["aaaa", "bbbb"], 14)).toBe(2);
    expect(countWithin([], 1)).toBe(0);
  });
});
