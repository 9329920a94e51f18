/** Conditions of forms that wait for a person: who is asked, what was chosen, and the diagnosis in between. */
import { AutolithError } from "../contract/failure.ts";
import type { LispCondition, LispDecision } from "../contract/lisp-image.ts";
import type { SessionEventBody } from "../contract/session/events.ts";
import type { Diagnosis, Recovery, RestartChoice, RestartRequest } from "../contract/session/restarts.ts";
import type { SecretRemover } from "../secrets/secret-removal.ts";
import { shownCondition } from "./form-result.ts";
import type { RecordedForm } from "./form-records.ts";

/** What a form does next: a decision for its image, or its end and then something else. */
export type FormDecision =
  | LispDecision
  | { readonly kind: "retry" }
  | { readonly kind: "values"; readonly source: string };

export type RestartBrokerParts = {
  /** True while a client is attached that shows restarts to somebody. */
  readonly canAsk: () => boolean;
  readonly emit: (event: SessionEventBody) => void;
  /** Asks a model. Rejects when it has no answer. */
  readonly diagnose: (request: RestartRequest, signal: AbortSignal) => Promise<Diagnosis>;
  /** Puts into the record which recovery was chosen. */
  readonly recovering: (request: RestartRequest, recovery: Recovery) => Promise<void>;
  /** Evaluates the repair of a recovery beside the form, in the record. Rejects with what went wrong. */
  readonly repair: (request: RestartRequest, title: string, source: string) => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly withoutSecrets: SecretRemover;
  /** Unique in this host: the conversation's id. */
  readonly scope: string;
};

type Open = {
  readonly request: RestartRequest;
  readonly settle: (decision: FormDecision, choice: "chosen" | "aborted" | "cancelled") => void;
  diagnosis: Diagnosis | undefined;
  diagnosing: AbortController | undefined;
};

export class RestartBroker {
  readonly #parts: RestartBrokerParts;
  readonly #open = new Map<string, Open>();
  #count = 0;

  constructor(parts: RestartBrokerParts) {
    this.#parts = parts;
  }

  /** Those that wait, oldest first. */
  requests(): readonly RestartRequest[] {
    return [...this.#open.values()].map(({ request }) => request);
  }

  /** What to do about a condition. With nobody to ask the form ends with it. Never rejects. */
  ask(form: RecordedForm, condition: LispCondition, signal: AbortSignal): Promise<FormDecision> {
    if (signal.aborted || !this.#parts.canAsk()) return Promise.resolve({ kind: "abort" });
    this.#count += 1;
    const requestId = `restarts-${this.#parts.scope}-${this.#count}`;
    const request: RestartRequest = {
      requestId,
      formId: form.formId,
      source: form.source,
      condition: shownCondition(condition, this.#parts.withoutSecrets),
      restarts: condition.restarts.map(({ index, name, text, parameters }) => ({
        index,
        name,
        text,
        ...(parameters === "" ? {} : { parameters }),
      })),
      askedAt: this.#parts.now(),
    };
    return new Promise((resolve) => {
      const cancel = (): void => this.#open.get(requestId)?.settle({ kind: "abort" }, "cancelled");
      signal.addEventListener("abort", cancel, { once: true });
      this.#open.set(requestId, {
        request,
        diagnosis: undefined,
        diagnosing: undefined,
        settle: (decision, outcome) => {
          signal.removeEventListener("abort", cancel);
          this.#open.get(requestId)?.diagnosing?.abort("the condition was settled");
          this.#open.delete(requestId);
          this.#parts.emit({ kind: "restarts-resolved", requestId, outcome });
          resolve(decision);
        },
      });
      this.#parts.emit({ kind: "restarts-requested", request });
    });
  }

  /**
   * Does what a person chose; false when the request is settled already. Rejects with `invalid-argument` for a restart or recovery that is not
   * there, and with what went wrong in a recovery's repair: the condition then waits on.
   */
  async choose(requestId: string, choice: RestartChoice): Promise<boolean> {
    const open = this.#open.get(requestId);
    if (open === undefined) return false;
    const action = choice.kind === "recovery" ? await this.#recovery(open, choice.index) : choice;
    // The form may have been cancelled while its repair ran.
    if (!this.#open.has(requestId)) return false;
    const decision = checkedDecision(open.request, action);
    open.settle(decision, decision.kind === "abort" ? "aborted" : "chosen");
    return true;
  }

  async #recovery(open: Open, index: number): Promise<Exclude<RestartChoice, { kind: "recovery" }>> {
    const recovery = open.diagnosis?.recoveries[index];
    if (recovery === undefined)
      throw new AutolithError(
        "invalid-argument",
        `There is no recovery ${index}; ask for a diagnosis first.`,
      );
    checkedDecision(open.request, recovery.action);
    await this.#parts.recovering(open.request, recovery);
    const { repair, title } = recovery;
    if (repair !== undefined) await this.#parts.repair(open.request, title, repair);
    return recovery.action;
  }

  /** Asks a model why the form failed, while it waits. Rejects with `unknown-request`, `busy`, `cancelled`, and codes of the request. */
  async diagnose(requestId: string): Promise<Diagnosis> {
    const open = this.#open.get(requestId);
    if (open === undefined)
      throw new AutolithError("unknown-request", `No condition ${requestId} waits; it was settled already.`);
    if (open.diagnosing !== undefined)
      throw new AutolithError("busy", "The condition is being diagnosed already.", { retry: "retryable" });
    const abort = new AbortController();
    open.diagnosing = abort;
    this.#parts.emit({ kind: "diagnosis", requestId, state: "running" });
    try {
      open.diagnosis = await this.#parts.diagnose(open.request, abort.signal);
      return open.diagnosis;
    } catch (error) {
      if (!abort.signal.aborted) throw error;
      throw new AutolithError("cancelled", "The diagnosis was cancelled; the restarts are still there.");
    } finally {
      open.diagnosing = undefined;
      this.#parts.emit({ kind: "diagnosis", requestId, state: "over" });
    }
  }

  /** Ends a diagnosis and nothing else; false when there is none. */
  cancelDiagnosis(requestId: string): boolean {
    const diagnosing = this.#open.get(requestId)?.diagnosing;
    diagnosing?.abort("user");
    return diagnosing !== undefined;
  }

  /** A client left: without another that can be asked, the forms end with their conditions. */
  clientLeft(): void {
    if (this.#parts.canAsk()) return;
    for (const { settle } of this.#open.values()) settle({ kind: "abort" }, "aborted");
  }
}

function checkedDecision(
  { restarts }: RestartRequest,
  choice: Exclude<RestartChoice, { kind: "recovery" }>,
): FormDecision {
  if (choice.kind !== "restart") return choice;
  if (!restarts.some(({ index }) => index === choice.index))
    throw new AutolithError(
      "invalid-argument",
      `There is no restart ${choice.index}; there are ${restarts.length}.`,
    );
  const { index, argument } = choice;
  return { kind: "restart", index, ...(argument === undefined ? {} : { arguments: [argument] }) };
}
