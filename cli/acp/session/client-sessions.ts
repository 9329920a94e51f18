/** The sessions of one connection: what it opened, what it watches, what it may reach, and what it gives back at its end. */
import type { McpServer } from "@agentclientprotocol/sdk";
import { AutolithError } from "../../../orchestrator/contract/failure.ts";
import type { ConversationId } from "../../../orchestrator/contract/identifiers.ts";
import type { Attachment, Session } from "../../../orchestrator/contract/session.ts";
import type { AcpHost } from "../acp-host.ts";
import type { ShownKinds } from "../translation/acp-updates.ts";
import { type AskClient, PermissionRelay } from "./permission-relay.ts";
import { type Outlet, SessionView, type ViewStyle } from "./session-view.ts";

/** `own`: the sessions that the connection opened, which end with it unless watched; `host`: every open session, and none ends with it. */
export type Reach = "own" | "host";

export type ClientSessionsParts = {
  readonly host: AcpHost;
  readonly reach: Reach;
  readonly outlet: Outlet;
  readonly ask: AskClient;
  /** What the client said of itself. */
  readonly client: () => { readonly name: string; readonly shown: ShownKinds };
};

/** Most MCP servers that a client may bring to one session (facts K). */
export const clientMcpServerLimit = 64;
/** Updates that are replayed at a time. */
const replayPage = 500;

export type NativeAttach = {
  readonly tail: number;
  readonly readOnly: boolean;
  readonly takeOver: boolean;
  readonly answersPermissions: boolean;
  readonly answersRestarts: boolean;
  readonly reviewsCorrections: boolean;
};

export class ClientSessions {
  readonly #parts: ClientSessionsParts;
  readonly #views = new Map<ConversationId, SessionView>();
  readonly #opened = new Set<ConversationId>();
  /** Turns that are being started: a cancel that comes meanwhile waits for them. */
  readonly #starting = new Map<ConversationId, Promise<unknown>>();
  #released = false;

  constructor(parts: ClientSessionsParts) {
    this.#parts = parts;
  }

