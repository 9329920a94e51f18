/** Evaluates the forms of one job in an image: one after the other, with bounded output, a time limit, and an end for what does not end. */
import type { HostCalls, LispImage, LispResult } from "../contract/lisp-image.ts";
import { replLimits } from "./repl-limits.ts";

/** What one form came to. */
export type EvaluatedForm = { readonly source: string; readonly result: LispResult };

export type Evaluated = {
  /** Those that were evaluated, the failed one last. */
  readonly forms: readonly EvaluatedForm[];
  /** Set when it was ended from outside. */
  readonly stopped: "cancelled" | "timed-out" | undefined;
  readonly output: string;
  /** Characters of output over the bound. */
  readonly droppedOutput: number;
  readonly durationMs: number;
};

export type FormsEvaluation = {
  readonly forms: readonly string[];
  readonly signal: AbortSignal;
  readonly timeoutMs: number | undefined;
  readonly onCall?: HostCalls | undefined;
  readonly onOutput?: (stream: "output" | "error", text: string) => void;
  /** Most characters of one value and of all output. */
  readonly previewLength: number;
  readonly outputLimit: number;
  /** Columns to print values for; not pretty when absent. */
  readonly rightMargin?: number;
  /** Called when the evaluation goes on although it was cancelled and had its grace: ends its image. Absent: it is waited for. */
  readonly abandon?: () => void;
};

/** Never rejects: an image that ends gives a `lost` result. */
export async function evaluateForms(image: LispImage, evaluation: FormsEvaluation): Promise<Evaluated> {
  const startedAt = performance.now();
  const stop = stopper(evaluation);
  const forms: EvaluatedForm[] = [];
  let output = "";
  let dropped = 0;
  try {
    for (const source of evaluation.forms) {
      const result = await image.evaluate(source, {
        signal: stop.signal,
        previewLength: evaluation.previewLength,
        outputLimit: Math.max(0, evaluation.outputLimit - output.length),
        ...(evaluation.rightMargin === undefined ? {} : { rightMargin: evaluation.rightMargin }),
        ...(evaluation.onCall === undefined ? {} : { onCall: evaluation.onCall }),
        onOutput: (stream, text) => {
          output += text;
          evaluation.onOutput?.(stream, text);
        },
      });
      dropped += result.droppedOutput;
      forms.push({ source, result });
      if (result.kind !== "values") break;
    }
  } finally {
    stop.over();
  }
  return {
    forms,
    stopped: stop.reason(),
    output,
    droppedOutput: dropped,
    durationMs: Math.round(performance.now() - startedAt),
  };
}

/** One signal for cancel and time limit, and the grace after it. */
function stopper({ signal, timeoutMs, abandon }: FormsEvaluation): {
  readonly signal: AbortSignal;
  readonly reason: () => Evaluated["stopped"];
  readonly over: () => void;
} {
  const controller = new AbortController();
  let reason: Evaluated["stopped"];
  let grace: NodeJS.Timeout | undefined;
  const stop = (why: "cancelled" | "timed-out"): void => {
    if (reason !== undefined) return;
    reason = why;
    controller.abort(why);
    if (abandon !== undefined) grace = setTimeout(abandon, replLimits.cancelGraceMs);
  };
  const cancel = (): void => stop("cancelled");
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop("timed-out"), timeoutMs);
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  return {
    signal: controller.signal,
    reason: () => reason,
    over: () => {
      clearTimeout(timer);
      clearTimeout(grace);
      signal.removeEventListener("abort", cancel);
    },
  };
}
