import { Worker } from "node:worker_threads";
import { AutolithError, errorOf, failureOf } from "../../orchestrator/contract/failure.ts";
import {
  type HostCalls,
  type HostFunctionDefinition,
  HostReport,
  type LispCompleteness,
  type LispCompletion,
  type LispCondition,
  type LispDecision,
  type LispDefinition,
  type LispDescription,
  type LispEvaluationOptions,
  type LispImage,
  type LispImageOptions,
  type LispJson,
  type LispResult,
  type SavedLispImage,
} from "../../orchestrator/contract/lisp-image.ts";
import { commandEnvironment } from "../spawner/command-environment.ts";
import type { EvaluationRequest, FromImage, ImageQuery, ImageThreadData, ToImage } from "./messages.ts";

type Running = {
  readonly options: LispEvaluationOptions;
  readonly settle: (result: LispResult) => void;
  /** Aborted when the evaluation is cancelled or over: what it still waits for of the host is of no use. */
  readonly over: AbortController;
};

/** The image's thread has ended, so it cannot answer. */
export class ImageEndedError extends AutolithError {
  constructor(reason: string) {
    super("image-ended", `The Lisp image has ended: ${reason}. A new image starts with the next form.`);
  }
}

/** A Lisp image in a thread of its own. */
export class ImageHost implements LispImage {
  private readonly worker: Worker;
  private readonly attention = new Int32Array(new SharedArrayBuffer(4));
  private readonly evaluations = new Map<number, Running>();
  private readonly queries = new Map<number, PromiseWithResolvers<unknown>>();
  private readonly functions = new Map<string, HostCalls>();
  private readonly started = Promise.withResolvers<void>();
  private readonly gone = Promise.withResolvers<string>();
  private last = 0;
  private endReason: string | null = null;

  constructor(limits: LispImageOptions = {}) {
    const { stackMb = 64, heapMb = 2_048 } = limits;
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const data: ImageThreadData = { attention: this.attention, image: limits.image, machine: limits.machine };
    this.worker = new Worker(new URL(`./image-thread.${extension}`, import.meta.url), {
      workerData: data,
      env: { ...(limits.environment ?? commandEnvironment(process.env)) },
      resourceLimits: { stackSizeMb: stackMb, maxOldGenerationSizeMb: heapMb },
    });
    this.worker.on("message", (message: FromImage) => this.receive(message));
    this.worker.on("error", (error: unknown) => this.end(endReason(error, { stackMb, heapMb })));
    this.worker.on("exit", (code) => this.end(`its thread ended with code ${code}`));
  }

  get ready(): Promise<void> {
    return this.started.promise;
  }

  get ended(): Promise<string> {
    return this.gone.promise;
  }

  evaluate(source: string, options: LispEvaluationOptions = {}): Promise<LispResult> {
    const id = ++this.last;
    const { promise, resolve } = Promise.withResolvers<LispResult>();
    if (this.endReason !== null) return Promise.resolve(lost(this.endReason));
    const over = new AbortController();
    this.evaluations.set(id, { options, settle: resolve, over });
    const { signal } = options;
    this.post({ type: "evaluate", id, request: requestOf(source, options) });
    const cancel = (): void => {
      const reason = String(signal?.reason ?? "cancelled");
      this.post({ type: "cancel", id, reason });
      over.abort(reason);
    };
    if (signal?.aborted === true) cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    return promise.finally(() => signal?.removeEventListener("abort", cancel));
  }

  define(functions: readonly HostFunctionDefinition[], calls: HostCalls = notAnswered): void {
    for (const { name } of functions) this.functions.set(name, calls);
    this.post({ type: "define", functions });
  }

  complete(prefix: string, limit = 100): Promise<readonly LispCompletion[]> {
    return this.query({ kind: "complete", prefix, limit }) as Promise<readonly LispCompletion[]>;
  }

  probe(text: string): Promise<LispCompleteness> {
    return this.query({ kind: "probe", text }) as Promise<LispCompleteness>;
  }

  argumentList(name: string): Promise<string | null> {
    return this.query({ kind: "arguments", name }) as Promise<string | null>;
  }

  describe(name: string): Promise<LispDescription | null> {
    return this.query({ kind: "describe", name }) as Promise<LispDescription | null>;
  }

  journal(): Promise<readonly LispDefinition[]> {
    return this.query({ kind: "journal" }) as Promise<readonly LispDefinition[]>;
  }

  save(path: string, { note = "" }: { readonly note?: string } = {}): Promise<SavedLispImage> {
    return this.ask((id) => ({ type: "save", id, path, note })) as Promise<SavedLispImage>;
  }

