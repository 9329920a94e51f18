/** Markdown as styled lines of a width. */
import { type Token, type Tokens, lexer } from "marked";
import { type Line, type Span, type Style, emptyLine, lineWidth, span, styled } from "../text/styled-line.ts";
import { visibleText } from "../text/visible-text.ts";
import { wrapColumns, wrapLine } from "../text/wrap.ts";
import { type CodeState, highlightLine } from "./code-tokens.ts";
import { inlineSpans } from "./inline-spans.ts";
import type { OpenFence } from "./stream-blocks.ts";
import { tableLines } from "./table-lines.ts";

/** Line ends inside a paragraph stay: models and commands mean them. */
const keepLines = { gfm: true, breaks: true };

/** Lines of a Markdown text in `width` columns. `fence`: it begins inside that fence. */
export function markdownLines(text: string, width: number, fence?: OpenFence): readonly Line[] {
  const source = visibleText(text);
  if (fence === undefined) return blockLines(lexer(source, keepLines), width);
  const close = closingLine(source, fence);
  if (close === undefined) return codeLines(source.replace(/\n$/, ""), fence.language, width);
  const code = codeLines(source.slice(0, close.start).replace(/\n$/, ""), fence.language, width);
  const rest = blockLines(lexer(source.slice(close.end), keepLines), width);
  const isBare = close.start === 0;
  return [...(isBare ? [] : code), ...(rest.length === 0 ? [] : [emptyLine, ...rest])];
}

function closingLine(source: string, fence: OpenFence): { start: number; end: number } | undefined {
  let start = 0;
  for (const text of source.split("\n")) {
    const trimmed = text.trim();
    if (trimmed.startsWith(fence.marker) && /^(`+|~+)$/.test(trimmed))
      return { start, end: Math.min(source.length, start + text.length + 1) };
    start += text.length + 1;
  }
  return undefined;
}

function blockLines(tokens: readonly Token[], width: number): readonly Line[] {
  const lines: Line[] = [];
  for (const token of tokens) {
    const own = linesOf(token, width);
    if (own.length === 0) continue;
    if (lines.length > 0) lines.push(emptyLine);
    lines.push(...own);
  }
  return lines;
}

function linesOf(token: Token, width: number): readonly Line[] {
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return headingLines(token as Tokens.Heading, width);
    case "paragraph":
    case "text":
      return paragraphLines(inlineSpans((token as Tokens.Paragraph).tokens ?? [token]), width);
    case "code":
      return codeLines((token as Tokens.Code).text, (token as Tokens.Code).lang ?? "", width);
    case "list":
      return listLines(token as Tokens.List, width);
    case "blockquote":
      return quoteLines(token as Tokens.Blockquote, width);
    case "table":
      return tokenTable(token as Tokens.Table, width);
    case "hr":
      return [[span("─".repeat(Math.min(width, 40)), { ink: "muted" })]];
    default:
      return paragraphLines([span(token.raw.trim())], width);
  }
}

function headingLines({ depth, tokens }: Tokens.Heading, width: number): readonly Line[] {
  const style: Style = depth <= 2 ? { bold: true, ink: "accent" } : { bold: true };
  const mark = depth <= 2 ? [] : [span(`${"#".repeat(depth)} `, { ink: "muted" })];
  return paragraphLines([...mark, ...inlineSpans(tokens, style)], width);
}

/** Wraps spans in which `\n` divides lines. */
function paragraphLines(spans: readonly Span[], width: number): readonly Line[] {
  const lines: Span[][] = [[]];
  for (const each of spans) {
    const [first = "", ...more] = each.text.split("\n");
    lines.at(-1)?.push({ ...each, text: first });
    for (const text of more) lines.push([{ ...each, text }]);
  }
  return lines.flatMap((each) =>
    wrapLine(
      each.filter(({ text }) => text !== ""),
      width,
    ),
  );
}

const rail = span("▏ ", { ink: "muted" });

/** Code with a rail at its left and the language above; long lines go on below, marked by the rail alone. */
export function codeLines(text: string, info: string, width: number): readonly Line[] {
  const language = /^[\w+#.-]+/.exec(info)?.[0] ?? "";
  let state: CodeState = "code";
  return text.split("\n").flatMap((each) => {
    const highlighted = highlightLine(each, language, state);
    ({ state } = highlighted);
    return wrapColumns(highlighted.line, width, { first: [rail], rest: [rail] });
  });
}

function listLines(list: Tokens.List, width: number): readonly Line[] {
  const start = list.start === "" ? 1 : list.start;
  return list.items.flatMap((item, index) => {
    const mark = list.ordered ? `${start + index}. ` : "• ";
    const rest = [span(" ".repeat(mark.length))];
    const body = itemLines(item, Math.max(1, width - mark.length));
    const lines = body.map((each, row) => [...(row === 0 ? [span(mark, { ink: "accent" })] : rest), ...each]);
    return list.loose && index > 0 ? [emptyLine, ...lines] : lines;
  });
}

/** Blocks of an item; a nested list follows its text without a blank line. */
function itemLines(item: Tokens.ListItem, width: number): readonly Line[] {
  const lines: Line[] = [];
  const hasBox = item.task && !item.tokens.some(({ type }) => type === "checkbox");
  for (const token of item.tokens) {
    const own =
      token.type === "checkbox" ? [inlineSpans([token])] : linesOf(token, width).map((each) => [...each]);
    const previous = lines.at(-1);
    if (token.type !== "checkbox" && previous !== undefined && isCheckbox(previous)) {
      lines.pop();
      lines.push([...previous, ...(own[0] ?? [])], ...own.slice(1));
    } else {
      if (lines.length > 0 && item.loose && own.length > 0) lines.push(emptyLine);
      lines.push(...own);
    }
  }
  if (hasBox && lines[0] !== undefined) lines[0] = [span(item.checked === true ? "☑ " : "☐ "), ...lines[0]];
  return lines.length === 0 ? [emptyLine] : lines;
}

function isCheckbox(spans: Line): boolean {
  return spans.length === 1 && /^[☑☐] $/u.test(spans[0]?.text ?? "");
}

function quoteLines({ tokens }: Tokens.Blockquote, width: number): readonly Line[] {
  return blockLines(tokens, Math.max(1, width - 2)).map((each) => [
    span("│ ", { ink: "muted" }),
    ...styled(each, { italic: true }),
  ]);
}

function tokenTable(token: Tokens.Table, width: number): readonly Line[] {
  return tableLines(
    {
      header: token.header.map((cell) => inlineSpans(cell.tokens)),
      align: token.align,
      rows: token.rows.map((row) => row.map((cell) => inlineSpans(cell.tokens))),
    },
    width,
  ).map((each) => (lineWidth(each) > width ? each.slice() : each));
}
