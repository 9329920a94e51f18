/** The thread of a Lisp image: one heap, evaluations as green threads, messages in and out. */
import { parentPort, workerData } from "node:worker_threads";
import { jsonToLisp, lispToJson } from "../../lisp/host/conversion.ts";
import type { ConditionReport, Evaluation, EvaluationResult } from "../../lisp/host/evaluation.ts";
import { createImage } from "../../lisp/host/lisp-image.ts";
import type { LispValue } from "../../lisp/data/value.ts";
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

const port = parentPort!;
const { attention } = workerData as ImageThreadData;
const lisp = createImage();
lisp.image.runtime.attention = attention;

const running = new Map<number, Evaluation>();
const deciding = new Map<number, (decision: Decision) => void>();
const calls = new Map<number, PromiseWithResolvers<LispValue>>();
let lastCall = 0;

function post(message: FromImage): void {
  port.postMessage(message);
}

function conditionMessage({ type, text, slots, restarts }: ConditionReport): ConditionMessage {
  return { type, text, slots, restarts };
}

function resultMessage(result: EvaluationResult, droppedOutput: number): ImageResult {
  const rest = { package: result.package, steps: result.steps, droppedOutput };
  switch (result.kind) {
    case "values":
      return { kind: "values", values: result.values.map(({ preview, cut }) => ({ preview, cut })), ...rest };
    case "failed": {
      const condition = result.condition === null ? null : conditionMessage(result.condition);
      return { kind: "failed", condition, reason: result.reason, ...rest };
    }
    case "cancelled":
      return { kind: "cancelled", reason: result.reason, ...rest };
    default:
      return { kind: "quit", code: result.code, ...rest };
  }
}

function evaluate(id: number, request: EvaluationRequest): void {
  const { source, asks, outputLimit, ...options } = request;
  let room = outputLimit;
  let dropped = 0;
  const write =
    (stream: "output" | "error") =>
    (text: string): void => {
      const kept = text.slice(0, room);
      room -= kept.length;
      dropped += text.length - kept.length;
      if (kept !== "") post({ type: "output", id, stream, text: kept });
    };
  const evaluation = lisp.evaluate(source, {
    ...options,
    onOutput: write("output"),
    onErrorOutput: write("error"),
    ...(asks ? { onCondition: (report: ConditionReport) => ask(id, report) } : {}),
  });
  running.set(id, evaluation);
  evaluation.result.then(
    (result) => {
      running.delete(id);
      deciding.delete(id);
      post({ type: "result", id, result: resultMessage(result, dropped) });
    },
    // The engine itself failed: the thread ends, and the main thread reports what was lost.
    (error: unknown) =>
      setImmediate(() => {
        throw error;
      }),
  );
}

function ask(id: number, report: ConditionReport): Promise<Decision> {
  const { promise, resolve } = Promise.withResolvers<Decision>();
  deciding.set(id, resolve);
  post({ type: "condition", id, condition: conditionMessage(report) });
  return promise;
}

function answer(query: ImageQuery): unknown {
  switch (query.kind) {
    case "complete":
      return lisp.complete(query.prefix, query.limit);
    case "probe":
      return lisp.probe(query.text);
    case "arguments":
      return lisp.argumentList(query.name);
    case "describe":
      return lisp.describe(query.name);
    default:
      return lisp.journal.entries();
  }
}

function define(name: string, lambdaList: string, documentation: string): void {
  const call = (args: readonly LispValue[]): Promise<LispValue> => {
    const id = ++lastCall;
    const waiting = Promise.withResolvers<LispValue>();
    post({ type: "call", call: id, name, args: args.map((arg) => lispToJson(arg)) });
    calls.set(id, waiting);
    return waiting.promise;
  };
  lisp.defineFunction(name, lambdaList, call, documentation);
}

/** A host function in the main thread failed. */
class HostCallError extends Error {
  readonly code = "host-call-failed";
  override readonly name = "HostCallError";
}

port.on("message", (message: ToImage) => {
  Atomics.sub(attention, 0, 1);
  switch (message.type) {
    case "evaluate":
      return evaluate(message.id, message.request);
    case "cancel":
      return running.get(message.id)?.cancel(message.reason);
    case "decide":
      return deciding.get(message.id)?.(message.decision);
    case "query":
      return post({ type: "answer", id: message.id, value: answer(message.query) });
    case "define":
      return define(message.name, message.lambdaList, message.documentation);
    case "return":
      calls.get(message.call)?.resolve(jsonToLisp(message.value, lisp.image));
      calls.delete(message.call);
      return undefined;
    case "fail":
      calls.get(message.call)?.reject(new HostCallError(message.message));
      calls.delete(message.call);
      return undefined;
  }
});

post({ type: "ready" });
