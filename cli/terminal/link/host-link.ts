/** What the terminal needs of a host: requests by the extension's method table and the events of what it attached to. */
import type { ClientEvent } from "../../../orchestrator/contract/acp/events.ts";
import type { ExtensionMethod, ParamsOf, ValueOf } from "../../../orchestrator/contract/acp/method-table.ts";

/** A connection to a session host, authenticated. */
export interface HostLink {
  /** Rejects with an error that has a stable `code`: that of the refusal, or `disconnected`. */
  request<Method extends ExtensionMethod>(method: Method, params: ParamsOf<Method>): Promise<ValueOf<Method>>;
  /** Calls the listener with every event of attached sessions, in order; one listener. */
  onEvent(listener: (sessionId: string, event: ClientEvent) => void): void;
  /** Resolves when the connection is gone, with the reason for people. Never rejects. */
  readonly closed: Promise<string>;
  close(): void;
}

/** Starts or joins the host. Rejects with what hinders it. */
export type ConnectToHost = () => Promise<HostLink>;

/** Which conversation a terminal opens. */
export type Opening =
  | { readonly kind: "new"; readonly directory: string }
  /** `fork`: a copy of that conversation. */
  | { readonly kind: "load" | "fork"; readonly sessionId: string }
  /** One that is open in the host, as `lg attach` takes it. */
  | { readonly kind: "join"; readonly sessionId: string }
  /** The picker. */
  | { readonly kind: "choose"; readonly directory: string };
