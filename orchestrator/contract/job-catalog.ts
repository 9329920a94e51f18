/**
 * The one table of job kinds: payload schema, result schema, default timeout, attempt policy, concurrency class. A kind lacking a
 * part does not compile.
 */
import { z } from "zod";
import { formResultSchema } from "./session/forms.ts";
import { jsonValueSchema } from "./json-value.ts";
import { conversationIdSchema, executionIdSchema } from "./identifiers.ts";

/**
 * `children`: agents (8, up to 32 at once). `executions`: shell (4, up to 16). `evaluations`: Lisp; as many as may be live, because forms of
 * one image share its thread and named REPLs are bounded themselves. `gates`: in order per mission. `wakeups`: one at a time.
 */
export const concurrencyClasses = ["children", "executions", "evaluations", "gates", "wakeups"] as const;
export type ConcurrencyClass = (typeof concurrencyClasses)[number];

export const completionPolicySchema = z.enum(["continue", "notify"]);
export type CompletionPolicy = z.infer<typeof completionPolicySchema>;

/** Isolation of a child in its own git worktree (facts C.8). */
export const isolationSchema = z.strictObject({
  baseline: z.string().min(1).max(1_024).default("HEAD"),
  dirtyPolicy: z.enum(["reject", "ignore"]).default("reject"),
  artifactKind: z.enum(["patch", "commit-range"]).default("patch"),
});

export type Isolation = z.infer<typeof isolationSchema>;

/** An isolated checkout as it was resolved at admission. Paths absolute. */
const isolatedCheckoutSchema = z.strictObject({
  /** Top directory of the checkout it is made from. */
  source: z.string().min(1).max(4_096),
  path: z.string().min(1).max(4_096),
  /** The commit it begins with. */
  baseline: z.string().regex(/^[0-9a-f]{40,64}$/),
  artifactKind: z.enum(["patch", "commit-range"]),
});

export type IsolatedCheckout = z.infer<typeof isolatedCheckoutSchema>;

const agentPayload = z.strictObject({
  role: z.string().min(1).max(64),
  /** The child's task. */
  assignment: z.string().min(1).max(1_048_576),
  /** Shared context put before the task, or absent. */
  context: z.string().max(1_048_576).optional(),
  /** Native output contract as a data form; replaces the role's own. */
  outputContract: z.string().max(131_072).optional(),
  /** Provider-qualified model id that was resolved at admission. */
  model: z.string().min(1).max(256),
  reasoningEffort: z.string().min(1).max(16),
  /** Place in the agent tree by parent call and item index, the same in every replay: `root`, `root/CALL:0`. */
  position: z.string().min(1).max(1_024),
  /** 1 for a child of the primary. */
  depth: z.number().int().min(1).max(16),
  /** Roles of the agents above it, the nearest last; a child has no tool that one of them lacks. Absent: the primary is its parent. */
  ancestorRoles: z.array(z.string().min(1).max(64)).max(16).optional(),
  /** Absolute directory the child works in. */
  workspace: z.string().min(1).max(4_096),
  isolation: isolatedCheckoutSchema.optional(),
});

const usage = z.strictObject({
  /** Absent = unknown. */
  inputTokens: z.number().int().nonnegative().optional(),
  outputTokens: z.number().int().nonnegative().optional(),
  totalTokens: z.number().int().nonnegative().optional(),
  cachedInputTokens: z.number().int().nonnegative().optional(),
  reasoningTokens: z.number().int().nonnegative().optional(),
  providerRequests: z.number().int().nonnegative(),
});

export type UsageTotals = z.infer<typeof usage>;

const agentResult = z.strictObject({
  status: z.enum(["success", "failed", "aborted"]),
  /** Yield text, else final assistant text, else a placeholder. */
  output: z.string(),
  error: z.string().max(16_384).optional(),
  label: z.string().max(256).optional(),
  yielded: z.boolean(),
  structuredOutputPresent: z.boolean(),
  /** Portable JSON value, validated against the contract. */
  structuredOutput: jsonValueSchema.optional(),
  usage,
  durationMs: z.number().int().nonnegative(),
  model: z.string(),
  undeliveredPromptCount: z.number().int().nonnegative(),
  /** Of an isolated child: its checkout, the artifact that secures its work, or why there is none. */
  worktree: z.string().max(4_096).optional(),
  worktreeArtifactPath: z.string().max(4_096).optional(),
  worktreeError: z.string().max(16_384).optional(),
  /** What only its checkout holds, although an artifact was made. */
  worktreeNote: z.string().max(16_384).optional(),
});

