/** Wrapping of styled lines at words, by columns. */
import { type Line, type Span, span } from "./styled-line.ts";
import { graphemes, textWidth, truncated } from "./text-width.ts";

/** What wrapping adds in front of each line: for list items, quotes, rails. */
export type Indent = { readonly first: Line; readonly rest: Line };

const noIndent: Indent = { first: [], rest: [] };

/** A run that is not divided unless it is wider than a line. */
type Word = { readonly spans: Span[]; width: number; readonly isSpace: boolean };

/** Wraps one logical line to lines of at most `width` columns; a word wider than a line is divided. Always at least one line. */
export function wrapLine(spans: Line, width: number, indent: Indent = noIndent): readonly Line[] {
  const room = Math.max(1, width - indentWidth(indent));
  const lines: Span[][] = [];
  let [current, columns]: [Span[], number] = [[], 0];
  const breakLine = (): void => {
    lines.push(trimmedEnd(current));
    [current, columns] = [[], 0];
  };
  for (const word of wordsOf(spans)) {
    if (columns + word.width <= room) {
      if (word.isSpace && columns === 0 && lines.length > 0) continue;
      current.push(...word.spans);
      columns += word.width;
      continue;
    }
    if (word.isSpace) {
      breakLine();
      continue;
    }
    if (columns > 0) breakLine();
    for (const piece of pieces(word, room)) {
      if (columns + piece.width > room) breakLine();
      current.push(...piece.spans);
      columns += piece.width;
    }
  }
  if (current.length > 0 || lines.length === 0) lines.push(trimmedEnd(current));
  return lines.map((each, index) => [...(index === 0 ? indent.first : indent.rest), ...each]);
}

/** Wraps at columns only, for code and output, where spaces mean something. */
export function wrapColumns(spans: Line, width: number, indent: Indent = noIndent): readonly Line[] {
  const room = Math.max(1, width - indentWidth(indent));
  const lines: Span[][] = [[]];
  let columns = 0;
  for (const each of spans)
    for (const piece of pieces(
      { spans: [each], width: textWidth(each.text), isSpace: false },
      room,
      columns,
    )) {
      if (columns + piece.width > room) {
        lines.push([]);
        columns = 0;
      }
      lines.at(-1)?.push(...piece.spans);
      columns += piece.width;
    }
  return lines.map((each, index) => [...(index === 0 ? indent.first : indent.rest), ...each]);
}

/** Wraps at words and keeps every space, for text that must be shown exactly; a word wider than a line is divided. */
export function wrapExactly(spans: Line, width: number, indent: Indent = noIndent): readonly Line[] {
  const room = Math.max(1, width - indentWidth(indent));
  const lines: Span[][] = [[]];
  let columns = 0;
  const breakLine = (): void => {
    lines.push([]);
    columns = 0;
  };
  for (const word of wordsOf(spans)) {
    if (!word.isSpace && columns > 0 && columns + word.width > room) breakLine();
    for (const piece of pieces(word, room, columns)) {
      if (columns + piece.width > room) breakLine();
      lines.at(-1)?.push(...piece.spans);
      columns += piece.width;
    }
  }
  return lines.map((each, index) => [...(index === 0 ? indent.first : indent.rest), ...each]);
}

/** The line cut to `width` columns, with `…` for what is left out. */
export function fittedLine(spans: Line, width: number): Line {
  let columns = 0;
  if (spans.reduce((sum, { text }) => sum + textWidth(text), 0) <= width) return spans;
  const kept: Span[] = [];
  for (const { text, style } of spans) {
    const wide = textWidth(text);
    if (columns + wide >= width) {
      const short = truncated(columns + wide === width ? `${text} ` : text, width - columns);
      return [...kept, span(short, style)];
    }
    kept.push({ text, style });
    columns += wide;
  }
  return kept;
}

function indentWidth({ first, rest }: Indent): number {
  const width = (spans: Line): number => spans.reduce((sum, { text }) => sum + textWidth(text), 0);
  return Math.max(width(first), width(rest));
}

/** Wide characters may be parted from each other as in East Asian text; everything else only at spaces. */
const dividers = /( +)|([\u2E80-\u9FFF\uAC00-\uD7A3\uF900-\uFAFF\uFF00-\uFF60])/;

function wordsOf(spans: Line): readonly Word[] {
  const words: Word[] = [];
  let isOpen = false;
  for (const { text, style } of spans)
    for (const part of text.split(dividers)) {
      if (part === undefined || part === "") continue;
      const isSpace = part.startsWith(" ");
      const isAlone = isSpace || dividers.test(part);
      const width = textWidth(part);
      const last = words.at(-1);
      if (last !== undefined && isOpen && !isAlone) {
        last.spans.push(span(part, style));
        last.width += width;
      } else words.push({ spans: [span(part, style)], width, isSpace });
      isOpen = !isAlone;
    }
  return words;
}

/** The word in pieces that fit; the first one beside the `used` columns of its line. */
function pieces(
  { spans, width }: Word,
  room: number,
  used = 0,
): readonly { readonly spans: Span[]; readonly width: number }[] {
  if (used + width <= room) return [{ spans: [...spans], width }];
  const result: { spans: Span[]; width: number }[] = [];
  let columns = used;
  for (const { text, style } of spans) {
    let kept = "";
    const flush = (): void => {
      if (kept !== "") result.push({ spans: [span(kept, style)], width: textWidth(kept) });
      kept = "";
    };
    for (const grapheme of graphemes(text)) {
      const wide = textWidth(grapheme);
      if (columns + wide > room) {
        flush();
        columns = 0;
      }
      kept += grapheme;
      columns += wide;
    }
    flush();
  }
  return result;
}

function trimmedEnd(spans: Span[]): Span[] {
  const last = spans.at(-1);
  if (last === undefined || !last.text.endsWith(" ")) return spans;
  const text = last.text.trimEnd();
  const rest = spans.slice(0, -1);
  return text === "" ? trimmedEnd(rest) : [...rest, { ...last, text }];
}
