/** A second client of the drilled session: counts events, hears which input was accepted, and tells when everything rests. */
import type { ClientEvent } from "../../../orchestrator/contract/acp/events.ts";
import type { ConversationId } from "../../../orchestrator/contract/identifiers.ts";
import type { SessionUpdate } from "../../../orchestrator/contract/session.ts";
import { runningHosts } from "../../../cli/terminal/link/shared-host.ts";
import type { HostLink } from "../../../cli/terminal/link/host-link.ts";
import { completedExecutions } from "../sessions/session-verdict.ts";

type Connection = { readonly link: HostLink; readonly processId: number; isOpen: boolean };

export class TerminalWatch {
  readonly #environment: Readonly<Record<string, string>>;
  readonly #accepted = new Set<string>();
  #connection: Connection | undefined;
  #sessionId: ConversationId | undefined;
  #updates: SessionUpdate[] = [];
  #events = 0;

  constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = environment;
  }

  /** The conversation, once there is one. */
  get sessionId(): ConversationId | undefined {
    return this.#sessionId;
  }

  /** Events heard so far, over all hosts. */
  get events(): number {
    return this.#events;
  }

  /** Texts that some host has told to have accepted. */
  get accepted(): readonly string[] {
    return [...this.#accepted];
  }

  /** Process of the host that is watched. */
  get hostProcess(): number | undefined {
    return this.#connection?.isOpen === true ? this.#connection.processId : undefined;
  }

  /** Attaches to the host that runs, unless it is attached. False when there is no session to watch yet. */
  async look(): Promise<boolean> {
    if (this.#connection?.isOpen === true) return true;
    const [host, ...others] = await runningHosts(this.#environment, "drill").catch(() => []);
    for (const { link } of others) link.close();
    if (host === undefined) return false;
    const { link, processId } = host;
    const connection: Connection = { link, processId, isOpen: true };
    void link.closed.then(() => (connection.isOpen = false));
    try {
      const { sessions } = await link.request("sessions", {});
      const [session] = sessions;
      if (session === undefined) throw new Error("there is no session yet");
      link.onEvent((_, event) => this.#take(event));
      const view = await link.request("attach", {
        sessionId: session.sessionId,
        tail: 1_000,
        answersPermissions: false,
      });
      this.#sessionId = session.sessionId;
      this.#updates = [...view.history.updates.map(({ update }) => update), ...view.live];
      for (const update of this.#updates) this.#accept(update);
      for (const { text } of view.state.pendingInputs) this.#accepted.add(text);
      this.#connection = connection;
      return true;
    } catch {
      link.close();
      return false;
    }
  }

  /** Executions of the host's jobs when nothing runs or waits and their ends were told; undefined otherwise. */
  async atRest(lastText: string): Promise<readonly string[] | undefined> {
    if (!(await this.look())) return undefined;
    const [connection, sessionId] = [this.#connection, this.#sessionId];
    if (connection === undefined || sessionId === undefined) return undefined;
    // Before anything is asked: what comes meanwhile is for the next look.
    const isDone = this.#updates.some((update) => update.type === "user-message" && update.text === lastText);
    try {
      const { sessions } = await connection.link.request("sessions", {});
      const session = sessions.find((each) => each.sessionId === sessionId);
      const { jobs } = await connection.link.request("jobs", { sessionId, limit: 200 });
      const told = new Set(completedExecutions(this.#updates));
      const detached = jobs.filter((job) => job.detached);
      const isOver = detached.every(
        ({ jobId, state }) => state !== "queued" && state !== "running" && told.has(jobId),
      );
      const isIdle = session?.status === "idle" && session.waitingInputs === 0;
      return isDone && isOver && isIdle ? detached.map(({ jobId }) => jobId) : undefined;
    } catch {
      return undefined;
    }
  }

  close(): void {
    this.#connection?.link.close();
  }

  #take(event: ClientEvent): void {
    this.#events += 1;
    if (event.kind === "pending-input") for (const { text } of event.inputs) this.#accepted.add(text);
    if (event.kind !== "update") return;
    this.#updates.push(event.update);
    this.#accept(event.update);
  }

  #accept(update: SessionUpdate): void {
    if (update.type === "user-message" && update.origin !== "automatic") this.#accepted.add(update.text);
  }
}
