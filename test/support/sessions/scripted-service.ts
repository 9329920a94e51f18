/** A service over {@link ScriptedSession}s, for tests of front ends. */
import { AutolithError } from "../../../orchestrator/contract/failure.ts";
import { type ConversationId, conversationIdSchema } from "../../../orchestrator/contract/identifiers.ts";
import type {
  ConversationPage,
  ConversationQuery,
  LoadSessionOptions,
  NewSessionOptions,
  SessionService,
} from "../../../orchestrator/contract/session.ts";
import { ScriptedSession, type ScriptedSessionOptions } from "./scripted-session.ts";

const letters = "abcdefghijkmnopqrstuvwxyz";

export class ScriptedService implements SessionService {
  readonly idle: Promise<void>;
  readonly #options: ScriptedSessionOptions;
  readonly #known = new Map<ConversationId, ScriptedSession>();
  readonly #open = new Set<ConversationId>();
  #endIdle: () => void = () => undefined;

  /** `options` are those of every session it makes. */
  constructor(options: ScriptedSessionOptions = {}) {
    this.#options = options;
    this.idle = new Promise((resolve) => {
      this.#endIdle = resolve;
    });
  }

  create({ workingDirectory, mode }: NewSessionOptions): Promise<ScriptedSession> {
    const id = conversationIdSchema.parse(`session`.slice(0, 6) + (letters[this.#known.size] ?? "z"));
    const session = new ScriptedSession({
      ...this.#options,
      id,
      workingDirectory,
      ...(mode === undefined ? {} : { mode }),
    });
    this.#known.set(id, session);
    this.#open.add(id);
    return Promise.resolve(session);
  }

  load(id: ConversationId, options: LoadSessionOptions = {}): Promise<ScriptedSession> {
    const session = this.#known.get(id);
    if (session === undefined)
      return Promise.reject(new AutolithError("not-found", `There is no conversation ${id}.`));
    this.#open.add(id);
    return options.mode === undefined
      ? Promise.resolve(session)
      : session.setMode(options.mode).then(() => session);
  }

  async fork(source: ConversationId): Promise<ScriptedSession> {
    const { workingDirectory } = (await this.load(source)).state();
    return this.create({ workingDirectory });
  }

  conversations({
    limit = 50,
    cursor = "0",
    workingDirectory,
  }: ConversationQuery): Promise<ConversationPage> {
    const rows = [...this.#known.values()]
      .map((session) => session.state())
      .filter((state) => workingDirectory === undefined || state.workingDirectory === workingDirectory)
      .map((state) => ({
        sessionId: state.sessionId,
        title: state.title,
        workingDirectory: state.workingDirectory,
        createdAt: state.createdAt,
        lastActivityAt: state.lastActivityAt,
        userTurns: state.userTurns,
        preview: "",
        open: this.#open.has(state.sessionId),
      }));
    const from = Number(cursor);
    const page = rows.slice(from, from + limit);
    const next = from + page.length;
    return Promise.resolve({
      conversations: page,
      nextCursor: next < rows.length ? String(next) : null,
      total: rows.length,
    });
  }

  find(id: ConversationId): ScriptedSession | undefined {
    return this.#open.has(id) ? this.#known.get(id) : undefined;
  }

  sessions(): readonly ScriptedSession[] {
    return [...this.#open].flatMap((id) => this.#known.get(id) ?? []);
  }

  loadingFiles(): readonly string[] {
    return [];
  }

  async closeSession(id: ConversationId): Promise<void> {
    await this.find(id)?.close();
    this.#open.delete(id);
  }

  hold(): () => void {
    return () => undefined;
  }

  async shutdown(): Promise<void> {
    for (const { id } of this.sessions()) await this.closeSession(id);
    this.#endIdle();
  }
}
