import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkJsonNesting,
  jsonDepthLimit,
  parseForeignJson,
} from "../../../orchestrator/contract/json-nesting.ts";
import { StreamNesting } from "../../../workers/model/stream-nesting.ts";

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
/** What V8 14.6 does not survive. */
const deadly = `${'{"x":0,"d":'.repeat(20_000)}{"q"x`;

describe("JSON from outside", () => {
  it("is parsed as ever within the limit, whatever its strings hold", () => {
    const value = fc.jsonValue({ noUnicodeString: false });
    fc.assert(
      fc.property(value, fc.string(), (json, brackets) => {
        const text = JSON.stringify([json, `${brackets}"\\[{`.repeat(600)]);
        expect(parseForeignJson(text)).toEqual(JSON.parse(text));
      }),
    );
    expect(() => checkJsonNesting(nested(jsonDepthLimit))).not.toThrow();
  });

  it("is refused above it, before a parser sees it", () => {
    expect(() => parseForeignJson(nested(jsonDepthLimit + 600))).toThrow(/deeper than 512 at position 512/);
    expect(() => parseForeignJson(deadly)).toThrow(SyntaxError);
  });
});

describe("JSON in a response", () => {
  const taken = (isEventStream: boolean, text: string): boolean =>
    new StreamNesting(isEventStream).take(Buffer.from(text)) === Buffer.byteLength(text);

  it("is followed from event to event", () => {
    const deep = nested(jsonDepthLimit);
    expect(taken(true, `data: ${deep}\n\ndata: ${deep}\r\n\r\ndata: ${deep}\r\rdata: [DONE]\n\n`)).toBe(true);
    expect(taken(true, `data: ${"[".repeat(300)}\n\ndata: ${"[".repeat(300)}\n\n`)).toBe(true);
    expect(taken(true, `: ${"[".repeat(9_000)}\nevent: ${"{".repeat(9_000)}\n\n`)).toBe(true);
  });

  it.each(["\n", "\r\n", "\r"])("is followed over the lines of one event, which end with %j", (end) => {
    const half = "[".repeat(300);
    expect(taken(true, `data: ${half}${end}event: "${end}data: ${half}${end}${end}`)).toBe(false);
    expect(taken(true, `data: ${half}${end}${end}data: ${half}${end}${end}`)).toBe(true);
  });

  it("is followed in a whole body, however it is split", () => {
    const body = Buffer.from(`{"error":${nested(600)}}`);
    fc.assert(
      fc.property(fc.nat(body.length), (cut) => {
        const nesting = new StreamNesting(false);
        const taken = nesting.take(body.subarray(0, cut));
        expect(taken < cut ? taken : cut + nesting.take(body.subarray(cut))).toBe(body.indexOf("[") + 511);
      }),
    );
  });
});
