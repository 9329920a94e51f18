import { stripVTControlCharacters } from "node:util";
import type { OutputWindow } from "./output-window.ts";

/** Bytes of output a result shows, both streams together. */
export const previewBytes = 6000;

/** How the preview is divided: separate standard error gets two thirds, since that is where the cause is told. */
export function previewShares(separate: boolean): { readonly output: number; readonly error: number } {
  if (!separate) return { output: previewBytes, error: 0 };
  const error = Math.floor((previewBytes * 2) / 3);
  return { output: previewBytes - error, error };
}

/** Bytes at the start of `bytes` that continue a character begun before it (at most 3). */
export function leadingContinuation(bytes: Uint8Array): number {
  let count = 0;
  while (count < 3 && count < bytes.length && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  // Four and more continuation bytes in a row are no UTF-8: then nothing is cut off.
  return count < bytes.length && ((bytes[count] ?? 0) & 0xc0) === 0x80 ? 0 : count;
}

/** Bytes at the end of `bytes` that begin a character which is not complete (at most 3). */
export function trailingIncomplete(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? back : 0;
  }
  return 0;
}

/**
 * Terminal output as text for a reader that is no terminal: escape sequences are removed, a line that was redrawn by
 * carriage returns shows its last state, a backspace takes back a character, other control characters become visible
 * pictures. Invalid UTF-8 is replaced.
 */
export function readableText(bytes: Uint8Array): string {
  const text = stripVTControlCharacters(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
  return text
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => overwritten(line))
    .join("\n")
    .replace(/\p{Cc}/gu, pictured);
}

/** A control character as a visible picture; line ends and tabs stay. */
function pictured(control: string): string {
  if (control === "\n" || control === "\t") return control;
  const code = control.charCodeAt(0);
  return code < 0x20 ? String.fromCodePoint(0x2400 + code) : "\u2421";
}

/** The last state of a line that was drawn several times over. */
function overwritten(line: string): string {
  const last = line.replace(/\r+$/, "").split("\r").at(-1) ?? "";
  if (!last.includes("\b")) return last;
  const kept: string[] = [];
  for (const character of last) {
    if (character === "\b") kept.pop();
    else kept.push(character);
  }
  return kept.join("");
}

/** The beginning and end of a stream as readable text of at most `bytes` raw bytes, saying what is left out. */
export function previewOf(window: OutputWindow, bytes: number, reference: string | undefined): string {
  const { head, tail, omittedBytes } = window.sample(bytes);
  if (omittedBytes === 0) return readableText(head);
  const begin = head.subarray(0, head.length - trailingIncomplete(head));
  const end = tail.subarray(leadingContinuation(tail));
  const omitted = omittedBytes + (head.length - begin.length) + (tail.length - end.length);
  const where = reference === undefined ? "" : `, read ${reference} from byte-offset ${begin.length}`;
  return `${ended(readableText(begin))}[… ${omitted} bytes left out${where} …]\n${readableText(end)}`;
}

function ended(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
