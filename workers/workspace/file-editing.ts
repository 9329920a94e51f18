import { dirname } from "node:path";
import type { ToolContext, ToolOutcome } from "../../orchestrator/contract/tool.ts";
import { createDirectory } from "../../orchestrator/record/roots.ts";
import { ResourceError } from "../../orchestrator/resources/resource-scheme.ts";
import { type ChangeExcerpt, changeExcerpt } from "./change-excerpt.ts";
import { HeldDirectory, openRegular, pathFailure } from "./confined-file.ts";
import type { AllowedPath } from "./confined-file.ts";
import type { EditOperation } from "./edit-operation.ts";
import { fitLines } from "./file-reading.ts";
import { LineScanner } from "./file-scan.ts";
import type { ScannedLine } from "./file-scan.ts";
import { publishText } from "./file-publication.ts";
import { applyEdits } from "./line-edit.ts";
import type { EditedText } from "./line-edit.ts";
import type { PublicationMark } from "./publication-mark.ts";
import type { RegularFile } from "./regular-file.ts";
import { absentRevision, revisionOf } from "./line-index.ts";

/** Largest file that is edited by lines. */
export const editLimitBytes = 64 * 1024 * 1024;
/** Lines shown around a change. */
const contextLines = 3;
/** Lines shown of a file that is not what the caller read. */
const staleLines = 60;

export interface FileEdit {
  readonly uri: string;
  readonly baseRevision: string;
  readonly operations: readonly EditOperation[];
}

/** Applies an edit to the file at an allowed path. The caller holds the mutation lock. Throws {@link ResourceError}. */
export async function editFile(
  edit: FileEdit,
  target: AllowedPath,
  context: ToolContext,
  mark: PublicationMark,
): Promise<ToolOutcome> {
  if (!target.exists) return await createFile(edit, target, mark);
  const directory = HeldDirectory.open(dirname(target.path));
  try {
    const file = openRegular(directory, target.path);
    if (file === undefined) {
      throw new ResourceError("not-regular", `${target.path} is a directory and is not edited by lines.`);
    }
    const base = await readWhole(file, target.path);
    context.signal.throwIfAborted();
    const revision = revisionOf(base);
    if (revision !== edit.baseRevision) return staleOutcome(edit, base, revision);
    const edited = applyEdits(base, edit.operations);
    if (!edited.bytes.equals(base)) {
      await publishText(directory, target.path, edited.bytes, { before: file.stats, mark });
    }
    return editedOutcome(edit.uri, edited, changeExcerpt(target.path, base, edited.bytes));
  } finally {
    directory.close();
  }
}

async function readWhole(file: RegularFile, path: string): Promise<Buffer> {
  try {
    if (file.stats.size > editLimitBytes) {
      throw new ResourceError(
        "too-large",
        `${path} has ${file.stats.size} bytes; files of at most ${editLimitBytes} are edited by lines. Use a command.`,
      );
    }
    return await file.readAll();
  } finally {
    file.close();
  }
}

async function createFile(edit: FileEdit, target: AllowedPath, mark: PublicationMark): Promise<ToolOutcome> {
  if (edit.baseRevision !== absentRevision) {
    throw new ResourceError(
      "stale-revision",
      `${edit.uri} does not exist any more; its revision is ${absentRevision} now, not ${edit.baseRevision}. Nothing was changed.`,
    );
  }
  const edited = applyEdits(Buffer.alloc(0), edit.operations);
  await createDirectory(dirname(target.path)).catch((error: unknown) => {
    throw pathFailure(error, dirname(target.path));
  });
  const directory = HeldDirectory.open(dirname(target.path));
  try {
    await publishText(directory, target.path, edited.bytes, { before: undefined, mark });
  } finally {
    directory.close();
  }
  return editedOutcome(edit.uri, edited, changeExcerpt(target.path, undefined, edited.bytes));
}

/** What is there now, around the lines the edit was about, so that the caller can go on without another read. */
function staleOutcome(edit: FileEdit, base: Buffer, revision: string): ToolOutcome {
  const lines = edit.operations.map((operation) =>
    "line" in operation ? operation.line : "start-line" in operation ? operation["start-line"] : 1,
  );
  const around = Math.max(1, Math.min(...lines) - Math.floor(staleLines / 2));
  const { shown, totalLines } = linesBetween(base, [{ first: around, last: around + staleLines - 1 }]);
  return {
    status: "error",
    code: "stale-revision",
    content:
      `${edit.uri}: base-revision ${edit.baseRevision} is stale and nothing was changed. ` +
      `It is now revision ${revision} with ${totalLines} lines, here from line ${around}:\n${fitLines(shown).text}`,
    details: { revision },
  };
}

function editedOutcome(
  uri: string,
  { bytes, changed }: EditedText,
  diff: ChangeExcerpt | undefined,
): ToolOutcome {
  const ranges = changed.map(({ first, last }) => ({
    first: Math.max(1, first - contextLines),
    last: Math.max(first, last) + contextLines,
  }));
  const { shown, totalLines } = linesBetween(bytes, ranges);
  const revision = revisionOf(bytes);
  const text = fitLines(shown).text;
  return {
    status: "ok",
    content: `${uri}\nedited: revision ${revision} · ${totalLines} lines · ${bytes.length} bytes\n${text}`,
    details: {
      revision,
      totalLines,
      totalBytes: bytes.length,
      ...(diff === undefined ? {} : { diff }),
    },
    resourceUris: [uri],
  };
}

function linesBetween(
  bytes: Buffer,
  ranges: readonly { readonly first: number; readonly last: number }[],
): { readonly shown: readonly ScannedLine[]; readonly totalLines: number } {
  const scanner = new LineScanner(
    { wants: (number) => ranges.some(({ first, last }) => number >= first && number <= last) },
    400,
  );
  scanner.feed(bytes);
  const scan = scanner.end();
  return { shown: scan.lines, totalLines: scan.totalLines };
}
