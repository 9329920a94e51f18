/** What the methods of one connection work with. */
import type { InitializeRequest } from "@agentclientprotocol/sdk";
import type { AcpHost } from "./acp-host.ts";
import type { ClientSessions, Reach } from "./session/client-sessions.ts";

export type ClientContext = {
  readonly host: AcpHost;
  readonly reach: Reach;
  readonly sessions: ClientSessions;
  /** Remembers what the client says of itself. */
  readonly introduce: (request: InitializeRequest) => void;
};
