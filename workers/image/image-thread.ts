/** The thread of a Lisp image: one heap, evaluations as green threads, messages in and out. */
import { parentPort, workerData } from "node:worker_threads";
import { arrayToList } from "../../lisp/data/cons.ts";
import { LispError } from "../../lisp/data/error.ts";
import { LString } from "../../lisp/data/string.ts";
import { LSymbol, NIL } from "../../lisp/data/symbol.ts";
import { ConversionError, type Json, jsonToLisp, lispToJson } from "../../lisp/host/conversion.ts";
import type {
  ConditionReport,
  Evaluation,
  EvaluationResult,
  ValueReport,
} from "../../lisp/host/evaluation.ts";
import { createImage, type LispImage } from "../../lisp/host/lisp-image.ts";
import type { LispValue } from "../../lisp/data/value.ts";
import { type Failure, failureOf } from "../../orchestrator/contract/failure.ts";
import type {
  HostFunctionDefinition,
  LispCondition,
  LispDecision,
  LispResult,
  LispValueText,
  SavedLispImage,
} from "../../orchestrator/contract/lisp-image.ts";
import { imagePort } from "./image-port.ts";
import type { EvaluationRequest, FromImage, ImageQuery, ImageThreadData, ToImage } from "./messages.ts";

const port = parentPort!;
const { attention, image: savedPath, machine } = workerData as ImageThreadData;
const lisp = savedPath === undefined ? createImage(imagePort(machine)) : await restored(savedPath);
lisp.image.runtime.attention = attention;

const running = new Map<number, Evaluation>();
/** Evaluations by the number of their green thread. */
const byThread = new Map<number, number>();
const deciding = new Map<number, (decision: LispDecision) => void>();
/** The strings that host functions returned as reports. */
const reports = new WeakSet<LString>();
/** Calls of host functions that wait for their answer, and what they were called with. */
const calls = new Map<
  number,
  { readonly args: readonly LispValue[]; readonly waiting: PromiseWithResolvers<LispValue> }
>();
let lastCall = 0;

function post(message: FromImage): void {
  port.postMessage(message);
}

/** What the file system refuses is a `file-error`; what images refuse has codes of its own. */
function fileFailure(error: unknown): Failure {
  const failure = failureOf(error);
  return failure.code.startsWith("image-") ? failure : { ...failure, code: "file-error" };
}

/** The image of a file. One that cannot be restored is refused, and the thread ends. */
async function restored(path: string): Promise<LispImage> {
  const { openLispImage } = await import("../../lisp/host/saved-image.ts");
  try {
    return openLispImage(path, { port: imagePort(machine) }).lisp;
  } catch (error) {
    post({ type: "refused", failure: fileFailure(error) });
    process.exit(1);
  }
}

async function save({ id, path, note }: Extract<ToImage, { type: "save" }>): Promise<void> {
  const { saveLispImageFile } = await import("../../lisp/host/saved-image.ts");
  try {
    const { stamp, length } = await saveLispImageFile(lisp, path, { note });
    post({ type: "answer", id, value: { ...stamp, bytes: length } satisfies SavedLispImage });
  } catch (error) {
    post({ type: "failed", id, failure: fileFailure(error) });
  }
}

function conditionMessage({ type, text, slots, restarts, location }: ConditionReport): LispCondition {
  return { type, text, slots, restarts, ...(location === null ? {} : { place: location }) };
}

