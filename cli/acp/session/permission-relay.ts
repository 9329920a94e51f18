/** Asks a client for the session's permission requests by `session/request_permission`, and gives its answers to the session. */
import type { RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { PermissionAnswer, PermissionRequest, Session } from "../../../orchestrator/contract/session.ts";

/** Sends the request; the signal withdraws it. */
export type AskClient = (
  request: RequestPermissionRequest,
  signal: AbortSignal,
) => Promise<RequestPermissionResponse>;

/** Time that a client gets to answer a request, in milliseconds; then it is denied. */
export const permissionAnswerMs = 3_600_000;

const options = [
  { optionId: "allow-once", name: "Allow once", kind: "allow_once" },
  { optionId: "allow-session", name: "Allow for this session", kind: "allow_always" },
  { optionId: "deny", name: "Deny", kind: "reject_once" },
] as const satisfies RequestPermissionRequest["options"];

export class PermissionRelay {
  readonly #session: Pick<Session, "id" | "answerPermission">;
  readonly #ask: AskClient;
  readonly #report: (error: unknown) => void;
  readonly #answerMs: number;
  readonly #open = new Map<string, AbortController>();

  /** `report` is told of answers that are none. */
  constructor(
    session: Pick<Session, "id" | "answerPermission">,
    ask: AskClient,
    report: (error: unknown) => void,
    answerMs = permissionAnswerMs,
  ) {
    this.#session = session;
    this.#ask = ask;
    this.#report = report;
    this.#answerMs = answerMs;
  }

  /** Asks for those that the client was not asked for yet. */
  open(requests: readonly PermissionRequest[]): void {
    for (const request of requests) if (!this.#open.has(request.requestId)) void this.#relay(request);
  }

  /** Somebody answered, or there is nothing to answer any more. */
  resolved(requestId: string): void {
    this.#open.get(requestId)?.abort();
    this.#open.delete(requestId);
  }

  /** Withdraws everything that is open. */
  close(): void {
    for (const requestId of [...this.#open.keys()]) this.resolved(requestId);
  }

  async #relay(request: PermissionRequest): Promise<void> {
    const withdrawn = new AbortController();
    this.#open.set(request.requestId, withdrawn);
    let answer: PermissionAnswer = "deny";
    try {
      const { outcome } = await this.#answered(request, withdrawn.signal);
      if (outcome.outcome === "selected") answer = answerOf(outcome.optionId);
    } catch (error) {
      if (!withdrawn.signal.aborted) this.#report(error);
    }
    if (!withdrawn.signal.aborted) this.#session.answerPermission(request.requestId, answer);
  }

  /** The client's answer. Rejects when it gives none in time, or the request is withdrawn: then it may never answer. */
  #answered(request: PermissionRequest, withdrawn: AbortSignal): Promise<RequestPermissionResponse> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new Error(`no answer within ${this.#answerMs} ms; it is denied`));
      }, this.#answerMs);
      const end = (): void => reject(new Error("the request was withdrawn"));
      withdrawn.addEventListener("abort", end, { once: true });
      this.#ask(acpRequest(this.#session.id, request), withdrawn)
        .then(resolve, reject)
        .finally(() => clearTimeout(late));
      withdrawn.addEventListener("abort", () => clearTimeout(late), { once: true });
    });
  }
}

function answerOf(optionId: string): PermissionAnswer {
  return options.find((option) => option.optionId === optionId)?.optionId ?? "deny";
}

function acpRequest(sessionId: string, request: PermissionRequest): RequestPermissionRequest {
  const { requestId, epoch, kind, callId, tool, asker, title, command, directory } = request;
  return {
    sessionId,
    toolCall: {
      toolCallId: callId,
      title,
      name: tool,
      kind: kind === "command" ? "execute" : "other",
      status: "pending",
      rawInput: kind === "command" ? { command, directory } : request.arguments,
    },
    options: [...options],
    _meta: { autolith: { requestId, epoch, kind, asker } },
  };
}
