/** One retained job as its files and the job table show it. */
import { z } from "zod";
import type { ExecutionId } from "../contract/identifiers.ts";
import { type JobPayload, jobCatalog } from "../contract/job-catalog.ts";
import type { ExecutionDirectory } from "../record/execution-directory.ts";
import type {
  ContinuityRecord,
  ReviveRecord,
  ReviveResultRecord,
  TerminalRecord,
} from "../record/execution-records.ts";
import { RecordError } from "../record/failure.ts";
import { type ContinuityClass, classify } from "./classification.ts";

/** A saved worker image and the REPL to start from it. */
export const checkpointSchema = z.strictObject({
  image: z.string().min(1).max(256),
  repl: z.string().min(1).max(64),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

export type ContinuityEntry = {
  readonly executionId: ExecutionId;
  readonly classification: ContinuityClass;
  readonly record: ContinuityRecord;
  /** The child's specification; undefined for executions. */
  readonly specification: JobPayload<"agent"> | undefined;
  readonly terminal: TerminalRecord | undefined;
  /** Why a file of its end cannot be read. */
  readonly problem: string | undefined;
  readonly checkpoint: Checkpoint | undefined;
  readonly revive: ReviveRecord | undefined;
  readonly reviveResult: ReviveResultRecord | undefined;
};

export type EntryParts = {
  readonly directory: ExecutionDirectory;
  readonly executionId: ExecutionId;
  readonly live: boolean;
  readonly isUsable: (checkpoint: Checkpoint) => Promise<boolean>;
};

/** Reads it; undefined when the directory holds no continuity record. */
export async function readEntry(parts: EntryParts): Promise<ContinuityEntry | undefined> {
  const { directory, executionId, live } = parts;
  const record = await directory.readContinuity();
  if (record === undefined) return undefined;
  const end = await readEnd(directory);
  const revive = await directory.readRevive();
  const checkpoint = checkpointSchema.safeParse(record.checkpoint).data;
  const specification =
    record.kind === "task" ? jobCatalog.agent.payload.safeParse(record.specification).data : undefined;
  const classification = classify({
    live,
    unreadable: end.problem !== undefined,
    ended: end.ended,
    abandoned: (await directory.readAbandon()) !== undefined,
    reviveClaimed: revive !== undefined,
    checkpointUsable: checkpoint !== undefined && (await parts.isUsable(checkpoint)),
    restartSafe: record.restartSafety !== undefined,
    restartable: specification !== undefined && specification.isolation === undefined,
  });
  return {
    executionId,
    classification,
    record,
    specification,
    terminal: end.terminal,
    problem: end.problem,
    checkpoint,
    revive,
    reviveResult: await directory.readReviveResult(),
  };
}

type End = {
  readonly ended: boolean;
  readonly terminal: TerminalRecord | undefined;
  readonly problem: string | undefined;
};

async function readEnd(directory: ExecutionDirectory): Promise<End> {
  try {
    const terminal = await directory.readTerminal();
    const ended = terminal !== undefined || (await directory.readResult()) !== undefined;
    return { ended, terminal, problem: undefined };
  } catch (error) {
    if (!(error instanceof RecordError) || error.code !== "malformed") throw error;
    return { ended: true, terminal: undefined, problem: error.message };
  }
}
