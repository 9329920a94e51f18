/**
 * The `_autolith/*` methods beyond the manual's table: what a terminal and `autolith lg` need of a host. Only the private local endpoint
 * serves those that reach sessions of other clients.
 */
import { z } from "zod";
import { conversationIdSchema } from "../identifiers.ts";
import { permissionModeSchema } from "../permissions.ts";
import {
  completionSchema,
  highlightingSchema,
  invocationSchema,
  sessionStateSchema,
} from "../session/catalogs.ts";
import {
  complaintLimit,
  correctionProposalSchema,
  correctionSaveSchema,
  savedCorrectionSchema,
} from "../session/corrections.ts";
import { permissionAnswerSchema } from "../session/events.ts";
import {
  draftSchema,
  inputCharacterLimit,
  inputHistoryPageSchema,
  pendingInputSchema,
  promptInputSchema,
  vaultEntrySchema,
} from "../session/input.ts";
import { diagnosisSchema, restartChoiceSchema, restartRequestSchema } from "../session/restarts.ts";
import { historyPageSchema, sessionUpdateSchema } from "../session/updates.ts";
import { sessionScope } from "./session-methods.ts";

const sessionOnly = z.object(sessionScope);
const directory = z.string().min(1).max(4_096);
const modeAndDirectory = { cwd: directory.optional(), mode: permissionModeSchema.optional() };

/** Who watches a session. */
export const clientRowSchema = z.object({
  /** For people: `terminal`, `lg`, an editor's name. */
  name: z.string(),
  readOnly: z.boolean(),
  answersPermissions: z.boolean(),
  attachedAt: z.number(),
  /** True for the client that asks. */
  self: z.boolean(),
});

/** A session of the host as `lg status` lists it. */
export const sessionRowSchema = z.object({
  sessionId: conversationIdSchema,
  title: z.string(),
  cwd: z.string(),
  model: z.string(),
  mode: permissionModeSchema,
  /**
   * `idle`: no active work of any kind. `paused`: input waits until somebody lifts the pause, or the session was paused by name.
   * `working`: no turn, but jobs are live or forms run.
   */
  status: z.enum(["idle", "running", "working", "paused"]),
  liveJobs: z.int().nonnegative(),
  /** Forms of the prompt that run or wait for their turn; `? form` is a job. */
  runningForms: z.int().nonnegative(),
  waitingInputs: z.int().nonnegative(),
  createdAt: z.number(),
  lastActivityAt: z.number(),
  clients: z.array(clientRowSchema),
});

