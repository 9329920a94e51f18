/** The state that all parts of one open session share, and the two ways it speaks: records, and events made from them. */
import { type DataForm, jsonToForm, keyword } from "../../lisp/data-forms/index.ts";
import { AdviceBoard } from "../advice/advice-board.ts";
import { contributionsOf } from "../advice/context-rule.ts";
import { RuleCollections } from "../advice/rule-collections.ts";
import { TurnTrace } from "../advice/turn-trace.ts";
import { conversationTranscript } from "../agents/conversation-transcript.ts";
import type { AgentTranscript } from "../agents/transcript.ts";
import type { ConversationId } from "../contract/identifiers.ts";
import type { HostItem } from "../contract/model.ts";
import type { PermissionMode } from "../contract/permissions.ts";
import type { CatalogName, SessionEventBody } from "../contract/session/events.ts";
import type { FormResult } from "../contract/session/forms.ts";
import type { HistoryQuery } from "../contract/session/service.ts";
import type { HistoryPage, PlanEntry, SessionUpdate } from "../contract/session/updates.ts";
import type { ConversationHost } from "../host/conversation-host.ts";
import { isActive } from "../jobs/job-table.ts";
import type { StoredRecord } from "../record/conversation-record.ts";
import { type ProviderHistory, providerHistory } from "../record/provider-history.ts";
import { RecordLog } from "../record/record-log.ts";
import { ImageExtensions } from "../prompt/image-extensions.ts";
import { SessionSkills } from "../skills/session-skills.ts";
import { EventLog } from "./event-log.ts";
import type { PendingInputs } from "./input/pending-inputs.ts";
import type { PermissionBroker } from "./permissions/permission-broker.ts";
import type { SessionEnvironment } from "./session-environment.ts";
import type { SessionSettings } from "./settings/settings-store.ts";
import type { CompletionFeed } from "./turns/completion-feed.ts";
import { withoutExchanges } from "./turns/precompaction.ts";
import { UsageMeter } from "./turns/usage-meter.ts";
import { callsWithoutResult, highestRequest, historyPage } from "./view/history-pages.ts";
import { LiveOutput } from "./view/live-output.ts";
import { type ProjectionState, planEntriesOf, updatesOfRecord } from "./view/record-updates.ts";
import { extensionField, sessionRecords } from "./view/session-records.ts";

export type SessionCoreParts = {
  readonly environment: SessionEnvironment;
  readonly host: ConversationHost;
  readonly records: readonly StoredRecord[];
  readonly settings: SessionSettings;
  readonly broker: PermissionBroker;
  readonly events: EventLog;
  readonly mode: PermissionMode;
  readonly workingDirectory: string;
  readonly interrupted: readonly string[] | undefined;
};

/** Tells the model of the forms that ended, at a safe boundary; what was put into the transcript. */
export type ToldForms = {
  deliver(transcript: AgentTranscript): Promise<readonly Extract<HostItem, { type: "user-message" }>[]>;
};

const noExtensions = new ImageExtensions();

export class SessionCore {
  readonly environment: SessionEnvironment;
  readonly host: ConversationHost;
  readonly settings: SessionSettings;
  readonly broker: PermissionBroker;
  readonly events: EventLog;
  readonly log: RecordLog;
  readonly transcript: AgentTranscript;
  readonly usage: UsageMeter;
  readonly live = new LiveOutput();
  readonly completions: CompletionFeed;
  readonly skills: SessionSkills;
  /** What the turn has done, for advice. */
  readonly trace = new TurnTrace();
  /** What requests carry besides the conversation. */
  readonly advice: AdviceBoard;
  /** Corrections that people keep. */
  readonly ruleCollections: RuleCollections;
  /** What Lisp has added to this session; set when its prompt is made. */
  extensions: () => ImageExtensions = () => noExtensions;
  pending!: PendingInputs;
  /** What of its forms the model has not been told. */
  forms!: ToldForms;
  mode: PermissionMode;
  workingDirectory: string;
  title = "";
  plan: readonly PlanEntry[] = [];
  /** The number of the last request that was begun in this conversation. */
  lastRequest: number;
  userTurns = 0;
  lastActivityAt: number;
  preview = "";
  /** Names of interrupted jobs, until the first turn after a resume; undefined for new sessions. */
  interrupted: readonly string[] | undefined;
  /** Failed calls of earlier turns that the model is not sent any more. */
  prunedCalls: ReadonlySet<string> = new Set();
  /** Said to every client that attaches before the first turn of this host. */
  readonly #openingNotices: SessionUpdate[] = [];
  /** Ends that could not be recorded, by form: who attaches is shown them behind the history, which does not have them. */
  readonly #unrecordedEnds = new Map<string, SessionUpdate>();
  /** When the last request began, in epoch milliseconds. */
  lastRequestAt: number | undefined;
  /** Calls of hosts that died: no result of theirs will come. */
  readonly #lostCalls: ReadonlySet<string>;
  #summaries = 0;
  #projection: ProjectionState;

