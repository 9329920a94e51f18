/**
 * The session service: what every front end (ACP, terminal, localgroup, management) talks to. It knows no sockets and no screens.
 *
 * Errors are {@link AutolithError}s with stable codes. Those that front ends map to an outcome of their protocol:
 * `busy` (another primary operation runs), `unsupported` (not in this version), `cancelled`, `invalid-argument`, `unknown-session`,
 * `unknown-operation`, `unknown-setting`, `unknown-job`, `unknown-model`, `input-limit`, `session-closed`. Everything else is a condition
 * whose `message` may be shown.
 */
import type { ConversationId } from "../identifiers.ts";
import type { PermissionMode } from "../permissions.ts";
import type {
  Completion,
  ConversationPage,
  Highlighting,
  Invocation,
  JobDetail,
  JobRow,
  ModelRow,
  OperationRow,
  SessionState,
  SettingRow,
  SettingValue,
} from "./catalogs.ts";
import type { Corrections } from "./corrections.ts";
import type { PermissionAnswer, SessionEvent } from "./events.ts";
import type { Diagnosis, RestartChoice, RestartRequest } from "./restarts.ts";
import type { FormResult } from "./forms.ts";
import type { Admission, Draft, InputHistoryPage, PromptInput, VaultEntry } from "./input.ts";
import type { Failure } from "../failure.ts";
import type { HistoryPage, SessionUpdate, TurnOutcome, UsageCounters } from "./updates.ts";

/** A client's view of one session. */
export type AttachOptions = {
  /** For people: `acp`, `terminal`, `lg`. */
  readonly name: string;
  /** True when this client shows permission requests to somebody. With no such client attached, what needs asking is denied at once. */
  readonly answersPermissions: boolean;
  /** True when this client shows the restarts of a form to somebody. With no such client attached, a condition nobody handled ends its form. */
  readonly answersRestarts?: boolean;
  /** True when this client shows the review of a correction to somebody (`review-correction`). */
  readonly reviewsCorrections?: boolean;
  /** True for observers. The front end itself refuses (`read-only`) what would change something; the session only shows it. */
  readonly readOnly?: boolean;
  /** Most updates of history in {@link Attachment.history}; 0 for none, `all` for everything. */
  readonly tail: number | "all";
};

/** What was read of the event log. */
export type EventBatch = {
  /** In order; without gaps unless `lost` is not 0. */
  readonly events: readonly SessionEvent[];
  /**
   * Events that this client was too slow for: the log keeps a bounded number for all clients, so a client that does not read costs nothing. When not 0,
   * fetch `state()` and the history tail again.
   */
  readonly lost: number;
  /** True when `closed` was the last event: nothing follows. */
  readonly ended: boolean;
};

export interface Attachment {
  /**
   * The history as it was at the moment of attaching, with what the running turn has streamed so far; events continue exactly
   * behind it, nothing is missing or doubled.
   */
  readonly history: HistoryPage;
  /** Updates of the running turn that are not in the record yet: to be shown after `history`. */
  readonly live: readonly SessionUpdate[];
  /** The state at the same moment. */
  readonly state: SessionState;
  /** Resolves with at least one event, or with `ended`; at most 256 events at once. Rejects only when `signal` is aborted. */
  read(signal?: AbortSignal): Promise<EventBatch>;
  /** Ends this client's view. Permission requests that nobody else can answer are denied. */
  detach(): void;
}

/** How a prompt ended. */
export type PromptOutcome = {
  readonly outcome: TurnOutcome;
  readonly epoch: number;
  /** With outcome `condition`. */
  readonly failure?: Failure;
  /** What was spent by the turn. */
  readonly usage: UsageCounters;
};

/** What a submission turned into. */
export type PromptSubmission =
  /** A turn began; `finished` resolves when it is over (never rejects for what happened in it). */
  | {
      readonly kind: "turn";
      readonly inputId: string;
      readonly epoch: number;
      readonly finished: Promise<PromptOutcome>;
    }
  /** It was a slash command, or a form that waits until the turn is over. */
  | { readonly kind: "command"; readonly invocation: Invocation }
  /** It was a Lisp form, which is in the record and runs; `finished` never rejects. */
  | { readonly kind: "form"; readonly formId: string; readonly finished: Promise<FormResult> };

