import { isUtf8 } from "node:buffer";
import { ResourceError } from "../../orchestrator/resources/resource-scheme.ts";
import type { EditOperation } from "./edit-operation.ts";
import { anchorOf, lineSpans, markLength } from "./line-index.ts";
import type { LineSpan } from "./line-index.ts";

/** Bytes `from`…`to` of the base are replaced by `insert`. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly insert: Buffer;
  /** Bytes at the beginning of `insert` that end the line before it. */
  readonly leadBytes: number;
  /** Position among the operations: insertions at one place keep the order in which they were asked. */
  readonly order: number;
}

export interface EditedText {
  readonly bytes: Buffer;
  /** Changed lines of the new text, from 1, both inclusive; `last` is below `first` when lines were only removed. */
  readonly changed: readonly { readonly first: number; readonly last: number }[];
}

/**
 * Applies operations to the bytes they were made for. Every byte outside the named lines stays as it is: line ends of
 * each kind, a byte order mark, a missing or repeated last line end, bytes that are no UTF-8. Throws
 * {@link ResourceError} `invalid-operation`, `anchor-mismatch` or `unsupported-encoding`; then nothing is changed.
 */
export function applyEdits(base: Buffer, operations: readonly EditOperation[]): EditedText {
  refuseUnsafeText(base, operations);
  const spans = lineSpans(base);
  const splices = operations
    .map((operation, order) => spliceOf(base, spans, operation, order))
    .sort((left, right) => left.from - right.from || left.to - right.to || left.order - right.order);
  refuseOverlap(splices);
  const parts: Buffer[] = [];
  const changed: { first: number; last: number }[] = [];
  let taken = 0;
  let line = 1;
  for (const splice of splices) {
    const kept = base.subarray(taken, splice.from);
    parts.push(kept, splice.insert);
    line += countNewlines(kept);
    const ends = countNewlines(splice.insert);
    // An insertion behind an unterminated last line begins with that line's end.
    const first = line + countNewlines(splice.insert.subarray(0, splice.leadBytes));
    changed.push({ first, last: line + ends - (endsOpen(splice.insert) ? 0 : 1) });
    line += ends;
    taken = splice.to;
  }
  parts.push(base.subarray(taken));
  return { bytes: Buffer.concat(parts), changed };
}

function endsOpen(bytes: Buffer): boolean {
  return bytes.length > 0 && bytes[bytes.length - 1] !== 0x0a;
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) count += 1;
  return count;
}

function refuseUnsafeText(base: Buffer, operations: readonly EditOperation[]): void {
  if (base.includes(0)) {
    throw new ResourceError(
      "unsupported-encoding",
      "The file holds NUL bytes: it is binary or UTF-16 and is not edited by lines. Use a command that knows its format.",
    );
  }
  const texts = operations.flatMap((operation) => ("content" in operation ? [operation.content] : []));
  if (texts.some((text) => !text.isWellFormed())) {
    throw new ResourceError(
      "invalid-operation",
      "The new text holds half of a surrogate pair and is no valid text.",
    );
  }
  if (texts.some((text) => text.includes("\0"))) {
    throw new ResourceError("invalid-operation", "The new text holds a NUL character.");
  }
  if (!isUtf8(base) && texts.some((text) => /\P{ASCII}/u.test(text))) {
    throw new ResourceError(
      "unsupported-encoding",
      "The file is not UTF-8, so only ASCII text can be put into it without mixing encodings. Its other bytes would be kept. Use a command that knows its encoding.",
    );
  }
}

function refuseOverlap(splices: readonly Splice[]): void {
  for (const [index, splice] of splices.entries()) {
    const next = splices[index + 1];
    if (next === undefined || next.from >= splice.to) continue;
    throw new ResourceError(
      "invalid-operation",
      `Operations ${splice.order + 1} and ${next.order + 1} touch the same lines. Join them into one.`,
    );
  }
}

