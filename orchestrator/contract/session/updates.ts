/**
 * What a conversation shows, one update at a time. Live streaming and the replay of history use the same shapes: a view that can draw
 * one can draw the other. Updates of one conversation come in order; ids are stable between live and replayed forms of the same thing.
 */
import { z } from "zod";
import { type ModelImage, modelImageSchema } from "../model.ts";
import { permissionModeSchema } from "../permissions.ts";
import { formResultSchema } from "./forms.ts";

/** Most characters of one text in an update; longer texts are cut and say so, or come in several chunks. */
export const updateTextLimit = 65_536;

/** Where a user message came from. `automatic`: completions, wakeups and notices that nobody typed. */
export const messageOriginSchema = z.enum(["prompt", "queue", "steering", "automatic"]);
export type MessageOrigin = z.infer<typeof messageOriginSchema>;

/** What began a turn. */
export const turnSourceSchema = z.enum(["prompt", "queue", "completion", "invoke"]);
export type TurnSource = z.infer<typeof turnSourceSchema>;

/** How a turn ended. `condition`: it failed; the failure is beside it. */
export const turnOutcomeSchema = z.enum(["end-turn", "cancelled", "condition"]);
export type TurnOutcome = z.infer<typeof turnOutcomeSchema>;

/** The kind of a tool call for icons and grouping (the words of ACP). */
export const toolKindSchema = z.enum([
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
]);
export type ToolKind = z.infer<typeof toolKindSchema>;

/** `pending`: the model wrote it, it waits (for an approval or a resource). `unknown`: the host died while it ran. */
export const toolStatusSchema = z.enum(["pending", "running", "completed", "failed", "cancelled", "unknown"]);
export type ToolStatus = z.infer<typeof toolStatusSchema>;

/** What a tool call shows: text (cut to {@link updateTextLimit}) or a change of a file. */
export const toolContentSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({
    type: z.literal("diff"),
    /** Absolute path. */
    path: z.string(),
    /** The text that was replaced; null for a new file. */
    oldText: z.string().nullable(),
    newText: z.string(),
  }),
]);
export type ToolContent = z.infer<typeof toolContentSchema>;

export const toolLocationSchema = z.strictObject({
  /** Absolute path. */
  path: z.string(),
  /** From 1. */
  line: z.int().positive().optional(),
});

export const planEntrySchema = z.strictObject({
  /** At most 1,000 characters. */
  content: z.string(),
  priority: z.enum(["high", "medium", "low"]),
  status: z.enum(["pending", "in_progress", "completed"]),
});
export type PlanEntry = z.infer<typeof planEntrySchema>;

/** Token counters; null = unknown, which is not zero. */
export const usageCountersSchema = z.strictObject({
  inputTokens: z.int().nonnegative().nullable(),
  cachedInputTokens: z.int().nonnegative().nullable(),
  outputTokens: z.int().nonnegative().nullable(),
  reasoningTokens: z.int().nonnegative().nullable(),
  /** Requests that were answered. */
  requests: z.int().nonnegative(),
});
export type UsageCounters = z.infer<typeof usageCountersSchema>;

/** An image of an input. */
export const imageSchema = modelImageSchema;
export type SessionImage = ModelImage;

