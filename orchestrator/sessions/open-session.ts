/** One open conversation behind the contract: its methods over the parts that do the work. */
import { randomUUID } from "node:crypto";
import { AutolithError, failureOf } from "../contract/failure.ts";
import type { ConversationId } from "../contract/identifiers.ts";
import type { Authority, PermissionMode } from "../contract/permissions.ts";
import type {
  Completion,
  Invocation,
  JobDetail,
  JobRow,
  ModelRow,
  OperationRow,
  SessionState,
  SettingRow,
  SettingValue,
} from "../contract/session/catalogs.ts";
import type { PermissionAnswer } from "../contract/session/events.ts";
import type { Admission, PromptInput, VaultEntry } from "../contract/session/input.ts";
import type {
  AttachOptions,
  Attachment,
  HistoryQuery,
  JobTranscript,
  JobTranscriptQuery,
  PromptSubmission,
  ResourceQuery,
  ResourceReading,
  Session,
} from "../contract/session/service.ts";
import type { HistoryPage } from "../contract/session/updates.ts";
import type { Settlement } from "../jobs/settlements.ts";
import { isActive } from "../jobs/job-table.ts";
import { withinDeadline } from "../queue/deadline.ts";
import { writePickerEntry } from "./catalog/picker-entry.ts";
import { completionOf } from "./catalog/completion.ts";
import type { CommandContext } from "./commands/command.ts";
import { commandRow, commands, helpText, slashText } from "./commands/command-table.ts";
import { Invoker } from "./commands/invoker.ts";
import type { Waiting } from "./input/waiting.ts";
import { promptContent } from "./input/prompt-text.ts";
import { readSessionResource } from "./catalog/resource-reading.ts";
import { reachableModel } from "./settings/model-choice.ts";
import type { SessionCore } from "./session-core.ts";
import { SessionJobs } from "./session-jobs.ts";
import { generateTitle, titleFromPrompt, wantsGeneratedTitle } from "./titles.ts";
import { Compactor } from "./turns/compactor.ts";
import { TurnEngine } from "./turns/turn-engine.ts";
import { historyPage, historyPageDefault, historyPageLimit } from "./view/history-pages.ts";
import { sessionRecords } from "./view/record-updates.ts";

/** Time that live jobs get when a session is closed, in milliseconds (facts C.3). */
const closeDeadlineMs = 10_000;

/** What a session needs of the host that serves it. */
export type SessionHooks = Pick<CommandContext, "openNew" | "openExisting" | "fork" | "conversations"> & {
  /** Told when clients, turns or jobs changed: the host may have become idle. */
  readonly activity: () => void;
};

