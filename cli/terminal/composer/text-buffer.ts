/**
 * The text being written, with its cursor: pure editing by what a person sees as one character. Offsets are UTF-16 units and always lie
 * between graphemes.
 */
import { nextGrapheme, previousGrapheme } from "../text/text-width.ts";

export type TextBuffer = {
  readonly text: string;
  readonly cursor: number;
};

export const emptyBuffer: TextBuffer = { text: "", cursor: 0 };

/** A text with the cursor behind it. */
export function bufferOf(text: string): TextBuffer {
  return { text, cursor: text.length };
}

/** Puts text at the cursor. */
export function inserted({ text, cursor }: TextBuffer, added: string): TextBuffer {
  const joined = text.slice(0, cursor) + added + text.slice(cursor);
  // What was added may join its neighbour to one grapheme; the cursor stays behind it.
  return { text: joined, cursor: boundary(joined, cursor + added.length) };
}

/** Replaces a range. */
export function replaced({ text }: TextBuffer, from: number, to: number, added: string): TextBuffer {
  return { text: text.slice(0, from) + added + text.slice(to), cursor: from + added.length };
}

/** The first boundary between graphemes at or behind an offset. */
function boundary(text: string, offset: number): number {
  if (offset <= 0 || offset >= text.length) return Math.min(text.length, Math.max(0, offset));
  const start = previousGrapheme(text, offset);
  const end = nextGrapheme(text, start);
  return end > offset ? end : offset;
}

export type Motion =
  | "left"
  | "right"
  | "word-left"
  | "word-right"
  | "line-start"
  | "line-end"
  | "start"
  | "end";

/** Where a motion leads. */
export function target({ text, cursor }: TextBuffer, motion: Motion): number {
  switch (motion) {
    case "left":
      return cursor === 0 ? 0 : previousGrapheme(text, cursor);
    case "right":
      return cursor >= text.length ? text.length : nextGrapheme(text, cursor);
    case "word-left":
      return wordLeft(text, cursor);
    case "word-right":
      return wordRight(text, cursor);
    case "line-start":
      return cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1;
    case "line-end":
      return lineEnd(text, cursor);
    case "start":
      return 0;
    case "end":
      return text.length;
  }
}

export function moved(buffer: TextBuffer, motion: Motion): TextBuffer {
  return { ...buffer, cursor: target(buffer, motion) };
}

/** Removes what lies between the cursor and a motion's end; `cut` is what was removed. */
export function removed(
  buffer: TextBuffer,
  motion: Motion,
): { readonly buffer: TextBuffer; readonly cut: string } {
  let to = target(buffer, motion);
  // Killing at the end of a line takes the line end itself.
  if (motion === "line-end" && to === buffer.cursor && to < buffer.text.length) to += 1;
  if (motion === "line-start" && to === buffer.cursor && to > 0) to -= 1;
  const [from, end] = [Math.min(to, buffer.cursor), Math.max(to, buffer.cursor)];
  const cut = buffer.text.slice(from, end);
  return { buffer: { text: buffer.text.slice(0, from) + buffer.text.slice(end), cursor: from }, cut };
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf("\n", cursor);
  return end < 0 ? text.length : end;
}

const wordCharacter = /[\p{L}\p{N}\p{M}_]/u;

function wordLeft(text: string, cursor: number): number {
  let at = cursor;
  const isWord = (offset: number): boolean =>
    wordCharacter.test(text.slice(previousGrapheme(text, offset), offset));
  while (at > 0 && !isWord(at)) at = previousGrapheme(text, at);
  while (at > 0 && isWord(at)) at = previousGrapheme(text, at);
  return at;
}

function wordRight(text: string, cursor: number): number {
  let at = cursor;
  const isWord = (offset: number): boolean =>
    wordCharacter.test(text.slice(offset, nextGrapheme(text, offset)));
  while (at < text.length && !isWord(at)) at = nextGrapheme(text, at);
  while (at < text.length && isWord(at)) at = nextGrapheme(text, at);
  return at;
}
