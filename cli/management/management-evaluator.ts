/** The serial evaluator behind the management REPL: one form at a time, within its deadline, answered as data. */
import { type DataForm, keyword } from "../../lisp/data-forms/index.ts";
import { AutolithError, boundedMessage, failureOf } from "../../orchestrator/contract/failure.ts";
import { withinDeadline } from "../../orchestrator/queue/deadline.ts";
import type { ManagementConfiguration } from "./management-configuration.ts";

/** A value as text; `report`: it is a string that is shown to people as it is. */
export type ManagedValue = { readonly preview: string; readonly omitted?: string; readonly report?: boolean };

/** How a form ended in the image. */
export type ManagedResult =
  | {
      readonly kind: "values";
      readonly values: readonly ManagedValue[];
    }
  | {
      readonly kind: "failed";
      readonly condition: { readonly type: string; readonly text: string } | null;
      readonly reason: string;
    }
  | { readonly kind: "cancelled" | "lost"; readonly reason: string }
  | { readonly kind: "quit"; readonly code: number };

/** What the evaluator needs of the image that runs. */
export type ManagedImage = {
  /** Whether a text is one form: `one`, or what it is instead. */
  formCount(
    source: string,
  ): Promise<{ readonly kind: "one" } | { readonly kind: "other"; readonly problem: string }>;
  evaluate(
    source: string,
    options: {
      readonly package: string;
      readonly previewLength: number;
      readonly outputLimit: number;
      readonly onOutput: (stream: "output" | "error", text: string) => void;
      readonly signal: AbortSignal;
    },
  ): Promise<ManagedResult>;
};

export type EvaluatorOptions = {
  /** The image that is active when a form's turn has come. */
  readonly image: () => Promise<ManagedImage>;
  readonly configuration: Pick<
    ManagementConfiguration,
    "evaluationMs" | "maxSourceBytes" | "maxOutputCharacters" | "queueCapacity"
  >;
};

/** Time that a form gets to end when its deadline is over or the endpoint closes, in milliseconds (manual: two-second shutdown bound). */
export const quiesceMs = 2_000;

export class ManagementEvaluator {
  readonly #options: EvaluatorOptions;
  readonly #closing = new AbortController();
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: EvaluatorOptions) {
    this.#options = options;
  }

  /** The answer to one form's source. Never rejects for what the form does. */
  evaluate(source: string): Promise<DataForm> {
    const { maxSourceBytes, queueCapacity } = this.#options.configuration;
    if (Buffer.byteLength(source) > maxSourceBytes)
      return Promise.resolve(
        refusal(
          "source",
          `the source has ${Buffer.byteLength(source)} bytes; at most ${maxSourceBytes} are read`,
        ),
      );
    if (this.#closing.signal.aborted) return Promise.resolve(refusal("closed", "the endpoint is closing"));
    // One runs, the others wait.
    if (this.#waiting > queueCapacity)
      return Promise.resolve(
        refusal("queue", `${queueCapacity} forms wait already, which is the limit; ask again later`),
      );
    this.#waiting += 1;
    const answer = this.#last
      .then(() => this.#run(source))
      .catch((error: unknown) => refusal("image", failureOf(error).message));
    this.#last = answer;
    return answer.finally(() => {
      this.#waiting -= 1;
    });
  }

  /** Cancels what runs and refuses what waits. Rejects with `management-repl-error` (operation `:quiesce`) when a form does not end in time. */
  async close(): Promise<void> {
    this.#closing.abort("the management REPL is closing");
    if ((await withinDeadline(this.#last, quiesceMs)) === "ended") return;
    throw new AutolithError(
      "management-repl-error",
      `A form of the management REPL did not end within ${quiesceMs} ms of being cancelled.`,
      { details: { operation: "quiesce" } },
    );
  }

  async #run(source: string): Promise<DataForm> {
    if (this.#closing.signal.aborted) return refusal("closed", "the endpoint is closing");
    const { maxOutputCharacters, evaluationMs } = this.#options.configuration;
    const image = await this.#options.image();
    const counted = await image.formCount(source);
    if (counted.kind === "other") return refusal("source", counted.problem);
    let output = "";
    let isOutputCut = false;
    const deadline = AbortSignal.timeout(evaluationMs);
    const running = image.evaluate(source, {
      package: "AUTOLITH",
      previewLength: maxOutputCharacters,
      outputLimit: maxOutputCharacters + 1,
      signal: AbortSignal.any([deadline, this.#closing.signal]),
      onOutput: (_stream, text) => {
        const kept = text.slice(0, maxOutputCharacters - output.length);
        output += kept;
        isOutputCut ||= kept.length < text.length;
      },
    });
    let result: ManagedResult | undefined;
    const ended = running.then((value) => {
      result = value;
    });
    // A form that does not let itself be cancelled has no answer; it is waited for no longer than this.
    await withinDeadline(ended, evaluationMs + quiesceMs);
    const isLate = deadline.aborted && (result === undefined || result.kind === "cancelled");
    const captured = { output, isOutputCut };
    if (isLate) return answerForm({ ...captured, status: "timeout" });
    return answerForm({ ...captured, ...described(result, maxOutputCharacters) });
  }
}

type Answer = {
  readonly status: "ok" | "condition" | "timeout";
  readonly values?: readonly string[];
  readonly areValuesCut?: boolean;
  readonly conditionType?: string;
  readonly report?: string;
  readonly output: string;
  readonly isOutputCut: boolean;
};

function described(result: ManagedResult | undefined, limit: number): Omit<Answer, "output" | "isOutputCut"> {
  if (result?.kind === "values") return { status: "ok", ...boundedValues(result.values, limit) };
  if (result?.kind === "failed" && result.condition !== null)
    return {
      status: "condition",
      conditionType: result.condition.type,
      report: boundedMessage(result.condition.text),
    };
  const reason =
    result === undefined
      ? "the form did not end"
      : result.kind === "quit"
        ? `the form asked to end the image with code ${result.code}; the host goes on`
        : result.reason;
  return { status: "condition", conditionType: "MANAGEMENT-REPL-ERROR", report: boundedMessage(reason) };
}

/** Values as text, together within the bound: what is over is cut, what follows is empty. */
function boundedValues(
  values: readonly ManagedValue[],
  limit: number,
): Pick<Answer, "values" | "areValuesCut"> {
  let room = limit;
  let areValuesCut = false;
  const kept = values.map(({ preview, omitted, report = false }) => {
    // A report is shown as text to people; here values are read.
    const printed = report ? `"${preview.replaceAll(/["\\]/g, "\\$&")}"` : preview;
    const text = printed.slice(0, room);
    room -= text.length;
    areValuesCut ||= omitted !== undefined || text.length < printed.length;
    return text;
  });
  return { values: kept, areValuesCut };
}

function refusal(operation: string, report: string): DataForm {
  return answerForm({
    status: "condition",
    conditionType: "MANAGEMENT-REPL-ERROR",
    report: `${report} (${operation})`,
    output: "",
    isOutputCut: false,
  });
}

function answerForm(answer: Answer): DataForm {
  return [
    keyword("evaluation-result"),
    ...[keyword("status"), keyword(answer.status)],
    ...(answer.status === "ok"
      ? [keyword("values"), answer.values ?? [], keyword("values-truncated-p"), answer.areValuesCut === true]
      : []),
    ...(answer.conditionType === undefined ? [] : [keyword("condition-type"), answer.conditionType]),
    ...(answer.report === undefined ? [] : [keyword("report"), answer.report]),
    ...[keyword("output"), answer.output],
    ...[keyword("output-truncated-p"), answer.isOutputCut],
  ];
}
