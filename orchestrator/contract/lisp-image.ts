/**
 * A Lisp image as the rest of the program uses it: one heap in a thread of its own, evaluations that run beside each other in it, and
 * functions of the host that Lisp calls. `workers/image` implements it; nothing else knows how.
 */
/** From 1 both; columns in characters. */
export type LispPosition = { readonly line: number; readonly column: number };

/** A JSON value: what crosses between Lisp and the functions of the host. */
export type LispJson =
  | null
  | boolean
  | number
  | string
  | readonly LispJson[]
  | { readonly [key: string]: LispJson };

/** A condition that no handler took, while its restarts are live. */
export type LispCondition = {
  /** Printed type, such as `TYPE-ERROR`. */
  readonly type: string;
  /** What it reports. */
  readonly text: string;
  readonly slots: readonly { readonly name: string; readonly value: string }[];
  /** Where the top-level form begins that was evaluated, in a source with a file; absent when unknown. */
  readonly place?: { readonly file: string; readonly line: number; readonly column: number };
  /** Innermost first; `index` chooses one. */
  readonly restarts: readonly LispRestart[];
};

export type LispRestart = {
  readonly index: number;
  /** Symbol name, "" when anonymous. */
  readonly name: string;
  readonly text: string;
  /** Its lambda list as text, without parentheses; "" when it takes no arguments. */
  readonly parameters: string;
};

/** What to do about a condition: one of its restarts with argument forms as text (each form in a text is an argument), or the end of the evaluation. */
export type LispDecision =
  | { readonly kind: "restart"; readonly index: number; readonly arguments?: readonly string[] }
  | { readonly kind: "abort" };

/** A value as text. */
export type LispValueText = {
  /** Printed, cut to the preview length; the text itself when it is a report. */
  readonly preview: string;
  /** How much is left out, as text such as `9500 more elements`; absent when nothing is. */
  readonly omitted?: string;
  /** True when the value is the very string that a function of the host returned as its report: shown as text, not as a string. */
  readonly report?: boolean;
};

/** How an evaluation ended. `lost`: the image's thread ended before it. */
export type LispEnd =
  | { readonly kind: "values"; readonly values: readonly LispValueText[] }
  | { readonly kind: "failed"; readonly condition: LispCondition | null; readonly reason: string }
  | { readonly kind: "cancelled"; readonly reason: string }
  | { readonly kind: "quit"; readonly code: number }
  | { readonly kind: "lost"; readonly reason: string };

export type LispResult = LispEnd & {
  /** `*package*` at the end. */
  readonly package: string;
  /** Calls and loop rounds. */
  readonly steps: number;
  /** Characters of output over the bound. */
  readonly droppedOutput: number;
};

/** Where a call of a host function comes from. */
export type HostCall = {
  readonly name: string;
  /** The image's number of the evaluation; undefined for calls outside of any. */
  readonly evaluation: number | undefined;
  /** Which arguments were keywords, by their place: as JSON they are strings. */
  readonly keywords: readonly number[];
  /** Aborted when that evaluation ends before the answer, is cancelled, or is lost. */
  readonly signal: AbortSignal;
};

/** What a host function returns: JSON, or a report, which is a string to Lisp and shown as text when it is the value itself. */
export type HostReturn = LispJson | HostReport;

