import type { ToolOutcome } from "../../orchestrator/contract/tool.ts";
import { ResourceError } from "../../orchestrator/resources/resource-scheme.ts";
import type { ResourceRead } from "../../orchestrator/resources/resource-scheme.ts";
import { readableText } from "../text/readable-text.ts";
import { leadingContinuation, trailingIncomplete } from "../text/utf8-boundary.ts";
import { scanFile } from "./file-scan.ts";
import type { FileScan, ScannedLine } from "./file-scan.ts";
import { anchorPrefixBytes } from "./line-index.ts";
import type { RegularFile } from "./regular-file.ts";

/** Largest file that is read through for its revision and lines; a larger one is read by byte windows only. */
export const scanLimitBytes = 512 * 1024 * 1024;
/** Characters one line shows. */
export const lineTextLimit = 1_000;
/** Characters of lines one result shows; what does not fit is paged. */
export const linesTextLimit = 30_000;
const windowBytes = 4_096;
const queryContextLines = 2;

/** Reads an open file as the arguments ask: a byte window, the places of a text, or lines. */
export async function readOpenFile(
  request: ResourceRead,
  uri: string,
  file: RegularFile,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  if (request["byte-offset"] !== undefined || request["byte-count"] !== undefined) {
    return await readBytes(request, uri, file);
  }
  if (file.stats.size > scanLimitBytes) {
    throw new ResourceError(
      "too-large",
      `${uri} has ${file.stats.size} bytes; files of more than ${scanLimitBytes} are read by byte-offset and byte-count only.`,
    );
  }
  if (request.query !== undefined) return await readPlaces(request.query, request, uri, file, signal);
  return await readLines(request, uri, file, signal);
}

async function readLines(
  request: ResourceRead,
  uri: string,
  file: RegularFile,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const first = request["start-line"] ?? 1;
  const count = request["line-count"] ?? 400;
  const scan = await scanFile(
    file,
    { wants: (number) => number >= first && number < first + count },
    count,
    signal,
  );
  if (scan.binary) return binaryOutcome(uri, scan);
  const { shown, text } = fitLines(scan.lines);
  const last = shown.at(-1)?.number;
  const next = last !== undefined && last < scan.totalLines ? last + 1 : undefined;
  const range =
    last === undefined
      ? scan.totalLines === 0
        ? "empty"
        : `no line ${first}: the last is ${scan.totalLines}`
      : `lines ${shown[0]?.number ?? first}-${last}`;
  const more = next === undefined ? "" : `\n[more: start-line ${next}]`;
  return {
    status: "ok",
    content: `${header(uri, scan)} · ${range}\n${text}${more}`,
    details: { revision: scan.revision, totalLines: scan.totalLines, totalBytes: scan.totalBytes },
  };
}

