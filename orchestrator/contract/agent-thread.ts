import { z } from "zod";
import { outputEventCharacterLimit, type AgentLimits } from "./agent-limits.ts";
import {
  assistantItemSchema,
  hostItemSchema,
  modelEndpointSchema,
  modelFailureSchema,
  modelItemSchema,
  modelRequestSchema,
  modelResponseSchema,
  modelUsageSchema,
  reasoningEffortSchema,
  toolSchemaSchema,
} from "./model.ts";

/**
 * The protocol between the host and an agent in a pool thread, over one MessagePort for each agent run.
 *
 * thread → host: {@link threadMessageSchema}: requests that expect exactly one reply, and one-way events.
 * host → thread: {@link hostMessageSchema}: replies and cancel.
 * The last message of a thread is its outcome ({@link agentOutcomeSchema}), so that it comes behind all events.
 *
 * The host checks everything that arrives from a thread. Threads trust their host (same process, same build), so they
 * need not load zod. Messages on one port arrive in order: events that precede a request have been seen before it.
 */

/** What a request to a model is for; part of a cassette's key. */
export const modelPurposeSchema = z.enum([
  "agent",
  "classifier",
  "compaction",
  "title",
  "diagnosis",
  "correction",
]);
export type ModelPurpose = z.infer<typeof modelPurposeSchema>;

/** Checks {@link AgentLimits}; `agent-limits.ts` says what each bound means. */
export const agentLimitsSchema: z.ZodType<AgentLimits> = z.strictObject({
  maxTurns: z.int().positive(),
  retriesBeforeGeneration: z.int().nonnegative(),
  retriesAfterOutput: z.int().nonnegative(),
  responseHeadTimeoutMs: z.int().positive(),
  streamIdleTimeoutMs: z.int().positive(),
  maxResponseBytes: z.int().positive(),
  maxRetryAfterMs: z.int().nonnegative(),
  baseBackoffMs: z.int().nonnegative(),
  maxBackoffMs: z.int().nonnegative(),
});

/** Where answers come from: a live endpoint, or the cassette that the host holds. */
export const modelSourceSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("live"), endpoint: modelEndpointSchema, record: z.boolean() }),
  z.strictObject({ kind: z.literal("replay") }),
]);
export type ModelSource = z.infer<typeof modelSourceSchema>;

/**
 * A text that one request carries besides the conversation, as a user message that is in no record: `position` items stand before it, none
 * behind it when absent. Entries of one position keep their order.
 */
export const adviceEntrySchema = z.strictObject({
  text: z.string().min(1),
  position: z.int().nonnegative().optional(),
});
export type AdviceEntry = z.infer<typeof adviceEntrySchema>;

/** Everything an agent needs to start, or to continue from its last boundary. Kept in memory only (API key). */
export const agentSpecSchema = z.strictObject({
  /** The execution's UUID. */
  executionId: z.string().min(1).max(64),
  /** Position in the agent tree by parent call and item index; the same in every replay. */
  lineage: z.string().min(1).max(1024),
  purpose: modelPurposeSchema,
  source: modelSourceSchema,
  model: z.string().min(1).max(256),
  reasoningEffort: reasoningEffortSchema.optional(),
  maxOutputTokens: z.int().positive().optional(),
  promptCacheKey: z.string().min(1).max(64).optional(),
  instructions: z.string(),
  tools: z.array(toolSchemaSchema),
  /** The conversation so far, every call with its result; the last item is from the host. */
  items: z.array(modelItemSchema).min(1),
  /** For the first request alone. */
  advice: z.array(adviceEntrySchema).optional(),
  /**
   * Number of the first request of this run: 1 + the boundaries that this lineage and purpose has behind it. A request
   * whose boundary was lost with its thread is asked again under its number.
   */
  firstRequestNumber: z.int().positive(),
  limits: agentLimitsSchema,
  /** Send `output` events: only where somebody watches. */
  streamOutput: z.boolean(),
});
export type AgentSpec = z.infer<typeof agentSpecSchema>;

