/** What is kept of a child's output: so many bytes and lines, the rest counted (facts C.3). */

export type OutputLimits = {
  /** UTF-8 bytes. */
  readonly bytes: number;
  readonly lines: number;
};

/** The beginning of a text that is within the limits, and a line that says what is missing; a text that is within them as it is. */
export function retainedOutput(text: string, { bytes, lines }: OutputLimits): string {
  const all = text.split("\n");
  const kept = withinBytes(all.length > lines ? all.slice(0, lines).join("\n") : text, bytes);
  if (kept.length === text.length) return text;
  return `${kept}\n[… the first ${Buffer.byteLength(kept)} of ${Buffer.byteLength(text)} bytes; at most ${bytes} bytes and ${lines} lines of a child's output are kept (AUTOLITH_TASK_MAX_OUTPUT_BYTES, AUTOLITH_TASK_MAX_OUTPUT_LINES) …]`;
}

function withinBytes(text: string, limit: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= limit) return text;
  // A character that was cut in two is left out.
  let end = limit;
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.toString("utf8", 0, end);
}