/** One thing that happened in a conversation. `at` is epoch milliseconds. */
export const sessionUpdateSchema = z.discriminatedUnion("type", [
  /** A user message is in the durable record. Show accepted input separately until this arrives with its `inputId`. */
  z.strictObject({
    type: z.literal("user-message"),
    /** `m:<record sequence>`. */
    messageId: z.string(),
    text: z.string(),
    origin: messageOriginSchema,
    /** The id that `prompt`, `steer` or `queue` answered. */
    inputId: z.string().optional(),
    /** Images that came with it (their data is not repeated). */
    images: z.int().nonnegative().optional(),
    at: z.number(),
  }),
  /** Text of the model. Chunks of one `messageId` are joined; `final` marks the last one, also in replays. */
  z.strictObject({
    type: z.literal("message-chunk"),
    /** `r:<request number>:<n>`: the n-th text of a response. */
    messageId: z.string(),
    text: z.string(),
    final: z.boolean().optional(),
    at: z.number(),
  }),
  /** Visible reasoning, as message-chunk. */
  z.strictObject({
    type: z.literal("thought-chunk"),
    messageId: z.string(),
    text: z.string(),
    final: z.boolean().optional(),
    at: z.number(),
  }),
  /** All chunks so far whose id begins with this prefix (`r:<request number>:`) are void: the attempt failed and is made again. */
  z.strictObject({ type: z.literal("output-discarded"), prefix: z.string(), at: z.number() }),
  /** A tool call begins. */
  z.strictObject({
    type: z.literal("tool-call"),
    callId: z.string(),
    tool: z.string(),
    /** One line for people. */
    title: z.string(),
    kind: toolKindSchema,
    status: toolStatusSchema,
    /** The arguments as the model wrote them, parsed; a string when they are no JSON. */
    arguments: z.json(),
    locations: z.array(toolLocationSchema),
    at: z.number(),
  }),
  /** News of a tool call; absent fields are unchanged. */
  z.strictObject({
    type: z.literal("tool-call-update"),
    callId: z.string(),
    status: toolStatusSchema.optional(),
    content: z.array(toolContentSchema).optional(),
    /** `shell-log:…`, `context:…`, `workspace:…` of durable results. */
    resourceUris: z.array(z.string()).optional(),
    durationMs: z.number().nonnegative().optional(),
    at: z.number(),
  }),
  /** The whole plan; it replaces the one before. */
  z.strictObject({ type: z.literal("plan"), entries: z.array(planEntrySchema), at: z.number() }),
  /** After each answered request: this turn, and the conversation in this host. */
  z.strictObject({
    type: z.literal("usage"),
    turn: usageCountersSchema,
    total: usageCountersSchema,
    /** Tokens of the last request's context; null = unknown. */
    contextTokens: z.int().nonnegative().nullable(),
    contextWindow: z.int().positive(),
    at: z.number(),
  }),
  /** Something to tell in a line or paragraph: retries, cache misses, compaction, resume, presented command results. */
  z.strictObject({
    type: z.literal("notice"),
    level: z.enum(["info", "warning", "error"]),
    /** Stable: `retry`, `cache-miss`, `compaction`, `resumed`, `command`, `turn-failed`, `context-full`, … */
    code: z.string(),
    text: z.string(),
    at: z.number(),
  }),
  /** A turn is over; what it did stands before. Comes before the event that says that the session is idle. */
  z.strictObject({
    type: z.literal("turn-end"),
    /** `t:<record sequence>`. */
    turnId: z.string(),
    outcome: turnOutcomeSchema,
    source: turnSourceSchema,
    /** null when it is not known: the host ended before the turn. */
    durationMs: z.number().nonnegative().nullable(),
    usage: usageCountersSchema,
    /** With outcome `condition`. */
    failure: z.strictObject({ code: z.string(), message: z.string() }).optional(),
    at: z.number(),
  }),
  /** A Lisp form begins; it is in the durable record. */
  z.strictObject({
    type: z.literal("form"),
    /** `form:N`, N counted in the conversation. */
    formId: z.string(),
    source: z.string(),
    /** The job that evaluates it, for `? form`. */
    job: z.string().optional(),
    at: z.number(),
  }),
  /** Output of a running form, as it comes; its `form-result` holds all of it that is kept. */
  z.strictObject({
    type: z.literal("form-output"),
    formId: z.string(),
    stream: z.enum(["output", "error"]),
    text: z.string(),
    at: z.number(),
  }),
  /** The form is over. */
  z.strictObject({
    type: z.literal("form-result"),
    formId: z.string(),
    ...formResultSchema.shape,
    at: z.number(),
  }),
  z.strictObject({ type: z.literal("title"), title: z.string(), at: z.number() }),
  z.strictObject({ type: z.literal("mode"), mode: permissionModeSchema, at: z.number() }),
]);
export type SessionUpdate = z.infer<typeof sessionUpdateSchema>;

/** An update of history with its place in the record. Several updates may share one `recordSeq`. */
export const replayedUpdateSchema = z.strictObject({
  recordSeq: z.int().positive(),
  update: sessionUpdateSchema,
});
export type ReplayedUpdate = z.infer<typeof replayedUpdateSchema>;

/** A page of history, oldest first. */
export const historyPageSchema = z.strictObject({
  updates: z.array(replayedUpdateSchema),
  /** Ask with `before: firstSeq` for older updates; null when there are none. */
  firstSeq: z.int().positive().nullable(),
  /** Ask with `after: lastSeq` for newer ones; null when the page is empty. */
  lastSeq: z.int().positive().nullable(),
  hasOlder: z.boolean(),
  hasNewer: z.boolean(),
});
export type HistoryPage = z.infer<typeof historyPageSchema>;
