/** One open conversation behind the contract: its methods over the parts that do the work. */
import { AutolithError } from "../contract/failure.ts";
import type { ConversationId } from "../contract/identifiers.ts";
import type { LispImage } from "../contract/lisp-image.ts";
import type { Authority, PermissionMode } from "../contract/permissions.ts";
import type {
  Completion,
  Highlighting,
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
import type {
  Admission,
  Draft,
  InputHistoryPage,
  PromptInput,
  VaultEntry,
} from "../contract/session/input.ts";
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
import type { Corrections } from "../contract/session/corrections.ts";
import type { Diagnosis, RestartChoice, RestartRequest } from "../contract/session/restarts.ts";
import type { HistoryPage } from "../contract/session/updates.ts";
import type { Executor, JobExecution } from "../jobs/supervisor.ts";
import type { SelfModification } from "../self/self-modification.ts";
import type { Settlement } from "../jobs/settlements.ts";
import { isActive } from "../jobs/job-table.ts";
import { completionOf, foundPaths } from "./catalog/completion.ts";
import { highlightedLisp } from "./catalog/highlighting.ts";
import { readSessionResource } from "./catalog/resource-reading.ts";
import { commandRow } from "./commands/command-table.ts";
import type { SessionCommandSet } from "./commands/session-command-set.ts";
import type { Invoker } from "./commands/invoker.ts";
import type { SessionInput } from "./input/session-input.ts";
import { withoutImages } from "./input/waiting.ts";
import type { SessionClients } from "./session-clients.ts";
import { SessionCorrections } from "./corrections/session-corrections.ts";
import type { SessionCore } from "./session-core.ts";
import type { SessionPrompt } from "./session-prompt.ts";
import type { SessionJobs } from "./session-jobs.ts";
import { type SessionHooks, sessionParts } from "./session-parts.ts";
import { sessionSnapshot } from "./session-snapshot.ts";
import { answerLostCalls } from "./unanswered-calls.ts";
import { SessionStops, type StopOptions } from "./session-stops.ts";
import type { SessionUpkeep } from "./session-upkeep.ts";
import type { SessionConfiguration } from "./settings/session-configuration.ts";
import type { TurnEngine } from "./turns/turn-engine.ts";
import { checkedPageLimit } from "./view/history-pages.ts";

export class OpenSession implements Session {
  readonly #core: SessionCore;
  readonly #commands: SessionCommandSet;
  readonly #hooks: SessionHooks;
  readonly #engine: TurnEngine;
  readonly #jobs: SessionJobs;
  readonly #invoker: Invoker;
  readonly #input: SessionInput;
  readonly #prompt: SessionPrompt;
  readonly #configuration: SessionConfiguration;
  readonly #clients: SessionClients;
  readonly #upkeep: SessionUpkeep;
  readonly #stops: SessionStops;
  readonly #corrections: SessionCorrections;
  #draft: Draft | null = null;
  #closed = false;

  constructor(core: SessionCore, authority: Authority, hooks: SessionHooks) {
    this.#core = core;
    this.#hooks = hooks;
    const hasDraft = (): boolean => this.#draft !== null && this.#draft.text !== "";
    const parts = sessionParts({ core, authority, hooks, session: this, hasDraft });
    this.#commands = parts.commands;
    this.#jobs = parts.jobs;
    this.#engine = parts.engine;
    this.#invoker = parts.invoker;
    this.#prompt = parts.prompt;
    this.#input = parts.input;
    this.#configuration = parts.configuration;
    this.#clients = parts.clients;
    this.#upkeep = parts.upkeep;
    this.#corrections = new SessionCorrections(core);
    this.#stops = new SessionStops(core, parts.engine, parts.prompt.forms, parts.upkeep);
  }

  get id(): ConversationId {
    return this.#core.id;
  }

  /** True while a client that shows permission requests is attached. */
  get canAsk(): boolean {
    return this.#clients.canAsk;
  }

  /** The turn that runs, for permission requests. */
  get runningEpoch(): number | null {
    return this.#engine.running?.epoch ?? null;
  }

  get clientCount(): number {
    return this.#clients.count;
  }

  /** Nobody is attached, and nothing runs, waits to run or will start by itself. */
  get isIdle(): boolean {
    const waiting = !this.#engine.paused && this.#core.pending.count > 0;
    return (
      this.#clients.count === 0 &&
      this.#engine.idle &&
      !waiting &&
      !this.#prompt.forms.isRunning &&
      !this.#core.host.jobs().some(isActive)
    );
  }

  /** The conversation was there before: what was left waiting stays until explicit input comes. */
  async takenOver(): Promise<void> {
    this.#engine.pause();
    this.#upkeep.takenOver();
    await answerLostCalls(this.#core.log.records, this.#core.transcript);
    await this.#prompt.takenOver();
  }

  /** When something was last added to its record, in epoch milliseconds. */
  get lastActivityAt(): number {
    return this.#core.lastActivityAt;
  }

  /** Its image, for the management REPL. */
  managedImage(): Pick<LispImage, "evaluate" | "probe"> {
    return this.#prompt.managedImage();
  }

  /** What is changed in its image for good. */
  get self(): SelfModification {
    return this.#prompt.self;
  }

  /** Loads the initialization files. Rejects with `initialization`, `directory-scopes`. */
  begin(): Promise<void> {
    return this.#prompt.begin();
  }

  /** This conversation comes in front where `earlier` was: its forms go on in the same image. */
  follows(earlier: OpenSession): void {
    this.#prompt.adopt(earlier.#prompt);
  }

  /** Works in `wanted` from now on, if given; a directory that is gone is told. */
  settleDirectory(wanted: string | undefined): Promise<void> {
    return this.#invoker.settleDirectory(wanted);
  }

  attach(options: AttachOptions): Promise<Attachment> {
    return this.#closed ? Promise.reject(closedError()) : Promise.resolve(this.#clients.attach(options));
  }

  state(): SessionState {
    return sessionSnapshot({
      core: this.#core,
      engine: this.#engine,
      prompt: this.#prompt,
      jobs: this.#jobs.counts(),
      clientCount: this.#clients.count,
    });
  }

  history(query: HistoryQuery): Promise<HistoryPage> {
    return Promise.resolve().then(() => this.#core.historyPage(query, checkedPageLimit(query)));
  }

  async prompt(input: PromptInput): Promise<PromptSubmission> {
    this.#requireOpen();
    return this.#input.prompt(input);
  }

  async steer(input: PromptInput): Promise<Admission> {
    this.#requireOpen();
    return this.#input.submit("steering", input);
  }

  async queue(input: PromptInput): Promise<Admission> {
    this.#requireOpen();
    return this.#input.submit("queued", input);
  }

  cancel(options: StopOptions = {}): Promise<boolean> {
    return this.#stops.cancel(options);
  }

  pause(): Promise<boolean> {
    return this.#stops.pause();
  }

  async setMode(mode: PermissionMode): Promise<void> {
    this.#requireOpen();
    await this.#configuration.setMode(mode);
  }

  answerPermission(requestId: string, answer: PermissionAnswer): boolean {
    return this.#core.broker.answer(requestId, answer);
  }

  restarts(): readonly RestartRequest[] {
    return this.#prompt.restarts.requests();
  }

  chooseRestart(requestId: string, choice: RestartChoice): Promise<boolean> {
    return this.#prompt.restarts.choose(requestId, choice);
  }

  diagnoseRestart(requestId: string): Promise<Diagnosis> {
    return this.#prompt.restarts.diagnose(requestId);
  }

  cancelDiagnosis(requestId: string): boolean {
    return this.#prompt.restarts.cancelDiagnosis(requestId);
  }

  get corrections(): Corrections {
    return this.#corrections;
  }

  settings(): readonly SettingRow[] {
    return this.#configuration.rows();
  }

  async setSetting(name: string, value: SettingValue): Promise<SettingRow> {
    this.#requireOpen();
    return this.#configuration.set(name, value);
  }

  models(): readonly ModelRow[] {
    return this.#configuration.models();
  }

  operations(): readonly OperationRow[] {
    return [...this.#commands.all().map(commandRow), ...this.#invoker.toolRows()];
  }

  invoke(operation: string, args: unknown): Promise<Invocation> {
    this.#requireOpen();
    return this.#invoker.invoke(operation, args);
  }

  complete(text: string, cursor: number): Promise<Completion> {
    return completionOf(text, cursor, {
      commands: this.#commands.all(),
      workingDirectory: this.#core.workingDirectory,
      settings: this.settings(),
      models: this.models(),
      listDirectory: this.#core.environment.listDirectory,
      tools: this.#prompt.toolArguments(),
      symbols: (prefix) => this.#prompt.symbols(prefix),
      searchFiles: async (query) => {
        const { result } = await this.#invoker.callTool("search.files", { query, "max-results": 50 });
        return result.status === "ok" ? foundPaths(result.output) : [];
      },
    });
  }

  inputHistory(query: { readonly limit?: number; readonly before?: number }): Promise<InputHistoryPage> {
    return this.#input.inputHistory(query);
  }

  highlight(text: string): Promise<Highlighting> {
    return Promise.resolve().then(() => highlightedLisp(text));
  }

  draft(): Draft | null {
    return this.#draft;
  }

  leaveDraft(draft: Draft | null): void {
    this.#draft = draft;
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
    return this.#jobs.send(id, text);
  }

  cancelJob(id: string): Promise<void> {
    return this.#jobs.cancel(id);
  }

  resource(query: ResourceQuery): Promise<ResourceReading> {
    return readSessionResource(query, this.#invoker);
  }

  vaultStore(): Promise<number> {
    return this.#input.vaultStore();
  }

  vaultContents(): readonly VaultEntry[] {
    return this.#core.pending.vault.map(withoutImages);
  }

  setVaultContents(entries: readonly VaultEntry[]): Promise<void> {
    return this.#input.replaceVault(entries);
  }

  vaultRestore(): Promise<number> {
    return this.#input.vaultRestore();
  }

  /** Takes a job of this conversation that has settled. */
  jobSettled({ job, outcome }: Settlement): void {
    this.#prompt.background.jobSettled(job, outcome);
    if (this.#core.completions.offer({ job, outcome })) this.#engine.completionsArrived();
    this.#hooks.activity();
  }

  /** Evaluates a form of this conversation that was admitted as a job. */
  evaluateForm(job: JobExecution<"lisp">): ReturnType<Executor<"lisp">> {
    return this.#prompt.background.evaluate(job);
  }

  /** The image before the person; started when it is not there. */
  activeImage(): Promise<LispImage> {
    return this.#prompt.image();
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
    this.#upkeep.stop();
    this.#core.broker.clear();
    await this.#engine.close();
    this.#prompt.forms.cancel("shutdown");
    await this.#jobs.end();
    await this.#prompt.close();
    await this.#core.pending.flush();
    await this.#upkeep.finish();
    await this.#input.close();
    this.#core.emit({ kind: "closed", reason });
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
}

function closedError(): AutolithError {
  return new AutolithError("session-closed", "This session was closed; load it again.");
}
