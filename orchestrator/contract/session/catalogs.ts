/** What can be asked of a session: its snapshot, and its catalogues of settings, models, operations, jobs and conversations. */
import { z } from "zod";
import { failureSchema } from "../failure.ts";
import { conversationIdSchema, executionIdSchema } from "../identifiers.ts";
import { permissionModeSchema } from "../permissions.ts";
import { complaintLimit } from "./corrections.ts";
import { restartRequestSchema } from "./restarts.ts";
import { clientActionSchema, permissionRequestSchema } from "./events.ts";
import { pendingInputSchema } from "./input.ts";
import { planEntrySchema, turnOutcomeSchema, turnSourceSchema, usageCountersSchema } from "./updates.ts";

/** Everything a front end shows at a glance. Unknown measurements are null. */
export const sessionStateSchema = z.strictObject({
  sessionId: conversationIdSchema,
  title: z.string(),
  /** Absolute directory. */
  workingDirectory: z.string(),
  createdAt: z.number(),
  lastActivityAt: z.number(),
  model: z.string(),
  reasoningEffort: z.string(),
  mode: permissionModeSchema,
  turn: z.strictObject({
    state: z.enum(["running", "idle"]),
    /** 0 before the first turn in this host. */
    epoch: z.int().nonnegative(),
    source: turnSourceSchema.nullable(),
    startedAt: z.number().nullable(),
    lastOutcome: turnOutcomeSchema.nullable(),
  }),
  /** True after a cancel or an error, while input or completions wait for explicit input. */
  paused: z.boolean(),
  /** True when the pause was asked for by name (`lg pause`): so also where nothing waits yet. */
  held: z.boolean(),
  pendingInputs: z.array(pendingInputSchema),
  vaultEntries: z.int().nonnegative(),
  permissionRequests: z.array(permissionRequestSchema),
  /** Conditions of forms that wait for somebody to choose a restart. */
  restartRequests: z.array(restartRequestSchema),
  /** Forms that run or wait for their turn. */
  runningForms: z.int().nonnegative(),
  usage: usageCountersSchema,
  turnUsage: usageCountersSchema,
  contextTokens: z.int().nonnegative().nullable(),
  /** True while `contextTokens` is estimated by characters: before the provider has counted, and after a compaction. */
  contextEstimated: z.boolean(),
  contextWindow: z.int().positive(),
  /** Percent of the window at which the conversation is compacted. */
  compactionThresholdPercent: z.int(),
  plan: z.array(planEntrySchema),
  jobs: z.strictObject({ live: z.int().nonnegative(), total: z.int().nonnegative() }),
  userTurns: z.int().nonnegative(),
  attachedClients: z.int().nonnegative(),
  /** The last event that this snapshot includes. */
  eventSeq: z.int().nonnegative(),
  health: z.strictObject({
    /** The last turn's failure, when it failed. */
    lastFailure: failureSchema.nullable(),
    hostStartedAt: z.number(),
    processId: z.int().positive(),
  }),
});
export type SessionState = z.infer<typeof sessionStateSchema>;

export const settingTypeSchema = z.enum(["boolean", "integer", "number", "string", "choice", "path"]);
/** `durable`: saved in the preferences; `session`: this host only; `process`: read-only here; `derived`: computed. */
export const settingScopeSchema = z.enum(["durable", "session", "process", "derived"]);
export const settingSourceSchema = z.enum([
  "environment",
  "explicit",
  "saved",
  "this session",
  "default",
  "derived",
]);
export type SettingSource = z.infer<typeof settingSourceSchema>;

export const settingRowSchema = z.strictObject({
  /** Lower case with hyphens and no colon: `reasoning-effort`. */
  name: z.string(),
  type: settingTypeSchema,
  value: z.union([z.boolean(), z.number(), z.string(), z.null()]),
  choices: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  scope: settingScopeSchema,
  source: settingSourceSchema,
  group: z.string(),
  description: z.string(),
  settable: z.boolean(),
  environment: z.string().optional(),
});
export type SettingRow = z.infer<typeof settingRowSchema>;
export type SettingValue = SettingRow["value"];

export const modelRowSchema = z.strictObject({
  /** Provider-qualified: `openai-api/gpt-5.6`. */
  id: z.string(),
  provider: z.string(),
  name: z.string(),
  contextWindow: z.int().positive(),
  /** Weakest first; empty when the model takes none. */
  reasoningEfforts: z.array(z.string()),
  current: z.boolean(),
});
export type ModelRow = z.infer<typeof modelRowSchema>;

/** What happens to an operation during an active turn (facts F). */
export const busyBehaviourSchema = z.enum(["inspect", "execute", "apply", "hold", "cancel"]);
export type BusyBehaviour = z.infer<typeof busyBehaviourSchema>;

