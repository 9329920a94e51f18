/**
 * Long pastes and images stand in the text as one character of a private area, drawn as a chip: they are moved over, deleted and sent as
 * one piece, and a paste of 10,000 lines costs the screen no more than one word.
 */
import { visibleLine } from "../text/visible-text.ts";
import type { AttachedImage } from "./attached-image.ts";

/** Lines and characters up to which a paste stands in the text as it is. */
const [plainLines, plainCharacters] = [8, 1_000];

/** First code point of plane 15, which is for private use. */
const firstChip = 0xf0000;
const chipCount = 0x1000;
const chipPattern = /[\u{F0000}-\u{F0FFF}]/u;
const everyChip = /[\u{F0000}-\u{F0FFF}]/gu;

/** A pasted text or an image. */
export type Chips = ReadonlyMap<string, string | AttachedImage>;

/** Text that comes from outside, without characters that would be taken for chips. */
export function withoutChips(text: string): string {
  return chipPattern.test(text) ? text.replace(everyChip, "\uFFFD") : text;
}

/** What to insert for a paste, and the chips with it. Line ends become `\n`. */
export function pasted(chips: Chips, raw: string): { readonly text: string; readonly chips: Chips } {
  const text = withoutChips(raw.toWellFormed().replace(/\r\n?/g, "\n"));
  const isPlain = text.length <= plainCharacters && text.split("\n").length <= plainLines;
  if (isPlain || chips.size >= chipCount) return { text, chips };
  return withChip(chips, text);
}

/** A new chip, and the chips with it. */
export function withChip(
  chips: Chips,
  content: string | AttachedImage,
): { readonly text: string; readonly chips: Chips } {
  let index = firstChip + chips.size;
  while (chips.has(String.fromCodePoint(index))) index += 1;
  const chip = String.fromCodePoint(index);
  return { text: chip, chips: new Map(chips).set(chip, content) };
}

/** The text with its chips' contents: pasted texts, and the paths of images. */
export function unfolded(text: string, chips: Chips): string {
  if (chips.size === 0) return text;
  return text.replace(everyChip, (chip) => {
    const content = chips.get(chip) ?? "";
    return typeof content === "string" ? content : content.path;
  });
}

/** The images that stand in the text, in order. */
export function imagesIn(text: string, chips: Chips): readonly AttachedImage[] {
  return Array.from(text.matchAll(everyChip), ([chip]) => chips.get(chip)).filter(
    (content) => typeof content === "object",
  );
}

/** What is drawn for a chip; undefined for every other character. */
export function chipLabel(grapheme: string, chips: Chips): string | undefined {
  const content = chipPattern.test(grapheme) ? chips.get(grapheme) : undefined;
  if (content === undefined) return undefined;
  if (typeof content !== "string")
    return `[image ${visibleLine(content.path.slice(content.path.lastIndexOf("/") + 1))}]`;
  const lines = content.replace(/\n$/, "").split("\n").length;
  const size =
    lines > 1 ? `${lines.toLocaleString("en")} lines` : `${content.length.toLocaleString("en")} characters`;
  return `[pasted ${size}]`;
}

/** The chips that a text still holds. */
export function usedChips(text: string, chips: Chips): Chips {
  if (chips.size === 0) return chips;
  return new Map([...chips].filter(([chip]) => text.includes(chip)));
}
