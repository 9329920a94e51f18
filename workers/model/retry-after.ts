/**
 * The wait a server asked for, in ms, from `retry-after-ms` or `retry-after` (seconds or an HTTP date).
 * Undefined when neither is there or readable; an instant in the past is 0.
 */
export function retryAfterMs(
  headers: { get(name: string): string | null },
  nowEpochMs: number,
): number | undefined {
  const milliseconds = readNumber(headers.get("retry-after-ms"));
  if (milliseconds !== undefined) return milliseconds;
  const text = headers.get("retry-after");
  const seconds = readNumber(text);
  if (seconds !== undefined) return seconds * 1000;
  // A date begins with its weekday; the parser would take other text for years.
  const instant = text === null || !/^\s*[A-Za-z]{3}/.test(text) ? Number.NaN : Date.parse(text);
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - nowEpochMs);
}

function readNumber(text: string | null): number | undefined {
  if (text === null || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