export type AgentResult = z.infer<typeof agentResult>;

const shellPayload = z.strictObject({
  command: z.string().min(1).max(131_072),
  description: z.string().max(256).optional(),
  directory: z.string().min(1).max(4_096),
  /** Absolute real path of the caller's workspace: what a sandboxed command may write. */
  workspace: z.string().min(1).max(4_096),
  timeoutMs: z.number().int().positive(),
  separateOutput: z.boolean(),
  execution: z.enum(["full", "sandboxed"]),
});

const shellResult = z.strictObject({
  /** Absent when a signal ended it or it never started. */
  exitCode: z.number().int().optional(),
  signal: z.string().optional(),
  ending: z.enum(["exited", "signalled", "timed-out", "cancelled", "not-started"]),
  content: z.string(),
  shellLogs: z.array(z.string()),
  durationMs: z.number().int().nonnegative(),
});

export type ShellResult = z.infer<typeof shellResult>;

/** Name of a REPL: lower-case letter first, then letters, digits and hyphens. */
export const replNameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, "a REPL name is 1 to 32 of a-z, 0-9 and -, a letter first");

/** Where forms are evaluated: in the image before the person, in a named REPL of one agent, or in an image that is made for one skill. */
const lispTarget = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("active") }),
  z.strictObject({
    kind: z.literal("repl"),
    name: replNameSchema,
    /** The agent's conversation: agents do not share REPLs. */
    agent: conversationIdSchema,
    /** What of the files its image may use; `workspace`: only what is below it. */
    access: z.enum(["full", "workspace"]),
    /** Absolute real path of the agent's workspace. */
    workspace: z.string().min(1).max(4_096),
  }),
  z.strictObject({
    kind: z.literal("skill"),
    skill: z.string().min(1).max(256),
    operation: z.enum(["invoke", "self-test", "verify"]),
    /** Absolute real path of the skill's file, and of the file that defines its system. */
    path: z.string().min(1).max(4_096),
    asd: z.string().min(1).max(4_096),
    /** What was approved: SHA-256 over the skill's file and its manifest, and of the file that defines its system. */
    identity: z.string().regex(/^[0-9a-f]{64}$/),
    asdDigest: z.string().regex(/^[0-9a-f]{64}$/),
    /** Absolute directory that its code works in. */
    workspace: z.string().min(1).max(4_096),
  }),
]);

/** Bounds of the source of one evaluation. */
export const lispSourceLimits = { formCharacters: 131_072, forms: 64, characters: 262_144 } as const;

const lispPayload = z.strictObject({
  /** The tool that asked, or `form` for `? form`. */
  tool: z.string().min(1).max(64),
  target: lispTarget,
  /** Evaluated one after the other; the first that fails is the last. */
  forms: z
    .array(z.string().min(1).max(lispSourceLimits.formCharacters))
    .min(1)
    .max(lispSourceLimits.forms)
    .refine((forms) => forms.reduce((sum, { length }) => sum + length, 0) <= lispSourceLimits.characters, {
      error: `forms of at most ${lispSourceLimits.characters} characters together`,
    }),
  /** Width in columns that values are printed for; for `? form`. */
  columns: z.number().int().positive().max(1_000).optional(),
  /** What rows show instead of the source. */
  description: z.string().max(256).optional(),
  /** Milliseconds from the start of the evaluation, the wait for its REPL not counted; absent: no limit. */
  timeoutMs: z.number().int().positive().optional(),
  /** Exact names of the tools that Lisp may call. */
  hostTools: z.array(z.string().min(1).max(64)).max(32).default([]),
});