export const operationRowSchema = z.strictObject({
  /** Without slash: `model`. Tools are `namespace.name`. */
  name: z.string(),
  aliases: z.array(z.string()),
  kind: z.enum(["command", "tool"]),
  summary: z.string(),
  /** `/model [MODEL]`. */
  usage: z.string(),
  busy: busyBehaviourSchema,
  /** Help topic. */
  topic: z.string(),
  /** A picker without arguments: give one, unless the front end has its own picker. */
  terminalWithoutArguments: z.boolean(),
  /** False when it cannot be invoked now; `reason` says why. */
  available: z.boolean(),
  reason: z.string().optional(),
});
export type OperationRow = z.infer<typeof operationRowSchema>;

/** What an operation answered. */
export const invocationSchema = z.strictObject({
  /** Text for people; Markdown where that helps. */
  text: z.string(),
  /** Present when it was put off to a boundary or queued; its text then comes as a notice with code `command`. */
  delivery: z.enum(["scheduled", "queued"]).optional(),
  /** The conversation that is in front now. */
  switchedTo: conversationIdSchema.optional(),
  /** What the front end itself has to do. */
  clientAction: clientActionSchema.optional(),
  /** `review-correction`: the complaint, when it was said. */
  complaint: z.string().max(complaintLimit).optional(),
});
export type Invocation = z.infer<typeof invocationSchema>;

export const jobRowSchema = z.strictObject({
  jobId: executionIdSchema,
  /** `clear-otter-3`, `exec:4`. */
  name: z.string(),
  kind: z.enum(["agent", "shell", "lisp", "gate", "wakeup"]),
  /** One line: role and task, or the command. */
  summary: z.string(),
  state: z.enum(["queued", "running", "completed", "failed", "aborted", "interrupted"]),
  /** `primary` or the parent's name. */
  owner: z.string(),
  depth: z.int().nonnegative(),
  detached: z.boolean(),
  admittedAt: z.number(),
  finishedAt: z.number().nullable(),
  /** What it does now, when known. */
  activity: z.string().nullable(),
  requests: z.int().nonnegative(),
  inputTokens: z.int().nonnegative().nullable(),
  outputTokens: z.int().nonnegative().nullable(),
  /** Absolute path of the durable result, when there is one. */
  resultPath: z.string().nullable(),
});
export type JobRow = z.infer<typeof jobRowSchema>;

/** A job in full: its row and the text that `job.get` shows. */
export const jobDetailSchema = z.strictObject({ job: jobRowSchema, text: z.string() });
export type JobDetail = z.infer<typeof jobDetailSchema>;

export const conversationRowSchema = z.strictObject({
  sessionId: conversationIdSchema,
  title: z.string(),
  workingDirectory: z.string(),
  createdAt: z.number(),
  lastActivityAt: z.number(),
  userTurns: z.int().nonnegative(),
  /** The first user message, at most 200 characters. */
  preview: z.string(),
  /** Open in this host. */
  open: z.boolean(),
});
export type ConversationRow = z.infer<typeof conversationRowSchema>;

/** A page, newest activity first. */
export const conversationPageSchema = z.strictObject({
  conversations: z.array(conversationRowSchema),
  nextCursor: z.string().nullable(),
  total: z.int().nonnegative(),
});
export type ConversationPage = z.infer<typeof conversationPageSchema>;

/** A candidate of Tab completion: replace `from..to` of the text by `text`. */
export const completionSchema = z.strictObject({
  from: z.int().nonnegative(),
  to: z.int().nonnegative(),
  candidates: z.array(z.strictObject({ text: z.string(), note: z.string().optional() })),
  /** Candidates beyond the 200 that are given. */
  omitted: z.int().nonnegative(),
});
export type Completion = z.infer<typeof completionSchema>;

/** Lisp text as the reader sees it: its pieces in order, without white space, and whether it is whole. */
export const highlightingSchema = z.strictObject({
  tokens: z.array(
    z.strictObject({
      kind: z.enum([
        "comment",
        "string",
        "character",
        "number",
        "symbol",
        "keyword",
        "open",
        "close",
        "quote",
        "dispatch",
        "skipped",
        "invalid",
      ]),
      /** UTF-16 units, `to` excluded. */
      from: z.int().nonnegative(),
      to: z.int().nonnegative(),
    }),
  ),
  /** `incomplete`: more text could complete it. `invalid`: wrong whatever follows. */
  completeness: z.enum(["complete", "empty", "incomplete", "invalid"]),
  /** With `invalid`, what is wrong. */
  problem: z.string().optional(),
});
export type Highlighting = z.infer<typeof highlightingSchema>;
