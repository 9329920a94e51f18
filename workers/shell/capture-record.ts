import { z } from "zod";

/**
 * Completeness of one captured stream. `capturing`: still running. `complete`: everything written is retained. `limit`:
 * the stream was longer than its limit. `failed`: the file could not be written; `failure` says why. `cut`: a process that
 * could not be ended still held the stream. `interrupted`: the host died while capturing.
 */
const streamStatusSchema = z.enum(["capturing", "complete", "limit", "failed", "cut", "interrupted"]);
export type StreamStatus = z.infer<typeof streamStatusSchema>;

const streamRecordSchema = z.strictObject({
  status: streamStatusSchema,
  /** Bytes the command wrote. */
  observedBytes: z.int().nonnegative(),
  /** Bytes that are in the file. */
  retainedBytes: z.int().nonnegative(),
  failure: z.string().max(2000).optional(),
});
export type StreamRecord = z.infer<typeof streamRecordSchema>;

/** `capture.json` of one artifact: written when the capture opens and again when it closes. */
export const captureRecordSchema = z.strictObject({
  version: z.literal(1),
  conversationId: z.string(),
  executionId: z.string(),
  artifactId: z.string(),
  state: z.enum(["active", "interrupted", "closed"]),
  /** The host that captures: an active record of a dead one is interrupted. */
  owner: z.strictObject({ bootId: z.string(), pid: z.int(), startTicks: z.int() }),
  /** Epoch ms. */
  openedAt: z.number(),
  closedAt: z.number().optional(),
  /** False while the completion this belongs to has not been delivered: then it is not pruned. */
  delivered: z.boolean(),
  /** Bytes set aside while active. */
  reservedBytes: z.int().nonnegative(),
  output: streamRecordSchema,
  error: streamRecordSchema.optional(),
});
export type CaptureRecord = z.infer<typeof captureRecordSchema>;

/** Bounds of the capture directory; the defaults are the documented ones. */
export interface CaptureLimits {
  /** Most bytes retained of one stream. Default 64 MiB. */
  readonly streamBytes: number;
  /** Most bytes of all artifacts, those set aside for active captures included. Default 1 GiB. */
  readonly totalBytes: number;
  /** Most artifacts. Default 256. */
  readonly artifacts: number;
  /** Age at which a closed, delivered capture is pruned, in ms. Default 7 days. */
  readonly ageMs: number;
  /** Age at which even an undelivered one is pruned and a tombstone forgotten, in ms. Default 30 days. */
  readonly undeliveredAgeMs: number;
  /** Most tombstones. Default 512. */
  readonly tombstones: number;
}

const dayMs = 86_400_000;

export const defaultCaptureLimits: CaptureLimits = {
  streamBytes: 64 * 1024 * 1024,
  totalBytes: 1024 * 1024 * 1024,
  artifacts: 256,
  ageMs: 7 * dayMs,
  undeliveredAgeMs: 30 * dayMs,
  tombstones: 512,
};

/** Bytes an artifact counts for. */
export function countedBytes(record: CaptureRecord): number {
  const retained = record.output.retainedBytes + (record.error?.retainedBytes ?? 0);
  return record.state === "active" ? Math.max(record.reservedBytes, retained) : retained;
}

export interface RetentionPlan {
  /** Artifacts to remove, oldest first. */
  readonly prune: readonly CaptureRecord[];
  /** Whether the new capture fits once they are removed. */
  readonly fits: boolean;
}

/**
 * What to remove before a capture of `incomingBytes` opens: whatever is over age, then the oldest until it fits. Active
 * captures and undelivered evidence are never removed for room.
 */
export function planRetention(
  records: readonly CaptureRecord[],
  incomingBytes: number,
  limits: CaptureLimits,
  now: number,
): RetentionPlan {
  const age = (record: CaptureRecord): number => now - (record.closedAt ?? record.openedAt);
  const idle = records.filter((record) => record.state !== "active").sort((a, b) => age(b) - age(a));
  const prune = new Set(
    idle.filter((record) => age(record) > (record.delivered ? limits.ageMs : limits.undeliveredAgeMs)),
  );
  let count = records.length - prune.size;
  let bytes = records
    .filter((record) => !prune.has(record))
    .reduce((sum, record) => sum + countedBytes(record), 0);
  const fits = (): boolean => count + 1 <= limits.artifacts && bytes + incomingBytes <= limits.totalBytes;
  for (const record of idle) {
    if (fits()) break;
    if (prune.has(record) || !record.delivered) continue;
    prune.add(record);
    count -= 1;
    bytes -= countedBytes(record);
  }
  return { prune: [...prune], fits: fits() };
}
