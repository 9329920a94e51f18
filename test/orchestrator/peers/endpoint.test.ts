import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endpointId, parseEndpointId } from "../../../orchestrator/peers/endpoint.ts";
import { childEndpoint } from "../../support/peers/mail-scene.ts";

describe("endpoint ids", () => {
  test("count their parts", () => {
    expect(endpointId({ session: "abcdefg" })).toBe("P7:abcdefg");
    expect(endpointId(childEndpoint("abcdefg", 3))).toBe(
      "C7:abcdefg7:child-336:00000000-0000-4000-8000-000000000003",
    );
  });

  test("are read back exactly, whatever their parts hold", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 60 }),
        fc.string({ minLength: 1, maxLength: 60 }),
        (session, job) => {
          const { child } = childEndpoint("s", 1);
          if (child === undefined) throw new Error("a child");
          for (const endpoint of [{ session }, { session, child: { ...child, job } }])
            expect(parseEndpointId(endpointId(endpoint))).toEqual(endpoint);
        },
      ),
    );
  });

  test("anything else is refused, with what to do", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        try {
          expect(endpointId(parseEndpointId(text))).toBe(text);
        } catch (error) {
          expect(error).toMatchObject({ reason: "identity" });
        }
      }),
    );
    for (const text of ["", "P", "P8:abcdefg", "P7:abcdefgX", "X7:abcdefg", "C7:abcdefg", "P007:abcdefg1:a"])
      expect(() => parseEndpointId(text)).toThrow(expect.objectContaining({ reason: "identity" }));
  });
});
