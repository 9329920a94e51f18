/** What crosses between the main thread and the thread of a Lisp image. All of it survives structured cloning. */
import type { EvaluationEnd } from "../../lisp/host/evaluation.ts";
import type { Json } from "../../lisp/host/conversion.ts";

/** A condition as it crosses: everything of a ConditionReport but the Lisp object. */
export interface ConditionMessage {
  readonly type: string;
  readonly text: string;
  readonly slots: readonly { readonly name: string; readonly value: string }[];
  readonly restarts: readonly { readonly index: number; readonly name: string; readonly text: string }[];
}

/** What to do about a condition. */
export type Decision =
  | { readonly kind: "restart"; readonly index: number; readonly arguments?: readonly string[] }
  | { readonly kind: "abort" };

/** How an evaluation in another thread ended. `lost`: its thread ended before it. */
export type ImageEnd =
  | {
      readonly kind: "values";
      readonly values: readonly { readonly preview: string; readonly cut: boolean }[];
    }
  | { readonly kind: "failed"; readonly condition: ConditionMessage | null; readonly reason: string }
  | Extract<EvaluationEnd, { kind: "cancelled" | "quit" }>
  | { readonly kind: "lost"; readonly reason: string };

/** Result of an evaluation in another thread. */
export type ImageResult = ImageEnd & {
  readonly package: string;
  readonly steps: number;
  /** Characters of output that were dropped because the evaluation wrote more than its bound. */
  readonly droppedOutput: number;
};

/** Questions that the image answers between two slices of evaluations. */
export type ImageQuery =
  | { readonly kind: "complete"; readonly prefix: string; readonly limit: number }
  | { readonly kind: "probe"; readonly text: string }
  | { readonly kind: "arguments"; readonly name: string }
  | { readonly kind: "describe"; readonly name: string }
  | { readonly kind: "journal" };

/** Options of an evaluation that cross; see EvaluateOptions. */
export interface EvaluationRequest {
  readonly source: string;
  readonly package?: string;
  readonly input?: string;
  readonly stepLimit?: number;
  readonly previewLength?: number;
  readonly file?: string;
  /** Conditions nobody handled are asked about; else they end the evaluation. */
  readonly asks: boolean;
  /** Most characters of output kept. */
  readonly outputLimit: number;
}

/** From the main thread to the image. */
export type ToImage =
  | { readonly type: "evaluate"; readonly id: number; readonly request: EvaluationRequest }
  | { readonly type: "cancel"; readonly id: number; readonly reason: string }
  | { readonly type: "decide"; readonly id: number; readonly decision: Decision }
  | { readonly type: "query"; readonly id: number; readonly query: ImageQuery }
  | {
      readonly type: "define";
      readonly name: string;
      readonly lambdaList: string;
      readonly documentation: string;
    }
  | { readonly type: "return"; readonly call: number; readonly value: Json }
  | { readonly type: "fail"; readonly call: number; readonly message: string };

/** From the image to the main thread. */
export type FromImage =
  | { readonly type: "ready" }
  | {
      readonly type: "output";
      readonly id: number;
      readonly stream: "output" | "error";
      readonly text: string;
    }
  | { readonly type: "condition"; readonly id: number; readonly condition: ConditionMessage }
  | { readonly type: "result"; readonly id: number; readonly result: ImageResult }
  | { readonly type: "answer"; readonly id: number; readonly value: unknown }
  | { readonly type: "call"; readonly call: number; readonly name: string; readonly args: readonly Json[] };

/** What the thread is started with. */
export interface ImageThreadData {
  /** One element: messages posted to the image that its event loop has not seen yet. */
  readonly attention: Int32Array;
}