  /** The open session of that id. Throws `unknown-session` for one that is not open, or not this client's. */
  find(id: ConversationId): Session {
    const session = this.#parts.host.service.find(id);
    if (session !== undefined && (this.#parts.reach === "host" || this.#opened.has(id))) return session;
    throw new AutolithError(
      "unknown-session",
      `There is no open session ${id} of this client; open it with session/new or session/load.`,
    );
  }

  /** The session, to change something. Throws `read-only` for a client that only looks on. */
  writable(id: ConversationId): Session {
    const session = this.find(id);
    if (this.#views.get(id)?.parts.readOnly === true)
      throw new AutolithError("read-only", `This client only watches ${id}; attach without readOnly to act.`);
    return session;
  }

  view(id: ConversationId): SessionView | undefined {
    return this.#views.get(id);
  }

  /** Those that this client may know of. */
  reachable(): readonly Session[] {
    const { service } = this.#parts.host;
    return this.#parts.reach === "host"
      ? service.sessions()
      : service.sessions().filter(({ id }) => this.#opened.has(id));
  }

  /** Remembers that this client opened the session. */
  opened(session: Session, mcpServers: readonly McpServer[] = []): void {
    if (mcpServers.length > clientMcpServerLimit)
      throw new AutolithError(
        "invalid-argument",
        `A session takes ${clientMcpServerLimit} MCP servers, not ${mcpServers.length}.`,
      );
    this.#opened.add(session.id);
    this.#parts.host.keepMcpServers(session.id, mcpServers);
    // The client left while its session was being opened.
    if (this.#released) void this.#giveBack(session.id);
  }

  /** Begins to show a session in the standard way, its history first when `replay`. `start` hands over what comes from now on. */
  async show(session: Session, replay: boolean): Promise<{ readonly start: () => void }> {
    const { ask, client, host } = this.#parts;
    const permissions = new PermissionRelay(session, ask, (error) =>
      host.report(`acp: a permission request was not answered: ${String(error)}`),
    );
    const attachment = await session.attach({
      name: client().name,
      answersPermissions: true,
      tail: replay ? 1 : 0,
    });
    const style = { kind: "acp", shown: client().shown, permissions } as const;
    const view = this.#begin(session, attachment, style, { readOnly: false, answersPermissions: true });
    if (replay) {
      await replayHistory(view, attachment.history.lastSeq);
      await view.show(attachment.live);
    }
    return { start: () => void view.run() };
  }

  /** Begins to show a session as native events. */
  async attach(
    session: Session,
    { tail, readOnly, takeOver, answersPermissions, answersRestarts, reviewsCorrections }: NativeAttach,
  ): Promise<{ readonly attachment: Attachment; readonly start: () => void }> {
    const { name } = this.#parts.client();
    const attachment = await session.attach({
      name,
      answersPermissions,
      answersRestarts,
      reviewsCorrections,
      readOnly,
      tail,
    });
    if (takeOver)
      for (const other of this.#parts.host.viewsOf(session.id))
        if (this.#views.get(session.id) !== other) other.end("taken-over");
    const view = this.#begin(session, attachment, { kind: "native" }, { readOnly, answersPermissions });
    return { attachment, start: () => void view.run() };
  }

  /** Ends this client's view of the session; the session goes on. */
  detach(id: ConversationId): boolean {
    const view = this.#views.get(id);
    view?.end();
    return view !== undefined;
  }

  /** Ends the view, and the session when nobody else watches it. */
  async close(id: ConversationId): Promise<boolean> {
    this.detach(id);
    this.#opened.delete(id);
    return this.#parts.host.closeUnlessWatched(id);
  }

  /** Runs the start of a turn; {@link started} waits for it. */
  async starting<Result>(id: ConversationId, start: () => Promise<Result>): Promise<Result> {
    const starting = start();
    const settled = starting
      .catch(() => undefined)
      .finally(() => {
        if (this.#starting.get(id) === settled) this.#starting.delete(id);
      });
    this.#starting.set(id, settled);
    return starting;
  }

  /** Resolves when the turn that was being started runs. */
  async started(id: ConversationId): Promise<void> {
    await this.#starting.get(id);
  }

  /** The connection is gone: its views end, and its sessions that nobody else watches are closed. */
  async release(): Promise<void> {
    this.#released = true;
    for (const view of [...this.#views.values()]) view.end();
    await Promise.all([...this.#opened].map((id) => this.#giveBack(id)));
  }

  async #giveBack(id: ConversationId): Promise<void> {
    const { host, reach } = this.#parts;
    if (reach === "host") return;
    try {
      await host.closeUnlessWatched(id);
    } catch (error) {
      host.report(`acp: closing session ${id}: ${String(error)}`);
    }
  }

  #begin(
    session: Session,
    attachment: Attachment,
    style: ViewStyle,
    can: { readonly readOnly: boolean; readonly answersPermissions: boolean },
  ): SessionView {
    this.#views.get(session.id)?.end();
    const { host, outlet, client } = this.#parts;
    const view = new SessionView({
      session,
      attachment,
      outlet,
      style,
      name: client().name,
      ...can,
      attachedAt: Date.now(),
      ended: (over) => {
        if (this.#views.get(session.id) === over) this.#views.delete(session.id);
        host.removeView(over);
      },
    });
    this.#views.set(session.id, view);
    host.addView(view);
    if (this.#released) view.end();
    return view;
  }
}

/** Shows the history up to the record `last`, page by page: no more than a page is held. */
async function replayHistory(view: SessionView, last: number | null): Promise<void> {
  if (last === null) return;
  let after = 0;
  while (after < last) {
    const page = await view.session.history({ after, limit: replayPage });
    const updates = page.updates.filter(({ recordSeq }) => recordSeq <= last);
    await view.show(updates.map(({ update }) => update));
    if (page.lastSeq === null || page.lastSeq <= after) return;
    after = page.lastSeq;
  }
}
