import { overflowPlaces } from "../../../orchestrator/record/overflow-retention.ts";
import { join } from "node:path";
import {
  createConversation,
  loadConversation,
  openConversation,
} from "../../../orchestrator/record/conversation.ts";
import { parseConversationId } from "../../../orchestrator/record/conversation-id.ts";
import { ExecutionDirectory } from "../../../orchestrator/record/execution-directory.ts";
import { conversationIdSchema, newExecutionId } from "../../../orchestrator/contract/identifiers.ts";
import { RecordError } from "../../../orchestrator/record/failure.ts";
import { openJobJournal } from "../../../orchestrator/record/job-journal.ts";
import { OverflowStore } from "../../../orchestrator/record/overflow-store.ts";
import { prepareRoots, resolveRoots } from "../../../orchestrator/record/roots.ts";

/**
 * Run by `disk-full.test.ts` inside a sandbox where the directory named first cannot be written. The conversation named
 * second is in it. Prints one JSON object: what every kind of write was answered with, and how many records were read.
 */
async function main(disk: string, text: string): Promise<void> {
  const id = parseConversationId(text) ?? conversationIdSchema.parse(text);
  const options = { directory: disk, now: () => 1_800_000_000_000 };
  const execution = new ExecutionDirectory(join(disk, "tasks"), id, newExecutionId());
  const attempts = {
    roots: () => prepareRoots(resolveRoots({ HOME: disk })),
    create: () => createConversation(options, { directory: "/", model: "m", reasoningEffort: "low" }),
    open: () => openConversation(options, id),
    jobs: () => openJobJournal(join(disk, "jobs.sexp")),
    activity: () => execution.writeActivity({ toolCount: 0, updatedAt: 0 }),
    artifact: () => execution.writeArtifact("a.txt", ""),
    overflow: () => new OverflowStore(overflowPlaces(disk)).put("text"),
  };
  const codes: Record<string, string> = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    codes[name] = await attempt().then(
      () => "written",
      (error: unknown) => (error instanceof RecordError ? error.code : String(error)),
    );
  }
  const { records } = await loadConversation(options, id);
  process.stdout.write(JSON.stringify({ codes, read: records.length }));
}

await main(process.argv[2] ?? "", process.argv[3] ?? "");
