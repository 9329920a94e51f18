import { Worker } from "node:worker_threads";
import type { Json } from "../../lisp/host/conversion.ts";
import type { Completion } from "../../lisp/host/lisp-image.ts";
import type { DefinitionEntry } from "../../lisp/host/journal.ts";
import type { Completeness } from "../../lisp/reader/probe.ts";
import type {
  ConditionMessage,
  Decision,
  EvaluationRequest,
  FromImage,
  ImageQuery,
  ImageResult,
  ImageThreadData,
  ToImage,
} from "./messages.ts";

/** Bounds of an image's thread. */
export interface ImageLimits {
  /** Heap in megabytes; default 2,048. Lisp sees a STORAGE-CONDITION at three quarters of it. */
  readonly heapMb?: number;
  /** Stack in megabytes; default 64, enough for 100,000 Lisp frames. */
  readonly stackMb?: number;
}

/** Options of an evaluation in an image's thread. */
export interface ImageEvaluationOptions {
  readonly package?: string;
  readonly input?: string;
  readonly stepLimit?: number;
  /** Most characters of one value's preview; default 2,000. */
  readonly previewLength?: number;
  readonly file?: string;
  /** Most characters of output passed on; default 1,000,000. What is over is counted in the result. */
  readonly outputLimit?: number;
  readonly onOutput?: (stream: "output" | "error", text: string) => void;
  /** Asked about conditions nobody handled, while their restarts are live. */
  readonly onCondition?: (condition: ConditionMessage) => Promise<Decision>;
  readonly signal?: AbortSignal;
}

/** A host function called from Lisp with arguments converted to JSON. */
export type ImageFunction = (args: readonly Json[]) => Json | Promise<Json>;

interface Pending {
  readonly options: ImageEvaluationOptions;
  readonly settle: (result: ImageResult) => void;
}

/** The image's thread has ended, so it cannot answer. */
export class ImageEndedError extends Error {
  readonly code = "image-ended";
  override readonly name = "ImageEndedError";
}

/** A Lisp image in a thread of its own. */
export class ImageHost {
  private readonly worker: Worker;
  private readonly attention = new Int32Array(new SharedArrayBuffer(4));
  private readonly evaluations = new Map<number, Pending>();
  private readonly queries = new Map<number, PromiseWithResolvers<unknown>>();
  private readonly functions = new Map<string, ImageFunction>();
  private readonly started = Promise.withResolvers<void>();
  private last = 0;
  private ended: string | null = null;

  constructor(limits: ImageLimits = {}) {
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const data: ImageThreadData = { attention: this.attention };
    this.worker = new Worker(new URL(`./image-thread.${extension}`, import.meta.url), {
      workerData: data,
      resourceLimits: { stackSizeMb: limits.stackMb ?? 64, maxOldGenerationSizeMb: limits.heapMb ?? 2_048 },
    });
    this.worker.on("message", (message: FromImage) => this.receive(message));
    this.worker.on("error", (error: Error) => this.end(error.message));
    this.worker.on("exit", (code) => this.end(`its thread ended with code ${code}`));
  }

  /** Settles when the image can evaluate; rejects when its thread ends before. */
  get ready(): Promise<void> {
    return this.started.promise;
  }

  /** Evaluates the forms of a text. Never rejects: a thread that ends gives "lost". */
  evaluate(source: string, options: ImageEvaluationOptions = {}): Promise<ImageResult> {
    const id = ++this.last;
    const { promise, resolve } = Promise.withResolvers<ImageResult>();
    if (this.ended !== null) return Promise.resolve(lost(this.ended));
    this.evaluations.set(id, { options, settle: resolve });
    const { onOutput: _output, onCondition, signal, outputLimit, ...rest } = options;
    const request: EvaluationRequest = {
      ...rest,
      source,
      asks: onCondition !== undefined,
      outputLimit: outputLimit ?? 1_000_000,
    };
    this.post({ type: "evaluate", id, request });
    const cancel = (): void =>
      this.post({ type: "cancel", id, reason: String(signal?.reason ?? "cancelled") });
    if (signal?.aborted === true) cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    return promise.finally(() => signal?.removeEventListener("abort", cancel));
  }

  /** Makes a function of the main thread callable in Lisp (package AUTOLITH unless the name has a prefix). */
  defineFunction(name: string, lambdaList: string, fn: ImageFunction, documentation = ""): void {
    this.functions.set(name, fn);
    this.post({ type: "define", name, lambdaList, documentation });
  }

  complete(prefix: string, limit = 100): Promise<readonly Completion[]> {
    return this.query({ kind: "complete", prefix, limit }) as Promise<readonly Completion[]>;
  }

  probe(text: string): Promise<Completeness> {
    return this.query({ kind: "probe", text }) as Promise<Completeness>;
  }

  argumentList(name: string): Promise<string | null> {
    return this.query({ kind: "arguments", name }) as Promise<string | null>;
  }

  journal(): Promise<readonly DefinitionEntry[]> {
    return this.query({ kind: "journal" }) as Promise<readonly DefinitionEntry[]>;
  }

  /** Ends the thread without its cooperation. Evaluations that ran end as "lost"; resolves when the thread is gone. */
  async terminate(reason = "terminated"): Promise<void> {
    this.end(reason);
    await this.worker.terminate();
  }

  private query(query: ImageQuery): Promise<unknown> {
    if (this.ended !== null) return Promise.reject(new ImageEndedError(`the image has ended: ${this.ended}`));
    const id = ++this.last;
    const waiting = Promise.withResolvers<unknown>();
    this.queries.set(id, waiting);
    this.post({ type: "query", id, query });
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
      case "output":
        return this.evaluations.get(message.id)?.options.onOutput?.(message.stream, message.text);
      case "condition":
        return this.decide(message.id, message.condition);
      case "result":
        this.evaluations.get(message.id)?.settle(message.result);
        this.evaluations.delete(message.id);
        return undefined;
      case "answer":
        this.queries.get(message.id)?.resolve(message.value);
        this.queries.delete(message.id);
        return undefined;
      case "call":
        return this.call(message.call, message.name, message.args);
    }
  }

  private decide(id: number, condition: ConditionMessage): void {
    const ask = this.evaluations.get(id)?.options.onCondition;
    const decision = ask === undefined ? Promise.resolve<Decision>({ kind: "abort" }) : ask(condition);
    decision.then(
      (made) => this.post({ type: "decide", id, decision: made }),
      () => this.post({ type: "decide", id, decision: { kind: "abort" } }),
    );
  }

  private call(call: number, name: string, args: readonly Json[]): void {
    const run = async (): Promise<Json> => await this.functions.get(name)!(args);
    run().then(
      (value) => this.post({ type: "return", call, value }),
      (error: unknown) =>
        this.post({ type: "fail", call, message: error instanceof Error ? error.message : String(error) }),
    );
  }

  private end(reason: string): void {
    if (this.ended !== null) return;
    this.ended = reason;
    const error = new ImageEndedError(`the image has ended: ${reason}`);
    this.started.promise.catch(() => undefined);
    this.started.reject(error);
    for (const { settle } of this.evaluations.values()) settle(lost(reason));
    for (const waiting of this.queries.values()) waiting.reject(error);
    this.evaluations.clear();
    this.queries.clear();
  }
}

function lost(reason: string): ImageResult {
  return { kind: "lost", reason, package: "", steps: 0, droppedOutput: 0 };
}