/**
 * One turn is over: what the model produced, in wire order. The host makes the items durable, runs the tool calls,
 * makes their results durable and answers; nothing of the turn is acted on before that.
 */
export const boundarySchema = z.strictObject({
  requestNumber: z.int().positive(),
  items: z.array(assistantItemSchema),
  usage: modelUsageSchema,
  responseId: z.string().optional(),
});
export type Boundary = z.infer<typeof boundarySchema>;

/** What follows a boundary: results for all calls in wire order, then steering; or the end of the run. */
export const boundaryReplySchema = z.discriminatedUnion("next", [
  z.strictObject({
    next: z.literal("continue"),
    items: z.array(hostItemSchema).min(1),
    /** For the next request alone. */
    advice: z.array(adviceEntrySchema).optional(),
  }),
  z.strictObject({ next: z.literal("finish") }),
]);
export type BoundaryReply = z.infer<typeof boundaryReplySchema>;

/** Names an exchange; `ordinal` is its request number in its lineage and purpose. */
export const exchangeKeySchema = z.strictObject({
  lineage: z.string().min(1).max(1024),
  purpose: modelPurposeSchema,
  ordinal: z.int().positive(),
});
export type ExchangeKey = z.infer<typeof exchangeKeySchema>;

/** Asks the cassette for the answer to `request`. */
export const replayRequestSchema = z.strictObject({ key: exchangeKeySchema, request: modelRequestSchema });
export type ReplayRequest = z.infer<typeof replayRequestSchema>;

/** The recorded answer, or why there is none (code `replay-divergence`). */
export const replayReplySchema = z.discriminatedUnion("outcome", [
  z.strictObject({ outcome: z.literal("response"), response: modelResponseSchema }),
  z.strictObject({ outcome: z.literal("failure"), failure: modelFailureSchema }),
]);
export type ReplayReply = z.infer<typeof replayReplySchema>;

/** One-way news of an agent run, in order. `requestNumber` counts requests, `attempt` the tries of one, both from 1. */
export const agentEventSchema = z.discriminatedUnion("event", [
  /** The run has begun in this thread; needed to end the thread when a cancel is not obeyed. */
  z.strictObject({ event: z.literal("run-started"), threadId: z.int().nonnegative() }),
  z.strictObject({
    event: z.literal("request-started"),
    requestNumber: z.int().positive(),
    attempt: z.int().positive(),
  }),
  /** An attempt failed. `retryInMs` is absent when it was the last one. */
  z.strictObject({
    event: z.literal("attempt-failed"),
    requestNumber: z.int().positive(),
    attempt: z.int().positive(),
    failure: modelFailureSchema,
    elapsedMs: z.number().nonnegative(),
    retryInMs: z.number().nonnegative().optional(),
  }),
  z.strictObject({
    event: z.literal("request-completed"),
    requestNumber: z.int().positive(),
    attempts: z.int().positive(),
    usage: modelUsageSchema,
    elapsedMs: z.number().nonnegative(),
    responseId: z.string().optional(),
  }),
  /** How much has streamed in this attempt; at most four such events a second. */
  z.strictObject({
    event: z.literal("progress"),
    requestNumber: z.int().positive(),
    reasoningCharacters: z.int().nonnegative(),
    textCharacters: z.int().nonnegative(),
    argumentCharacters: z.int().nonnegative(),
  }),
  /** Streamed text since the last such event, coalesced; `omittedCharacters` were dropped before it. */
  z.strictObject({
    event: z.literal("output"),
    requestNumber: z.int().positive(),
    channel: z.enum(["text", "reasoning"]),
    text: z.string().max(outputEventCharacterLimit),
    omittedCharacters: z.int().nonnegative(),
  }),
  /** What a failed attempt had streamed is void: views drop the output of this request. */
  z.strictObject({ event: z.literal("output-discarded"), requestNumber: z.int().positive() }),
  /** A live exchange to be recorded; only when the source asks for it. */
  z.strictObject({
    event: z.literal("exchange"),
    key: exchangeKeySchema,
    request: modelRequestSchema,
    response: modelResponseSchema,
  }),
]);
export type AgentEvent = z.infer<typeof agentEventSchema>;

