/**
 * Where a Markdown text that still grows may be cut: what is before the cut will not change its looks by what comes behind. Finished parts
 * go to the scrollback once, so that a long answer costs the same at its end as at its beginning.
 */

/** An open fence at the beginning of a remaining text. */
export type OpenFence = { readonly marker: string; readonly language: string };

export type Cut = {
  /** Characters that are finished; 0 when nothing is. */
  readonly length: number;
  /** The fence that is still open behind the cut. */
  readonly fence: OpenFence | undefined;
  /** True when what follows belongs to the same block: no blank line between them. */
  readonly joins: boolean;
};

/** Characters of a block without any place to cut, from which it is cut at a line end or a space all the same. */
export const blockCharacterLimit = 8_192;
/** Lines of an open fence that stay together. */
export const openLineLimit = 40;

/** The longest finished beginning of `text`, which begins inside `fence` when that is given. */
export function finishedCut(text: string, fence: OpenFence | undefined): Cut {
  let cut: Cut = { length: 0, fence, joins: false };
  let [open, offset, linesSinceCut] = [fence, 0, 0];
  let kind: BlockKind = fence === undefined ? "none" : "fence";
  for (;;) {
    const end = text.indexOf("\n", offset);
    if (end < 0) break;
    const lineText = text.slice(offset, end);
    const before = kind;
    ({ kind, open } = step(lineText, kind, open));
    if (startsItem(lineText, before, kind) && offset > 0) cut = itemCut(text, offset, kind);
    offset = end + 1;
    linesSinceCut = cut.length === offset ? 0 : linesSinceCut + 1;
    const isWhole = kind === "none";
    const isLong = linesSinceCut >= openLineLimit && kind === "fence";
    if (isWhole || isLong) {
      cut = { length: offset, fence: open, joins: isLong };
      linesSinceCut = 0;
    }
  }
  return cut.length === 0 && text.length > blockCharacterLimit ? forcedCut(text, open) : cut;
}

function itemCut(text: string, offset: number, kind: BlockKind): Cut {
  const joins = kind === "list" && !/\n[^\S\n]*\n$/.test(text.slice(Math.max(0, offset - 64), offset));
  return { length: offset, fence: undefined, joins };
}

type BlockKind = "none" | "text" | "list" | "table" | "fence";

const fenceStart = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)/;
const itemStart = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/;

function step(
  lineText: string,
  kind: BlockKind,
  open: OpenFence | undefined,
): { kind: BlockKind; open: OpenFence | undefined } {
  if (open !== undefined) {
    const closes = lineText.trim().startsWith(open.marker) && /^(`+|~+)$/.test(lineText.trim());
    return closes ? { kind: "none", open: undefined } : { kind: "fence", open };
  }
  const fence = kind === "list" ? null : fenceStart.exec(lineText);
  if (fence !== null) return { kind: "fence", open: { marker: fence[1] ?? "```", language: fence[2] ?? "" } };
  if (lineText.trim() === "") return { kind: kind === "list" ? "list" : "none", open: undefined };
  if (itemStart.test(lineText)) return { kind: "list", open: undefined };
  if (kind === "list")
    return /^\s/.test(lineText) ? { kind: "list", open: undefined } : { kind: "text", open: undefined };
  if (/^ {0,3}#{1,6}\s/.test(lineText) && kind === "none") return { kind: "none", open: undefined };
  return { kind: lineText.trim().startsWith("|") ? "table" : "text", open: undefined };
}

/** A list may be cut before each of its top items, and before what follows it. */
function startsItem(lineText: string, before: BlockKind, kind: BlockKind): boolean {
  return before === "list" && (kind === "list" ? itemStart.test(lineText) : lineText.trim() !== "");
}

function forcedCut(text: string, fence: OpenFence | undefined): Cut {
  const limit = blockCharacterLimit;
  const at = Math.max(text.lastIndexOf("\n", limit - 1), text.lastIndexOf(" ", limit - 1)) + 1;
  return { length: at > 0 ? at : limit, fence, joins: true };
}
