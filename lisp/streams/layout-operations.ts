/** What the pretty printer queues until it knows how a line is laid out. `at` is a position in all text written. */

/** When a conditional newline breaks the line; `literal` comes from a newline in the text. */
export type NewlineKind = "linear" | "fill" | "miser" | "literal" | "mandatory";
/** What an indentation is relative to: the start of the block or the present column. */
export type IndentKind = "block" | "current";

/** Something queued at a position. */
interface Operation {
  at: number;
}
/** An operation that begins a section; `depth` counts the blocks around it. */
interface SectionStart extends Operation {
  depth: number;
  sectionEnd: Newline | undefined;
}
/** A conditional newline. */
export interface Newline extends SectionStart {
  op: "newline";
  kind: NewlineKind;
}
/** The start of a logical block; `prefix` is set when it is repeated on each line. */
export interface BlockStart extends SectionStart {
  op: "start";
  blockEnd: BlockEnd | undefined;
  prefix: string | undefined;
  suffix: string;
}
/** The end of a logical block. */
export interface BlockEnd extends Operation {
  op: "end";
  suffix: string;
}
/** A change of indentation by `amount` columns. */
export interface Indentation extends Operation {
  op: "indent";
  kind: IndentKind;
  amount: number;
}
/** A tab to a column, or by columns. */
export interface Tab extends Operation {
  op: "tab";
  section: boolean;
  relative: boolean;
  column: number;
  increment: number;
}
/** Anything that is queued. */
export type Queued = Newline | BlockStart | BlockEnd | Indentation | Tab;

/** A logical block being laid out. Lengths are characters of the current line. */
export interface Block {
  startColumn: number;
  sectionColumn: number;
  /** How much of the prefix `literal` newlines keep. */
  perLinePrefixEnd: number;
  prefixLength: number;
  suffixLength: number;
  sectionStartLine: number;
}

/** Blanks a tab stands for at a column, given where its section starts. */
export function tabSize(tab: Tab, sectionStart: number, column: number): number {
  const origin = tab.section ? sectionStart : 0;
  const { increment } = tab;
  if (tab.relative) {
    if (increment <= 1) return tab.column;
    const over = (column - origin + tab.column) % increment;
    return over === 0 ? tab.column : tab.column + increment - over;
  }
  if (column < tab.column + origin) return tab.column + origin - column;
  if (increment <= 0) return 0;
  return increment - ((column - origin - tab.column) % increment);
}
