/** External formats: how characters become bytes and back. Decoding never fails: bad bytes read as U+FFFD. */

/** Names accepted for `:external-format`, mapped to one codec each. */
export type CodecName = "utf-8" | "latin-1" | "us-ascii" | "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be";

const aliases: Record<string, CodecName> = {
  DEFAULT: "utf-8",
  "UTF-8": "utf-8",
  UTF8: "utf-8",
  "LATIN-1": "latin-1",
  LATIN1: "latin-1",
  "ISO-8859-1": "latin-1",
  "ISO8859-1": "latin-1",
  ASCII: "us-ascii",
  "US-ASCII": "us-ascii",
  "ANSI_X3.4-1968": "us-ascii",
  "UTF-16": "utf-16le",
  "UTF-16LE": "utf-16le",
  "UCS-2LE": "utf-16le",
  "UTF-16BE": "utf-16be",
  "UCS-2BE": "utf-16be",
  "UTF-32": "utf-32le",
  "UTF-32LE": "utf-32le",
  "UCS-4LE": "utf-32le",
  "UTF-32BE": "utf-32be",
  "UCS-4BE": "utf-32be",
};

/** The codec a designator's name stands for, or undefined when there is none. */
export function codecNamed(name: string): CodecName | undefined {
  return aliases[name.toUpperCase()];
}

/** One decoded character: its code and how many bytes it took; `size` 0 means that more bytes are needed. */
export interface Decoded {
  code: number;
  size: number;
}

const replacement = 0xfffd;

function decodeUtf8(bytes: Uint8Array, at: number, end: number, out: Decoded): void {
  const first = bytes[at] ?? 0;
  if (first < 0x80) {
    out.code = first;
    out.size = 1;
    return;
  }
  const length = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  out.code = replacement;
  out.size = 1;
  if (length === 1 || first >= 0xf5) return;
  let code = first & (0xff >> (length + 1));
  for (let i = 1; i < length; i++) {
    if (at + i >= end) {
      out.size = 0;
      return;
    }
    const next = bytes[at + i] ?? 0;
    if ((next & 0xc0) !== 0x80) return;
    code = (code << 6) | (next & 0x3f);
  }
  const least = length === 2 ? 0x80 : length === 3 ? 0x800 : 0x10000;
  if (code < least || code > 0x10ffff) return;
  out.code = code;
  out.size = length;
}

function decode16(bytes: Uint8Array, at: number, end: number, out: Decoded, big: boolean): void {
  const unit = (i: number): number =>
    big ? ((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0) : (bytes[i] ?? 0) | ((bytes[i + 1] ?? 0) << 8);
  out.size = 0;
  if (at + 2 > end) return;
  const high = unit(at);
  if (high >= 0xd800 && high < 0xdc00) {
    if (at + 4 > end) return;
    const low = unit(at + 2);
    if (low >= 0xdc00 && low < 0xe000) {
      out.code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
      out.size = 4;
      return;
    }
  }
  out.code = high;
  out.size = 2;
}

function decode32(bytes: Uint8Array, at: number, end: number, out: Decoded, big: boolean): void {
  out.size = 0;
  if (at + 4 > end) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 4);
  const code = view.getUint32(0, !big);
  out.code = code > 0x10ffff ? replacement : code;
  out.size = 4;
}

/** Decodes the character at `at`; with `size` 0 when `end` cuts it short. */
export function decodeCharacter(
  codec: CodecName,
  bytes: Uint8Array,
  at: number,
  end: number,
  out: Decoded,
): void {
  switch (codec) {
    case "utf-8":
      decodeUtf8(bytes, at, end, out);
      return;
    case "latin-1":
      out.code = bytes[at] ?? 0;
      out.size = 1;
      return;
    case "us-ascii": {
      const byte = bytes[at] ?? 0;
      out.code = byte < 128 ? byte : replacement;
      out.size = 1;
      return;
    }
    case "utf-16le":
    case "utf-16be":
      decode16(bytes, at, end, out, codec === "utf-16be");
      return;
    case "utf-32le":
    case "utf-32be":
      decode32(bytes, at, end, out, codec === "utf-32be");
  }
}

/** True when a codec has a code for the character. */
export function isExpressible(codec: CodecName, code: number): boolean {
  if (codec === "latin-1") return code < 256;
  return codec !== "us-ascii" || code < 128;
}

/** How many bytes the character takes; codes a codec cannot express count as `?`. */
export function encodedSize(codec: CodecName, code: number): number {
  switch (codec) {
    case "utf-8":
      return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    case "latin-1":
    case "us-ascii":
      return 1;
    case "utf-16le":
    case "utf-16be":
      return code < 0x10000 ? 2 : 4;
    default:
      return 4;
  }
}

function put16(bytes: Uint8Array, at: number, unit: number, big: boolean): void {
  bytes[at] = big ? unit >> 8 : unit & 0xff;
  bytes[at + 1] = big ? unit & 0xff : unit >> 8;
}

/** Writes the character at `at` (room of 4 bytes must be there) and returns the bytes used. */
export function encodeCharacter(codec: CodecName, code: number, bytes: Uint8Array, at: number): number {
  const size = encodedSize(codec, code);
  switch (codec) {
    case "utf-8":
      if (size === 1) bytes[at] = code;
      else {
        let rest = code;
        for (let i = size - 1; i > 0; i--) {
          bytes[at + i] = 0x80 | (rest & 0x3f);
          rest >>= 6;
        }
        bytes[at] = (size === 2 ? 0xc0 : size === 3 ? 0xe0 : 0xf0) | rest;
      }
      break;
    case "latin-1":
      bytes[at] = code < 256 ? code : 63;
      break;
    case "us-ascii":
      bytes[at] = code < 128 ? code : 63;
      break;
    case "utf-16le":
    case "utf-16be": {
      const big = codec === "utf-16be";
      if (code < 0x10000) put16(bytes, at, code, big);
      else {
        put16(bytes, at, 0xd800 + ((code - 0x10000) >> 10), big);
        put16(bytes, at + 2, 0xdc00 + ((code - 0x10000) & 0x3ff), big);
      }
      break;
    }
    case "utf-32le":
    case "utf-32be":
      new DataView(bytes.buffer, bytes.byteOffset + at, 4).setUint32(0, code, codec === "utf-32le");
  }
  return size;
}
