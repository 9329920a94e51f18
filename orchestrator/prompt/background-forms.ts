/**
 * `? form`: a form of a person as a job on the active image, beside everything else. The job journal says what was asked and how it ended;
 * the records of the form and of its result, which people and the model are shown, follow from that.
 */
import { AutolithError, failureOf } from "../contract/failure.ts";
import { newExecutionId } from "../contract/identifiers.ts";
import type { LispJobResult } from "../contract/job-catalog.ts";
import type { HostCalls } from "../contract/lisp-image.ts";
import { type FormResult, formOutputCharacters, formValueCharacters } from "../contract/session/forms.ts";
import { isFormJob } from "../jobs/form-job.ts";
import type { Job } from "../jobs/job-table.ts";
import { type Outcome, isTerminal } from "../jobs/lifecycle.ts";
import type { JobExecution } from "../jobs/supervisor.ts";
import { publishedOutcome } from "../recovery/published-outcome.ts";
import { evaluateForms } from "../repls/evaluate-forms.ts";
import { settledEvaluation } from "../repls/evaluation-outcome.ts";
import type { SessionCore } from "../sessions/session-core.ts";
import { executionDirectoryOf } from "../tasks/result-publication.ts";
import type { ActiveImage } from "./active-image.ts";
import { FormOutput } from "./form-output.ts";
import { markColumns } from "./form-text.ts";
import { type RecordedForm, formOf, formResultOf, hasBegun } from "./form-records.ts";
import { defaultColumns, formResult, lostForm, neverBegun, neverBegunForm } from "./form-result.ts";
import type { SessionForms } from "./forms.ts";

export type BackgroundFormsParts = {
  readonly core: SessionCore;
  readonly image: () => ActiveImage;
  /** Answers the calls of host functions that come from forms of this conversation. */
  readonly calls: (form: RecordedForm) => HostCalls;
  readonly forms: Pick<SessionForms, "nextId" | "record" | "recordBeginning" | "end">;
};

export type BackgroundSubmission = { readonly form: RecordedForm; readonly job: Job };

export class BackgroundForms {
  readonly #parts: BackgroundFormsParts;
  /** By the name of the job; settles when the form is in the record. */
  readonly #recorded = new Map<string, Promise<RecordedForm>>();
  /** Ends that are on their way into the record. */
  readonly #ending = new Set<Promise<void>>();

  constructor(parts: BackgroundFormsParts) {
    this.#parts = parts;
  }

  /**
   * Admits the form; journalled and in the record when this resolves. The same `inputId` is the same form. Rejects with `live-job-limit`
   * and as the supervisor does.
   */
  async submit(
    source: string,
    { inputId, columns }: { readonly inputId?: string | undefined; readonly columns?: number | undefined },
  ): Promise<BackgroundSubmission> {
    const { host } = this.#parts.core;
    const executionId = newExecutionId();
    const [job] = await host.supervisor.admit(host.id, [
      {
        kind: "lisp",
        executionId,
        payload: {
          tool: "form",
          target: { kind: "active" },
          forms: [source],
          hostTools: [],
          ...(columns === undefined ? {} : { columns }),
        },
        owner: { lineage: [] },
        detached: true,
        completionPolicy: "notify",
        completionOwner: host.id,
        ...(inputId === undefined ? {} : { idempotencyKey: `form:${inputId}` }),
      },
    ]);
    if (job === undefined) throw new AutolithError("internal-error", "The form was not admitted.");
    return { form: await this.#formOf(job, inputId), job };
  }

  /** Evaluates an admitted form. */
  async evaluate(job: JobExecution<"lisp">): Promise<Outcome<LispJobResult>> {
    const { core, calls } = this.#parts;
    const form = await this.#formOf(job);
    const image = await this.#parts.image().open();
    job.signal.throwIfAborted();
    // Whoever finds no beginning in the record knows that nothing was done.
    await this.#parts.forms.recordBeginning(form);
    const output = new FormOutput(core, form.formId);
    const evaluated = await evaluateForms(image, {
      forms: job.payload.forms,
      signal: job.signal,
      timeoutMs: undefined,
      previewLength: formValueCharacters,
      outputLimit: 4 * formOutputCharacters,
      rightMargin: (job.payload.columns ?? defaultColumns) - markColumns,
      onOutput: (stream, text) => output.write(stream, text),
      onCall: calls(form),
    });
    const captured = output.end();
    const { withoutSecrets } = core.environment;
    const outcome = await settledEvaluation(job, evaluated, [], {
      withoutSecrets,
      overflow: () => core.host.overflow,
    });
    const last = evaluated.forms.at(-1)?.result;
    if (last === undefined || outcome.result === undefined) return outcome;
    const { columns = defaultColumns } = job.payload;
    const shown = formResult(last, { captured, columns, durationMs: evaluated.durationMs, withoutSecrets });
    return { ...outcome, result: { ...outcome.result, form: shown } };
  }

  /** A job of this conversation has settled. */
  jobSettled(job: Job, outcome: Outcome<unknown>): void {
    if (!isFormJob(job)) return;
    const ending = this.#settled(job, outcome).catch((error: unknown) => {
      const { message } = failureOf(error);
      this.#parts.core.notice("error", "record", `The end of ${job.name} is not in the record: ${message}`);
    });
    this.#ending.add(ending);
    void ending.then(() => this.#ending.delete(ending));
  }