  constructor(parts: SessionCoreParts, completions: CompletionFeed) {
    const { environment, host, records } = parts;
    this.environment = environment;
    this.host = host;
    this.settings = parts.settings;
    this.broker = parts.broker;
    this.events = parts.events;
    this.mode = parts.mode;
    this.workingDirectory = parts.workingDirectory;
    this.interrupted = parts.interrupted;
    this.completions = completions;
    this.log = new RecordLog(host.conversation, records, environment.now, (stored) => this.#appended(stored));
    this.transcript = conversationTranscript(this.log, (items) => withoutExchanges(items, this.prunedCalls));
    this.usage = new UsageMeter(records);
    this.lastRequest = highestRequest(records);
    this.#lostCalls = callsWithoutResult(records);
    this.skills = new SessionSkills(() => environment.skillRoots(this.workingDirectory));
    this.ruleCollections = new RuleCollections(environment.dataRoot);
    this.advice = this.#openAdvice(this.ruleCollections);
    this.trace.recall(records);
    this.lastActivityAt = records.at(-1)?.at ?? host.conversation.header.createdAt;
    this.#projection = { request: 0, messages: 0, thoughts: 0, workspace: this.workingDirectory };
    for (const stored of records) this.#note(stored);
  }

  get id(): ConversationId {
    return this.host.id;
  }

  emit(body: SessionEventBody): void {
    this.events.append(body);
  }

  update(update: SessionUpdate): void {
    this.events.append({ kind: "update", update });
  }

  notice(level: "info" | "warning" | "error", code: string, text: string): void {
    this.update({ type: "notice", level, code, text, at: this.environment.now() });
  }

  /** A running call of the primary waits for a person's answer, or goes on. */
  callWaits(callId: string, waits: boolean): void {
    if (!this.live.isRunning(callId)) return;
    const status = waits ? "pending" : "running";
    const update = { type: "tool-call-update", callId, status, at: this.environment.now() } as const;
    this.live.call(update);
    this.update(update);
  }

  /** Tells every client that attaches before the first turn what was found when the conversation was opened. */
  openingNotice(code: string, text: string): void {
    this.#openingNotices.push({ type: "notice", level: "warning", code, text, at: this.environment.now() });
    this.environment.report({ code, message: `${this.id}: ${text}`, retry: "terminal" });
  }

  /** What a client is shown behind the history: ends that it lacks, notices of the opening, then what the running turn has streamed. */
  liveUpdates(): readonly SessionUpdate[] {
    return [
      ...this.#unrecordedEnds.values(),
      ...this.#openingNotices,
      ...this.live.updates(this.environment.now()),
    ];
  }

  /** Shows the end of a form that could not be recorded: it is over all the same. */
  showUnrecordedEnd(formId: string, result: FormResult): void {
    const update = { type: "form-result", formId, ...result, at: this.environment.now() } as const;
    this.#unrecordedEnds.set(formId, update);
    this.update(update);
  }

  /** The end of a form is in the record after all. */
  endRecorded(formId: string): void {
    this.#unrecordedEnds.delete(formId);
  }

  /** A turn begins: what was found at the opening is old news. */
  turnBegan(): void {
    this.#openingNotices.splice(0);
  }

  invalidate(...catalogs: readonly CatalogName[]): void {
    for (const catalog of catalogs) this.emit({ kind: "catalog", catalog });
    this.emit({ kind: "state" });
  }

  /** Adds a record of ours that the model is not sent. */
  async note(name: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
    const form = Object.entries(fields).flatMap(([key, value]): DataForm[] => [
      keyword(key),
      typeof value === "string" ? value : jsonToForm(value as Parameters<typeof jsonToForm>[0]),
    ]);
    await this.log.append({ kind: "extension", name, fields: form });
  }

  /** A page of the history as clients are shown it. */
  historyPage(query: HistoryQuery, limit: number): HistoryPage {
    return historyPage(this.log.records, this.workingDirectory, query, limit, this.#lostCalls);
  }

  /** What a model is sent of the conversation. */
  modelHistory(records: readonly StoredRecord[] = this.log.records): ProviderHistory {
    const { items, added } = providerHistory(records);
    return { items: withoutExchanges(items, this.prunedCalls), added };
  }

  /** How long the provider keeps a prompt cache after a request, in milliseconds; undefined when nobody says so. */
  get cacheRetentionMs(): number | undefined {
    const seconds = this.settings.number("prompt-cache-retention-seconds");
    return seconds > 0 ? seconds * 1_000 : undefined;
  }

  /** When the provider's prompt cache is estimated to be gone, in epoch milliseconds. */
  get cacheExpiresAt(): number | undefined {
    const retention = this.cacheRetentionMs;
    return retention === undefined || this.lastRequestAt === undefined
      ? undefined
      : this.lastRequestAt + retention;
  }

  /** Unfinished jobs that will call this conversation again by themselves. */
  wakingJobs(): number {
    return this.host
      .jobs()
      .filter(
        (job) =>
          isActive(job) &&
          job.detached &&
          job.completionPolicy === "continue" &&
          job.completionOwner === this.id,
      ).length;
  }

  /** The model in force here. */
  get model(): string {
    return this.settings.text("model");
  }

  /** The context window in force: what is set, else what the model is known for. */
  get contextWindow(): number {
    const row = this.settings.row("context-window");
    if (row.source !== "derived") return Number(row.value);
    const known = this.environment.listModels().find(({ id }) => id === this.model);
    return known?.contextWindow ?? Number(row.value);
  }

  /** Each record, once durable: what it means for the session, and what clients see of it. */
  #appended(stored: StoredRecord): void {
    this.#note(stored);
    this.lastActivityAt = stored.at;
    const { updates, state } = updatesOfRecord(stored, {
      ...this.#projection,
      request: this.live.request,
      workspace: this.workingDirectory,
    });
    this.#projection = state;
    for (const update of updates) this.#show(update);
  }

  #show(update: SessionUpdate): void {
    if (update.type === "message-chunk" || update.type === "thought-chunk") {
      for (const each of this.live.reconcile(update)) this.update(each);
      return;
    }
    // The result was shown when the call was over; the record came with its whole wave.
    if (update.type === "tool-call-update" && this.live.callRecorded(update)) return;
    this.update(update);
  }

