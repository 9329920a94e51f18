/** What all connections of one host share: the session service, who watches which session, and what is kept for open sessions. */
import type { McpServer } from "@agentclientprotocol/sdk";
import type { ConversationId } from "../../orchestrator/contract/identifiers.ts";
import type { SessionService } from "../../orchestrator/contract/session.ts";
import type { SessionView } from "./session/session-view.ts";

export type HostInfo = {
  readonly hostId: string;
  readonly version: string;
  readonly processId: number;
  /** Epoch milliseconds. */
  readonly startedAt: number;
};

export class AcpHost {
  readonly service: SessionService;
  readonly info: HostInfo;
  /** Told about faults that no client can be told; a line without secrets. */
  readonly report: (line: string) => void;
  readonly #views = new Map<ConversationId, Set<SessionView>>();
  readonly #mcpServers = new Map<ConversationId, readonly McpServer[]>();
  #connections = 0;
  readonly #watchers = new Set<() => void>();

  constructor(service: SessionService, info: HostInfo, report: (line: string) => void) {
    this.service = service;
    this.info = info;
    this.report = report;
  }

  /** `changed` is called when views, connections or open sessions may have changed; call what is answered to end that. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  /** Resolves when the check holds; it is made now and at every change. */
  until(check: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!check()) return;
        stop();
        resolve();
      };
      const stop = this.watch(look);
      look();
    });
  }

  /** Open connections. */
  get connections(): number {
    return this.#connections;
  }

  /** A client connected; call what is answered when it is gone. */
  connected(): () => void {
    const release = this.service.hold();
    this.#connections += 1;
    return () => {
      this.#connections -= 1;
      release();
      this.#changed();
    };
  }

  viewsOf(id: ConversationId): readonly SessionView[] {
    return [...(this.#views.get(id) ?? [])];
  }

  addView(view: SessionView): void {
    const views = this.#views.get(view.session.id) ?? new Set();
    this.#views.set(view.session.id, views.add(view));
    this.#changed();
  }

  removeView(view: SessionView): void {
    const views = this.#views.get(view.session.id);
    views?.delete(view);
    if (views?.size === 0) this.#views.delete(view.session.id);
    this.#changed();
  }

  /** MCP servers that clients of the session supplied; their environment and headers live only here. */
  mcpServers(id: ConversationId): readonly McpServer[] {
    return this.#mcpServers.get(id) ?? [];
  }

  /** Adds a client's servers to the session's; one of the same name is replaced. */
  keepMcpServers(id: ConversationId, servers: readonly McpServer[]): void {
    if (servers.length === 0) return;
    const names = new Set(servers.map(({ name }) => name));
    const others = this.mcpServers(id).filter(({ name }) => !names.has(name));
    this.#mcpServers.set(id, [...others, ...servers]);
  }

  /** Closes a session and forgets what was kept for it. */
  async close(id: ConversationId): Promise<void> {
    await this.service.closeSession(id);
    this.#forgetClosed();
    this.#changed();
  }

  /** Closes a session unless somebody watches it. */
  async closeUnlessWatched(id: ConversationId): Promise<boolean> {
    const session = this.service.find(id);
    if (session === undefined || session.state().attachedClients > 0) return false;
    await this.close(id);
    return true;
  }

  #forgetClosed(): void {
    for (const id of this.#mcpServers.keys())
      if (this.service.find(id) === undefined) this.#mcpServers.delete(id);
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
