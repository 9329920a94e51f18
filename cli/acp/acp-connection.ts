/** One client's connection, whatever carries it: the standard methods of ACP and the extension's, over one session service. */
import { type AgentApp, type AgentConnection, type Stream, agent } from "@agentclientprotocol/sdk";
import { eventMethod, eventNotification } from "../../orchestrator/contract/acp/events.ts";
import type { AcpHost } from "./acp-host.ts";
import { handleExtension } from "./extension/extension-handler.ts";
import type { ClientContext } from "./client-context.ts";
import { ClientSessions, type Reach } from "./session/client-sessions.ts";
import { addStandardMethods } from "./standard-methods.ts";
import { gateRequests } from "./wire/request-gate.ts";

export type ConnectionOptions = {
  readonly reach: Reach;
  /** For people, until the client names itself. */
  readonly name: string;
};

/** Serves one client until its stream ends. `closed` resolves when its sessions were given back; it never rejects. */
export class AcpConnection {
  readonly closed: Promise<void>;
  readonly #connection: AgentConnection;

  constructor(host: AcpHost, stream: Stream, options: ConnectionOptions) {
    let name = options.name;
    let notices = false;
    const disconnected = host.connected();
    const sessions: ClientSessions = new ClientSessions({
      host,
      reach: options.reach,
      outlet: {
        update: (session, update) => client.notify("session/update", { sessionId: session.id, update }),
        event: (session, event) => client.notify(eventMethod, eventNotification(session.id, event)),
      },
      ask: (request, cancellationSignal) =>
        client.request("session/request_permission", request, { cancellationSignal }),
      client: () => ({ name, shown: { notices } }),
    });
    const context: ClientContext = {
      host,
      reach: options.reach,
      sessions,
      introduce: ({ clientInfo, clientCapabilities }) => {
        name = clientInfo?.name.slice(0, 64) ?? name;
        notices = (clientCapabilities?.session?.notices ?? null) !== null;
      },
    };
    this.#connection = agentApp(context).connect(gateRequests(stream));
    const { client } = this.#connection;
    this.closed = this.#connection.closed.then(async () => {
      await sessions.release();
      disconnected();
    });
  }

  /** Ends the connection. */
  close(): void {
    this.#connection.close();
  }
}

function agentApp(context: ClientContext): AgentApp {
  const app = agent({ name: "autolith" });
  addStandardMethods(app, context);
  return app.onRequest("*", ({ method, params }) => handleExtension(method, params, context));
}