  /** Brings the record up to what the journal knows: forms of a dead host that ended, or were interrupted and are lost. */
  async takenOver(): Promise<void> {
    const { host } = this.#parts.core;
    for (const job of host.jobs().filter(isFormJob)) {
      await this.#formOf(job);
      if (job.interrupted) await this.#end(job, await this.#unknownEnd(job));
      if (!isTerminal(job.life.state)) continue;
      const found = await publishedOutcome(job, executionDirectoryOf(host.publication, job));
      if (found === undefined) await this.#end(job, await this.#unknownEnd(job));
      else await this.#settled(job, found.outcome);
    }
  }

  /** The end of a form of a dead host. */
  async #unknownEnd(job: Job): Promise<FormResult> {
    const form = await this.#formOf(job);
    return hasBegun(form, this.#parts.core.log.records) ? lostForm : neverBegunForm(neverBegun.hostEnded);
  }

  async #settled(job: Job, outcome: Outcome<unknown>): Promise<void> {
    const form = await this.#formOf(job);
    await this.#end(
      job,
      outcome.state === "aborted" && !hasBegun(form, this.#parts.core.log.records)
        ? neverBegunForm(outcome.reason === "shutdown" ? neverBegun.hostEnded : neverBegun.cancelled)
        : formResultOfOutcome(outcome),
    );
  }

  /** Resolves when every end is in the record. The jobs have ended. */
  async close(): Promise<void> {
    await Promise.all(this.#ending);
  }

  /** The form of a job, in the record when this resolves. */
  #formOf(job: Pick<Job, "name" | "payload">, inputId?: string): Promise<RecordedForm> {
    const known = this.#recorded.get(job.name);
    if (known !== undefined) return known;
    const recording = this.#record(job, inputId);
    this.#recorded.set(job.name, recording);
    recording.catch(() => this.#recorded.delete(job.name));
    return recording;
  }

  async #record({ name, payload }: Pick<Job, "name" | "payload">, inputId?: string): Promise<RecordedForm> {
    const { core, forms } = this.#parts;
    for (const { record } of core.log.records) {
      const form = formOf(record);
      if (form?.job === name) return form;
    }
    const source = (payload as JobExecution<"lisp">["payload"]).forms.join("\n");
    const form: RecordedForm = {
      formId: forms.nextId(),
      source,
      job: name,
      waits: true,
      ...(inputId === undefined ? {} : { inputId }),
    };
    await forms.record(form);
    return form;
  }

  async #end(job: Job, result: FormResult): Promise<void> {
    const { core, forms } = this.#parts;
    const form = await this.#formOf(job);
    const hasEnded = core.log.records.some(({ record }) => formResultOf(record)?.formId === form.formId);
    if (!hasEnded) await forms.end(form, result);
    this.#recorded.delete(job.name);
  }
}

function formResultOfOutcome(outcome: Outcome<unknown>): FormResult {
  const result = outcome.result as LispJobResult | undefined;
  if (result?.form !== undefined) return result.form;
  const durationMs = result?.durationMs ?? 0;
  switch (outcome.state) {
    case "aborted":
      return { ...emptyForm, status: "cancelled", reason: outcome.reason ?? "user", durationMs };
    case "failed":
      return { ...emptyForm, status: "condition", reason: outcome.failure.message, durationMs };
    case "completed":
      return { ...lostForm, reason: "its result is not kept" };
  }
}

const emptyForm = { ...lostForm, reason: undefined };
