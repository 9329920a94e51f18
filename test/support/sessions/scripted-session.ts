/**
 * A session service without machine, model and files, for tests of front ends: every prompt runs a script that emits updates, asks for
 * permission and ends. Numbering, bounds and outcomes are those of the contract; nothing is durable.
 */
import { AutolithError } from "../../../orchestrator/contract/failure.ts";
import { type ConversationId, conversationIdSchema } from "../../../orchestrator/contract/identifiers.ts";
import type { PermissionMode } from "../../../orchestrator/contract/permissions.ts";
import type {
  Admission,
  AttachOptions,
  Attachment,
  Completion,
  Draft,
  HistoryPage,
  HistoryQuery,
  Highlighting,
  InputHistoryPage,
  Invocation,
  JobDetail,
  JobRow,
  JobTranscript,
  JobTranscriptQuery,
  ModelRow,
  OperationRow,
  PendingInput,
  PermissionAnswer,
  PermissionRequest,
  PromptInput,
  PromptOutcome,
  PromptSubmission,
  RecalledInput,
  ReplayedUpdate,
  ResourceQuery,
  ResourceReading,
  Session,
  SessionState,
  SessionUpdate,
  SettingRow,
  SettingValue,
  TurnOutcome,
  TurnSource,
  UsageCounters,
  VaultEntry,
} from "../../../orchestrator/contract/session.ts";
import { EventLog } from "../../../orchestrator/sessions/event-log.ts";
import { highlightedLisp } from "../../../orchestrator/sessions/catalog/highlighting.ts";
import { promptContent } from "../../../orchestrator/sessions/input/prompt-text.ts";

/** What a script may do while its turn runs. */
export type ScriptedTurn = {
  readonly epoch: number;
  readonly signal: AbortSignal;
  /** Emits an update; `at` is filled in. It is history from then on. */
  emit(update: SessionUpdate): void;
  /** Asks the attached clients; denied at once when none answers. */
  ask(
    request: Omit<PermissionRequest, "requestId" | "epoch" | "askedAt">,
  ): Promise<PermissionAnswer | "cancelled">;
  /** Steering that arrived since the last call. */
  steering(): readonly string[];
};

/** Runs one turn; a rejection makes its outcome `condition`. */
export type TurnScript = (text: string, turn: ScriptedTurn) => Promise<void>;

const noUsage: UsageCounters = {
  inputTokens: null,
  cachedInputTokens: null,
  outputTokens: null,
  reasoningTokens: null,
  requests: 0,
};

/** Answers every prompt with its own text. */
export const echoScript: TurnScript = (text, turn) => {
  turn.emit({ type: "message-chunk", messageId: `r:${turn.epoch}:m`, text, final: true, at: 0 });
  return Promise.resolve();
};

export type ScriptedSessionOptions = {
  readonly id?: string;
  readonly workingDirectory?: string;
  readonly script?: TurnScript;
  readonly mode?: PermissionMode;
  readonly settings?: readonly SettingRow[];
  readonly models?: readonly ModelRow[];
  readonly operations?: readonly OperationRow[];
  readonly jobs?: readonly JobRow[];
  readonly invoke?: (operation: string, args: unknown, session: ScriptedSession) => Promise<Invocation>;
  readonly now?: () => number;
  /** False for tests that stream more than a test may keep; there is no history then. */
  readonly keepHistory?: boolean;
};

export class ScriptedSession implements Session {
  readonly id: ConversationId;
  readonly log: EventLog;
  readonly #options: ScriptedSessionOptions;
  readonly #now: () => number;
  readonly #updates: ReplayedUpdate[] = [];
  readonly #answers = new Map<string, (answer: PermissionAnswer | "cancelled") => void>();
  readonly #requests = new Map<string, PermissionRequest>();
  readonly #clients = new Set<AttachOptions>();
  #pending: PendingInput[] = [];
  #vault: VaultEntry[] = [];
  #mode: PermissionMode;
  #settings: SettingRow[];
  #epoch = 0;
  #inputs = 0;
  #running:
    | { abort: AbortController; source: TurnSource; startedAt: number; done: Promise<PromptOutcome> }
    | undefined;
  #lastOutcome: TurnOutcome | null = null;
  #paused = false;
  #held = false;
  #draft: Draft | null = null;

  constructor(options: ScriptedSessionOptions = {}) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.id = conversationIdSchema.parse(options.id ?? "abcdefg");
    this.log = new EventLog(this.#now);
    this.#mode = options.mode ?? "ask";
    this.#settings = [...(options.settings ?? [])];
  }

