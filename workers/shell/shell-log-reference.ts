/** Which stream of a command: `output` is standard output, with standard error in it unless they were separated. */
export type ShellLogStream = "output" | "error";

/** Names one captured stream for ever: `shell-log:<root conversation>/<execution>/<artifact>/output|error`. */
export interface ShellLogReference {
  readonly conversationId: string;
  readonly executionId: string;
  readonly artifactId: string;
  readonly stream: ShellLogStream;
}

// A part is one path component of the capture directory, so nothing that could climb or hide is allowed.
const partPattern = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}$/;
const scheme = "shell-log:";

export function formatShellLog(reference: ShellLogReference): string {
  const { conversationId, executionId, artifactId, stream } = reference;
  return `${scheme}${conversationId}/${executionId}/${artifactId}/${stream}`;
}

/** Reads a reference; undefined when the text is none. */
export function parseShellLog(uri: string): ShellLogReference | undefined {
  if (!uri.startsWith(scheme)) return undefined;
  const parts = uri.slice(scheme.length).split("/");
  const [conversationId, executionId, artifactId, stream] = parts;
  if (parts.length !== 4 || conversationId === undefined || executionId === undefined) return undefined;
  if (artifactId === undefined || (stream !== "output" && stream !== "error")) return undefined;
  if (![conversationId, executionId, artifactId].every((part) => isReferencePart(part))) return undefined;
  return { conversationId, executionId, artifactId, stream };
}

/** Whether a text may stand as one part of a reference. */
export function isReferencePart(text: string): boolean {
  return partPattern.test(text);
}