function resultMessage(result: EvaluationResult, droppedOutput: number): LispResult {
  const rest = { package: result.package, steps: result.steps, droppedOutput };
  switch (result.kind) {
    case "values":
      return { kind: "values", values: result.values.map(valueText), ...rest };
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

/** Most characters of a report that is shown as text. */
const reportLength = 65_536;

function valueText({ value, preview, omitted }: ValueReport): LispValueText {
  if (!(value instanceof LString) || !reports.has(value)) return shortened(preview, omitted);
  const text = value.toJS();
  const rest = text.length - reportLength;
  return {
    ...shortened(text.slice(0, reportLength).toWellFormed(), rest > 0 ? `${rest} more characters` : ""),
    report: true,
  };
}

function shortened(preview: string, omitted: string): LispValueText {
  return omitted === "" ? { preview } : { preview, omitted };
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
  byThread.set(evaluation.id, id);
  evaluation.result.then(
    (result) => {
      running.delete(id);
      byThread.delete(evaluation.id);
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

function ask(id: number, report: ConditionReport): Promise<LispDecision> {
  const { promise, resolve } = Promise.withResolvers<LispDecision>();
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

function isKeyword(value: LispValue): boolean {
  return value instanceof LSymbol && value.pkg?.keywords === true;
}

/** An argument as the host gets it. Throws the condition for a value that has no counterpart there. */
function sentArgument(name: string): (value: LispValue, place: number, all: readonly LispValue[]) => Json {
  return (value, place, all) => {
    try {
      return lispToJson(value);
    } catch (error) {
      if (!(error instanceof ConversionError)) throw error;
      const key = all[place - 1];
      const argument = key !== undefined && isKeyword(key) ? key : NIL;
      throw new LispError("AUTOLITH:ARGUMENT-TYPE-ERROR", [
        ["CODE", lisp.image.keyword("INVALID-ARGUMENTS")],
        [
          "MESSAGE",
          `${name.toLowerCase()} takes data: strings, numbers, symbols, lists, vectors and hash tables of them; ${error.message}: ${lisp.print(value, 200)}.`,
        ],
        ["ARGUMENT", argument],
        ["DATUM", value],
        ["EXPECTED-TYPE", "(OR STRING REAL SYMBOL CHARACTER PATHNAME LIST VECTOR HASH-TABLE)"],
      ]);
    }
  };
}

function define({ name, lambdaList, documentation }: HostFunctionDefinition): void {
  const call = (args: readonly LispValue[], thread: number | null): Promise<LispValue> => {
    const id = ++lastCall;
    const waiting = Promise.withResolvers<LispValue>();
    const evaluation = thread === null ? null : (byThread.get(thread) ?? null);
    const keywords = args.flatMap((arg, place) => (isKeyword(arg) ? [place] : []));
    post({ type: "call", call: id, evaluation, name, args: args.map(sentArgument(name)), keywords });
    calls.set(id, { args, waiting });
    return waiting.promise;
  };
  lisp.defineFunction(name, lambdaList, call, documentation);
}

/** Conditions of the library that failures of the host of these codes are; every other one is a HOST-ERROR. */
const conditionTypes: Readonly<Record<string, string>> = {
  "prompt-error": "AUTOLITH:PROMPT-ERROR",
  configuration: "AUTOLITH:CONFIGURATION-ERROR",
  "unknown-setting": "AUTOLITH:CONFIGURATION-ERROR",
};

/** Conditions of the library that wrong arguments are, by what is wrong with them; `details` says it. */
const argumentConditions: Readonly<Record<string, string>> = {
  missing: "AUTOLITH:ARGUMENT-ERROR",
  unknown: "AUTOLITH:ARGUMENT-ERROR",
  malformed: "AUTOLITH:ARGUMENT-ERROR",
  type: "AUTOLITH:ARGUMENT-TYPE-ERROR",
  value: "AUTOLITH:ARGUMENT-VALUE-ERROR",
};

function hostError(failure: Failure, args: readonly LispValue[]): LispError {
  const { code, message, details } = failure;
  const { image } = lisp;
  const problem = details?.["problem"];
  const argument = typeof problem === "string" ? argumentConditions[problem] : undefined;
  if (argument !== undefined) return argumentError(argument, failure, args);
  const fields = Object.entries(details ?? {}).flatMap(([name, value]) => [
    image.keyword(name.toUpperCase()),
    jsonToLisp(value as Json, image),
  ]);
  return new LispError(conditionTypes[code] ?? "AUTOLITH:HOST-ERROR", [
    ["CODE", image.keyword(code.toUpperCase())],
    ["MESSAGE", message],
    ["DETAILS", arrayToList(fields)],
  ]);
}

/** The argument by its name, and what it is and should be where its type is wrong. */
function argumentError(
  type: string,
  { code, message, details = {} }: Failure,
  args: readonly LispValue[],
): LispError {
  const { image } = lisp;
  const { argument, datum, "expected-type": expected } = details;
  const name = typeof argument === "string" ? argumentKeyword(argument) : NIL;
  const at = args.findIndex((arg) => arg === name || (arg instanceof LString && arg.toJS() === argument));
  return new LispError(type, [
    ["CODE", image.keyword(code.toUpperCase())],
    ["MESSAGE", message],
    ["ARGUMENT", name],
    ...(typeof expected === "string"
      ? ([
          ["DATUM", datum === undefined ? (args[at + 1] ?? NIL) : jsonToLisp(datum, image)],
          ["EXPECTED-TYPE", expected],
        ] as const)
      : []),
  ]);
}

function argumentKeyword(name: string): LispValue {
  return lisp.image.keyword(name === name.toLowerCase() ? name.toUpperCase() : name);
}

function settleCall(message: Extract<ToImage, { type: "return" | "fail" }>): void {
  const { waiting, args } = calls.get(message.call) ?? {};
  calls.delete(message.call);
  if (message.type === "fail") return waiting?.reject(hostError(message.failure, args ?? []));
  const value = jsonToLisp(message.value, lisp.image);
  if (message.report && value instanceof LString) reports.add(value);
  return waiting?.resolve(value);
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
    case "save":
      return void save(message);
    case "define":
      return message.functions.forEach(define);
    default:
      return settleCall(message);
  }
});

post({ type: "ready" });