  attach(options: AttachOptions): Promise<Attachment> {
    this.#clients.add(options);
    const reader = this.log.reader();
    const history = this.#page({ limit: options.tail === "all" ? 1_000_000 : options.tail });
    return Promise.resolve({
      history,
      live: [],
      state: this.state(),
      read: (signal) => reader.read(signal),
      detach: () => {
        this.#clients.delete(options);
        reader.detach();
        if (!this.#canAsk()) for (const id of this.#answers.keys()) this.answerPermission(id, "deny");
      },
    });
  }

  state(): SessionState {
    const running = this.#running;
    return {
      sessionId: this.id,
      title: "scripted",
      workingDirectory: this.#options.workingDirectory ?? "/",
      createdAt: 0,
      lastActivityAt: this.#now(),
      model: "scripted/model",
      reasoningEffort: "medium",
      mode: this.#mode,
      turn: {
        state: running === undefined ? "idle" : "running",
        epoch: this.#epoch,
        source: running?.source ?? null,
        startedAt: running?.startedAt ?? null,
        lastOutcome: this.#lastOutcome,
      },
      paused: this.#paused,
      held: this.#paused && this.#held,
      pendingInputs: [...this.#pending],
      vaultEntries: this.#vault.length,
      permissionRequests: [...this.#requests.values()],
      restartRequests: [],
      runningForms: 0,
      usage: noUsage,
      turnUsage: noUsage,
      contextTokens: null,
      contextEstimated: true,
      contextWindow: 272_000,
      compactionThresholdPercent: 80,
      plan: [],
      jobs: { live: 0, total: this.jobs().length },
      userTurns: this.#epoch,
      attachedClients: this.#clients.size,
      eventSeq: this.log.seq,
      health: { lastFailure: null, hostStartedAt: 0, processId: process.pid },
    };
  }

  history(query: HistoryQuery): Promise<HistoryPage> {
    return Promise.resolve(this.#page(query));
  }

  async prompt(input: PromptInput): Promise<PromptSubmission> {
    const { text } = promptContent(input);
    if (text.startsWith("/") && !text.startsWith("//")) {
      const [name = "", ...rest] = text.slice(1).split(" ");
      return { kind: "command", invocation: await this.invoke(name, { input: rest.join(" ") }) };
    }
    if (this.#running !== undefined) throw new AutolithError("busy", "A turn is running.");
    this.#paused = false;
    this.#held = false;
    const inputId = this.#inputId(input);
    const finished = this.#start(text, "prompt", inputId);
    return { kind: "turn", inputId, epoch: this.#epoch, finished };
  }

  steer(input: PromptInput): Promise<Admission> {
    return this.#admit(input, "steering");
  }

  queue(input: PromptInput): Promise<Admission> {
    return this.#admit(input, "queued");
  }

  async cancel(): Promise<boolean> {
    const running = this.#running;
    if (running === undefined) return false;
    this.#paused = true;
    running.abort.abort("user");
    for (const answer of this.#answers.values()) answer("cancelled");
    await running.done;
    return true;
  }

  async pause(): Promise<boolean> {
    const stopped = await this.cancel();
    this.#paused = true;
    this.#held = true;
    return stopped;
  }

  setMode(mode: PermissionMode): Promise<void> {
    this.#mode = mode;
    for (const answer of this.#answers.values()) answer("cancelled");
    this.emit({ type: "mode", mode, at: 0 });
    return Promise.resolve();
  }

  answerPermission(requestId: string, answer: PermissionAnswer): boolean {
    const resolve = this.#answers.get(requestId);
    resolve?.(answer);
    return resolve !== undefined;
  }

  readonly corrections = {
    propose: (): Promise<never> =>
      Promise.reject(new AutolithError("unsupported", "There is no model here.")),
    cancel: (): boolean => false,
    save: (): Promise<never> => Promise.reject(new AutolithError("unsupported", "Nothing is saved here.")),
  };

  restarts(): readonly [] {
    return [];
  }

  chooseRestart(): Promise<boolean> {
    return Promise.resolve(false);
  }

  diagnoseRestart(requestId: string): Promise<never> {
    return Promise.reject(new AutolithError("unknown-request", `No condition ${requestId} waits.`));
  }

  cancelDiagnosis(): boolean {
    return false;
  }

  settings(): readonly SettingRow[] {
    return this.#settings;
  }

  setSetting(name: string, value: SettingValue): Promise<SettingRow> {
    const row = this.#settings.find((each) => each.name === name);
    if (row === undefined)
      return Promise.reject(new AutolithError("unknown-setting", `There is no setting ${name}.`));
    const changed: SettingRow = { ...row, value, source: "this session" };
    this.#settings = this.#settings.map((each) => (each === row ? changed : each));
    this.log.append({ kind: "catalog", catalog: "settings" });
    return Promise.resolve(changed);
  }

  models(): readonly ModelRow[] {
    return this.#options.models ?? [];
  }

  operations(): readonly OperationRow[] {
    return this.#options.operations ?? [];
  }

  invoke(operation: string, args: unknown): Promise<Invocation> {
    const { invoke } = this.#options;
    if (invoke !== undefined) return invoke(operation, args, this);
    return Promise.reject(new AutolithError("unknown-operation", `There is no operation ${operation}.`));
  }

  complete(text: string, cursor: number): Promise<Completion> {
    const names = this.operations().map(({ name }) => `/${name}`);
    const head = text.slice(0, cursor);
    const candidates = names.filter((name) => name.startsWith(head)).map((name) => ({ text: name }));
    return Promise.resolve({ from: 0, to: cursor, candidates, omitted: 0 });
  }

  inputHistory(): Promise<InputHistoryPage> {
    const inputs = this.#updates.flatMap(({ recordSeq, update }): RecalledInput[] =>
      update.type === "user-message" && update.origin !== "automatic"
        ? [{ seq: recordSeq, kind: "message", text: update.text, at: update.at }]
        : [],
    );
    return Promise.resolve({ inputs, hasOlder: false });
  }

  highlight(text: string): Promise<Highlighting> {
    return Promise.resolve(highlightedLisp(text));
  }

  draft(): Draft | null {
    return this.#draft;
  }

  leaveDraft(draft: Draft | null): void {
    this.#draft = draft;
  }

  jobs(): readonly JobRow[] {
    return this.#options.jobs ?? [];
  }

  job(id: string): Promise<JobDetail> {
    const job = this.jobs().find((each) => each.jobId === id || each.name === id);
    return job === undefined
      ? Promise.reject(new AutolithError("unknown-job", `There is no job ${id}.`))
      : Promise.resolve({ job, text: job.summary });
  }

  jobTranscript({ offset = 0, output }: JobTranscriptQuery): Promise<JobTranscript> {
    return Promise.resolve(
      output === "text"
        ? { output, text: "", offset, total: 0, nextOffset: 0, complete: true }
        : { output, updates: [], offset, total: 0, nextOffset: null, complete: true },
    );
  }

  async sendToJob(id: string): Promise<number> {
    await this.job(id);
    return 1;
  }

  async cancelJob(id: string): Promise<void> {
    await this.job(id);
  }

  resource({ uri }: ResourceQuery): Promise<ResourceReading> {
    return Promise.reject(new AutolithError("not-found", `There is no resource ${uri}.`));
  }

  vaultStore(): Promise<number> {
    this.#vault.push(...this.#pending.map(({ text }): VaultEntry => ({ type: "message", input: text })));
    this.#setPending([]);
    return Promise.resolve(this.#vault.length);
  }

  vaultContents(): readonly VaultEntry[] {
    return this.#vault;
  }

  setVaultContents(entries: readonly VaultEntry[]): Promise<void> {
    this.#vault = [...entries];
    return Promise.resolve();
  }

  vaultRestore(): Promise<number> {
    const restored = this.#vault.flatMap((entry) => (entry.type === "message" ? [entry.input] : []));
    this.#vault = [];
    this.#setPending([...restored.map((text) => this.#pendingInput(text, "queued")), ...this.#pending]);
    return Promise.resolve(restored.length);
  }

  /** Emits an update outside a turn. */
  emit(update: SessionUpdate): void {
    const stamped = { ...update, at: this.#now() };
    if (this.#options.keepHistory !== false)
      this.#updates.push({ recordSeq: this.#updates.length + 1, update: stamped });
    this.log.append({ kind: "update", update: stamped });
  }

  /** Ends the session as its host would. */
  async close(): Promise<void> {
    await this.cancel();
    this.log.append({ kind: "closed", reason: "closed" });
  }

  #admit(input: PromptInput, delivery: "steering" | "queued"): Promise<Admission> {
    const { text } = promptContent(input);
    const inputId = this.#inputId(input);
    this.#paused = false;
    const pending = { ...this.#pendingInput(text, delivery), inputId };
    this.#setPending([...this.#pending, pending]);
    this.#pump();
    return Promise.resolve({ accepted: true, delivery, inputId });
  }

  #pendingInput(text: string, delivery: PendingInput["delivery"]): PendingInput {
    return { inputId: this.#inputId({}), delivery, text, images: 0, acceptedAt: this.#now() };
  }

  #setPending(inputs: readonly PendingInput[]): void {
    this.#pending = [...inputs];
    this.log.append({ kind: "pending-input", inputs: [...inputs], paused: this.#paused });
  }

  #inputId({ inputId }: { readonly inputId?: string | undefined }): string {
    this.#inputs += 1;
    return inputId ?? `input-${this.#inputs}`;
  }

  #pump(): void {
    if (this.#running !== undefined || this.#paused) return;
    const next = this.#pending.find(({ delivery }) => delivery === "steering") ?? this.#pending[0];
    if (next === undefined) return;
    this.#setPending(this.#pending.filter((each) => each !== next));
    void this.#start(next.text, "queue", next.inputId);
  }

  #start(text: string, source: TurnSource, inputId: string): Promise<PromptOutcome> {
    this.#epoch += 1;
    const epoch = this.#epoch;
    const abort = new AbortController();
    const boundary = { kind: "turn", epoch, source } as const;
    this.log.append({ ...boundary, state: "running", outcome: null });
    this.emit({ type: "user-message", messageId: `m:${epoch}`, text, origin: "prompt", inputId, at: 0 });
    const script = this.#options.script ?? echoScript;
    const done = script(text, this.#turn(epoch, abort.signal))
      .then(
        (): Pick<PromptOutcome, "outcome" | "failure"> => ({
          outcome: abort.signal.aborted ? "cancelled" : "end-turn",
        }),
        (error: unknown): Pick<PromptOutcome, "outcome" | "failure"> =>
          abort.signal.aborted
            ? { outcome: "cancelled" }
            : {
                outcome: "condition",
                failure: { code: "scripted", message: String(error), retry: "terminal" },
              },
      )
      .then((ended): PromptOutcome => {
        this.#running = undefined;
        this.#lastOutcome = ended.outcome;
        if (ended.outcome !== "end-turn") this.#paused = true;
        const { failure } = ended;
        this.emit({
          type: "turn-end",
          turnId: `t:${epoch}`,
          outcome: ended.outcome,
          source,
          durationMs: 0,
          usage: noUsage,
          ...(failure === undefined ? {} : { failure: { code: failure.code, message: failure.message } }),
          at: 0,
        });
        this.log.append({ ...boundary, state: "idle", ...ended });
        this.#pump();
        return { ...ended, epoch, usage: noUsage };
      });
    this.#running = { abort, source, startedAt: this.#now(), done };
    return done;
  }

  #turn(epoch: number, signal: AbortSignal): ScriptedTurn {
    return {
      epoch,
      signal,
      emit: (update) => this.emit(update),
      ask: (request) =>
        this.#ask({ ...request, requestId: `p${this.log.seq + 1}`, epoch, askedAt: this.#now() }),
      steering: () => {
        const steering = this.#pending.filter(({ delivery }) => delivery === "steering");
        this.#setPending(this.#pending.filter((each) => !steering.includes(each)));
        return steering.map(({ text }) => text);
      },
    };
  }

  #canAsk(): boolean {
    return [...this.#clients].some(({ answersPermissions }) => answersPermissions);
  }

  #ask(request: PermissionRequest): Promise<PermissionAnswer | "cancelled"> {
    if (!this.#canAsk()) return Promise.resolve("deny");
    const { requestId } = request;
    this.#requests.set(requestId, request);
    this.log.append({ kind: "permission-requested", request });
    return new Promise((resolve) => {
      this.#answers.set(requestId, (answer) => {
        this.#answers.delete(requestId);
        this.#requests.delete(requestId);
        this.log.append({ kind: "permission-resolved", requestId, answer });
        resolve(answer);
      });
    });
  }

  #page({ limit = 200, before, after }: HistoryQuery): HistoryPage {
    const all = this.#updates.filter(
      ({ recordSeq }) =>
        (before === undefined || recordSeq < before) && (after === undefined || recordSeq > after),
    );
    const updates = after === undefined ? all.slice(Math.max(0, all.length - limit)) : all.slice(0, limit);
    const first = updates[0]?.recordSeq ?? null;
    const last = updates.at(-1)?.recordSeq ?? null;
    return {
      updates,
      firstSeq: first,
      lastSeq: last,
      hasOlder: first !== null && first > 1,
      hasNewer: last !== null && last < this.#updates.length,
    };
  }
}
