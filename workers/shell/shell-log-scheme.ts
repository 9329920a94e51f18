import type { ToolCaller } from "../../orchestrator/contract/caller.ts";
import type { ToolContext, ToolOutcome } from "../../orchestrator/contract/tool.ts";
import { refuseOthers, ResourceError } from "../../orchestrator/resources/resource-scheme.ts";
import type { ResourceRead, ResourceScheme } from "../../orchestrator/resources/resource-scheme.ts";
import type { StreamRecord } from "./capture-record.ts";
import type { CaptureStore } from "./capture-store.ts";
import { readLogWindow, searchLog, searchResultLimit, windowLimitBytes } from "./shell-log-reader.ts";
import { parseShellLog } from "./shell-log-reference.ts";

export interface ShellLogSchemeParts {
  readonly captures: CaptureStore;
  /** Whether a caller may look at an execution of its own root conversation (the primary at all, children at their own). */
  readonly mayInspect: (caller: ToolCaller, executionId: string) => boolean;
}

/** The scheme `shell-log:`: windows of a captured stream and literal search in it. */
export function shellLogScheme(parts: ShellLogSchemeParts): ResourceScheme {
  return {
    scheme: "shell-log",
    read: async (request, context) => await readShellLog(request, context, parts),
  };
}

async function readShellLog(
  request: ResourceRead,
  { caller }: ToolContext,
  { captures, mayInspect }: ShellLogSchemeParts,
): Promise<ToolOutcome> {
  refuseOthers(request, ["byte-offset", "byte-count", "query", "max-results"]);
  const reference = parseShellLog(request.uri);
  if (reference === undefined) {
    throw new ResourceError(
      "malformed-uri",
      `Expected shell-log:CONVERSATION/EXECUTION/ARTIFACT/output or …/error, got ${JSON.stringify(request.uri)}.`,
    );
  }
  if (reference.conversationId !== caller.rootConversationId || !mayInspect(caller, reference.executionId)) {
    throw new ResourceError(
      "permission-denied",
      `${request.uri} belongs to an execution this caller may not inspect.`,
    );
  }
  const found = await captures.find(reference);
  if (found.kind === "pruned") {
    throw new ResourceError(
      "not-found",
      `${request.uri} was pruned at ${new Date(found.prunedAt).toISOString()} to keep within the limits of captures.`,
    );
  }
  if (found.kind === "missing") throw new ResourceError("not-found", `There is no capture ${request.uri}.`);
  const offset = request["byte-offset"] ?? 0;
  if (request.query !== undefined) {
    const { query, "max-results": maxResults = searchResultLimit } = request;
    return await searchOutcome(request.uri, found.path, found.stream, { query, offset, maxResults });
  }
  return await windowOutcome(
    request.uri,
    found.path,
    found.stream,
    offset,
    request["byte-count"] ?? windowLimitBytes,
  );
}

function header(uri: string, stream: StreamRecord): string {
  const { status, observedBytes, retainedBytes, failure } = stream;
  const counts = `${retainedBytes} bytes retained of ${observedBytes} observed · ${status}`;
  return `${uri}\n${counts}${failure === undefined ? "" : ` · ${failure}`}`;
}

async function windowOutcome(
  uri: string,
  path: string,
  stream: StreamRecord,
  offset: number,
  count: number,
): Promise<ToolOutcome> {
  const window = await readLogWindow(path, offset, count);
  const end = window.byteOffset + window.byteCount;
  const more = window.nextOffset === undefined ? "" : `\n[more: byte-offset ${window.nextOffset}]`;
  return {
    status: "ok",
    content: `${header(uri, stream)} · bytes ${window.byteOffset}-${end}\n${window.text}${more}`,
    details: {
      byteOffset: window.byteOffset,
      byteCount: window.byteCount,
      totalBytes: window.totalBytes,
      ...(window.nextOffset === undefined ? {} : { nextOffset: window.nextOffset }),
    },
  };
}

async function searchOutcome(
  uri: string,
  path: string,
  stream: StreamRecord,
  search: { readonly query: string; readonly offset: number; readonly maxResults: number },
): Promise<ToolOutcome> {
  const found = await searchLog(path, search.query, search.offset, search.maxResults);
  const lines = found.excerpts.map(({ byteOffset, text }) => `@${byteOffset}: ${text}`);
  const scanned = `searched bytes ${found.scannedFrom}-${found.scannedTo}, ${found.excerpts.length} found`;
  const more = found.nextOffset === undefined ? "" : `\n[more: byte-offset ${found.nextOffset}]`;
  return {
    status: "ok",
    content: `${[`${header(uri, stream)} · ${scanned}`, ...lines].join("\n")}${more}`,
    details: {
      matches: found.excerpts.length,
      ...(found.nextOffset === undefined ? {} : { nextOffset: found.nextOffset }),
    },
  };
}
