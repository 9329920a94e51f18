/**
 * Text as every server takes it: lone surrogates become U+FFFD (they have no UTF-8 form, and a request that holds one
 * is refused for ever), NUL becomes U+2400. The conversation's record keeps what was there.
 */
export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes("\0") ? wellFormed.replaceAll("\0", "\u2400") : wellFormed;
}

/** A JSON value with all its strings cleaned, keys included. Unchanged values are not copied. */
export function cleanJson(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return cleanArray(value);
  if (typeof value === "object" && value !== null) return cleanObject(value);
  return value;
}

function cleanArray(values: readonly unknown[]): readonly unknown[] {
  const cleaned = values.map(cleanJson);
  return cleaned.every((item, index) => item === values[index]) ? values : cleaned;
}

function cleanObject(value: object): object {
  let changed = false;
  const entries = Object.entries(value).map(([key, item]: [string, unknown]) => {
    const entry = [cleanText(key), cleanJson(item)] as const;
    changed ||= entry[0] !== key || entry[1] !== item;
    return entry;
  });
  return changed ? Object.fromEntries(entries) : value;
}