export const terminalMethods = {
  /** The first request on the local endpoint; anything before it, or another token, ends the connection. */
  authenticate: {
    params: z.object({
      token: z.string().min(1).max(256),
      /** For people: `terminal`, `lg`. */
      client: z.string().min(1).max(64).optional(),
    }),
    value: z.object({ hostId: z.string() }),
  },
  /** The sessions of this host. */
  sessions: {
    params: z.object({}),
    value: z.object({
      hostId: z.string(),
      processId: z.int().positive(),
      startedAt: z.number(),
      sessions: z.array(sessionRowSchema),
      /** Paths of the initialization files that sessions load which are not open yet. */
      loading: z.array(z.string()).default([]),
    }),
  },
  /** Opens a session without replay and without attaching: a new one, a stored one, or a fork of one. */
  open: {
    params: z.discriminatedUnion("how", [
      z.object({
        how: z.literal("new"),
        cwd: directory,
        mode: permissionModeSchema.optional(),
        model: z.string().max(256).optional(),
      }),
      z.object({ how: z.literal("load"), ...sessionScope, ...modeAndDirectory }),
      z.object({
        how: z.literal("fork"),
        source: conversationIdSchema,
        /** Records up to and including this sequence; all of them when absent. */
        throughSeq: z.int().positive().optional(),
        ...modeAndDirectory,
      }),
    ]),
    value: z.object({ sessionId: conversationIdSchema, state: sessionStateSchema }),
  },
  /**
   * Begins this client's view of an open session: the end of its history, what the running turn has streamed so far, and from then on all events
   * as `_autolith/event` with the session's own numbers. A second `attach` replaces the first one.
   */
  attach: {
    params: z.object({
      ...sessionScope,
      /** Most updates of history, 0 to 1,000; 200 when absent. */
      tail: z.int().min(0).max(1_000).optional(),
      /** The client only looks on: what would change something is refused with `read-only`. */
      readOnly: z.boolean().optional(),
      /** Ends the views of all other clients. */
      takeOver: z.boolean().optional(),
      /** False for a client that shows no permission requests to anybody. */
      answersPermissions: z.boolean().optional(),
      /** True for a client that shows the restarts of forms to somebody. */
      answersRestarts: z.boolean().optional(),
      /** True for a client that shows the review of a correction to somebody when an operation wants `review-correction`. */
      reviewsCorrections: z.boolean().optional(),
    }),
    value: z.object({
      state: sessionStateSchema,
      history: historyPageSchema,
      /** Shown behind the history. */
      live: z.array(sessionUpdateSchema),
      clients: z.array(clientRowSchema),
    }),
  },
  /** Ends views of a session: this client's own, or those of everybody (`lg detach`). The session goes on. */
  detach: {
    params: z.object({ ...sessionScope, clients: z.enum(["self", "all"]).optional() }),
    value: z.object({ detached: z.int().nonnegative() }),
  },
  /** A page of history: what lies before or after a record. */
  page: {
    params: z.object({
      ...sessionScope,
      limit: z.int().min(1).max(1_000).optional(),
      before: z.int().positive().optional(),
      after: z.int().nonnegative().optional(),
    }),
    value: historyPageSchema,
  },
  /** Submits input and answers as soon as it is durable; the events tell the rest. */
  submit: {
    params: z.object({ ...sessionScope, input: promptInputSchema, as: z.enum(["prompt", "steer", "queue"]) }),
    value: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("turn"), inputId: z.string(), epoch: z.int().positive() }),
      z.object({ kind: z.literal("command"), invocation: invocationSchema }),
      /** A form was begun; updates with this id tell the rest. */
      z.object({ kind: z.literal("form"), formId: z.string() }),
      z.object({
        kind: z.literal("admitted"),
        inputId: z.string(),
        delivery: z.enum(["steering", "queued", "scheduled"]),
      }),
    ]),
  },
  /** Stops the running turn. Unlike the standard `session/cancel` it leaves detached jobs running unless `jobs`. */
  cancel: {
    params: z.object({
      ...sessionScope,
      jobs: z.boolean().optional(),
      /** Accepted steering goes on in a turn of its own (Escape). */
      continueSteering: z.boolean().optional(),
    }),
    value: z.object({ stopped: z.boolean() }),
  },
  /** Cancels active work and holds queued work until new input comes (`lg pause`). */
  pause: {
    params: sessionOnly,
    /** `liveJobs`: those that go on. `runningForms`: those that were cancelled and whose cleanup runs still. */
    value: z.object({
      stopped: z.boolean(),
      liveJobs: z.int().nonnegative(),
      runningForms: z.int().nonnegative().default(0),
    }),
  },
  /** Answers a permission request that came as an event; false when it was resolved already. */
  answer: {
    params: z.object({ ...sessionScope, requestId: z.string().max(128), answer: permissionAnswerSchema }),
    value: z.object({ answered: z.boolean() }),
  },
  /** Conditions of forms that wait for somebody to choose a restart. */
  restarts: { params: sessionOnly, value: z.object({ requests: z.array(restartRequestSchema) }) },
  /**
   * Does what was chosen about a condition; or asks a model why the form failed, which takes as long as its answer, or ends that. `settled` is
   * false when the condition was settled already.
   */
  restart: {
    params: z.object({
      ...sessionScope,
      requestId: z.string().max(128),
      choice: z.union([
        restartChoiceSchema,
        z.strictObject({ kind: z.literal("diagnose") }),
        z.strictObject({ kind: z.literal("cancel-diagnosis") }),
      ]),
    }),
    value: z.object({ settled: z.boolean(), diagnosis: diagnosisSchema.optional() }),
  },
  /**
   * A persistent correction made of a complaint: a model proposes one, which takes as long as its answer; or that is ended; or one is saved. Saving
   * is refused with `correction-unmatched` and `correction-exists` until these are confirmed.
   */
  correction: {
    params: z.object({
      ...sessionScope,
      action: z.discriminatedUnion("kind", [
        z.strictObject({ kind: z.literal("propose"), complaint: z.string().min(1).max(complaintLimit) }),
        z.strictObject({ kind: z.literal("cancel") }),
        correctionSaveSchema.extend({ kind: z.literal("save") }),
      ]),
    }),
    value: z.object({
      proposal: correctionProposalSchema.optional(),
      saved: savedCorrectionSchema.optional(),
      /** Whether a proposal was being made. */
      cancelled: z.boolean().optional(),
    }),
  },
  "set-mode": {
    params: z.object({ ...sessionScope, mode: permissionModeSchema }),
    value: z.object({ mode: permissionModeSchema }),
  },
  /** Closes a session in order (`lg kill`): its turn and jobs are cancelled, pending input stays. */
  kill: { params: sessionOnly, value: z.object({ closed: z.boolean() }) },
  complete: {
    params: z.object({
      ...sessionScope,
      text: z.string().max(inputCharacterLimit),
      /** UTF-16 units. */
      cursor: z.int().nonnegative(),
    }),
    value: completionSchema,
  },
  /** Lisp text as the reader sees it; nothing is evaluated. */
  highlight: {
    params: z.object({ ...sessionScope, text: z.string().max(inputCharacterLimit) }),
    value: highlightingSchema,
  },
  /** What people put into the conversation, newest last, for recall. */
  inputs: {
    params: z.object({
      ...sessionScope,
      /** 200 when absent. */
      limit: z.int().min(1).max(1_000).optional(),
      before: z.int().positive().optional(),
    }),
    value: inputHistoryPageSchema,
  },
  /** Waiting input, and the vault. */
  pending: {
    params: sessionOnly,
    value: z.object({
      inputs: z.array(pendingInputSchema),
      paused: z.boolean(),
      vault: z.array(vaultEntrySchema),
    }),
  },
  /** Moves waiting input into the vault, replaces the vault's contents, or puts them in front of the queue. */
  vault: {
    params: z.object({
      ...sessionScope,
      action: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("store") }),
        z.object({ kind: z.literal("replace"), entries: z.array(vaultEntrySchema).max(256) }),
        z.object({ kind: z.literal("restore") }),
      ]),
    }),
    /** Entries stored, left or restored. */
    value: z.object({ entries: z.int().nonnegative() }),
  },
  /** The draft that the last terminal left; with `draft`, leaves another one, or none with null. Kept as long as the session is open. */
  composer: {
    params: z.object({ ...sessionScope, draft: draftSchema.nullable().optional() }),
    value: z.object({ draft: draftSchema.nullable() }),
  },
} as const;
