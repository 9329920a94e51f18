/** What a model may ask for: URIs of resources, and operations on their lines. */
import { overflowPlaces } from "../../orchestrator/record/overflow-retention.ts";
import { isAbsolute } from "node:path";
import { z } from "zod";
import { RecordError } from "../../orchestrator/record/failure.ts";
import { OverflowStore } from "../../orchestrator/record/overflow-store.ts";
import { ResourceError } from "../../orchestrator/resources/resource-scheme.ts";
import { editOperationSchema } from "../../workers/workspace/edit-operation.ts";
import { pathOfUri, workspaceUri } from "../../workers/workspace/file-uri.ts";
import { applyEdits } from "../../workers/workspace/line-edit.ts";
import { anchorOf, lineSpans, markLength } from "../../workers/workspace/line-index.ts";
import { formatShellLog, parseShellLog } from "../../workers/shell/shell-log-reference.ts";
import { type Damage, damagedDocument, damagedValue } from "./mutation.ts";
import type { Random } from "./random.ts";
import { type FuzzSubject, errorOf, expectThat } from "./subject.ts";

const uris: Damage = {
  documents: [
    "workspace:src/main.ts",
    "workspace:.",
    "workspace:%2Fetc/pass%20wd",
    "file:///tmp/a%20b/%C3%A9",
    "file://host/share",
    `shell-log:pQ3nT7x/6a3e6f52-6a0c-4f0e-9a58-0b8f5f6a8f10/a1/output`,
    `context:${"0123456789abcdef".repeat(4)}`,
  ].map((text) => Buffer.from(text)),
  pieces: [
    ..."/:.%?#\\ @".split(""),
    ...[
      "..",
      "../",
      "%2e%2e%2f",
      "%00",
      "%ff",
      "%",
      "//",
      "\0",
      "é",
      "😀",
      "~",
      "file:",
      "workspace:",
      "[::1]",
      "C:\\",
    ],
  ],
};

const workspace = "/w/ork";

const resourceUris: FuzzSubject = {
  name: "resource-uris",
  run: async (random) => {
    const uri = damagedDocument(random, uris).bytes.toString();
    checkPath(uri);
    const log = parseShellLog(uri);
    if (log !== undefined) {
      expectThat(formatShellLog(log) === uri, "a reference to a capture is written as it is read", uri);
      const parts = [log.conversationId, log.executionId, log.artifactId];
      expectThat(
        parts.every((part) => !/^\.|\/|\0/.test(part)),
        "no part of it climbs out",
        uri,
      );
    }
    const problem = await contextProblem(uri);
    if (problem !== undefined && !(problem instanceof RecordError)) throw problem;
  },
};

function checkPath(uri: string): void {
  let path = "";
  const error = errorOf(() => (path = pathOfUri(uri, workspace)));
  if (error !== undefined) {
    if (!(error instanceof ResourceError)) throw error;
    const shown = JSON.stringify(uri).slice(1, 12);
    expectThat(error.message.includes(shown), `the refusal shows the URI, not only "${error.message}"`, uri);
    return;
  }
  expectThat(isAbsolute(path) && !path.split("/").includes(".."), "a path is absolute and plain", uri);
  expectThat(!path.includes("\0"), "no path holds NUL", uri);
  expectThat(pathOfUri(workspaceUri(path, workspace), workspace) === path, "a path survives its URI", uri);
}

async function contextProblem(uri: string): Promise<unknown> {
  try {
    await new OverflowStore(overflowPlaces("/nowhere")).read(uri, 0, 16);
    return undefined;
  } catch (error) {
    return error;
  }
}

const texts: Damage = {
  documents: [
    "",
    "one",
    "one\ntwo\nthree\n",
    "a\r\nb\r\nc",
    "\ufeffä\n\n\n",
    "mixed\r\nends\nhere\rthere\r\n",
  ].map((text) => Buffer.from(text)),
  pieces: ["\n", "\r\n", "\r", "\ufeff", "x", "é", "😀", "\n\n"],
};

const operationsSchema = z.array(editOperationSchema).min(1);

const editOperations: FuzzSubject = {
  name: "edit-operations",
  run: (random) => {
    const base = damagedDocument(random, texts).bytes;
    const operations = Array.from({ length: 1 + random.upTo(3) }, () => randomOperation(random, base));
    const asked = random.oneIn(3) ? damagedValue(random, operations) : operations;
    const parsed = operationsSchema.safeParse(asked);
    if (!parsed.success) return expectThat(parsed.error.issues.length > 0, "a refusal says why", asked);
    const copy = Buffer.from(base);
    const error = errorOf(() => checkEdit(base, parsed.data));
    expectThat(copy.equals(base), "the base is not changed", base);
    if (error !== undefined && !(error instanceof ResourceError)) throw error;
  },
};

/** Untouched bytes stay: the new text begins as the old one up to the first touched line and ends as it from the last. */
function checkEdit(base: Buffer, operations: z.infer<typeof operationsSchema>): void {
  const { bytes, changed } = applyEdits(base, operations);
  const spans = lineSpans(base);
  const places = operations.flatMap((operation) =>
    operation.operation === "replace-empty"
      ? []
      : "line" in operation
        ? [operation.line, operation.line]
        : [operation["start-line"], operation["end-line"]],
  );
  const input = [base.toString("latin1"), operations];
  const [first, last] = [spans[Math.min(...places) - 1], spans[Math.max(...places) - 1]];
  if (first !== undefined && last !== undefined) {
    const head = base.subarray(0, first.start);
    const tail = base.subarray(last.next);
    expectThat(
      bytes.subarray(0, head.length).equals(head),
      "bytes before the first touched line stay",
      input,
    );
    expectThat(
      bytes.subarray(bytes.length - tail.length).equals(tail),
      "bytes behind the last touched line stay",
      input,
    );
  }
  // A text of nothing but a byte order mark has no line, though an empty one was put into it.
  const lineCount = Math.max(lineSpans(bytes).length, markLength(bytes) === bytes.length ? 1 : 0);
  const inside = changed.every(
    (range) => range.first >= 1 && range.last <= lineCount && range.last >= range.first - 1,
  );
  expectThat(
    changed.length === operations.length && inside,
    `changed lines exist (${JSON.stringify(changed)} of ${lineCount})`,
    input,
  );
}

function randomOperation(random: Random, base: Buffer): unknown {
  const spans = lineSpans(base);
  const line = 1 + random.upTo(spans.length);
  const span = spans[line - 1];
  const anchor =
    random.oneIn(2) && span !== undefined ? { anchor: anchorOf(base.subarray(span.start, span.end)) } : {};
  const content = damagedDocument(random, texts).bytes.toString();
  switch (random.upTo(4)) {
    case 0:
      return { operation: "replace-empty", content };
    case 1:
      return { operation: "insert-before", line, content, ...anchor };
    case 2:
      return { operation: "insert-after", line, content, ...anchor };
    case 3:
      return { operation: "delete-lines", "start-line": line, "end-line": line + random.upTo(2) };
    default:
      return { operation: "replace-lines", "start-line": line, "end-line": line + random.upTo(2), content };
  }
}

/** URIs and edits. */
export const resourceSubjects: readonly FuzzSubject[] = [resourceUris, editOperations];
