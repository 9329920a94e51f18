/** Replaces secrets in a text. */
export type SecretRemover = (text: string) => string;

/** What stands where a secret stood. */
export const removedSecret = "[secret removed]";

/** Names of environment variables that hold secrets. */
const secretVariable = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;
/** Values shorter than this are ordinary words more often than secrets. */
const shortestSecret = 8;

/** Shapes of credentials that are recognised wherever they come from. */
const shapes = new RegExp(
  [
    String.raw`\bsk-[A-Za-z0-9_-]{16,}`,
    String.raw`\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}`,
    String.raw`\bgithub_pat_[A-Za-z0-9_]{20,}`,
    String.raw`\bxox[abposr]-[A-Za-z0-9-]{10,}`,
    String.raw`\bAKIA[0-9A-Z]{16}\b`,
    String.raw`\bAIza[0-9A-Za-z_-]{35}\b`,
    String.raw`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`,
    String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
    String.raw`(?<=\b[Bb]earer )[A-Za-z0-9._~+/=-]{16,}`,
  ].join("|"),
  "g",
);

/** The values of environment variables whose names say that they are secret. */
export function secretValues(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && value.length >= shortestSecret && secretVariable.test(name) ? value : [],
  );
}

/** Removes the given values, longest first, and everything of a known shape. */
export function secretRemover(values: readonly string[]): SecretRemover {
  const known = [...new Set(values.filter((value) => value.length >= shortestSecret))].toSorted(
    (left, right) => right.length - left.length,
  );
  return (text) => {
    let cleaned = text;
    for (const value of known) cleaned = cleaned.replaceAll(value, removedSecret);
    return cleaned.replace(shapes, removedSecret);
  };
}

/** Applies a remover to every string of a JSON value; keys are kept. Strings of JSON text are treated like any other. */
export function removeSecrets<Value>(value: Value, remove: SecretRemover): Value {
  return cleaned(value, remove) as Value;
}

function cleaned(value: unknown, remove: SecretRemover): unknown {
  if (typeof value === "string") return remove(value);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, remove));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [key, cleaned(item, remove)]),
  );
}
