import { readableText } from "../text/readable-text.ts";
import { leadingContinuation, trailingIncomplete } from "../text/utf8-boundary.ts";
import type { OutputWindow } from "./output-window.ts";

/** Bytes of output a result shows, both streams together. */
export const previewBytes = 6000;

/** How the preview is divided: separate standard error gets two thirds, since that is where the cause is told. */
export function previewShares(separate: boolean): { readonly output: number; readonly error: number } {
  if (!separate) return { output: previewBytes, error: 0 };
  const error = Math.floor((previewBytes * 2) / 3);
  return { output: previewBytes - error, error };
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
