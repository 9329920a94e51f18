/**
 * Resources: what `resource.read` observes and `resource.edit` changes, named by URIs. Each scheme (`workspace:`, `shell-log:`,
 * `context:`…) is one object; the two tools choose by the scheme of the URI.
 */
import { z } from "zod";
import { AutolithError } from "../contract/failure.ts";
import type { ToolContext, ToolOutcome } from "../contract/tool.ts";

/** Longest URI, in UTF-16 units. */
export const uriLimit = 8_192;

export const resourceUriSchema = z.string().min(2).max(uriLimit);

/** Arguments of `resource.read`. Which of them a resource knows is its scheme's business; the others are refused. */
export const resourceReadSchema = z.strictObject({
  uri: resourceUriSchema.describe(
    "The resource, such as workspace:src/main.ts or workspace:. for a directory.",
  ),
  "start-line": z.int().min(1).optional().describe("First line or directory entry, from 1."),
  "line-count": z.int().min(1).max(1_000).optional().describe("Lines or entries; 400 when absent."),
  query: z.string().min(1).max(1_024).optional().describe("Literal text: shows the places where it occurs."),
  "max-results": z.int().min(1).max(50).optional().describe("Places shown for a query; 20 when absent."),
  "byte-offset": z.int().min(0).optional().describe("First byte of a window, from 0."),
  "byte-count": z.int().min(1).max(4_096).optional().describe("Bytes of a window; 4096 when absent."),
  "start-sequence": z.int().min(0).optional().describe("First record of a conversation."),
  "record-count": z.int().min(1).max(200).optional().describe("Records of a conversation; 20 when absent."),
});

export type ResourceRead = z.infer<typeof resourceReadSchema>;

/** One `resource.edit`: the scheme checks the operations by its own schema before it is called. */
export type ResourceEdit = {
  readonly uri: string;
  readonly baseRevision: string;
  readonly operations: readonly unknown[];
};

export type ResourceScheme = {
  /** Without the colon. */
  readonly scheme: string;
  read(request: ResourceRead, context: ToolContext): Promise<ToolOutcome>;
  /** Absent: resources of this scheme are read only. */
  readonly editing?: {
    /** Schema of one operation, shown to the model. */
    readonly operation: z.ZodType;
    edit(request: ResourceEdit, context: ToolContext): Promise<ToolOutcome>;
    /** Names the mutable thing behind a URI: edits with equal names run in wire order. */
    resourceName(uri: string, workspace: string): string;
  };
};

/**
 * A resource that cannot be read or edited as asked.
 *
 * - `unknown-scheme`, `malformed-uri`: the URI; the message says what is expected.
 * - `unsupported-argument`: an argument this resource does not know.
 * - `not-found`, `not-regular`, `permission-denied`, `too-large`: the thing itself; `too-large` names the bound.
 * - `read-only-resource`: this scheme, or this resource, has no edits.
 * - `stale-revision`: the resource is not what was read; the message holds the fresh revision and content.
 * - `anchor-mismatch`, `invalid-operation`: the operations do not fit the base revision.
 * - `unsupported-encoding`: the edit would damage a file that is no UTF-8 text.
 */
export class ResourceError extends AutolithError {
  declare readonly code: ResourceErrorCode;

  constructor(code: ResourceErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(code, message, options);
  }
}

export type ResourceErrorCode =
  | "unknown-scheme"
  | "malformed-uri"
  | "unsupported-argument"
  | "not-found"
  | "not-regular"
  | "permission-denied"
  | "too-large"
  | "read-only-resource"
  | "stale-revision"
  | "anchor-mismatch"
  | "invalid-operation"
  | "unsupported-encoding"
  | "resource-busy"
  | "resource-unavailable";

/** Refuses arguments that a resource does not know, so that none is silently ignored. */
export function refuseOthers(request: ResourceRead, known: readonly (keyof ResourceRead)[]): void {
  const others = Object.keys(request).filter(
    (name) => name !== "uri" && !known.includes(name as keyof ResourceRead),
  );
  if (others.length === 0) return;
  throw new ResourceError(
    "unsupported-argument",
    `${request.uri} does not take ${others.join(", ")}; it takes ${known.length === 0 ? "no arguments" : known.join(", ")}.`,
  );
}
