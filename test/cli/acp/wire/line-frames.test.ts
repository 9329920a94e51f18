import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Frame, LineFrames } from "../../../../cli/acp/wire/line-frames.ts";

/** Cuts bytes at the given places, wherever they fall. */
function pieces(bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted(
    (one, other) => one - other,
  );
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

function read(frames: LineFrames, chunks: readonly Uint8Array[]): readonly string[] {
  const all: (Frame | undefined)[] = chunks.flatMap((chunk) => [...frames.push(chunk)]);
  all.push(frames.end());
  return all
    .filter((frame) => frame !== undefined)
    .map((frame) => (frame.kind === "bytes" ? Buffer.from(frame.bytes).toString("utf8") : "<oversized>"));
}

describe("lines", () => {
  test("are the same however the bytes are cut", () => {
    const line = fc
      .string({ unit: "grapheme", maxLength: 40 })
      .map((text) => text.replaceAll(/[\n\r\t ]/g, "_"));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 20 }), (lines, cuts) => {
        const bytes = Buffer.from(lines.join("\n"), "utf8");
        expect(read(new LineFrames(1_000), pieces(bytes, cuts))).toEqual(lines.filter((each) => each !== ""));
      }),
    );
  });

  test("that are too long are reported once, those around them are kept", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 11, max: 300 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        (length, cuts) => {
          const bytes = Buffer.from(`one\n${"x".repeat(length)}\ntwo`);
          expect(read(new LineFrames(10), pieces(bytes, cuts))).toEqual(["one", "<oversized>", "two"]);
        },
      ),
    );
  });

  test("of exactly the limit are taken", () => {
    expect(read(new LineFrames(3), [Buffer.from("abc\nabcd\n")])).toEqual(["abc", "<oversized>"]);
  });
});
