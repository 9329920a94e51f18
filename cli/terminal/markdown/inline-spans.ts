/** Inline Markdown (emphasis, code, links) as styled spans. Line breaks become spans with the text `\n`. */
import type { Token, Tokens } from "marked";
import { type Span, type Style, span } from "../text/styled-line.ts";

/** The spans of inline tokens; `style` lies under their own. */
export function inlineSpans(tokens: readonly Token[] | undefined, style: Style = {}): readonly Span[] {
  return (tokens ?? []).flatMap((token) => spansOf(token, style));
}

function spansOf(token: Token, style: Style): readonly Span[] {
  switch (token.type) {
    case "strong":
      return inlineSpans(token.tokens, { ...style, bold: true });
    case "em":
      return inlineSpans(token.tokens, { ...style, italic: true });
    case "del":
      return inlineSpans(token.tokens, { ...style, strike: true });
    case "codespan":
      return [span((token as Tokens.Codespan).text, { ...style, ink: "code" })];
    case "br":
      return [span("\n")];
    case "link":
      return linkSpans(token as Tokens.Link, style);
    case "image":
      return [span(`[image: ${token.text === "" ? (token as Tokens.Image).href : token.text}]`, style)];
    case "checkbox":
      return [span((token as Tokens.Checkbox).checked ? "☑ " : "☐ ", style)];
    default:
      return textSpans(token, style);
  }
}

function textSpans(token: Token, style: Style): readonly Span[] {
  const nested = (token as { tokens?: Token[] }).tokens;
  if (nested !== undefined) return inlineSpans(nested, style);
  const text = (token as { text?: string }).text ?? token.raw;
  return text
    .split("\n")
    .flatMap((piece, index) => [
      ...(index === 0 ? [] : [span(" ", style)]),
      ...(piece === "" ? [] : [span(piece, style)]),
    ]);
}

/** The address follows its text where they differ, so that it can be read and copied without a mouse. */
function linkSpans(token: Tokens.Link, style: Style): readonly Span[] {
  const own = { ...style, underline: true, link: token.href };
  const shown = inlineSpans(token.tokens, own);
  const text = shown.map((each) => each.text).join("");
  const isSame = text === token.href || `mailto:${text}` === token.href || token.href.startsWith("#");
  return isSame ? shown : [...shown, span(` (${token.href})`, { ...style, ink: "muted" })];
}