function spliceOf(base: Buffer, spans: readonly LineSpan[], operation: EditOperation, order: number): Splice {
  switch (operation.operation) {
    case "replace-empty":
      if (base.length > markLength(base)) {
        throw new ResourceError(
          "invalid-operation",
          `replace-empty is for an empty or absent file; this one has ${spans.length} lines. Use replace-lines with start-line 1 and end-line ${spans.length}.`,
        );
      }
      return {
        from: base.length,
        to: base.length,
        insert: Buffer.from(operation.content),
        leadBytes: 0,
        order,
      };
    case "replace-lines":
    case "delete-lines": {
      const { "start-line": startLine, "end-line": endLine } = operation;
      if (endLine < startLine) {
        throw new ResourceError(
          "invalid-operation",
          `end-line ${endLine} is before start-line ${startLine}.`,
        );
      }
      const first = lineAt(base, spans, startLine, operation["start-anchor"]);
      const last = lineAt(base, spans, endLine, operation["end-anchor"]);
      const insert =
        operation.operation === "delete-lines"
          ? Buffer.alloc(0)
          : replacement(base, spans, startLine, endLine, operation.content);
      return { from: first.start, to: last.next, insert, leadBytes: 0, order };
    }
    case "insert-before": {
      const at = lineAt(base, spans, operation.line, operation.anchor);
      const end = terminatorNear(base, spans, operation.line);
      return {
        from: at.start,
        to: at.start,
        insert: joined(operation.content, () => end, end),
        leadBytes: 0,
        order,
      };
    }
    case "insert-after": {
      const at = lineAt(base, spans, operation.line, operation.anchor);
      const end = terminatorNear(base, spans, operation.line);
      const isOpen = at.next === at.end;
      const lines = joined(operation.content, () => end, isOpen ? "" : end);
      const lead = Buffer.from(isOpen ? end : "");
      return {
        from: at.next,
        to: at.next,
        insert: Buffer.concat([lead, lines]),
        leadBytes: lead.length,
        order,
      };
    }
  }
}

/** A line of the base, checked against the anchor the caller saw. */
function lineAt(
  base: Buffer,
  spans: readonly LineSpan[],
  line: number,
  anchor: string | undefined,
): LineSpan {
  const span = spans[line - 1];
  if (span === undefined) {
    throw new ResourceError(
      "invalid-operation",
      `There is no line ${line}: the file has ${spans.length} lines.`,
    );
  }
  if (anchor === undefined) return span;
  const actual = anchorOf(base.subarray(span.start, span.end));
  if (actual === anchor) return span;
  const elsewhere = spans.flatMap(({ start, end }, index) =>
    anchorOf(base.subarray(start, end)) === anchor ? [index + 1] : [],
  );
  throw new ResourceError(
    "anchor-mismatch",
    `Line ${line} has the anchor ${actual}, not ${anchor}; ${
      elsewhere.length === 0 ? "no line has that" : `that is line ${elsewhere.slice(0, 5).join(", ")}`
    }. Nothing was changed.`,
  );
}

/** New lines for old ones: each takes the line end of the line it replaces, the last one that of the last. */
function replacement(
  base: Buffer,
  spans: readonly LineSpan[],
  startLine: number,
  endLine: number,
  content: string,
): Buffer {
  const terminator = (line: number): string =>
    terminatorOf(base, spans[line - 1]) || terminatorNear(base, spans, line);
  return joined(
    content,
    (index) => terminator(Math.min(startLine + index, endLine)),
    terminatorOf(base, spans[endLine - 1]),
  );
}

/** The lines of a content with their ends; a line end inside the content only separates. */
function joined(content: string, endOf: (index: number) => string, lastEnd: string): Buffer {
  const lines = content.replace(/\r?\n$/, "").split(/\r?\n/);
  const last = lines.length - 1;
  return Buffer.from(lines.map((text, index) => text + (index === last ? lastEnd : endOf(index))).join(""));
}

function terminatorOf(base: Buffer, span: LineSpan | undefined): string {
  return span === undefined ? "" : base.toString("latin1", span.end, span.next);
}

/** The line end used at a line, else by the nearest line before it, else by the first line that has one, else `\n`. */
function terminatorNear(base: Buffer, spans: readonly LineSpan[], line: number): string {
  for (let index = line - 1; index >= 0; index -= 1) {
    const found = terminatorOf(base, spans[index]);
    if (found !== "") return found;
  }
  return "\n";
}