  /** True when a summary stands for the beginning of the conversation. */
  get isCompacted(): boolean {
    return this.#summaries > 0;
  }

  #openAdvice(collections: RuleCollections): AdviceBoard {
    return new AdviceBoard({
      trace: this.trace,
      session: () => ({
        conversationId: this.id,
        workspace: this.workingDirectory,
        role: "primary",
        model: this.model,
      }),
      sources: [
        {
          name: "corrections",
          contribute: async (request) => contributionsOf(await collections.rules(request.workspace), request),
        },
      ],
      registered: () => this.extensions(),
      anchored: [this.skills],
      historyGeneration: () => this.#summaries + this.prunedCalls.size,
      report: ({ code, message }) => this.notice("warning", code, message),
    });
  }

  #note({ record }: StoredRecord): void {
    if (record.kind === "summary") this.#summaries += 1;
    if (record.kind === "message" && record.automatic !== true) {
      this.userTurns += 1;
      if (this.preview === "") this.preview = record.content.replaceAll(/\s+/g, " ").slice(0, 200);
    }
    if (record.kind !== "extension") return;
    if (record.name === sessionRecords.title) {
      const title = extensionField(record, "title");
      if (typeof title === "string") this.title = title;
    }
    if (record.name === sessionRecords.directory) {
      const path = extensionField(record, "path");
      if (typeof path === "string") this.workingDirectory = path;
    }
    if (record.name === sessionRecords.plan) this.plan = planEntriesOf(record) ?? this.plan;
  }
}