/** Why a run ended without finishing, besides a model failure. Codes are stable. */
export const agentFailureSchema = z.strictObject({
  code: z.enum([
    /** A model request failed for good; `model` says how. */
    "model-request",
    /** `maxTurns` responses were made. */
    "turn-limit",
    /** The host could not serve a boundary (record not writable, internal error). */
    "host-refused",
    /** A defect of ours in the agent thread. */
    "internal-error",
    /** The thread ended under the agent: exit, out of memory or an uncaught error. */
    "thread-lost",
  ]),
  message: z.string().max(2000),
  model: modelFailureSchema.optional(),
});
export type AgentFailure = z.infer<typeof agentFailureSchema>;

/** How a run ended. `requests` counts the requests of this run, failed ones and one that waited for its place included. */
export const agentOutcomeSchema = z.discriminatedUnion("status", [
  z.strictObject({ status: z.literal("finished"), requests: z.int().nonnegative() }),
  z.strictObject({
    status: z.literal("failed"),
    requests: z.int().nonnegative(),
    failure: agentFailureSchema,
  }),
  z.strictObject({
    status: z.literal("cancelled"),
    requests: z.int().nonnegative(),
    reason: z.string().max(200),
  }),
]);
export type AgentOutcome = z.infer<typeof agentOutcomeSchema>;

/** From an agent to its host: requests, each answered exactly once with the same `id`; events; at last the outcome. */
export const threadMessageSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("boundary"), id: z.int().positive(), boundary: boundarySchema }),
  z.strictObject({ kind: z.literal("replay"), id: z.int().positive(), replay: replayRequestSchema }),
  /** May a request be sent? Answered when one of the provider's places is free; it is given back with the attempt's end. */
  z.strictObject({ kind: z.literal("admission"), id: z.int().positive() }),
  z.strictObject({ kind: z.literal("event"), event: agentEventSchema }),
  z.strictObject({ kind: z.literal("outcome"), outcome: agentOutcomeSchema }),
]);
export type ThreadMessage = z.infer<typeof threadMessageSchema>;

/** What goes over the port at once, in order: news that came shortly before a request travel with it. Each is checked on its own. */
export type ThreadMessages = readonly ThreadMessage[];

/** From the host to an agent. */
export const hostMessageSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("boundary-reply"),
    id: z.int().positive(),
    reply: boundaryReplySchema,
    /** The next request is admitted already: a place was free. */
    admitted: z.boolean(),
  }),
  z.strictObject({ kind: z.literal("replay-reply"), id: z.int().positive(), reply: replayReplySchema }),
  z.strictObject({ kind: z.literal("admitted"), id: z.int().positive() }),
  /** The host cannot answer request `id`; the run ends with code `host-refused`. */
  z.strictObject({ kind: z.literal("refused"), id: z.int().positive(), message: z.string().max(2000) }),
  /** Stop at once: abort the request in flight and end the run as cancelled. */
  z.strictObject({ kind: z.literal("cancel"), reason: z.string().max(200) }),
]);
export type HostMessage = z.infer<typeof hostMessageSchema>;

/**
 * What the host does for one running agent. A rejection of `boundary` or `replay` ends the run with `host-refused`.
 * `event` must not throw and must return at once.
 */
export interface AgentHostPort {
  boundary(boundary: Boundary): Promise<BoundaryReply>;
  replay(request: ReplayRequest): Promise<ReplayReply>;
  event(event: AgentEvent): void;
}

/**
 * Runs agents. `run` resolves for every way a run can end, thread loss included, and only after nothing of the run is
 * active any more; it rejects only for a spec that is not valid. Aborting `signal` cancels; the signal's reason becomes
 * the outcome's when it is a string.
 */
export interface AgentRunner {
  run(spec: AgentSpec, host: AgentHostPort, signal: AbortSignal): Promise<AgentOutcome>;
}
