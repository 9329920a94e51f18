/** The `_autolith/*` methods of the manual: name → parameters and value. Every one but `capabilities` takes the session's id. */
import { z } from "zod";
import { conversationIdSchema, executionIdSchema } from "../identifiers.ts";
import { jsonValueSchema } from "../json-value.ts";
import {
  conversationPageSchema,
  invocationSchema,
  jobDetailSchema,
  jobRowSchema,
  modelRowSchema,
  operationRowSchema,
  sessionStateSchema,
  settingRowSchema,
} from "../session/catalogs.ts";
import { admissionSchema, inputCharacterLimit } from "../session/input.ts";
import { sessionUpdateSchema } from "../session/updates.ts";

/** Every session-scoped method takes this. */
export const sessionScope = { sessionId: conversationIdSchema };

const sessionOnly = z.object(sessionScope);

/** Text of `steer` and `queue`. */
const inputText = z.string().min(1).max(inputCharacterLimit);

/** Most jobs and conversations of one page. */
export const pageLimit = 200;
/** Jobs and conversations of a page when the client names no number. */
export const pageDefault = 50;

const paging = { limit: z.int().min(1).max(pageLimit).optional(), cursor: z.string().max(256).optional() };

/** A job by its id, visible name, or bare number of an execution. */
const jobScope = { ...sessionScope, jobId: z.string().min(1).max(128) };

const jobTranscriptSchema = z.discriminatedUnion("output", [
  z.object({
    output: z.literal("structured"),
    /** Bodies of standard ACP `session/update`s. */
    updates: z.array(z.record(z.string(), z.unknown())),
    offset: z.int().nonnegative(),
    total: z.int().nonnegative(),
    /** null when the present snapshot is exhausted: ask again from `total` for later updates of a running child. */
    nextOffset: z.int().nonnegative().nullable(),
    complete: z.boolean(),
    /** The same updates as the session has them; only when they were asked for by `native`. */
    native: z.array(sessionUpdateSchema).optional(),
  }),
  z.object({
    output: z.literal("text"),
    text: z.string(),
    offset: z.int().nonnegative(),
    total: z.int().nonnegative(),
    nextOffset: z.int().nonnegative(),
    complete: z.boolean(),
  }),
]);

export const sessionMethods = {
  capabilities: {
    params: z.object({}),
    value: z.object({
      schemaVersion: z.int().positive(),
      /** Installed methods with their prefix, sorted. */
      methods: z.array(z.string()),
      notifications: z.array(z.string()),
      /** Bounds that a client may meet. */
      limits: z.record(z.string(), z.number()),
      host: z.object({
        version: z.string(),
        processId: z.int().positive(),
        startedAt: z.number(),
      }),
    }),
  },
  state: { params: sessionOnly, value: sessionStateSchema },
  settings: { params: sessionOnly, value: z.object({ settings: z.array(settingRowSchema) }) },
  models: { params: sessionOnly, value: z.object({ models: z.array(modelRowSchema) }) },
  operations: { params: sessionOnly, value: z.object({ operations: z.array(operationRowSchema) }) },
  "set-setting": {
    params: z.object({
      ...sessionScope,
      name: z.string().min(1).max(128),
      value: z.union([z.boolean(), z.number(), z.string().max(65_536), z.null()]),
    }),
    value: z.object({ setting: settingRowSchema }),
  },
  invoke: {
    params: z.object({
      ...sessionScope,
      operation: z.string().min(1).max(128),
      /** Commands: `{"input": "slash-command text without the name"}`, `text` is an alias. Tools: their own arguments. */
      arguments: jsonValueSchema.optional(),
    }),
    value: invocationSchema,
  },
  steer: { params: z.object({ ...sessionScope, text: inputText }), value: admissionSchema },
  queue: { params: z.object({ ...sessionScope, text: inputText }), value: admissionSchema },
  conversations: {
    params: z.object({
      sessionId: conversationIdSchema.optional(),
      ...paging,
      /** Only conversations of this directory. */
      cwd: z.string().max(4_096).optional(),
    }),
    value: conversationPageSchema,
  },
  jobs: {
    params: z.object({ ...sessionScope, ...paging }),
    value: z.object({
      jobs: z.array(jobRowSchema),
      nextCursor: z.string().nullable(),
      total: z.int().nonnegative(),
    }),
  },
  job: { params: z.object(jobScope), value: jobDetailSchema },
  "job-transcript": {
    params: z.object({
      ...jobScope,
      offset: z.int().nonnegative().optional(),
      /** structured: 1 to 200 updates, 100 when absent; text: 1 to 65,536 characters, 8,000 when absent. */
      limit: z.int().positive().optional(),
      output: z.enum(["text", "structured"]).optional(),
      native: z.boolean().optional(),
    }),
    value: jobTranscriptSchema,
  },
  "job-send": {
    params: z.object({ ...jobScope, text: z.string().min(1).max(131_072) }),
    /** How many messages wait for the job now. */
    value: z.object({ waiting: z.int().nonnegative() }),
  },
  "job-cancel": {
    params: z.object(jobScope),
    value: z.object({ jobId: z.union([executionIdSchema, z.string()]) }),
  },
  resource: {
    params: z.object({
      ...sessionScope,
      uri: z.string().min(1).max(8_192),
      /** `workspace:`: lines from 1. */
      startLine: z.int().positive().optional(),
      lineCount: z.int().positive().optional(),
      /** `shell-log:`: bytes from 0. */
      byteOffset: z.int().nonnegative().optional(),
      byteCount: z.int().positive().optional(),
    }),
    value: z.object({
      uri: z.string(),
      text: z.string(),
      /** Facts of the reading, the observed revision among them. */
      details: z.record(z.string(), z.unknown()),
    }),
  },
} as const;
