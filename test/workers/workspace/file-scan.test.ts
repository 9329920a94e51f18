import { isUtf8 } from "node:buffer";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineScanner } from "../../../workers/workspace/file-scan.ts";
import { anchorOf, lineSpans, markLength, revisionOf } from "../../../workers/workspace/line-index.ts";

describe("LineScanner", () => {
  test("agrees with the whole-file index for every way of cutting the stream", () => {
    const byte = fc.constantFrom(0x0a, 0x0d, 0x61, 0xc3, 0xa9, 0xe6, 0xbc, 0xa2, 0xff, 0x00);
    fc.assert(
      fc.property(
        fc.array(byte, { maxLength: 60 }),
        fc.boolean(),
        fc.array(fc.nat()),
        (raw, marked, cuts) => {
          const bytes = Buffer.from([...(marked ? [0xef, 0xbb, 0xbf] : []), ...raw]);
          // The first part always holds the whole mark: a read of a file never splits its first three bytes.
          const points = [...new Set([0, ...cuts.map((cut) => 3 + (cut % (bytes.length + 1))), bytes.length])]
            .filter((point) => point <= bytes.length)
            .sort((a, b) => a - b);
          const scanner = new LineScanner({ wants: () => true }, 1000);
          for (const [index, from] of points.entries()) {
            const part = bytes.subarray(from, points[index + 1] ?? bytes.length);
            if (part.length > 0) scanner.feed(part);
          }
          const scan = scanner.end();
          const spans = lineSpans(bytes);
          expect(scan.totalLines).toBe(spans.length);
          expect(
            scan.lines.map(({ anchor, lengthBytes, byteOffset }) => ({ anchor, lengthBytes, byteOffset })),
          ).toEqual(
            spans.map(({ start, end }) => ({
              anchor: anchorOf(bytes.subarray(start, end)),
              lengthBytes: end - start,
              byteOffset: start,
            })),
          );
          expect(scan.revision).toBe(revisionOf(bytes));
          expect(scan.binary).toBe(bytes.includes(0));
          expect(scan.utf8).toBe(isUtf8(bytes));
          expect(scan.hasMark).toBe(markLength(bytes) > 0);
        },
      ),
    );
  });

  test("anchors of very long lines need only the kept prefix", () => {
    const line = Buffer.alloc(300_000, "x");
    const scanner = new LineScanner({ wants: () => true }, 10);
    scanner.feed(line.subarray(0, 100_000));
    scanner.feed(line.subarray(100_000));
    const [scanned] = scanner.end().lines;
    expect(scanned).toMatchObject({ lengthBytes: 300_000, anchor: anchorOf(line) });
    expect(scanned?.prefix.length).toBe(65_536);
    expect(anchorOf(line)).not.toBe(anchorOf(Buffer.alloc(300_001, "x")));
  });
});
