/** The part of a text that an edit changed, for people: what stood there before, and what stands there now. Pure. */
import { isUtf8 } from "node:buffer";

/** Lines kept around the change. */
const contextLines = 3;
/** Longest side of an excerpt, in bytes; longer changes are shown without one. */
const excerptBytes = 32_768;

export type ChangeExcerpt = {
  readonly path: string;
  /** Null for a new file. */
  readonly oldText: string | null;
  readonly newText: string;
};

/** The excerpt, or undefined when nothing changed, the change is too long, or it is no UTF-8 text. `before` is undefined for a new file. */
export function changeExcerpt(
  path: string,
  before: Buffer | undefined,
  after: Buffer,
): ChangeExcerpt | undefined {
  const old = before ?? Buffer.alloc(0);
  if (before !== undefined && old.equals(after)) return undefined;
  const start = lineStart(old, commonPrefix(old, after));
  const end = commonSuffix(old, after, start);
  const [oldEnd, newEnd] = [lineEnd(old, old.length - end), lineEnd(after, after.length - end)];
  const oldPart = old.subarray(start, oldEnd);
  const newPart = after.subarray(start, newEnd);
  if (Math.max(oldPart.length, newPart.length) > excerptBytes) return undefined;
  if (!isUtf8(oldPart) || !isUtf8(newPart)) return undefined;
  return { path, oldText: before === undefined ? null : oldPart.toString(), newText: newPart.toString() };
}

function commonPrefix(left: Buffer, right: Buffer): number {
  const most = Math.min(left.length, right.length);
  let length = 0;
  while (length < most && left[length] === right[length]) length += 1;
  return length;
}

function commonSuffix(left: Buffer, right: Buffer, prefix: number): number {
  const most = Math.min(left.length, right.length) - prefix;
  let length = 0;
  while (length < most && left[left.length - 1 - length] === right[right.length - 1 - length]) length += 1;
  return length;
}

/** Start of the line some lines above the one that holds `offset`. */
function lineStart(bytes: Buffer, offset: number): number {
  let place = offset;
  for (let line = 0; line <= contextLines; line += 1) {
    const before = place === 0 ? -1 : bytes.lastIndexOf(0x0a, place - 1);
    if (before === -1) return 0;
    place = line === contextLines ? before + 1 : before;
  }
  return place;
}

/** End of the line some lines below the one that holds `offset`. */
function lineEnd(bytes: Buffer, offset: number): number {
  let place = offset;
  for (let line = 0; line <= contextLines; line += 1) {
    const next = bytes.indexOf(0x0a, place);
    if (next === -1) return bytes.length;
    place = next + 1;
  }
  return place;
}