  async terminate(reason = "terminated"): Promise<void> {
    this.end(reason);
    await this.worker.terminate();
  }

  private query(query: ImageQuery): Promise<unknown> {
    return this.ask((id) => ({ type: "query", id, query }));
  }

  private ask(message: (id: number) => ToImage): Promise<unknown> {
    if (this.endReason !== null) return Promise.reject(new ImageEndedError(this.endReason));
    const id = ++this.last;
    const waiting = Promise.withResolvers<unknown>();
    this.queries.set(id, waiting);
    this.post(message(id));
    return waiting.promise;
  }

  private post(message: ToImage): void {
    Atomics.add(this.attention, 0, 1);
    this.worker.postMessage(message);
  }

  private receive(message: FromImage): void {
    switch (message.type) {
      case "ready":
        return this.started.resolve();
      case "refused":
        this.started.reject(errorOf(message.failure));
        return this.end(message.failure.message);
      case "failed":
        this.queries.get(message.id)?.reject(errorOf(message.failure));
        this.queries.delete(message.id);
        return undefined;
      case "output":
        return this.evaluations.get(message.id)?.options.onOutput?.(message.stream, message.text);
      case "condition":
        return this.decide(message.id, message.condition);
      case "result":
        return this.finish(message.id, message.result);
      case "answer":
        this.queries.get(message.id)?.resolve(message.value);
        this.queries.delete(message.id);
        return undefined;
      case "call":
        return this.call(message);
    }
  }

  private finish(id: number, result: LispResult): void {
    const running = this.evaluations.get(id);
    this.evaluations.delete(id);
    running?.settle(result);
    running?.over.abort("the evaluation is over");
  }

  private decide(id: number, condition: LispCondition): void {
    const running = this.evaluations.get(id);
    const ask = running?.options.onCondition;
    const decision =
      running === undefined || ask === undefined
        ? Promise.resolve<LispDecision>({ kind: "abort" })
        : ask(condition, running.over.signal);
    decision.then(
      (made) => this.post({ type: "decide", id, decision: made }),
      () => this.post({ type: "decide", id, decision: { kind: "abort" } }),
    );
  }

  private call({ call, evaluation, name, args, keywords }: Extract<FromImage, { type: "call" }>): void {
    const running = evaluation === null ? undefined : this.evaluations.get(evaluation);
    const answer = running?.options.onCall ?? this.functions.get(name) ?? notAnswered;
    const signal = running?.over.signal ?? neverAborted;
    const origin = { name, evaluation: evaluation ?? undefined, keywords, signal };
    const run = async () => await answer(args, origin);
    run().then(
      (value) => this.post({ type: "return", call, ...returned(value) }),
      (error: unknown) => this.post({ type: "fail", call, failure: failureOf(error) }),
    );
  }

  private end(reason: string): void {
    if (this.endReason !== null) return;
    this.endReason = reason;
    const error = new ImageEndedError(reason);
    this.started.promise.catch(() => undefined);
    this.started.reject(error);
    for (const id of [...this.evaluations.keys()]) this.finish(id, lost(reason));
    for (const waiting of this.queries.values()) waiting.reject(error);
    this.queries.clear();
    this.gone.resolve(reason);
  }
}

/** Why a thread ended by itself, in words of Lisp: the engine below it has others. */
function endReason(
  error: unknown,
  { stackMb, heapMb }: { readonly stackMb: number; readonly heapMb: number },
): string {
  if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY")
    return `its heap of ${heapMb} megabytes is exhausted`;
  if (error instanceof RangeError) return `its stack of ${stackMb} megabytes is exhausted`;
  return `the Lisp system itself failed: ${failureOf(error).message}`;
}

const neverAborted = new AbortController().signal;

function requestOf(source: string, options: LispEvaluationOptions): EvaluationRequest {
  const {
    onOutput: _output,
    onCondition,
    onCall: _call,
    signal: _signal,
    outputLimit = 1_000_000,
    ...rest
  } = options;
  return { ...rest, source, asks: onCondition !== undefined, outputLimit };
}

function returned(value: LispJson | HostReport): { readonly value: LispJson; readonly report: boolean } {
  return value instanceof HostReport ? { value: value.text, report: true } : { value, report: false };
}

const notAnswered: HostCalls = (_args, { name }) => {
  throw new AutolithError("no-application", `${name} works only in a form of a session; none is there.`);
};

function lost(reason: string): LispResult {
  return { kind: "lost", reason, package: "", steps: 0, droppedOutput: 0 };
}