const lispResult = z.strictObject({
  /** `quit`: the evaluation ended its REPL. `lost`: the thread of its image ended under it. `not-started`: it never began. */
  ending: z.enum(["values", "condition", "cancelled", "timed-out", "quit", "lost", "not-started"]),
  /** Values, condition and output as text, bounded. */
  content: z.string(),
  /** Printed values of the last form that was evaluated, bounded. */
  values: z.array(z.string()),
  /** What was written, bounded. */
  output: z.string(),
  /** Where the whole output is kept when `output` is not all of it. */
  outputUri: z.string().optional(),
  condition: z
    .strictObject({
      type: z.string(),
      report: z.string(),
      /** Restarts that were live, innermost first. */
      restarts: z.array(z.strictObject({ name: z.string(), text: z.string() })),
    })
    .optional(),
  /** Of `? form`: what people are shown of it. */
  form: formResultSchema.optional(),
  /** Of the code of a skill: which code it was, and what came of it as a portable form, whole or under a reference. */
  skill: z
    .strictObject({
      name: z.string(),
      operation: z.enum(["invoke", "self-test", "verify"]),
      skillVersion: z.string(),
      system: z.string(),
      systemVersion: z.string(),
      identity: z.string(),
      output: z.string().optional(),
      outputUri: z.string().optional(),
    })
    .optional(),
  durationMs: z.number().int().nonnegative(),
});

export type LispJobResult = z.infer<typeof lispResult>;
export type LispTarget = z.infer<typeof lispTarget>;

const gatePayload = z.strictObject({
  missionId: z.string().min(1).max(64),
  missionVersion: z.number().int().positive(),
  gateId: z.string().min(1).max(128),
  /** SHA-256 over the declared inputs at admission. */
  fingerprint: z.string().max(4_096),
});

const gateResult = z.strictObject({
  verdict: z.enum(["pass", "fail", "unknown"]),
  evidence: z.string().max(4_096),
});

const wakeupPayload = z.strictObject({
  missionId: z.string().min(1).max(64),
  scheduleId: z.string().min(1).max(256),
  scheduleVersion: z.number().int().positive(),
  occurrence: z.string().min(1).max(1_024),
  token: z.number().int().nonnegative(),
  dueAt: z.number().int().nonnegative(),
});

const wakeupResult = z.strictObject({ admission: z.enum(["admitted", "stale-mission"]) });

type JobKindEntry = {
  readonly payload: z.ZodType;
  readonly result: z.ZodType;
  /** Milliseconds from the claim; undefined = no deadline. */
  readonly defaultTimeoutMs: number | undefined;
  /** Attempts a job may have. 1 everywhere: work with effects is never re-run by itself; revival is a recorded decision. */
  readonly attemptLimit: 1;
  readonly concurrencyClass: ConcurrencyClass;
  /** `external`: the work itself may change what is not ours (an agent's effects are those of its tool calls). */
  readonly effects: "none" | "external";
};

export const jobCatalog = {
  agent: {
    payload: agentPayload,
    result: agentResult,
    defaultTimeoutMs: undefined,
    attemptLimit: 1,
    concurrencyClass: "children",
    effects: "none",
  },
  lisp: {
    payload: lispPayload,
    result: lispResult,
    defaultTimeoutMs: undefined,
    attemptLimit: 1,
    concurrencyClass: "evaluations",
    effects: "external",
  },
  shell: {
    payload: shellPayload,
    result: shellResult,
    defaultTimeoutMs: 60_000,
    attemptLimit: 1,
    concurrencyClass: "executions",
    effects: "external",
  },
  gate: {
    payload: gatePayload,
    result: gateResult,
    defaultTimeoutMs: 60_000,
    attemptLimit: 1,
    concurrencyClass: "gates",
    effects: "external",
  },
  wakeup: {
    payload: wakeupPayload,
    result: wakeupResult,
    defaultTimeoutMs: 10_000,
    attemptLimit: 1,
    concurrencyClass: "wakeups",
    effects: "none",
  },
} as const satisfies Record<string, JobKindEntry>;

export type JobKind = keyof typeof jobCatalog;
export const jobKindSchema = z.enum(["agent", "lisp", "shell", "gate", "wakeup"]);

export type JobPayload<Kind extends JobKind> = z.infer<(typeof jobCatalog)[Kind]["payload"]>;
export type JobResult<Kind extends JobKind> = z.infer<(typeof jobCatalog)[Kind]["result"]>;

/** Who an execution belongs to, and to whom its completion is delivered. */
export const ownerSchema = z.strictObject({
  /** Executions from the root's child down to the direct parent; empty for the primary's own jobs. */
  lineage: z.array(executionIdSchema).max(16),
  /** The provider call that asked for it. */
  parentCallId: z.string().max(256).optional(),
});

export type JobOwner = z.infer<typeof ownerSchema>;

export const cancelReasonSchema = z.enum(["user", "timeout", "signal", "shutdown", "mission"]);
export type CancelReason = z.infer<typeof cancelReasonSchema>;
