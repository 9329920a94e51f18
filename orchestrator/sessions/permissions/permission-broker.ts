/** Asks people: requests that clients answer, and the exact approvals they gave for the session. Nobody to ask = denied at once. */
import type { PermissionAnswer, PermissionRequest, SessionEventBody } from "../../contract/session/events.ts";

export type BrokerParts = {
  /** True while a client is attached that shows requests to somebody. */
  readonly canAsk: () => boolean;
  readonly emit: (event: SessionEventBody) => void;
  /** Told that a call of the primary waits for an answer, and that it goes on with one. */
  readonly callWaits: (callId: string, waits: boolean) => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** What is asked. `approvalKey` names exactly what an approval for the session covers. */
export type Question = Omit<PermissionRequest, "requestId" | "askedAt"> & { readonly approvalKey: string };

/** `nobody`: no client could be asked. `cancelled`: the asker's work ended first. */
export type Reply = PermissionAnswer | "nobody" | "cancelled";

/** Approvals that are remembered. */
export const approvalLimit = 1_024;

type Open = { readonly request: PermissionRequest; readonly settle: (reply: Reply) => void };

export class PermissionBroker {
  readonly #parts: BrokerParts;
  readonly #open = new Map<string, Open>();
  readonly #approvals = new Set<string>();
  #count = 0;

  constructor(parts: BrokerParts) {
    this.#parts = parts;
  }

  /** Requests that wait for an answer, oldest first. */
  requests(): readonly PermissionRequest[] {
    return [...this.#open.values()].map(({ request }) => request);
  }

  /** What was approved for the session, for people. */
  approvals(): readonly string[] {
    return [...this.#approvals];
  }

  /** Resolves with the answer; never rejects. */
  ask({ approvalKey, ...question }: Question, signal: AbortSignal): Promise<Reply> {
    if (this.#approvals.has(approvalKey)) return Promise.resolve("allow-session");
    if (signal.aborted) return Promise.resolve("cancelled");
    if (!this.#parts.canAsk()) return Promise.resolve("nobody");
    this.#count += 1;
    const requestId = `permission-${this.#count}`;
    const request: PermissionRequest = { ...question, requestId, askedAt: this.#parts.now() };
    return new Promise((resolve) => {
      const abort = (): void => this.#settle(requestId, "cancelled");
      signal.addEventListener("abort", abort, { once: true });
      this.#open.set(requestId, {
        request,
        settle: (reply) => {
          signal.removeEventListener("abort", abort);
          if (reply === "allow-session" || reply === "allow-always") this.#approve(approvalKey);
          resolve(reply);
        },
      });
      this.#tell(request, true);
      this.#parts.emit({ kind: "permission-requested", request });
    });
  }

  /** False when the request was settled already. */
  answer(requestId: string, answer: PermissionAnswer): boolean {
    if (!this.#open.has(requestId)) return false;
    this.#settle(requestId, answer);
    return true;
  }

  /** Forgets all approvals and settles what waits as cancelled. */
  clear(): void {
    this.#approvals.clear();
    for (const requestId of [...this.#open.keys()]) this.#settle(requestId, "cancelled");
  }

  /** A client left: without another that can be asked, everything that waits is denied. */
  clientLeft(): void {
    if (this.#parts.canAsk()) return;
    for (const requestId of [...this.#open.keys()]) this.#settle(requestId, "nobody");
  }

  /** Calls of children are shown by their own transcripts. */
  #tell({ epoch, callId }: PermissionRequest, waits: boolean): void {
    if (epoch !== null) this.#parts.callWaits(callId, waits);
  }

  #approve(key: string): void {
    this.#approvals.add(key);
    const [oldest] = this.#approvals;
    if (this.#approvals.size > approvalLimit && oldest !== undefined) this.#approvals.delete(oldest);
  }

  #settle(requestId: string, reply: Reply): void {
    const open = this.#open.get(requestId);
    if (open === undefined) return;
    this.#open.delete(requestId);
    this.#parts.emit({
      kind: "permission-resolved",
      requestId,
      answer: reply === "nobody" ? "deny" : reply,
    });
    if (reply !== "cancelled") this.#tell(open.request, false);
    open.settle(reply);
  }
}
