import { z } from "zod";
import { jsonValueSchema } from "./json-value.ts";
import { modelFailureCodes, modelFailureMessageLimit, type ModelFailure } from "./model-failure.ts";

/**
 * The provider-neutral model exchange: what is asked of a model, and what comes back. Adapters in `workers/model`
 * turn it into the two OpenAI wire forms; conversations, cassettes and threads hold these shapes only.
 */

/** The wire forms an endpoint may speak. */
export const modelWireSchema = z.enum(["responses", "chat"]);
export type ModelWire = z.infer<typeof modelWireSchema>;

/** Reasoning efforts, weakest first (facts B.1). */
export const reasoningEffortSchema = z.enum(["none", "low", "medium", "high", "xhigh", "max", "ultra"]);
export type ReasoningEffort = z.infer<typeof reasoningEffortSchema>;

/**
 * The item exactly as the provider sent it, as JSON text. It is sent back unchanged to the same provider over the
 * same wire form (encrypted reasoning, item ids, phases); anyone else gets the neutral fields.
 */
export const wireItemSchema = z.strictObject({
  provider: z.string().min(1),
  wire: modelWireSchema,
  json: z.string(),
});
export type WireItem = z.infer<typeof wireItemSchema>;

/** An image as it is sent to a model: base64 without a data: prefix. */
export const modelImageSchema = z.strictObject({
  mimeType: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
  data: z.base64(),
});
export type ModelImage = z.infer<typeof modelImageSchema>;

/** What a person, a parent agent or the host said to the model. */
export const userMessageSchema = z.strictObject({
  type: z.literal("user-message"),
  text: z.string().min(1),
  /** Images that came with the text. */
  images: z.array(modelImageSchema).min(1).optional(),
});

/** Text the model produced. Never empty: an empty text block is left out when the response is assembled. */
export const assistantMessageSchema = z.strictObject({
  type: z.literal("assistant-message"),
  text: z.string().min(1),
  /** True when the provider marked the text as a refusal. */
  refusal: z.literal(true).optional(),
  source: wireItemSchema.optional(),
});

/**
 * A reasoning item, or another item that only its provider understands; `text` is the readable part and may be empty.
 * It is sent back to its provider verbatim and to nobody else.
 */
export const reasoningSchema = z.strictObject({
  type: z.literal("reasoning"),
  text: z.string(),
  source: wireItemSchema.optional(),
});

/** A complete tool call. A call that was cut inside its arguments never becomes one of these. */
export const toolCallSchema = z.strictObject({
  type: z.literal("tool-call"),
  /** Unique within the conversation; made by us when the provider sent none or repeated one. */
  callId: z.string().min(1).max(256),
  /** Our name, `resource.read`; a name the registry does not know is kept as the model wrote it. */
  tool: z.string().min(1).max(256),
  /** The argument text as the model completed it. Empty text has become `{}`; it may still not be a JSON object. */
  arguments: z.string(),
  source: wireItemSchema.optional(),
});
export type ToolCallItem = z.infer<typeof toolCallSchema>;

/** The one result of a call. `unknown` means the outcome is not known (the host died while it ran). */
export const toolResultSchema = z.strictObject({
  type: z.literal("tool-result"),
  callId: z.string().min(1).max(256),
  status: z.enum(["ok", "error", "cancelled", "unknown"]),
  output: z.string(),
});
export type ToolResultItem = z.infer<typeof toolResultSchema>;

/** What the model may produce in one response, in wire order. */
export const assistantItemSchema = z.discriminatedUnion("type", [
  assistantMessageSchema,
  reasoningSchema,
  toolCallSchema,
]);
export type AssistantItem = z.infer<typeof assistantItemSchema>;

/** What the host adds between two responses. */
export const hostItemSchema = z.discriminatedUnion("type", [userMessageSchema, toolResultSchema]);
export type HostItem = z.infer<typeof hostItemSchema>;

/** One item of a conversation as the model sees it. */
export const modelItemSchema = z.discriminatedUnion("type", [
  userMessageSchema,
  assistantMessageSchema,
  reasoningSchema,
  toolCallSchema,
  toolResultSchema,
]);
export type ModelItem = z.infer<typeof modelItemSchema>;

/** A tool as it is offered to a model; `parameters` is a JSON Schema object (draft 2020-12). */
export const toolSchemaSchema = z.strictObject({
  name: z.string().min(1).max(256),
  description: z.string(),
  parameters: z.record(z.string(), jsonValueSchema),
});
export type ToolSchema = z.infer<typeof toolSchemaSchema>;

const counter = z.int().nonnegative().optional();

/** Token counters of one request. An absent counter is unknown, which is not zero. */
export const modelUsageSchema = z.strictObject({
  inputTokens: counter,
  /** Part of `inputTokens` that was read from the provider's cache. */
  cachedInputTokens: counter,
  outputTokens: counter,
  /** Part of `outputTokens` spent on reasoning. */
  reasoningTokens: counter,
  totalTokens: counter,
});
export type ModelUsage = z.infer<typeof modelUsageSchema>;

/** One request to a model. */
export const modelRequestSchema = z.strictObject({
  /** The provider's own id of the model, without the provider prefix. */
  model: z.string().min(1).max(256),
  instructions: z.string(),
  items: z.array(modelItemSchema),
  tools: z.array(toolSchemaSchema),
  reasoningEffort: reasoningEffortSchema.optional(),
  /** Upper bound of generated tokens, reasoning included; absent leaves it to the provider. */
  maxOutputTokens: z.int().positive().optional(),
  /** Stable over a conversation, so that the provider can find its cached prefix. */
  promptCacheKey: z.string().min(1).max(64).optional(),
});
export type ModelRequest = z.infer<typeof modelRequestSchema>;

/** A complete response. */
export const modelResponseSchema = z.strictObject({
  items: z.array(assistantItemSchema),
  usage: modelUsageSchema,
  /** The provider's id of the response, when it sent one. */
  responseId: z.string().optional(),
});
export type ModelResponse = z.infer<typeof modelResponseSchema>;

/** Checks the wire form of a failure; see `model-failure.ts` for the meaning of its fields. */
export const modelFailureSchema: z.ZodType<ModelFailure> = z.strictObject({
  code: z.enum(modelFailureCodes),
  message: z.string().max(modelFailureMessageLimit),
  status: z.int().optional(),
  providerCode: z.string().max(200).optional(),
  requestId: z.string().max(200).optional(),
  retryAfterMs: z.number().nonnegative().optional(),
  outputReceived: z.boolean(),
}) as z.ZodType<ModelFailure>;

/** Where and how a model is reached. Holds a secret: it lives in memory only, never in Redis, a file or an event. */
export const modelEndpointSchema = z.strictObject({
  /** Provider name, `openai-api`; part of the identity of verbatim items. */
  provider: z.string().min(1).max(64),
  wire: modelWireSchema,
  /** Base URL up to and including `/v1`; absent means that of the OpenAI API. */
  baseUrl: z.url().optional(),
  /** Absent for servers that ask for none. */
  apiKey: z.string().min(1).optional(),
  /** True when this model takes a reasoning effort and encrypted reasoning items. */
  reasoning: z.boolean(),
  headers: z.record(z.string(), z.string()).optional(),
});
export type ModelEndpoint = z.infer<typeof modelEndpointSchema>;
