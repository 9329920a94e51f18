import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { previewOf, previewShares } from "../../../workers/shell/output-preview.ts";
import { OutputWindow } from "../../../workers/shell/output-window.ts";

function windowOf(bytes: Buffer, cuts: readonly number[], side = 6000): OutputWindow {
  const window = new OutputWindow(side);
  const points = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  for (const [index, from] of points.entries())
    window.append(bytes.subarray(from, points[index + 1] ?? bytes.length));
  return window;
}

describe("OutputWindow", () => {
  test("samples the same for every way the stream was cut", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 400 }),
        fc.array(fc.nat()),
        fc.integer({ min: 8, max: 64 }),
        (raw, cuts, side) => {
          const bytes = Buffer.from(raw);
          const { head, tail, omittedBytes } = windowOf(bytes, cuts, side).sample(side);
          expect(head.length + tail.length + omittedBytes).toBe(bytes.length);
          expect(head.equals(bytes.subarray(0, head.length))).toBe(true);
          expect(tail.equals(bytes.subarray(bytes.length - tail.length))).toBe(true);
          if (omittedBytes > 0) expect(head.length).toBe(Math.floor(side / 4));
        },
      ),
    );
  });

  test("keeps its memory bounded for many tiny chunks", () => {
    const window = new OutputWindow(6000);
    for (let index = 0; index < 50_000; index += 1) window.append(Buffer.from(String(index % 10)));
    expect(window.observedBytes).toBe(50_000);
    expect(window.sample(6000).tail.length).toBe(4500);
  });
});

describe("previewOf", () => {
  test("never splits a character, whatever the text and the cut", () => {
    const character = fc.constantFrom("a", "é", "漢", "😀", "\n");
    fc.assert(
      fc.property(
        fc.array(character, { minLength: 1, maxLength: 200 }),
        fc.array(fc.nat()),
        (characters, cuts) => {
          const text = characters.join("");
          const window = windowOf(Buffer.from(text), cuts, 40);
          const preview = previewOf(window, 40, "shell-log:a/b/c/output");
          expect(preview).not.toContain("\uFFFD");
          if (Buffer.byteLength(text) <= 40) expect(preview).toBe(text);
        },
      ),
    );
  });

  test("gives three quarters to the end and says what is left out and where to go on", () => {
    const text = "x".repeat(20_000);
    const preview = previewOf(windowOf(Buffer.from(text), []), 6000, "shell-log:a/b/c/output");
    expect(preview).toBe(
      `${"x".repeat(1500)}\n[… 14000 bytes left out, read shell-log:a/b/c/output from byte-offset 1500 …]\n${"x".repeat(4500)}`,
    );
  });

  test("gives separate standard error two thirds", () => {
    expect(previewShares(true)).toEqual({ output: 2000, error: 4000 });
    expect(previewShares(false)).toEqual({ output: 6000, error: 0 });
  });
});
