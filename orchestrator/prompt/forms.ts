/** The forms of one conversation: recorded, evaluated in the active image one after the other, shown as they run, told to the model. */
import type { AgentTranscript } from "../agents/transcript.ts";
import { failureOf } from "../contract/failure.ts";
import type {
  HostCalls,
  LispCondition,
  LispDecision,
  LispEvaluationOptions,
  LispResult,
} from "../contract/lisp-image.ts";
import type { HostItem } from "../contract/model.ts";
import { type FormResult, formOutputCharacters, formValueCharacters } from "../contract/session/forms.ts";
import { defaultColumns, formResult, lostForm, neverBegun, neverBegunForm } from "./form-result.ts";
import { withinDeadline } from "../queue/deadline.ts";
import { sessionRecords } from "../sessions/view/session-records.ts";
import type { SessionCore } from "../sessions/session-core.ts";
import type { RestartBroker } from "./restart-broker.ts";
import type { ActiveImage } from "./active-image.ts";
import {
  type FormStanding,
  type RecordedForm,
  formMessage,
  formReceipt,
  formStanding,
} from "./form-records.ts";
import { FormOutput } from "./form-output.ts";
import { markColumns } from "./form-text.ts";

type UserMessage = Extract<HostItem, { type: "user-message" }>;

export type SubmittedForm = { readonly formId: string; readonly finished: Promise<FormResult> };

/** What becomes of a form that was ended before a condition: it is evaluated again, or these are its values. */
type Chosen = { isAgain?: boolean; result?: LispResult };

/** Characters of a form that has no values that are shown. */
const shownSource = 200;

function withoutValues(
  source: string,
  { condition, reason }: Extract<LispResult, { kind: "failed" }>,
): string {
  const shown =
    source.length <= shownSource
      ? source
      : `${source.slice(0, shownSource).toWellFormed()}… (${source.length - shownSource} more characters)`;
  return `The form ${shown} has no values: ${condition === null ? reason : `${condition.type}: ${condition.text}`}`;
}

export type FormsParts = {
  readonly core: SessionCore;
  readonly image: () => ActiveImage;
  /** Answers the calls of host functions that come from forms of this conversation. */
  readonly calls: (form: RecordedForm | undefined) => HostCalls;
  readonly restarts: Pick<RestartBroker, "ask">;
  /** Told when a form began or ended. */
  readonly changed: () => void;
};

export type SubmitOptions = {
  /** Width to print values for. */
  readonly columns?: number | undefined;
  /** False for a form about whose conditions nobody is asked: they end it. */
  readonly asks?: boolean;
  /** Beside the forms before it. */
  readonly atOnce?: boolean;
  /** Makes a repeated submission harmless. */
  readonly inputId?: string | undefined;
};

const untouched = { package: "", steps: 0, droppedOutput: 0 };

function endOfUnfinished({ hasBegun }: FormStanding["unfinished"][number]): FormResult {
  return hasBegun ? lostForm : neverBegunForm(neverBegun.hostEnded);
}

type Running = { readonly form: RecordedForm; readonly abort: AbortController };