export class HostReport {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Answers calls of host functions. What it throws becomes a Lisp error; an `AutolithError`'s code and details go along. */
export type HostCalls = (args: readonly LispJson[], call: HostCall) => HostReturn | Promise<HostReturn>;

/** A function of the host as Lisp sees it. */
export type HostFunctionDefinition = {
  /** `NAME` in package AUTOLITH, or `PACKAGE:NAME`; exactly so, usually in upper case. */
  readonly name: string;
  /** As text without the outer parentheses, such as `&key uri start-line`. */
  readonly lambdaList: string;
  readonly documentation: string;
};

export type LispEvaluationOptions = {
  /** Package to read in; default: where the evaluation before left it. */
  readonly package?: string;
  /** What `*standard-input*` gives; default empty. */
  readonly input?: string;
  readonly stepLimit?: number;
  /** Most characters of one value's preview; default 2,000. */
  readonly previewLength?: number;
  /** Width in columns to print values pretty for; not pretty when absent. */
  readonly rightMargin?: number;
  /** False: `#.` is not evaluated, `*read-eval*` is NIL. */
  readonly readEval?: boolean;
  /** Where the source comes from, for definition places. */
  readonly file?: string;
  /** Most characters of output passed on; default 1,000,000. What is over is counted in the result. */
  readonly outputLimit?: number;
  readonly onOutput?: (stream: "output" | "error", text: string) => void;
  /** Asked about conditions nobody handled, while their restarts are live; default: the evaluation fails. */
  readonly onCondition?: (condition: LispCondition, signal: AbortSignal) => Promise<LispDecision>;
  /** Answers the calls of defined functions that come from this evaluation, and from no other. */
  readonly onCall?: HostCalls;
  /** Cancels: cleanup forms run, then it ends as `cancelled`. */
  readonly signal?: AbortSignal;
};

export type LispCompletion = {
  readonly name: string;
  readonly kind: "function" | "macro" | "special" | "variable" | "symbol";
};

/** What a text is to the image's reader. `at`: where the innermost unfinished object begins, or what is wrong. */
export type LispCompleteness =
  | {
      readonly kind: "complete";
      /** Whole forms; a macro character of the user counts as the last one. */ readonly forms: number;
    }
  | { readonly kind: "empty" }
  | { readonly kind: "incomplete"; readonly at: LispPosition }
  | { readonly kind: "invalid"; readonly at: LispPosition; readonly message: string };

export type LispDescription = {
  readonly documentation: string | null;
  readonly location: { readonly file: string; readonly line: number; readonly column: number } | null;
};

/** A definition made in an image. */
export type LispDefinition = {
  readonly kind: string;
  readonly name: string;
  readonly source: string;
  /** The text was too long and is not whole. */
  readonly cut: boolean;
  readonly file: string | null;
  /** Line of the form in the file, from 1; null when unknown. */
  readonly line: number | null;
  /** Package the form was read in: evaluated there, `source` makes the definition again. */
  readonly package: string;
  readonly sequence: number;
};

/** What is known of a saved image without starting from it. */
export type SavedLispImage = {
  /** Key of the build that saved it; only the same one can start from it. */
  readonly build: string;
  readonly note: string;
  /** Epoch milliseconds. */
  readonly savedAtMs: number;
  /** Package in which it begins. */
  readonly package: string;
  /** Objects besides those of every image. */
  readonly objects: number;
  readonly bytes: number;
};

export interface LispImage {
  /** Settles when the image can evaluate; rejects with `image-ended` when it ends before. */
  readonly ready: Promise<void>;
  /** Resolves with the reason when the image's thread has ended, however. */
  readonly ended: Promise<string>;
  /** Evaluates the forms of a text. Never rejects: an image that ends gives `lost`. */
  evaluate(source: string, options?: LispEvaluationOptions): Promise<LispResult>;
  /**
   * Makes functions callable in Lisp, in order before everything that follows. Their calls go to the evaluation's `onCall`, else to `calls`.
   */
  define(functions: readonly HostFunctionDefinition[], calls?: HostCalls): void;
  /** Names that begin so, sorted. These questions reject with `image-ended`. */
  complete(prefix: string, limit?: number): Promise<readonly LispCompletion[]>;
  probe(text: string): Promise<LispCompleteness>;
  /** Lambda list as text, or null. */
  argumentList(name: string): Promise<string | null>;
  describe(name: string): Promise<LispDescription | null>;
  /** The definitions made so far, newest last. */
  journal(): Promise<readonly LispDefinition[]>;
  /**
   * Saves the image to a file (absolute path), whole or not at all. Rejects with `image-busy` while an evaluation is in flight, with
   * `image-unsavable` when something in it has no saved form, with `file-error` when the file cannot be written, and with `image-ended`.
   */
  save(path: string, options?: { readonly note?: string }): Promise<SavedLispImage>;
  /** Ends the thread without its cooperation: what ran ends as `lost`. Resolves when the thread is gone. */
  terminate(reason?: string): Promise<void>;
}

/** What of the machine the code in an image may use. There are no processes and no network in Lisp. */
export type LispMachine = {
  /** Where relative names begin, absolute. */
  readonly directory: string;
  /** `full`: the files of the user. `tree`: only what is below `root` (absolute real path); .git and .autolith in it are not written. */
  readonly files: { readonly kind: "full" } | { readonly kind: "tree"; readonly root: string };
};

export type LispImageOptions = {
  /**
   * File of a saved image to start from (absolute path); default: a fresh image. Functions must be defined again. Opening rejects with
   * `image-foreign`, `image-truncated`, `image-corrupt`, `image-incompatible` or `image-too-large` when it is none that this build can
   * restore.
   */
  readonly image?: string;
  /** Default: the files of the user, from the directory of this process. */
  readonly machine?: LispMachine;
  /** Variables that Lisp sees; default: the part of this process's environment that commands get, no secrets among it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Heap in megabytes; default 2,048. Lisp sees a STORAGE-CONDITION at three quarters of it. */
  readonly heapMb?: number;
  /** Stack in megabytes; default 64, enough for 100,000 Lisp frames. */
  readonly stackMb?: number;
};

/** Makes images. Loads what it needs when the first one is opened. */
export interface LispImages {
  open(options?: LispImageOptions): Promise<LispImage>;
}
