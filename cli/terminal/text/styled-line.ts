/** Styled text as data: what is shown is decided apart from how a terminal is told. */
import { textWidth } from "./text-width.ts";

/** The colours by their role; a palette gives them their escape codes. */
export type Ink =
  | "accent"
  | "user"
  | "good"
  | "bad"
  | "warn"
  | "code"
  | "keyword"
  | "string"
  | "comment"
  | "number"
  | "muted";

export type Style = {
  readonly ink?: Ink;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly inverse?: boolean;
  /** A web address that the text leads to. */
  readonly link?: string;
};

/** A piece of text in one style, without line ends. */
export type Span = { readonly text: string; readonly style: Style };

/** One line on the screen. */
export type Line = readonly Span[];

const plain: Style = {};

export function span(text: string, style: Style = plain): Span {
  return { text, style };
}

export function line(text: string, style: Style = plain): Line {
  return text === "" ? [] : [span(text, style)];
}

export const emptyLine: Line = [];

export function lineWidth(spans: Line): number {
  return spans.reduce((sum, { text }) => sum + textWidth(text), 0);
}

/** The text of a line without its styles. */
export function lineText(spans: Line): string {
  return spans.map(({ text }) => text).join("");
}

/** The same line with more style under what it has. */
export function styled(spans: Line, style: Style): Line {
  return spans.map((each) => ({ text: each.text, style: { ...style, ...each.style } }));
}
