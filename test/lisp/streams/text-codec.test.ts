import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CodecName,
  codecNamed,
  decodeCharacter,
  encodeCharacter,
  encodedSize,
} from "../../../lisp/streams/text-codec.ts";

const codecs: readonly CodecName[] = ["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"];
const scalar = fc.integer({ min: 0, max: 0x10ffff }).filter((code) => code < 0xd800 || code > 0xdfff);

describe("external formats", () => {
  it("reads back every character that was written", () => {
    fc.assert(
      fc.property(fc.constantFrom(...codecs), fc.array(scalar, { maxLength: 50 }), (codec, codes) => {
        const bytes = new Uint8Array(4 * codes.length + 4);
        let end = 0;
        for (const code of codes) end += encodeCharacter(codec, code, bytes, end);
        expect(end).toBe(codes.reduce((sum, code) => sum + encodedSize(codec, code), 0));
        const out = { code: 0, size: 0 };
        const read: number[] = [];
        for (let at = 0; at < end; at += out.size) {
          decodeCharacter(codec, bytes, at, end, out);
          read.push(out.code);
        }
        expect(read).toEqual(codes);
      }),
    );
  });

  it("agrees with the platform about UTF-8, malformed bytes excepted", () => {
    fc.assert(
      fc.property(fc.array(scalar, { maxLength: 30 }), (codes) => {
        const text = String.fromCodePoint(...codes);
        const bytes = new Uint8Array(4 * codes.length + 4);
        let end = 0;
        for (const code of codes) end += encodeCharacter("utf-8", code, bytes, end);
        expect(bytes.slice(0, end)).toEqual(new TextEncoder().encode(text));
      }),
    );
  });

  it("makes progress on any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
        const out = { code: 0, size: 0 };
        for (let at = 0; at < bytes.length; at += out.size) {
          decodeCharacter("utf-8", bytes, at, bytes.length, out);
          if (out.size === 0) break;
          expect(out.code).toBeLessThanOrEqual(0x10ffff);
        }
      }),
    );
  });

  it("knows formats by their usual names only", () => {
    expect(codecNamed("utf-8")).toBe("utf-8");
    expect(codecNamed("ISO-8859-1")).toBe("latin-1");
    expect(codecNamed("klingon")).toBeUndefined();
  });
});
