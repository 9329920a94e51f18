/** Ordered live events of one session: what clients read from their attachment. */
import { z } from "zod";
import { failureSchema } from "../failure.ts";
import { conversationIdSchema, executionIdSchema } from "../identifiers.ts";
import { complaintLimit } from "./corrections.ts";
import { pendingInputSchema } from "./input.ts";
import { restartRequestSchema } from "./restarts.ts";
import { sessionUpdateSchema, turnOutcomeSchema, turnSourceSchema } from "./updates.ts";

/** What a front end itself has to do. */
export const clientActionSchema = z.enum([
  "quit",
  "detach",
  "pick-conversation",
  "pick-model",
  "open-settings",
  "review-correction",
]);
export type ClientAction = z.infer<typeof clientActionSchema>;

/** What a person is asked. `kind` says which of the optional fields are there. */
export const permissionRequestSchema = z.strictObject({
  /** Unique in this host. */
  requestId: z.string(),
  /** The turn that asks, or null for a background job. */
  epoch: z.int().positive().nullable(),
  kind: z.enum(["command", "tool", "path"]),
  /** The provider call that asks; a `tool-call` update with it has been sent when the primary asks. */
  callId: z.string(),
  tool: z.string(),
  /** `primary` or the visible name of the child. */
  asker: z.string(),
  /** One line. */
  title: z.string(),
  /** Why it is asked although the mode decides by itself; absent in mode ask. */
  reason: z.string().optional(),
  /** kind `command`: the exact shell text and its directory. */
  command: z.string().optional(),
  directory: z.string().optional(),
  /** kind `tool`: the exact arguments. kind `path`: `{path, access}`. */
  arguments: z.json().optional(),
  askedAt: z.number(),
});
export type PermissionRequest = z.infer<typeof permissionRequestSchema>;

/**
 * `allow-session` covers the exact command and directory, or tool and arguments, until the mode changes or the session closes.
 * `allow-always` covers the exact command and directory in every session, until the rules are cleared; for kinds other than `command` it
 * is as `allow-session`.
 */
export const permissionAnswerSchema = z.enum(["allow-once", "allow-session", "allow-always", "deny"]);
export type PermissionAnswer = z.infer<typeof permissionAnswerSchema>;

/** Catalogues whose contents may have changed; fetch again. */
export const catalogNameSchema = z.enum([
  "settings",
  "models",
  "operations",
  "jobs",
  "conversations",
  "papercuts",
]);
export type CatalogName = z.infer<typeof catalogNameSchema>;

const eventBodySchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("update"), update: sessionUpdateSchema }),
  /** Ordered lifecycle boundary. `epoch` counts turns of this session in this host, from 1. `outcome` is null while running. */
  z.strictObject({
    kind: z.literal("turn"),
    state: z.enum(["running", "idle"]),
    epoch: z.int().positive(),
    source: turnSourceSchema,
    outcome: turnOutcomeSchema.nullable(),
    failure: failureSchema.optional(),
  }),
  z.strictObject({ kind: z.literal("permission-requested"), request: permissionRequestSchema }),
  /** `answer: cancelled` when the turn, the job or the session ended, or the mode changed, before anybody answered. */
  z.strictObject({
    kind: z.literal("permission-resolved"),
    requestId: z.string(),
    answer: z.union([permissionAnswerSchema, z.literal("cancelled")]),
  }),
  /** A form's condition waits for somebody to choose a restart. */
  z.strictObject({ kind: z.literal("restarts-requested"), request: restartRequestSchema }),
  /** `cancelled`: the form ended first. */
  z.strictObject({
    kind: z.literal("restarts-resolved"),
    requestId: z.string(),
    outcome: z.enum(["chosen", "aborted", "cancelled"]),
  }),
  /** A model is asked about a waiting condition. */
  z.strictObject({ kind: z.literal("diagnosis"), requestId: z.string(), state: z.enum(["running", "over"]) }),
  /** An operator of a form wants something of the front end that submitted it, under `inputId`. */
  z.strictObject({
    kind: z.literal("form-action"),
    formId: z.string(),
    inputId: z.string().optional(),
    action: clientActionSchema,
    /** `review-correction`: the complaint, when it was said. */
    complaint: z.string().max(complaintLimit).optional(),
  }),
  /** All accepted input that is not in the record yet, in the order it will be delivered; replaces the list before. */
  z.strictObject({
    kind: z.literal("pending-input"),
    inputs: z.array(pendingInputSchema),
    paused: z.boolean(),
  }),
  /** A job of this session changed its state (also a child's own jobs). */
  z.strictObject({
    kind: z.literal("job"),
    jobId: executionIdSchema,
    name: z.string(),
    state: z.enum(["queued", "running", "completed", "failed", "aborted"]),
  }),
  /** What the primary does now, for an activity line; at most four a second. */
  z.strictObject({
    kind: z.literal("activity"),
    phase: z.enum(["requesting", "thinking", "writing", "calling", "tools", "compacting", "waiting", "idle"]),
    /** Characters streamed in this request. */
    characters: z.int().nonnegative(),
    /** Request number within the conversation. */
    request: z.int().nonnegative(),
    /** From 1; more than 1 while a failed request is made again. */
    attempt: z.int().nonnegative(),
  }),
  /** The snapshot of `state()` may have changed. */
  z.strictObject({ kind: z.literal("state") }),
  z.strictObject({ kind: z.literal("catalog"), catalog: catalogNameSchema }),
  /** `new`, `resume` or `fork` put another conversation in front of the clients of this one: attach to it. This session goes on. */
  z.strictObject({ kind: z.literal("switched"), to: conversationIdSchema }),
  /** The last event: the session was closed in this host. */
  z.strictObject({
    kind: z.literal("closed"),
    reason: z.enum(["closed", "quit", "shutdown", "failed"]),
    failure: failureSchema.optional(),
  }),
]);
export type SessionEventBody = z.infer<typeof eventBodySchema>;

/** `seq` has no gaps within one session of one host; it starts at 1 and is not durable. `at` is epoch milliseconds. */
export const sessionEventSchema = z.intersection(
  z.object({ seq: z.int().positive(), at: z.number() }),
  eventBodySchema,
);
export type SessionEvent = { readonly seq: number; readonly at: number } & SessionEventBody;