export type HistoryQuery = {
  /** Most updates, 1 to 1,000; 200 when absent. */
  readonly limit?: number;
  /** Only records before / after this sequence number. */
  readonly before?: number;
  readonly after?: number;
};

export type JobTranscriptQuery = {
  readonly jobId: string;
  /** Updates (structured) or characters (text) from here; 0 when absent. */
  readonly offset?: number;
  /** structured: 1 to 200 updates, 100 when absent. text: 1 to 65,536 characters, 8,000 when absent. */
  readonly limit?: number;
  readonly output: "text" | "structured";
};

export type JobTranscript =
  | {
      readonly output: "structured";
      readonly updates: readonly SessionUpdate[];
      readonly offset: number;
      readonly total: number;
      /** null when the present snapshot is exhausted: ask again from `total` for later updates of a running child. */
      readonly nextOffset: number | null;
      readonly complete: boolean;
    }
  | {
      readonly output: "text";
      readonly text: string;
      readonly offset: number;
      readonly total: number;
      readonly nextOffset: number;
      readonly complete: boolean;
    };

/** A bounded read of `workspace:`, `file:`, `context:`, `conversation:` (lines) or `shell-log:` (bytes). */
export type ResourceQuery = {
  readonly uri: string;
  readonly startLine?: number;
  readonly lineCount?: number;
  readonly byteOffset?: number;
  readonly byteCount?: number;
};

export type ResourceReading = {
  readonly uri: string;
  readonly text: string;
  /** Facts of the reading: `revision`, `totalLines`, `nextOffset`… as its scheme gives them. */
  readonly details: Readonly<Record<string, unknown>>;
};

/** One open conversation. */
export interface Session {
  readonly id: ConversationId;

  /** The view of one more client. Throws `session-closed`. */
  attach(options: AttachOptions): Promise<Attachment>;
  state(): SessionState;
  history(query: HistoryQuery): Promise<HistoryPage>;

  /**
   * Starts a turn, executes a slash command, or evaluates a form. The input is durable when this resolves. Rejects with `busy` while a turn
   * runs (use {@link queue} or {@link steer}), `input-limit`, `invalid-argument`, `incomplete-form` and `invalid-form` (both with
   * `details.line` and `details.column`), `unsupported`. Lifts a pause.
   */
  prompt(input: PromptInput): Promise<PromptSubmission>;
  /** Durably admits text for the next safe boundary of the running turn; without one it starts a turn. Lifts a pause. */
  steer(input: PromptInput): Promise<Admission>;
  /** Durably admits a follow-up that gets a turn of its own, in order. Lifts a pause. */
  queue(input: PromptInput): Promise<Admission>;
  /**
   * Stops the running turn, else running forms, else a compaction; with `jobs` all of them. A turn ends with its synchronous tools and
   * permission requests; detached jobs go on unless `jobs`. Waiting input stays and is paused until explicit input; with `continueSteering`
   * (Escape) waiting steering gets its turn at once, oldest first, and only what is queued behind it waits. Resolves when the turn is over;
   * answers false when nothing ran.
   */
  cancel(options?: { readonly jobs?: boolean; readonly continueSteering?: boolean }): Promise<boolean>;
  /**
   * Cancels the running turn and holds primary work until explicit input comes (`lg pause`): what waits, and what would come by itself, such as
   * completions. Detached jobs go on. Answers whether a turn ran.
   */
  pause(): Promise<boolean>;

  /** Changes the permission mode for this session; clears its approvals and answers open requests as cancelled. */
  setMode(mode: PermissionMode): Promise<void>;
  /** Answers a request; false when it was resolved already. */
  answerPermission(requestId: string, answer: PermissionAnswer): boolean;

  /** Conditions of forms that wait, oldest first. */
  restarts(): readonly RestartRequest[];
  /**
   * Does what was chosen about a condition; false when it was settled already. Rejects with `invalid-argument` for a restart or recovery that is
   * not there, and with what went wrong in a recovery's repair: the condition then waits on.
   */
  chooseRestart(requestId: string, choice: RestartChoice): Promise<boolean>;
  /** Asks a model why a form failed, while it waits. Rejects with `unknown-request`, `busy`, `cancelled` and codes of model requests. */
  diagnoseRestart(requestId: string): Promise<Diagnosis>;
  /** Ends a diagnosis and nothing else; false when none runs. */
  cancelDiagnosis(requestId: string): boolean;