/** As many lines as fit into one result, at least one. */
export function fitLines(lines: readonly ScannedLine[]): {
  readonly shown: readonly ScannedLine[];
  readonly text: string;
} {
  const parts: string[] = [];
  let size = 0;
  for (const line of lines) {
    const part = showLine(line);
    if (parts.length > 0 && size + part.length > linesTextLimit) break;
    parts.push(part);
    size += part.length + 1;
  }
  return { shown: lines.slice(0, parts.length), text: parts.join("\n") };
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** `LINE:ANCHOR|TEXT`; a very long line is cut and says where its rest can be read. */
function showLine({ number, anchor, prefix, lengthBytes, byteOffset }: ScannedLine): string {
  const text = decoder.decode(
    prefix.length > lineTextLimit * 4 ? prefix.subarray(0, lineTextLimit * 4) : prefix,
  );
  if (text.length <= lineTextLimit && lengthBytes <= lineTextLimit * 4) return `${number}:${anchor}|${text}`;
  const shown = text.slice(0, lineTextLimit).replace(/[\uD800-\uDBFF]$/, "");
  return `${number}:${anchor}|${shown}… [line of ${lengthBytes} bytes; read byte-offset ${byteOffset}]`;
}

function header(uri: string, scan: FileScan): string {
  const facts = [`revision ${scan.revision}`, `${scan.totalLines} lines`, `${scan.totalBytes} bytes`];
  const { lf, crlf } = scan.lineEnds;
  if (crlf > 0) facts.push(lf === 0 ? "CRLF" : `mixed line ends (${lf} LF, ${crlf} CRLF)`);
  if (scan.totalBytes > 0 && !scan.endsWithNewline) facts.push("no line end after the last line");
  if (scan.hasMark) facts.push("byte order mark");
  if (!scan.utf8) facts.push("not UTF-8: other bytes are shown as \uFFFD and kept by edits with ASCII text");
  return `${uri}\n${facts.join(" · ")}`;
}

function binaryOutcome(uri: string, scan: FileScan): ToolOutcome {
  return {
    status: "ok",
    content: `${uri}\nrevision ${scan.revision} · ${scan.totalBytes} bytes · binary (holds NUL bytes): read it by byte-offset and byte-count.`,
    details: { revision: scan.revision, totalBytes: scan.totalBytes, binary: true },
  };
}

/** The lines in which a text occurs, each with its neighbours. */
async function readPlaces(
  query: string,
  request: ResourceRead,
  uri: string,
  file: RegularFile,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const needle = Buffer.from(query);
  const limit = request["max-results"] ?? 20;
  const first = request["start-line"] ?? 1;
  const matching: number[] = [];
  const scan = await scanFile(
    file,
    {
      wants: (number) => number >= first,
      matches: (prefix, number) => {
        if (prefix.includes(needle)) matching.push(number);
        return false;
      },
    },
    1,
    signal,
  );
  if (scan.binary) return binaryOutcome(uri, scan);
  const places = matching.slice(0, limit);
  const wanted = new Set(
    places.flatMap((line) =>
      Array.from({ length: 2 * queryContextLines + 1 }, (_, index) => line - queryContextLines + index),
    ),
  );
  const again = await scanFile(file, { wants: (number) => wanted.has(number) }, wanted.size, signal);
  const { text } = fitLines(again.lines);
  const next = matching[limit];
  const notes = [
    `${matching.length} lines hold ${JSON.stringify(query)}`,
    ...(next === undefined ? [] : [`the first ${limit} are shown; go on with start-line ${next}`]),
    ...(scan.longLines > 0 ? [`lines are searched in their first ${anchorPrefixBytes} bytes`] : []),
  ];
  return {
    status: "ok",
    content: `${header(uri, scan)} · ${notes.join("; ")}\n${text}`,
    details: { revision: scan.revision, matches: matching.length },
  };
}

/** A window of bytes: readable text with whole characters, or hexadecimal when it holds NUL bytes. */
async function readBytes(request: ResourceRead, uri: string, file: RegularFile): Promise<ToolOutcome> {
  const offset = request["byte-offset"] ?? 0;
  const count = Math.min(request["byte-count"] ?? windowBytes, windowBytes);
  const { size } = file.stats;
  const buffer = Buffer.alloc(count);
  const bytesRead = await file.read(buffer, offset);
  const bytes = buffer.subarray(0, bytesRead);
  const binary = bytes.includes(0);
  const start = offset === 0 || binary ? 0 : leadingContinuation(bytes);
  const atEnd = offset + bytesRead >= size;
  const cut = atEnd || binary ? 0 : trailingIncomplete(bytes.subarray(start));
  const shown =
    bytes.length - cut > start ? bytes.subarray(start, bytes.length - cut) : bytes.subarray(start);
  const next = offset + start + shown.length;
  const text = binary ? hexadecimal(shown, offset) : readableText(shown);
  const more = shown.length > 0 && next < size ? `\n[more: byte-offset ${next}]` : "";
  return {
    status: "ok",
    content: `${uri}\nbytes ${offset + start}-${next} of ${size}\n${text}${more}`,
    details: { byteOffset: offset + start, byteCount: shown.length, totalBytes: size },
  };
}

function hexadecimal(bytes: Buffer, offset: number): string {
  const rows: string[] = [];
  for (let at = 0; at < bytes.length; at += 32) {
    const row = bytes.subarray(at, at + 32);
    rows.push(
      `${(offset + at).toString(16).padStart(8, "0")}  ${row.toString("hex").replace(/(.{8})(?=.)/g, "$1 ")}`,
    );
  }
  return rows.join("\n");
}
