/** The session service of one host process: opens, finds, lists and closes conversations, and knows when the host has nothing left to do. */
import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { AutolithError, failureOf } from "../contract/failure.ts";
import type { ConversationId } from "../contract/identifiers.ts";
import type { LispImage } from "../contract/lisp-image.ts";
import type { PermissionMode } from "../contract/permissions.ts";
import type { ConversationPage } from "../contract/session/catalogs.ts";
import type {
  ConversationQuery,
  ForkOptions,
  LoadSessionOptions,
  NewSessionOptions,
  SessionService,
} from "../contract/session/service.ts";
import { storeOptions } from "../host/conversation-places.ts";
import {
  type LoadedConversation,
  createConversation,
  loadConversation,
  openConversation,
} from "../record/conversation.ts";
import { conversationPage } from "./catalog/conversation-list.ts";
import { displayConversationId } from "../record/conversation-id.ts";
import { WriterLockedError } from "../record/writer-lock.ts";
import type { OpenSession } from "./open-session.ts";
import type { SessionHooks } from "./session-parts.ts";
import { reachableModel } from "./settings/model-choice.ts";
import type { SessionSettings } from "./settings/settings-store.ts";
import type { SessionEnvironment } from "./session-environment.ts";
import { openSession } from "./session-opening.ts";

export class SessionHost implements SessionService {
  readonly idle: Promise<void>;
  readonly #environment: SessionEnvironment;
  readonly #sessions = new Map<ConversationId, OpenSession>();
  /** Sessions that are being opened, so that two clients get the same one. */
  readonly #opening = new Map<ConversationId, Promise<OpenSession>>();
  #ownImage: Promise<LispImage> | undefined;
  /** Sessions that are being closed: whoever wants one opens it anew behind that. */
  readonly #ending = new Map<ConversationId, Promise<void>>();
  /** Sessions whose clients went to another conversation: they are closed when nothing of them is left to do. */
  readonly #left = new Set<ConversationId>();
  #becomeIdle: () => void = () => undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #closing = false;
  #holds = 0;

  constructor(environment: SessionEnvironment) {
    this.#environment = environment;
    this.idle = new Promise((resolve) => {
      this.#becomeIdle = resolve;
    });
    this.#watchIdle();
  }

