/** A text that is written inside a dialog: what keys do to it, and the part of it that fits in one line. Pure. */
import { type Line, span } from "../text/styled-line.ts";
import { textWidth, truncated } from "../text/text-width.ts";
import { visibleLine } from "../text/visible-text.ts";
import { type TextBuffer, bufferOf, inserted, moved, removed } from "../composer/text-buffer.ts";
import type { KeyPress } from "./key-press.ts";

/** The text behind a key, or that it is done, or that it is left as it was. */
export type EntryStep =
  | { readonly kind: "text"; readonly buffer: TextBuffer }
  | { readonly kind: "done" }
  | { readonly kind: "left" };

export function entryStep(buffer: TextBuffer, press: KeyPress): EntryStep {
  const text = (next: TextBuffer): EntryStep => ({ kind: "text", buffer: next });
  switch (press.name) {
    case "text":
      return text(inserted(buffer, press.text));
    case "backspace":
      return text(removed(buffer, press.alt ? "word-left" : "left").buffer);
    case "delete":
      return text(removed(buffer, "right").buffer);
    case "left":
    case "right":
      return text(moved(buffer, press.name));
    case "home":
      return text(moved(buffer, "start"));
    case "end":
      return text(moved(buffer, "end"));
    case "enter":
      return { kind: "done" };
    case "escape":
      return { kind: "left" };
    case "control":
      if (press.text === "u") return text(bufferOf(""));
      return press.text === "c" || press.text === "g" ? { kind: "left" } : text(buffer);
    default:
      return text(buffer);
  }
}

/** The text with a paste, in one line. */
export function pastedEntry(buffer: TextBuffer, pasted: string): TextBuffer {
  return inserted(buffer, pasted.replaceAll(/\s+/g, " "));
}

/** The line of the text, and the column of the cursor in it. */
export function entryLine(
  { text, cursor }: TextBuffer,
  columns: number,
): { readonly line: Line; readonly column: number } {
  const room = Math.max(4, columns - 3);
  const before = visibleLine(text.slice(0, cursor));
  // The part around the cursor is on show.
  const skipped = Math.max(0, textWidth(before) - room + 1);
  const shown = skipped === 0 ? before : before.slice(-room + 1);
  const line = [
    span("❯ ", { ink: "accent" }),
    span(truncated(shown + visibleLine(text.slice(cursor)), room)),
  ];
  return { line, column: 2 + textWidth(shown) };
}
