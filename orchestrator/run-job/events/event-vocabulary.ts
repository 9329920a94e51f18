import type { EventCategory, RunStatus } from "../categories.ts";

/** The statuses that events may show. */
export const eventStatuses = [
  ...(["queued", "running", "succeeded", "failed", "timed-out", "cancelled", "aborted"] as const),
  ...(["success", "failure", "error"] as const),
  ...(["provider-request-started", "provider-request-completed", "provider-progress"] as const),
] as const;
export type EventStatus = (typeof eventStatuses)[number];

/** The statuses of `:run-finished`. */
export const runStatuses = [
  "succeeded",
  "failed",
  "timed-out",
  "cancelled",
] as const satisfies readonly RunStatus[];

/** What a `:warning` is about. */
export const warningCodes = [
  "invalid-event",
  "stream-failed",
  "stream-interrupted",
  "slow-consumer",
  "queue-full",
  "writer-unavailable",
] as const;
export type WarningCode = (typeof warningCodes)[number];

/** The type of each data key's value. Integers are 0 to 2^63−1; strings are 1 to 4,096 characters. */
export interface EventFieldValues {
  readonly "job-id": string;
  readonly "execution-id": string;
  readonly "call-id": string;
  readonly "tool-name": string;
  readonly status: EventStatus;
  readonly category: EventCategory;
  readonly code: WarningCode;
  readonly count: number | bigint;
  readonly "input-tokens": number | bigint;
  readonly "output-tokens": number | bigint;
  readonly "total-tokens": number | bigint;
  readonly "provider-requests": number | bigint;
  readonly output: string;
  readonly "output-path": string;
  readonly "result-uri": string;
  readonly "resource-uris": readonly string[];
  readonly "published-p": boolean;
}
export type EventField = keyof EventFieldValues;

/** The data keys that each kind of event may have, in the order in which they are written. */
export const eventFields = {
  "run-started": ["output", "output-path"],
  "job-started": ["job-id", "execution-id", "status"],
  "tool-started": ["job-id", "call-id", "execution-id", "tool-name", "status"],
  progress: ["job-id", "call-id", "execution-id", "count", "status"],
  "tool-finished": [
    "job-id",
    "call-id",
    "execution-id",
    "tool-name",
    "status",
    "result-uri",
    "resource-uris",
  ],
  usage: ["job-id", "input-tokens", "output-tokens", "total-tokens", "provider-requests"],
  "job-finished": ["job-id", "execution-id", "status", "result-uri", "category", "published-p"],
  warning: ["code"],
  "progress-omitted": ["count"],
  "run-finished": ["job-id", "status", "output", "output-path", "published-p", "result-uri", "category"],
} as const satisfies Record<string, readonly EventField[]>;

export type EventKind = keyof typeof eventFields;
export const eventKinds = Object.keys(eventFields) as readonly EventKind[];

/** Data of one kind of event: any subset of its keys. */
export type EventData<Kind extends EventKind> = {
  readonly [Field in (typeof eventFields)[Kind][number]]?: EventFieldValues[Field] | undefined;
};

/** An event before the writer gives it its run, number and time. */
export type EventPayload = {
  readonly [Kind in EventKind]: { readonly kind: Kind; readonly data: EventData<Kind> };
}[EventKind];

/** What every record of a run carries. */
export interface EventEnvelope {
  /** UUID of the run. */
  readonly runId: string;
  /** 1 for the first record of the run; each delivered record is one more than the one before it. */
  readonly seq: number;
  /** When it was written, `YYYY-MM-DDTHH:MM:SSZ`. */
  readonly time: string;
}

/** One record of the stream. */
export type EventRecord = EventEnvelope & EventPayload;

/** Bounds of one record. */
export const eventLimits = {
  /** UTF-8 bytes, the final newline included. */
  maxRecordBytes: 16_384,
  maxStringCharacters: 4096,
  maxDepth: 8,
  maxNodes: 256,
  maxInteger: 2n ** 63n - 1n,
} as const;