export class SessionForms {
  readonly #parts: FormsParts;
  readonly #running = new Map<string, Running>();
  #last: number;
  #untold: FormStanding["untold"][number][];
  readonly #unfinished: FormStanding["unfinished"];
  /** By the front end's id: what is submitted again is the same form. */
  readonly #submitted = new Map<string, Promise<SubmittedForm>>();
  /** Those whose ends are not in the record yet. */
  readonly #unended = new Set<Promise<FormResult>>();
  /** Ends that could not be recorded, by form. No form is taken before they are in the record. */
  readonly #unrecorded = new Map<string, { readonly form: RecordedForm; readonly result: FormResult }>();
  /** Forms typed one after the other are evaluated in that order. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: FormsParts) {
    this.#parts = parts;
    const standing = formStanding(parts.core.log.records);
    this.#last = standing.last;
    this.#untold = [...standing.untold];
    this.#unfinished = standing.unfinished;
    const ends = new Map(standing.unfinished.map((each) => [each.form.formId, endOfUnfinished(each)]));
    for (const [inputId, { form, result }] of standing.submitted) {
      const end = result ?? ends.get(form.formId) ?? lostForm;
      this.#submitted.set(inputId, Promise.resolve({ formId: form.formId, finished: Promise.resolve(end) }));
    }
  }

  /** True while a form runs or waits for its turn. */
  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  /** Ends in the record what a dead host left without an end: it is never run again. */
  async takenOver(): Promise<void> {
    for (const each of this.#unfinished) await this.end(each.form, endOfUnfinished(each));
  }

  /**
   * Records the form and evaluates it: behind those that were submitted before, or at once. It is durable when this resolves.
   */
  submit(source: string, options: SubmitOptions = {}): Promise<SubmittedForm> {
    const { inputId } = options;
    const known = inputId === undefined ? undefined : this.#submitted.get(inputId);
    if (known !== undefined) return known;
    const waits = options.atOnce !== true && (this.#running.size > 0 || this.#unended.size > 0);
    const form: RecordedForm = {
      formId: this.nextId(),
      source,
      ...(waits ? { waits } : {}),
      ...(inputId === undefined ? {} : { inputId }),
    };
    const submitted = this.#submit(form, options);
    if (inputId !== undefined) {
      this.#submitted.set(inputId, submitted);
      // What could not be recorded was not taken, and may come again.
      submitted.catch(() => this.#submitted.delete(inputId));
    }
    return submitted;
  }

  /** The id of the next form of this conversation. */
  nextId(): string {
    this.#last += 1;
    return `form:${this.#last}`;
  }

  /** Puts a form into the record. */
  async record({ formId, source, inputId, job, waits }: RecordedForm): Promise<void> {
    await this.#parts.core.note(sessionRecords.form, {
      "form-id": formId,
      source,
      ...(inputId === undefined ? {} : { "input-id": inputId }),
      ...(job === undefined ? {} : { job }),
      ...(waits === undefined ? {} : { waits }),
    });
  }

  async #submit(form: RecordedForm, options: SubmitOptions): Promise<SubmittedForm> {
    const running: Running = { form, abort: new AbortController() };
    this.#running.set(form.formId, running);
    try {
      if (this.#unrecorded.size > 0) await this.#recordEnds();
      await this.record(form);
    } catch (error) {
      this.#running.delete(form.formId);
      throw error;
    }
    this.#parts.changed();
    const before = options.atOnce === true ? Promise.resolve() : this.#turn;
    const finished = before.then(() => this.#evaluate(running, options));
    if (options.atOnce !== true) this.#turn = finished;
    this.#unended.add(finished);
    void finished.then(() => this.#unended.delete(finished));
    return { formId: form.formId, finished };
  }

  /** Records the ends that found no room when they came. */
  async #recordEnds(): Promise<void> {
    for (const [formId, { form, result }] of this.#unrecorded) {
      this.#unrecorded.delete(formId);
      try {
        await this.end(form, result);
        this.#parts.core.endRecorded(formId);
      } catch (error) {
        this.#unrecorded.set(formId, { form, result });
        throw error;
      }
    }
  }

  get runningCount(): number {
    return this.#running.size;
  }

  /** Cancels the form that runs, and those behind it; false when there is none. */
  cancel(reason: string): boolean {
    const any = this.#running.size > 0;
    for (const { abort } of this.#running.values()) abort.abort(reason);
    return any;
  }

  /** Resolves when no form runs, or after `withinMs`. */
  async settled(withinMs: number): Promise<void> {
    await withinDeadline(Promise.all(this.#unended), withinMs);
  }

  /** Cancels everything and waits until its end is in the record. */
  async close(): Promise<void> {
    this.cancel("shutdown");
    await Promise.all(this.#unended);
  }

  /** Tells the model of the forms that ended since the last request; at a safe boundary. */
  async deliver(transcript: AgentTranscript): Promise<readonly UserMessage[]> {
    const messages: UserMessage[] = [];
    for (const { form, result } of this.#untold.splice(0)) {
      const text = formMessage(form, result);
      await transcript.userMessage(text, { automatic: true, inputId: formReceipt(form.formId) });
      messages.push({ type: "user-message", text });
    }
    return messages;
  }

  async #evaluate(
    { form, abort }: Running,
    { columns = defaultColumns, asks = true }: SubmitOptions,
  ): Promise<FormResult> {
    const { core } = this.#parts;
    const result = abort.signal.aborted
      ? neverBegunForm(neverBegun.cancelled)
      : await this.#begun({ form, abort }, { columns, asks });
    this.#running.delete(form.formId);
    try {
      await this.end(form, result);
    } catch (error) {
      this.#unrecorded.set(form.formId, { form, result });
      core.showUnrecordedEnd(form.formId, result);
      core.notice(
        "error",
        "record",
        `${form.formId} is over, but its end is not in the record: ${failureOf(error).message} It is recorded before the next form begins.`,
      );
    }
    this.#parts.changed();
    return result;
  }

  async #begun(
    running: Running,
    options: { readonly columns: number; readonly asks: boolean },
  ): Promise<FormResult> {
    const { core } = this.#parts;
    const { form } = running;
    const startedAt = performance.now();
    const output = new FormOutput(core, form.formId);
    const evaluated = (await this.#refusedToBegin(form)) ?? (await this.#evaluated(running, options, output));
    return formResult(evaluated, {
      captured: output.end(),
      columns: options.columns,
      durationMs: performance.now() - startedAt,
      withoutSecrets: core.environment.withoutSecrets,
    });
  }

  /** Records that a form which had to wait begins. What cannot be recorded is not begun: nobody could say later whether it was. */
  async #refusedToBegin(form: RecordedForm): Promise<LispResult | undefined> {
    if (form.waits !== true) return undefined;
    try {
      await this.recordBeginning(form);
      return undefined;
    } catch (error) {
      const reason = `it was not begun, because its beginning is not in the record: ${failureOf(error).message}`;
      return { kind: "failed", condition: null, reason, ...untouched };
    }
  }

  /** Puts the beginning of a form that waited into the record. */
  async recordBeginning({ formId }: RecordedForm): Promise<void> {
    await this.#parts.core.note(sessionRecords.formBegin, { "form-id": formId });
  }

  /** Evaluates as often as whoever stands before the restarts wants. */
  async #evaluated(
    { form, abort: { signal } }: Running,
    { columns, asks }: { readonly columns: number; readonly asks: boolean },
    output: FormOutput,
  ): Promise<LispResult> {
    const { image } = this.#parts;
    for (;;) {
      if (signal.aborted) return { kind: "cancelled", reason: String(signal.reason), ...untouched };
      const chosen: Chosen = {};
      const options: LispEvaluationOptions = {
        rightMargin: columns - markColumns,
        previewLength: formValueCharacters,
        outputLimit: 4 * formOutputCharacters,
        onOutput: (stream, text) => output.write(stream, text),
        onCall: this.#parts.calls(form),
        signal,
      };
      const beside = (source: string): Promise<LispResult> => image().evaluate(source, options);
      const result = await image().evaluate(form.source, {
        ...options,
        ...(asks
          ? { onCondition: (condition, over) => this.#decided(form, condition, over, chosen, beside) }
          : {}),
      });
      if (chosen.result !== undefined) return chosen.result;
      if (chosen.isAgain !== true) return result;
    }
  }

  /**
   * What somebody chose: a decision for the image, or its end and what `chosen` says then. A form for other values that fails leaves the
   * condition as it is, and is told below it.
   */
  async #decided(
    form: RecordedForm,
    condition: LispCondition,
    over: AbortSignal,
    chosen: Chosen,
    beside: (source: string) => Promise<LispResult>,
  ): Promise<LispDecision> {
    let asked = condition;
    for (;;) {
      const decision = await this.#parts.restarts.ask(form, asked, over);
      if (decision.kind === "restart" || decision.kind === "abort") return decision;
      if (decision.kind === "retry") {
        chosen.isAgain = true;
        return { kind: "abort" };
      }
      const result = await beside(decision.source);
      if (result.kind !== "failed") {
        chosen.result = result;
        return { kind: "abort" };
      }
      asked = { ...condition, text: `${condition.text}\n${withoutValues(decision.source, result)}` };
    }
  }

  /** Puts the end of a form into the record; the model is told at the next boundary. */
  async end(form: RecordedForm, result: FormResult): Promise<void> {
    await this.#parts.core.note(sessionRecords.formResult, { "form-id": form.formId, result });
    this.#untold.push({ form, result });
  }
}
