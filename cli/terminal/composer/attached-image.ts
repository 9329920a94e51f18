/** Images that go with an input. */

/** An image as it is sent, and the file it came from. */
export type AttachedImage = {
  /** As it was written. */
  readonly path: string;
  readonly bytes: number;
  readonly mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  /** Base64. */
  readonly data: string;
};

/**
 * The path that a paste is when it is nothing but the name of an image file, as terminals paste a file that is dropped on them: plain, in
 * quotes, with backslashes before what a shell would take, or as a `file:` address. Undefined for everything else.
 */
export function pastedImagePath(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 4_096 || trimmed.includes("\n") || !/\.(?:png|jpe?g|gif|webp)['"]?$/i.test(trimmed))
    return undefined;
  const quoted = /^(['"])([^'"]+)\1$/.exec(trimmed)?.[2];
  if (quoted !== undefined) return quoted;
  if (trimmed.startsWith("file://")) return addressPath(trimmed);
  if (/(?<!\\)\s/.test(trimmed)) return undefined;
  return trimmed.replace(/\\(.)/g, "$1");
}

function addressPath(address: string): string | undefined {
  try {
    return decodeURIComponent(address.replace(/^file:\/\/(?:localhost)?/, ""));
  } catch {
    // It is no address after all.
    return undefined;
  }
}
