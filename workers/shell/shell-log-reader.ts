import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { leadingContinuation, trailingIncomplete } from "../text/utf8-boundary.ts";
import { readableText } from "../text/readable-text.ts";

/** Most bytes one window shows, and what it shows when nothing is asked. */
export const windowLimitBytes = 4096;
/** Most bytes one search looks through. */
export const searchScanBytes = 1024 * 1024;
/** Most excerpts one search returns. */
export const searchResultLimit = 20;

export interface LogWindow {
  /** Zero-based offset of the first byte shown. */
  readonly byteOffset: number;
  readonly byteCount: number;
  readonly totalBytes: number;
  /** Offset to go on from; undefined at the end of the file. */
  readonly nextOffset: number | undefined;
  readonly text: string;
}

/**
 * A window of a capture. Its ends are moved inwards to whole characters, so that consecutive windows neither split nor
 * repeat one; a window inside bytes that are no UTF-8 is shown as it is.
 */
export async function readLogWindow(path: string, byteOffset: number, byteCount: number): Promise<LogWindow> {
  const file = await open(path, "r");
  try {
    const totalBytes = (await file.stat()).size;
    const bytes = await readAt(file, byteOffset, Math.min(byteCount, windowLimitBytes));
    const start = byteOffset === 0 ? 0 : leadingContinuation(bytes);
    const atEnd = byteOffset + bytes.length >= totalBytes;
    const cut = atEnd ? 0 : trailingIncomplete(bytes.subarray(start));
    const shown =
      bytes.length - cut > start ? bytes.subarray(start, bytes.length - cut) : bytes.subarray(start);
    const first = byteOffset + start;
    const next = first + shown.length;
    return {
      byteOffset: first,
      byteCount: shown.length,
      totalBytes,
      nextOffset: shown.length > 0 && next < totalBytes ? next : undefined,
      text: readableText(shown),
    };
  } finally {
    await file.close();
  }
}

interface LogExcerpt {
  /** Zero-based offset of the match. */
  readonly byteOffset: number;
  /** The line of the match, at most 400 bytes around it. */
  readonly text: string;
}

export interface LogSearch {
  readonly excerpts: readonly LogExcerpt[];
  readonly scannedFrom: number;
  readonly scannedTo: number;
  readonly totalBytes: number;
  /** Offset to go on from; undefined when the file was searched to its end. */
  readonly nextOffset: number | undefined;
}

/** Searches a capture for the UTF-8 bytes of a literal text, from an offset on. `query` must not be empty. */
export async function searchLog(
  path: string,
  query: string,
  byteOffset: number,
  maxResults: number,
): Promise<LogSearch> {
  const needle = Buffer.from(query, "utf8");
  const limit = Math.min(maxResults, searchResultLimit);
  const file = await open(path, "r");
  try {
    const totalBytes = (await file.stat()).size;
    const bytes = await readAt(file, byteOffset, searchScanBytes);
    const excerpts: LogExcerpt[] = [];
    let at = bytes.indexOf(needle);
    while (at >= 0 && excerpts.length < limit) {
      excerpts.push({ byteOffset: byteOffset + at, text: excerptAround(bytes, at, needle.length) });
      at = bytes.indexOf(needle, at + needle.length);
    }
    const scannedTo = byteOffset + bytes.length;
    // A match may begin in this part and end in the next one, so the next search overlaps by almost one needle.
    const overlapped = Math.max(byteOffset + 1, scannedTo - needle.length + 1);
    const nextOffset = at >= 0 ? byteOffset + at : scannedTo < totalBytes ? overlapped : undefined;
    return { excerpts, scannedFrom: byteOffset, scannedTo, totalBytes, nextOffset };
  } finally {
    await file.close();
  }
}

const excerptSide = 200;

function excerptAround(bytes: Buffer, at: number, length: number): string {
  const lineStart = bytes.lastIndexOf(0x0a, at - 1) + 1;
  const newline = bytes.indexOf(0x0a, at + length);
  const lineEnd = newline < 0 ? bytes.length : newline;
  const from = Math.max(at === 0 ? 0 : lineStart, at - excerptSide);
  const to = Math.min(lineEnd, at + length + excerptSide);
  const part = bytes.subarray(from, to);
  const start = leadingContinuation(part);
  const inside = part.subarray(start, part.length - trailingIncomplete(part));
  return `${from > lineStart ? "…" : ""}${readableText(inside)}${to < lineEnd ? "…" : ""}`;
}

async function readAt(file: FileHandle, offset: number, count: number): Promise<Buffer> {
  const buffer = Buffer.alloc(count);
  let filled = 0;
  while (filled < count) {
    const { bytesRead } = await file.read(buffer, filled, count - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