  /** Persistent corrections made of complaints. */
  readonly corrections: Corrections;

  settings(): readonly SettingRow[];
  setSetting(name: string, value: SettingValue): Promise<SettingRow>;
  models(): readonly ModelRow[];
  operations(): readonly OperationRow[];
  /**
   * Invokes an operation. Commands take `{"input": "text behind the name"}` (`text` is an alias) or nothing; tools take their own arguments.
   * During a turn its busy behaviour holds: `inspect` and `execute` answer at once, `apply` is scheduled to the next boundary, `hold` is
   * put into the queue, `cancel` stops the turn first.
   */
  invoke(operation: string, args: unknown): Promise<Invocation>;
  /** Tab completion of commands, their arguments and paths. `cursor` in UTF-16 units. */
  complete(text: string, cursor: number): Promise<Completion>;
  /** What people put into this conversation, for recall; of at most 1,000 inputs, 200 when `limit` is absent. */
  inputHistory(query: { readonly limit?: number; readonly before?: number }): Promise<InputHistoryPage>;
  /** Lisp text as the reader sees it; nothing is interned or evaluated. Rejects with `input-limit`. */
  highlight(text: string): Promise<Highlighting>;
  /** The draft that the last front end left; null when there is none. It lives as long as the session is open. */
  draft(): Draft | null;
  /** Leaves a draft, or takes it away with null. */
  leaveDraft(draft: Draft | null): void;

  jobs(): readonly JobRow[];
  /** `id`: job id, visible name, or bare number of an execution. */
  job(id: string): Promise<JobDetail>;
  jobTranscript(query: JobTranscriptQuery): Promise<JobTranscript>;
  /** Queues a message for a running child; answers how many wait. */
  sendToJob(id: string, text: string): Promise<number>;
  cancelJob(id: string): Promise<void>;

  resource(query: ResourceQuery): Promise<ResourceReading>;

  /** Moves waiting input into the vault; answers how many entries are there now. */
  vaultStore(): Promise<number>;
  vaultContents(): readonly VaultEntry[];
  setVaultContents(entries: readonly VaultEntry[]): Promise<void>;
  /** Puts the vault's entries in front of the queue; answers how many. */
  vaultRestore(): Promise<number>;
}

export type NewSessionOptions = {
  /** Absolute, existing. */
  readonly workingDirectory: string;
  readonly mode?: PermissionMode;
  readonly model?: string;
};

export type LoadSessionOptions = {
  /** Replaces the saved directory. */
  readonly workingDirectory?: string;
  readonly mode?: PermissionMode;
};

export type ForkOptions = LoadSessionOptions & {
  /** Records of the source up to and including this sequence; all of them when absent. */
  readonly throughSeq?: number;
};

export type ConversationQuery = {
  /** 1 to 200; 50 when absent. */
  readonly limit?: number;
  readonly cursor?: string;
  /** Only those of this directory. */
  readonly workingDirectory?: string;
};

export interface SessionService {
  /** A new conversation. Rejects with `invalid-argument` for a directory that is not there. */
  create(options: NewSessionOptions): Promise<Session>;
  /**
   * Opens a conversation, or answers the open session. Rejects with `not-found`, `locked` (another host has it), `malformed`. The model is told
   * once that jobs of a dead host are gone.
   */
  load(id: ConversationId, options?: LoadSessionOptions): Promise<Session>;
  fork(source: ConversationId, options?: ForkOptions): Promise<Session>;
  conversations(query: ConversationQuery): Promise<ConversationPage>;
  /** The session of that id when it is open here. */
  find(id: ConversationId): Session | undefined;
  sessions(): readonly Session[];
  /** Paths of the initialization files that sessions load now. */
  loadingFiles(): readonly string[];
  /** Closes one session: cancels its turn and jobs, releases its lock. Pending input stays durable. */
  closeSession(id: ConversationId): Promise<void>;
  /** Somebody is connected, attached or not: the host is not idle until the answered function was called. */
  hold(): () => void;
  /** Resolves when the host has had nothing to do for its idle time (10 minutes) without client, turn, job, queue or wakeup. */
  readonly idle: Promise<void>;
  /** Closes every session. */
  shutdown(): Promise<void>;
}
