/** Columns that text takes in a terminal, and its division into what a person sees as one character. */
import stringWidth from "string-width";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const asciiOnly = /^[\u0020-\u007E]*$/;

/** Columns of a text without line ends and controls. */
export function textWidth(text: string): number {
  return asciiOnly.test(text) ? text.length : stringWidth(text);
}

/** The graphemes of a text, in order. */
export function graphemes(text: string): readonly string[] {
  if (asciiOnly.test(text)) return text.split("");
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Offset behind the grapheme that begins at `offset`; the text's length at its end. */
export function nextGrapheme(text: string, offset: number): number {
  const [first] = segmenter.segment(text.slice(offset, offset + 64));
  return first === undefined ? text.length : offset + first.segment.length;
}

/** Offset of the grapheme that ends at `offset`; 0 at the beginning. Looks at one line at most. */
export function previousGrapheme(text: string, offset: number): number {
  const from = Math.max(0, text.lastIndexOf("\n", offset - 1), offset - 64);
  let last = from;
  for (const { index } of segmenter.segment(text.slice(from, offset))) last = from + index;
  return Math.max(0, last);
}

/** The text cut to `width` columns, with `…` for what is left out. */
export function truncated(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width <= 1) return width <= 0 ? "" : "…";
  let [kept, columns] = ["", 0];
  for (const grapheme of graphemes(text)) {
    const wide = textWidth(grapheme);
    if (columns + wide > width - 1) break;
    kept += grapheme;
    columns += wide;
  }
  return `${kept}…`;
}

/** The text cut at its beginning. */
export function truncatedStart(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width <= 1) return width <= 0 ? "" : "…";
  let [kept, columns] = ["", 0];
  for (const grapheme of graphemes(text).toReversed()) {
    const wide = textWidth(grapheme);
    if (columns + wide > width - 1) break;
    kept = grapheme + kept;
    columns += wide;
  }
  return `…${kept}`;
}
