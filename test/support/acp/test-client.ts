/** The protocol library's own client, recording what it is told, for tests. */
import {
  type ClientConnection,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type Stream,
  client,
} from "@agentclientprotocol/sdk";
import {
  type EventNotification,
  eventNotificationSchema,
} from "../../../orchestrator/contract/acp/events.ts";
import type { Envelope } from "../../../orchestrator/contract/acp/envelope.ts";
import {
  type ExtensionMethod,
  type ParamsOf,
  type ValueOf,
  answerSchema,
  wireMethod,
} from "../../../orchestrator/contract/acp/method-table.ts";

export type Told =
  | { readonly kind: "update"; readonly params: SessionNotification }
  | { readonly kind: "event"; readonly params: EventNotification };

export type TestClient = {
  readonly connection: ClientConnection;
  readonly request: ClientConnection["agent"]["request"];
  /** Everything so far, in order. */
  readonly told: readonly Told[];
  /** A standard update of that kind, seen or to come. */
  updated(kind: SessionNotification["update"]["sessionUpdate"]): Promise<SessionNotification>;
  /** An event that the check accepts, seen or to come. */
  event(check: (event: EventNotification) => boolean): Promise<EventNotification>;
  /** Text of the agent so far. */
  text(): string;
  /** An extension request; the envelope is checked against its schema. */
  ask<Method extends ExtensionMethod>(
    method: Method,
    params: ParamsOf<Method>,
  ): Promise<Envelope<ValueOf<Method>>>;
  /** The value of an extension request; rejects for any other outcome. */
  value<Method extends ExtensionMethod>(method: Method, params: ParamsOf<Method>): Promise<ValueOf<Method>>;
  close(): void;
};

export type TestClientOptions = {
  readonly permission?: (request: RequestPermissionRequest) => Promise<RequestPermissionResponse>;
  readonly notices?: boolean;
};

/** Connects and initializes. */
export async function testClient(stream: Stream, options: TestClientOptions = {}): Promise<TestClient> {
  const told: Told[] = [];
  const watchers = new Set<() => void>();
  const tell = (news: Told): void => {
    told.push(news);
    for (const watcher of watchers) watcher();
  };
  const connection = client({ name: "test" })
    .onNotification("session/update", ({ params }) => tell({ kind: "update", params }))
    .onNotification("_autolith/event", eventNotificationSchema, ({ params }) =>
      tell({ kind: "event", params }),
    )
    .onRequest(
      "session/request_permission",
      ({ params }) => options.permission?.(params) ?? { outcome: { outcome: "cancelled" } },
    )
    .connect(stream);
  const seen = <Found>(find: () => Found | undefined): Promise<Found> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = find();
        if (found === undefined) return;
        watchers.delete(look);
        resolve(found);
      };
      watchers.add(look);
      look();
      void connection.closed.then(() =>
        reject(new Error(`the connection ended before: ${JSON.stringify(told).slice(-2_000)}`)),
      );
    });
  const ask: TestClient["ask"] = async (method, params) =>
    answerSchema(method).parse(await connection.agent.request(wireMethod(method), params));
  const { agent } = connection;
  await agent.request("initialize", {
    protocolVersion: 1,
    clientInfo: { name: "test", version: "1" },
    clientCapabilities: options.notices === true ? { session: { notices: {} } } : {},
  });
  return {
    connection,
    request: agent.request.bind(agent),
    told,
    updated: (kind) =>
      seen(
        () =>
          told.flatMap((news) =>
            news.kind === "update" && news.params.update.sessionUpdate === kind ? [news.params] : [],
          )[0],
      ),
    event: (check) =>
      seen(() =>
        told.flatMap((news) => (news.kind === "event" && check(news.params) ? [news.params] : [])).at(0),
      ),
    text: () => told.map(textOf).join(""),
    ask,
    value: async (method, params) => {
      const envelope = await ask(method, params);
      if (envelope.outcome === "ok") return envelope.value;
      throw new Error(`${method}: ${JSON.stringify(envelope)}`);
    },
    close: () => connection.close(),
  };
}

function textOf(news: Told): string {
  if (news.kind !== "update" || news.params.update.sessionUpdate !== "agent_message_chunk") return "";
  const { content } = news.params.update;
  return content.type === "text" ? content.text : "";
}