export class OpenSession implements Session {
  readonly #core: SessionCore;
  readonly #hooks: SessionHooks;
  readonly #engine: TurnEngine;
  readonly #compactor: Compactor;
  readonly #jobs: SessionJobs;
  readonly #invoker: Invoker;
  readonly #clients = new Set<AttachOptions>();
  readonly #background = new AbortController();
  #titling: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(core: SessionCore, authority: Authority, hooks: SessionHooks) {
    this.#core = core;
    this.#hooks = hooks;
    this.#compactor = new Compactor(core);
    this.#jobs = new SessionJobs(core.host, core.environment.dataRoot);
    const tools = core.host.registry.select((tool) => tool.audience !== "children");
    this.#engine = new TurnEngine({
      core,
      authority,
      compactor: this.#compactor,
      tools,
      command: (text) => this.#waitingCommand(text),
      ended: () => this.#turnEnded(),
      rested: () => this.#hooks.activity(),
    });
    this.#invoker = new Invoker({
      core,
      engine: this.#engine,
      tools,
      authority,
      context: () => this.#commandContext(),
      queueCommand: (text) => this.#admit("queued", { text, images: [] }, "command", undefined),
    });
  }

  get id(): ConversationId {
    return this.#core.id;
  }

  /** True while a client that shows permission requests is attached. */
  get canAsk(): boolean {
    return [...this.#clients].some(({ answersPermissions }) => answersPermissions);
  }

  /** The turn that runs, for permission requests. */
  get runningEpoch(): number | null {
    return this.#engine.running?.epoch ?? null;
  }

  get clientCount(): number {
    return this.#clients.size;
  }

  /** Nobody is attached, and nothing runs, waits to run or will start by itself. */
  get isIdle(): boolean {
    const waiting = !this.#engine.paused && this.#core.pending.count > 0;
    return (
      this.#clients.size === 0 && this.#engine.idle && !waiting && !this.#core.host.jobs().some(isActive)
    );
  }

  /** What was left waiting stays until explicit input comes. */
  holdWaitingInput(): void {
    this.#engine.hold();
  }

  attach(options: AttachOptions): Promise<Attachment> {
    if (this.#closed) return Promise.reject(closedError());
    this.#clients.add(options);
    // All of it at one moment: nothing may happen between the reader's place and what is shown of the past.
    const reader = this.#core.events.reader();
    const history = this.#page({}, options.tail === "all" ? Number.MAX_SAFE_INTEGER : options.tail);
    const live = this.#core.live.updates(this.#core.environment.now());
    const attachment: Attachment = {
      history,
      live,
      state: this.state(),
      read: (signal) => reader.read(signal),
      detach: () => {
        reader.detach();
        if (!this.#clients.delete(options)) return;
        this.#core.broker.clientLeft();
        this.#core.emit({ kind: "state" });
        this.#hooks.activity();
      },
    };
    this.#core.emit({ kind: "state" });
    this.#hooks.activity();
    return Promise.resolve(attachment);
  }

  state(): SessionState {
    const core = this.#core;
    const { running, epoch, lastOutcome, lastFailure, paused } = this.#engine;
    return {
      sessionId: this.id,
      title: core.title,
      workingDirectory: core.workingDirectory,
      createdAt: core.host.conversation.header.createdAt,
      lastActivityAt: core.lastActivityAt,
      model: core.model,
      reasoningEffort: core.settings.text("reasoning-effort"),
      mode: core.mode,
      turn: {
        state: running === undefined ? "idle" : "running",
        epoch,
        source: running?.source ?? null,
        startedAt: running?.startedAt ?? null,
        lastOutcome,
      },
      paused,
      pendingInputs: [...core.pending.listing()],
      vaultEntries: core.pending.vault.length,
      permissionRequests: [...core.broker.requests()],
      usage: core.usage.total,
      turnUsage: core.usage.turn,
      contextTokens: core.usage.contextTokens,
      contextWindow: core.contextWindow,
      compactionThresholdPercent: core.settings.number("compaction-threshold-percent"),
      plan: [...core.plan],
      jobs: this.#jobs.counts(),
      userTurns: core.userTurns,
      attachedClients: this.#clients.size,
      eventSeq: core.events.seq,
      health: {
        lastFailure,
        hostStartedAt: core.environment.startedAt,
        processId: process.pid,
      },
    };
  }

  history(query: HistoryQuery): Promise<HistoryPage> {
    const limit = query.limit ?? historyPageDefault;
    if (!Number.isInteger(limit) || limit < 1 || limit > historyPageLimit)
      return Promise.reject(
        new AutolithError(
          "invalid-argument",
          `limit is a whole number from 1 to ${historyPageLimit}, not ${limit}.`,
        ),
      );
    return Promise.resolve(this.#page(query, limit));
  }

  async prompt(input: PromptInput): Promise<PromptSubmission> {
    this.#requireOpen();
    const content = promptContent(input);
    const slash = slashText(content.text);
    if (slash.kind === "command") {
      const invocation = await this.#invoker.invokeText(slash.name, slash.input);
      return { kind: "command", invocation };
    }
    const waiting = this.#waiting(
      "message",
      { ...content, text: slash.text },
      input.inputId ?? `prompt-${randomUUID()}`,
    );
    if (this.#isDelivered(waiting.inputId))
      throw new AutolithError(
        "duplicate-input",
        `The input ${waiting.inputId} is in the conversation already.`,
      );
    await titleFromPrompt(this.#core, waiting.text);
    this.#engine.lift();
    const turn = await this.#engine.start("prompt", [waiting]);
    return { kind: "turn", inputId: waiting.inputId, epoch: turn.epoch, finished: turn.finished };
  }

  steer(input: PromptInput): Promise<Admission> {
    return this.#submit("steering", input);
  }

  queue(input: PromptInput): Promise<Admission> {
    return this.#submit("queued", input);
  }

  async cancel(
    options: { readonly jobs?: boolean; readonly continueSteering?: boolean } = {},
  ): Promise<boolean> {
    const stopped = await this.#engine.cancel(options.continueSteering === true);
    if (options.jobs === true) {
      const live = this.#core.host.jobs().filter(isActive);
      await Promise.all(live.map((job) => this.#core.host.supervisor.cancel(job, "user")));
    }
    return stopped;
  }

  pause(): Promise<void> {
    this.#engine.pause();
    this.#core.emit({ kind: "state" });
    return Promise.resolve();
  }

  async setMode(mode: PermissionMode): Promise<void> {
    this.#requireOpen();
    this.#core.mode = mode;
    this.#core.broker.clear();
    await this.#core.note(sessionRecords.mode, { mode });
    this.#core.update({ type: "mode", mode, at: this.#core.environment.now() });
    this.#core.emit({ kind: "state" });
  }

  answerPermission(requestId: string, answer: PermissionAnswer): boolean {
    return this.#core.broker.answer(requestId, answer);
  }

  settings(): readonly SettingRow[] {
    return this.#core.settings
      .rows()
      .map((row) => (row.name === "context-window" ? { ...row, value: this.#core.contextWindow } : row));
  }

  async setSetting(name: string, value: SettingValue): Promise<SettingRow> {
    this.#requireOpen();
    const bare = name.replace(/^:/, "").toLowerCase();
    if (bare === "model") reachableModel(this.#core.environment, value);
    const row = await this.#core.settings.set(bare, value);
    if (bare === "model" || bare === "reasoning-effort") await this.#configured();
    this.#core.invalidate("settings", ...(bare === "model" ? (["models"] as const) : []));
    return row;
  }

  models(): readonly ModelRow[] {
    const current = this.#core.model;
    const listed = this.#core.environment.listModels();
    const rows = listed.map((model) => ({ ...model, current: model.id === current }));
    if (rows.some((row) => row.current)) return rows;
    const [provider = "", ...rest] = current.split("/");
    const contextWindow = this.#core.contextWindow;
    return [
      { id: current, provider, name: rest.join("/"), contextWindow, reasoningEfforts: [], current: true },
      ...rows,
    ];
  }

  operations(): readonly OperationRow[] {
    return [...commands.map(commandRow), ...this.#invoker.toolRows()];
  }

  invoke(operation: string, args: unknown): Promise<Invocation> {
    this.#requireOpen();
    return this.#invoker.invoke(operation, args);
  }

  complete(text: string, cursor: number): Promise<Completion> {
    return completionOf(text, cursor, {
      commands,
      workingDirectory: this.#core.workingDirectory,
      settings: this.settings(),
      models: this.models(),
      listDirectory: this.#core.environment.listDirectory,
    });
  }

  jobs(): readonly JobRow[] {
    return this.#jobs.rows();
  }

  job(id: string): Promise<JobDetail> {
    return this.#jobs.detail(id);
  }

  jobTranscript(query: JobTranscriptQuery): Promise<JobTranscript> {
    return this.#jobs.transcript(query);
  }

  sendToJob(id: string, text: string): Promise<number> {
    return Promise.resolve().then(() => this.#jobs.send(id, text));
  }

  cancelJob(id: string): Promise<void> {
    return this.#jobs.cancel(id);
  }

  resource(query: ResourceQuery): Promise<ResourceReading> {
    return readSessionResource(query, this.#invoker);
  }

  async vaultStore(): Promise<number> {
    const count = await this.#core.pending.store();
    this.#core.emit({ kind: "state" });
    return count;
  }

  vaultContents(): readonly VaultEntry[] {
    return [...this.#core.pending.vault];
  }

  async setVaultContents(entries: readonly VaultEntry[]): Promise<void> {
    await this.#core.pending.replaceVault(entries);
    this.#core.emit({ kind: "state" });
  }

  async vaultRestore(): Promise<number> {
    const count = await this.#core.pending.restore((entry) => {
      const text = entry.type === "message" ? entry.input : entry.type === "lisp" ? entry.source : entry.text;
      return this.#waiting(entry.type, { text, images: [] }, `queue-${randomUUID()}`);
    });
    if (count > 0) {
      this.#engine.lift();
      this.#engine.pump();
    }
    return count;
  }

  /** Takes a job of this conversation that has settled. */
  jobSettled({ job, outcome }: Settlement): void {
    if (this.#core.completions.offer({ job, outcome })) this.#engine.completionsArrived();
    this.#hooks.activity();
  }

  /** Waiting input or the pause changed. */
  pendingChanged(): void {
    this.#core.emit({
      kind: "pending-input",
      inputs: [...this.#core.pending.listing()],
      paused: this.#engine.paused,
    });
  }

  /** Another conversation comes in front of this one's clients. */
  switchedTo(to: ConversationId): void {
    this.#core.emit({ kind: "switched", to });
  }

  /** Ends the turn and everything that was started; the record is complete when it resolves. Does not close the record. */
  async close(reason: "closed" | "shutdown"): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#background.abort("shutdown");
    this.#core.broker.clear();
    await this.#engine.close();
    await this.#endJobs();
    await this.#titling;
    await this.#core.pending.flush();
    await this.#writePicker();
    this.#core.emit({ kind: "closed", reason });
  }

  /** Cancels what is live and waits until its end is in the journal, within bounds. */
  async #endJobs(): Promise<void> {
    const { supervisor } = this.#core.host;
    const live = this.#core.host.jobs().filter(isActive);
    await Promise.all(live.map((job) => supervisor.cancel(job, "shutdown")));
    const settled = Promise.allSettled(live.map((job) => supervisor.settled(job.executionId)));
    await withinDeadline(settled, closeDeadlineMs);
  }

  /** Closes the record and gives back what the conversation held; nothing of the session may be called afterwards. */
  async release(): Promise<void> {
    const { environment, host } = this.#core;
    environment.jobs.remove(this.id);
    await host.close();
    await environment.released(this.id);
  }

  #requireOpen(): void {
    if (this.#closed) throw closedError();
  }

  #page(query: HistoryQuery, limit: number): HistoryPage {
    return historyPage(this.#core.log.records, this.#core.workingDirectory, query, limit);
  }

  #waiting(
    kind: Waiting["kind"],
    { text, images }: Pick<Waiting, "text" | "images">,
    inputId: string,
  ): Waiting {
    return { inputId, kind, text, images, acceptedAt: this.#core.environment.now() };
  }

  #isDelivered(inputId: string): boolean {
    return this.#core.log.records.some(
      ({ record }) => record.kind === "message" && record.pendingInputIdentifier === inputId,
    );
  }

  async #submit(delivery: "steering" | "queued", input: PromptInput): Promise<Admission> {
    this.#requireOpen();
    const content = promptContent(input);
    const slash = slashText(content.text);
    if (slash.kind === "command") return this.#admit("queued", content, "command", input.inputId);
    await titleFromPrompt(this.#core, slash.text);
    return this.#admit(delivery, { ...content, text: slash.text }, "message", input.inputId);
  }

  async #admit(
    delivery: "steering" | "queued",
    content: Pick<Waiting, "text" | "images">,
    kind: Waiting["kind"],
    inputId: string | undefined,
  ): Promise<Admission> {
    const id = inputId ?? `${delivery === "steering" ? "steer" : "queue"}-${randomUUID()}`;
    if (!this.#isDelivered(id)) await this.#core.pending.admit(delivery, this.#waiting(kind, content, id));
    this.#engine.lift();
    this.#engine.pump();
    return { accepted: true, delivery, inputId: id };
  }

  async #waitingCommand(text: string): Promise<void> {
    const slash = slashText(text);
    if (slash.kind !== "command") return;
    try {
      const { text: answer } = await this.#invoker.runNow(slash.name, slash.input);
      this.#core.notice("info", "command", answer);
    } catch (error) {
      const { code, message } = failureOf(error);
      this.#core.notice("error", code, message);
    }
  }

  /** The model or effort changed: recorded, and in force from the next request on. */
  async #configured(): Promise<void> {
    await this.#core.log.append({
      kind: "configuration",
      model: this.#core.model,
      reasoningEffort: this.#core.settings.text("reasoning-effort"),
    });
    this.#engine.resetCache();
    // A running turn meets it at its next boundary.
    if (this.#engine.running !== undefined) this.#engine.schedule(() => Promise.resolve(true));
  }

  #commandContext(): CommandContext {
    return {
      ...this.#hooks,
      session: this,
      core: this.#core,
      compact: () => this.#compactNow(),
      chooseModel: async (id) => {
        await this.setSetting("model", id);
      },
      setMode: (mode) => this.setMode(mode),
      changeDirectory: (path) => this.#invoker.changeDirectory(path),
      approvals: () => this.#core.broker.approvals(),
      clearApprovals: () => this.#core.broker.clear(),
      stop: async () => {
        await this.#engine.cancel(false);
      },
      help: helpText,
    };
  }

  async #compactNow(): Promise<string> {
    const before = this.#core.usage.contextTokens;
    const frame = { instructions: "", tools: this.#invoker.toolSchemas() };
    const done = await this.#engine.exclusively(() =>
      this.#compactor.compact(frame, this.#background.signal),
    );
    if (!done) return "There is nothing to compact.";
    this.#engine.resetCache();
    return `Compacted: about ${this.#core.usage.contextTokens ?? 0} tokens now, ${before ?? "unknown"} before.`;
  }

  #turnEnded(): void {
    this.#core.invalidate("conversations");
    this.#hooks.activity();
    // Judged now: the next turn may have begun when the entry is written.
    const wantsTitle = wantsGeneratedTitle(this.#core);
    this.#titling = this.#titling
      .then(() => this.#writePicker())
      .then(async () => {
        if (!this.#closed && wantsTitle) {
          await generateTitle(this.#core, this.#background.signal);
          await this.#writePicker();
        }
      })
      .catch((error: unknown) => {
        if (!this.#background.signal.aborted) this.#core.environment.report(failureOf(error));
      });
  }

  #writePicker(): Promise<void> {
    const { environment, title, workingDirectory, lastActivityAt, userTurns, preview, host } = this.#core;
    return writePickerEntry(environment.dataRoot, this.id, {
      title,
      directory: workingDirectory,
      createdAt: host.conversation.header.createdAt,
      lastActivityAt,
      userTurns,
      preview: preview.toWellFormed(),
    });
  }
}

function closedError(): AutolithError {
  return new AutolithError("session-closed", "This session was closed; load it again.");
}
