/** What a drilled run left on disk, read after the recovery. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { conversationIdSchema } from "../../orchestrator/contract/identifiers.ts";
import type { JobRecord } from "../../orchestrator/jobs/journal-records.ts";
import { loadConversation } from "../../orchestrator/record/conversation.ts";
import { jobRecordCodec } from "../../orchestrator/record/job-journal.ts";
import { readJournal } from "../../orchestrator/record/journal.ts";
import type { Sandpit } from "../../test/support/cli/launch.ts";
import { type TreeName, editedFilesOf, effectLog } from "./job-tree.ts";

export type RecordedResult = { readonly callId: string; readonly status: string; readonly output: string };

export type Evidence = {
  /** Every line that an effect left, in all files. */
  readonly effects: readonly string[];
  readonly records: readonly JobRecord[];
  /** What was wrong in the journal after the recovery. */
  readonly anomalies: readonly string[];
  /** Tool results by the conversation that holds them. */
  readonly results: ReadonlyMap<string, readonly RecordedResult[]>;
  /** Executions that have a `terminal.sexp`. */
  readonly terminals: readonly string[];
  /** Executions whose work in a worktree is an artifact. */
  readonly secured: readonly string[];
  /** Executions whose checkout is there. */
  readonly checkouts: readonly string[];
};

/** The data root of a sandpit's person. */
export function dataRoot(pit: Sandpit): string {
  return join(pit.home, ".local/share/autolith");
}

/** The job journal of the one conversation that has one, or undefined while there is none. */
export function journalOf(
  pit: Sandpit,
): { readonly conversation: string; readonly path: string } | undefined {
  const directory = join(dataRoot(pit), "conversations");
  const name = namesIn(directory).find((each) => each.endsWith(".jobs.sexp"));
  return name === undefined
    ? undefined
    : { conversation: name.slice(0, -".jobs.sexp".length), path: join(directory, name) };
}

/** Gathers the evidence. */
export async function gatherEvidence(
  pit: Sandpit,
  journal: { conversation: string; path: string } | undefined,
  tree: TreeName = "deep",
): Promise<Evidence> {
  const records: JobRecord[] = [];
  const anomalies: string[] = [];
  if (journal !== undefined) {
    const onAnomaly = (anomaly: { readonly kind: string }): void => void anomalies.push(anomaly.kind);
    for await (const { record } of readJournal({
      path: journal.path,
      codec: jobRecordCodec,
      firstSeq: 1,
      onAnomaly,
    }))
      if (record.kind !== "compacted") records.push(record);
  }
  const tasks = join(dataRoot(pit), "tasks", journal?.conversation ?? "none");
  return {
    effects: [effectLog, ...editedFilesOf(tree)].flatMap((name) => linesOf(join(pit.workspace, name))),
    records,
    anomalies,
    results: await recordedResults(pit, records),
    terminals: having(tasks, "terminal.sexp"),
    secured: having(tasks, "worktree-artifact.sexp"),
    checkouts: namesIn(join(dataRoot(pit), "task-worktrees/checkouts")),
  };
}

/** Executions whose directory holds that file. */
function having(tasks: string, file: string): readonly string[] {
  return namesIn(tasks).filter((execution) => existsSync(join(tasks, execution, file)));
}

async function recordedResults(
  pit: Sandpit,
  records: readonly JobRecord[],
): Promise<ReadonlyMap<string, readonly RecordedResult[]>> {
  const directory = join(dataRoot(pit), "conversations");
  const results = new Map<string, readonly RecordedResult[]>();
  for (const record of records) {
    if (record.kind !== "intent" || results.has(record.conversationId)) continue;
    const { records: stored } = await loadConversation(
      { directory },
      conversationIdSchema.parse(record.conversationId),
    );
    results.set(
      record.conversationId,
      stored.flatMap(({ record: each }) =>
        each.kind === "tool-result"
          ? [{ callId: each.callId, status: each.status, output: each.output }]
          : [],
      ),
    );
  }
  return results;
}

function linesOf(path: string): readonly string[] {
  return existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
}

function namesIn(directory: string): readonly string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}