  async create(options: NewSessionOptions): Promise<OpenSession> {
    this.#requireOpen();
    const directory = await checkedDirectory(options.workingDirectory);
    const settings = await this.#newSettings(options.model);
    const conversation = await createConversation(storeOptions(this.#environment), {
      directory,
      promptCacheKey: "primary",
      model: settings.text("model"),
      reasoningEffort: settings.text("reasoning-effort"),
    });
    return this.#register(
      openSession({
        environment: this.#environment,
        conversation,
        records: [],
        problems: [],
        settings,
        mode: this.#mode(options.mode, settings),
        workingDirectory: directory,
        isNew: true,
        hooks: this.#hooksOf(conversation.id),
      }),
      conversation.id,
    );
  }

  async load(id: ConversationId, options: LoadSessionOptions = {}): Promise<OpenSession> {
    this.#requireOpen();
    this.#left.delete(id);
    await this.#ending.get(id);
    const open = this.#sessions.get(id) ?? (await this.#opening.get(id));
    const session = open ?? (await this.#register(this.#loadStored(id, options.workingDirectory), id));
    // The mode that it has already is no change: nothing is recorded, and approvals stay.
    if (options.mode !== undefined && options.mode !== session.state().mode)
      await session.setMode(options.mode);
    return session;
  }

  async fork(source: ConversationId, options: ForkOptions = {}): Promise<OpenSession> {
    this.#requireOpen();
    const { header, records } = await loadConversation(storeOptions(this.#environment), source);
    const kept = records.filter(({ seq }) => seq <= (options.throughSeq ?? Number.MAX_SAFE_INTEGER));
    const copy = await createConversation(storeOptions(this.#environment), {
      directory: options.workingDirectory ?? header.directory,
      promptCacheKey: header.promptCacheKey ?? "primary",
      model: header.model,
      reasoningEffort: header.reasoningEffort,
    });
    try {
      const numbers = new Map<number, number>();
      for (const { seq, record } of kept) {
        // A summary names the last record it covers by its number, which is another one in the copy.
        const copied =
          record.kind === "summary" ? { ...record, throughSeq: numbers.get(record.throughSeq) ?? 0 } : record;
        numbers.set(seq, await copy.append(copied));
      }
    } finally {
      await copy.close();
    }
    return this.load(copy.id, options);
  }

  conversations(query: ConversationQuery): Promise<ConversationPage> {
    return conversationPage(this.#environment.dataRoot, query, (id) => this.#sessions.has(id));
  }

  find(id: ConversationId): OpenSession | undefined {
    return this.#sessions.get(id);
  }

  sessions(): readonly OpenSession[] {
    return [...this.#sessions.values()];
  }

  loadingFiles(): readonly string[] {
    return [...this.#environment.initialization.loading];
  }

  /** The image behind the session that was used last, for the management REPL; without a session one of its own, which lives as long as the host. */
  async managedImage(): Promise<Pick<LispImage, "evaluate" | "probe">> {
    const latest = this.sessions().toSorted((left, right) => right.lastActivityAt - left.lastActivityAt)[0];
    if (latest !== undefined) return latest.managedImage();
    this.#ownImage ??= this.#environment.images.open();
    return this.#ownImage;
  }

  async closeSession(id: ConversationId): Promise<void> {
    await this.#close(id, "closed");
    this.#watchIdle();
  }

  hold(): () => void {
    this.#holds += 1;
    this.#watchIdle();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds -= 1;
      this.#watchIdle();
    };
  }

  async shutdown(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#idleTimer);
    this.#environment.initialization.stop.abort("the host shuts down");
    await Promise.allSettled(this.#opening.values());
    await Promise.all([...this.#sessions.keys()].map((id) => this.#close(id, "shutdown")));
    const own = await this.#ownImage?.catch(() => undefined);
    await own?.terminate("the host ends");
    this.#becomeIdle();
  }

  #close(id: ConversationId, reason: "closed" | "shutdown"): Promise<void> {
    const session = this.#sessions.get(id);
    if (session === undefined) return Promise.resolve();
    const ending =
      this.#ending.get(id) ??
      (async (): Promise<void> => {
        await session.close(reason);
        this.#sessions.delete(id);
        await session.release();
      })().finally(() => this.#ending.delete(id));
    this.#ending.set(id, ending);
    return ending;
  }

  /** `directory` replaces the conversation's own; a session that is open already keeps the one it works in. */
  async #loadStored(id: ConversationId, directory: string | undefined): Promise<OpenSession> {
    const wanted = directory === undefined ? undefined : await checkedDirectory(directory);
    await this.#environment.endSurvivors();
    const settings = await this.#newSettings(undefined);
    const { conversation, loaded } = await openConversation(storeOptions(this.#environment), id).catch(
      (error: unknown) => {
        throw openElsewhere(error, id);
      },
    );
    const session = await openSession({
      environment: this.#environment,
      conversation,
      records: loaded.records,
      problems: recordProblems(loaded),
      settings,
      mode: this.#mode(undefined, settings),
      workingDirectory: loaded.header.directory,
      isNew: false,
      hooks: this.#hooksOf(id),
    });
    await session.settleDirectory(wanted);
    return session;
  }

  async #register(opening: Promise<OpenSession>, id: ConversationId): Promise<OpenSession> {
    this.#opening.set(id, opening);
    try {
      const session = await opening;
      this.#sessions.set(id, session);
      return session;
    } finally {
      this.#opening.delete(id);
      this.#watchIdle();
    }
  }

  async #newSettings(model: string | undefined): Promise<SessionSettings> {
    const settings = await this.#environment.settings.forSession();
    if (model !== undefined) {
      reachableModel(this.#environment, model);
      settings.choose("model", model);
    }
    return settings;
  }

  /** The mode asked for, else that of the command line, else the saved one, else ask. */
  #mode(asked: PermissionMode | undefined, settings: SessionSettings): PermissionMode {
    const saved = settings.row("permission-mode").value;
    return asked ?? this.#environment.explicitMode ?? (saved === "auto" ? "auto" : "ask");
  }

  #hooksOf(id: ConversationId): SessionHooks {
    const switchTo = async (opened: Promise<OpenSession>): Promise<ConversationId> => {
      const session = await opened;
      const earlier = this.#sessions.get(id);
      if (earlier !== undefined) session.follows(earlier);
      if (earlier !== undefined && earlier.clientCount > 0 && earlier !== session) this.#left.add(id);
      earlier?.switchedTo(session.id);
      return session.id;
    };
    return {
      openNew: (workingDirectory) => switchTo(this.create({ workingDirectory })),
      openExisting: (other) => switchTo(this.load(other)),
      fork: (source) => switchTo(this.fork(source)),
      conversations: (query) => this.conversations(query),
      activity: () => this.#watchIdle(),
    };
  }

  /** The endpoint follows its clients: what they left is closed once it is at rest. */
  #closeLeft(): void {
    for (const id of this.#left) {
      const session = this.#sessions.get(id);
      if (session?.isIdle === false) continue;
      this.#left.delete(id);
      this.#close(id, "closed").catch((error: unknown) => this.#environment.report(failureOf(error)));
    }
  }

  #watchIdle(): void {
    this.#closeLeft();
    clearTimeout(this.#idleTimer);
    const isIdle =
      this.#holds === 0 && this.#opening.size === 0 && this.sessions().every((session) => session.isIdle);
    if (!isIdle || this.#closing) return;
    this.#idleTimer = setTimeout(() => this.#becomeIdle(), this.#environment.idleMs).unref();
  }

  #requireOpen(): void {
    if (this.#closing) throw new AutolithError("shutting-down", "This host is shutting down.");
  }
}

/** What to do about a conversation that another host has; any other error as it is. */
function openElsewhere(error: unknown, id: ConversationId): unknown {
  if (!(error instanceof WriterLockedError)) return error;
  const name = displayConversationId(id);
  return new AutolithError(
    "locked",
    `${name} is open in another process, ${error.holder.pid}. autolith lg attach ${name} works on it there; autolith lg kill ${name} ends it there, and it can be opened here.`,
    { cause: error },
  );
}

/** What was wrong with a stored conversation, for people; empty when it was sound. */
function recordProblems({
  anomalies,
  repaired,
}: Pick<LoadedConversation, "anomalies" | "repaired">): readonly string[] {
  const lost = anomalies.filter(({ kind }) => kind !== "repaired" && kind !== "completed-tail");
  return [
    ...(repaired === 0
      ? []
      : [`${repaired} record(s) held text that is no valid Unicode and were repaired.`]),
    ...(lost.length === 0
      ? []
      : [
          `${lost.length} damaged place(s) of the record were left out: ${[...new Set(lost.map(({ kind }) => kind))].join(", ")}. Everything else is here.`,
        ]),
  ];
}

async function checkedDirectory(path: string): Promise<string> {
  const found = isAbsolute(path) ? await stat(path).catch(() => undefined) : undefined;
  if (found?.isDirectory() === true) return path;
  throw new AutolithError(
    "invalid-argument",
    `The working directory must be an absolute path of an existing directory, not ${JSON.stringify(path.slice(0, 200))}.`,
  );
}
