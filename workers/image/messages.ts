/** What crosses between the main thread and the thread of a Lisp image. All of it survives structured cloning. */
import type {
  HostFunctionDefinition,
  LispCondition,
  LispDecision,
  LispEvaluationOptions,
  LispJson,
  LispMachine,
  LispResult,
} from "../../orchestrator/contract/lisp-image.ts";
import type { Failure } from "../../orchestrator/contract/failure.ts";

/** Questions that the image answers between two slices of evaluations. */
export type ImageQuery =
  | { readonly kind: "complete"; readonly prefix: string; readonly limit: number }
  | { readonly kind: "probe"; readonly text: string }
  | { readonly kind: "arguments"; readonly name: string }
  | { readonly kind: "describe"; readonly name: string }
  | { readonly kind: "journal" };

/** Options of an evaluation that cross. */
export type EvaluationRequest = Pick<
  LispEvaluationOptions,
  "package" | "input" | "stepLimit" | "previewLength" | "rightMargin" | "readEval" | "file"
> & {
  readonly source: string;
  /** Conditions nobody handled are asked about; else they end the evaluation. */
  readonly asks: boolean;
  /** Most characters of output kept. */
  readonly outputLimit: number;
};

/** From the main thread to the image. */
export type ToImage =
  | { readonly type: "evaluate"; readonly id: number; readonly request: EvaluationRequest }
  | { readonly type: "cancel"; readonly id: number; readonly reason: string }
  | { readonly type: "decide"; readonly id: number; readonly decision: LispDecision }
  | { readonly type: "query"; readonly id: number; readonly query: ImageQuery }
  | { readonly type: "save"; readonly id: number; readonly path: string; readonly note: string }
  | { readonly type: "define"; readonly functions: readonly HostFunctionDefinition[] }
  /** The answer of a host function; `report`: its text is shown as text. */
  | { readonly type: "return"; readonly call: number; readonly value: LispJson; readonly report: boolean }
  | { readonly type: "fail"; readonly call: number; readonly failure: Failure };

/** From the image to the main thread. */
export type FromImage =
  | { readonly type: "ready" }
  /** The image cannot start; the thread ends. */
  | { readonly type: "refused"; readonly failure: Failure }
  | {
      readonly type: "output";
      readonly id: number;
      readonly stream: "output" | "error";
      readonly text: string;
    }
  | { readonly type: "condition"; readonly id: number; readonly condition: LispCondition }
  | { readonly type: "result"; readonly id: number; readonly result: LispResult }
  | { readonly type: "answer"; readonly id: number; readonly value: unknown }
  /** What was asked could not be done. */
  | { readonly type: "failed"; readonly id: number; readonly failure: Failure }
  /** A call of a host function; `evaluation` is null when it comes from none. */
  | {
      readonly type: "call";
      readonly call: number;
      readonly evaluation: number | null;
      readonly name: string;
      readonly args: readonly LispJson[];
      /** Places of the arguments that were keywords. */
      readonly keywords: readonly number[];
    };

/** What the thread is started with. */
export type ImageThreadData = {
  /** One element: messages posted to the image that its event loop has not seen yet. */
  readonly attention: Int32Array;
  /** File of the saved image to start from; undefined for a fresh image. */
  readonly image: string | undefined;
  /** What of the machine its code may use; undefined: the files of the user. */
  readonly machine: LispMachine | undefined;
};
