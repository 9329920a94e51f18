/** Replaces secrets in a text. */
export type SecretRemover = (text: string) => string;

/** What stands where a secret stood. */
export const removedSecret = "[secret removed]";

/** Names of environment variables that hold secrets. */
const secretVariable =
  /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|_PAT|_DSN|COOKIE|^OPENAI_ORG_ID|^OPENAI_PROJECT_ID)$/i;
/** Values of secret-looking variables that are none: a word such as `production`, a file's path, a number. */
const ordinaryValue = /^(?:[A-Za-z]+|[0-9]{1,11}|\/.*|~\/.*)$/s;
/** The password in a URL of any variable: proxies, package indexes, databases, Redis. */
const urlPassword = /\b[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:]*:([^\s/?#@]+)@/gi;
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

/**
 * The secrets of an environment: values of variables whose names say so, and passwords in URLs. Values that are shorter than eight
 * characters or ordinary words are left out, because removing them would spoil unrelated text.
 */
export function secretValues(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value = ""]) => {
    const passwords = Array.from(value.matchAll(urlPassword), (match) => match[1] ?? "");
    const named = secretVariable.test(name) ? value.trim() : "";
    return [named, ...passwords].filter(isSecret);
  });
}

function isSecret(value: string): boolean {
  return value.length >= shortestSecret && !ordinaryValue.test(value);
}

/** The values and how they look inside a URL and inside JSON text; longest first, so that none leaves a part of another behind. */
export function secretForms(values: readonly string[]): string[] {
  const forms = values
    .filter((value) => value.length >= shortestSecret)
    .flatMap((value) => [
      value,
      decodedText(value),
      encodeURIComponent(value.toWellFormed()),
      JSON.stringify(value).slice(1, -1),
    ]);
  return [...new Set(forms)].toSorted((left, right) => right.length - left.length);
}

function decodedText(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Removes the given values only: for texts that people work with, where a shape alone proves nothing. */
export function knownSecretRemover(values: readonly string[]): SecretRemover {
  const known = secretForms(values);
  return (text) => known.reduce((cleaned, value) => cleaned.replaceAll(value, removedSecret), text);
}

/** Removes the given values, longest first, and everything of a known shape. */
export function secretRemover(values: readonly string[]): SecretRemover {
  const withoutKnown = knownSecretRemover(values);
  return (text) => withoutKnown(text).replace(shapes, removedSecret);
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
