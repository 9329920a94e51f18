import type { LispValue } from "./value.ts";

/**
 * Code of a Lisp function: called as `f.code(f, a, b, …)` with the function object itself first. It returns the primary
 * value, or the suspension marker of the runtime (only compiled code and the runtime may see that one).
 */
export type LispCode = (self: LFunction, ...args: never[]) => LispValue;

/** The compilation unit that holds the code of a function: how the code is found again in another process. */
export interface CodeHolder {
  /** Code of the function with that number, made when it is first asked for. */
  code(id: number): LispCode;
}

/** Where the code of a function comes from. */
export interface CodeOrigin {
  readonly unit: CodeHolder;
  readonly id: number;
}

/** What is known of a function besides its code. One object is shared by all closures of one lambda expression. */
export interface FunctionInfo {
  /** Symbol, `(setf symbol)` list, or another descriptive form such as `(lambda …)`; NIL when anonymous. */
  name: LispValue;
  /** The lambda list as a Lisp list, or its text in COMMON-LISP notation, read when somebody asks. */
  lambdaList: LispValue | string;
  /** Documentation string as a Lisp string, or NIL. */
  documentation: LispValue;
  /** Where the definition was read: file name and 1-based line and column; null when unknown. */
  location: SourceLocation | null;
  /** True for an operator written in TypeScript, which never calls back into Lisp. */
  leaf: boolean;
  /** Source form (lambda expression) of a compiled function, or null when it is not kept. */
  source: LispValue | null;
  /** Where the code comes from; absent for operators written in TypeScript and for generic functions. */
  origin?: CodeOrigin;
}

/** File name (or a description in angle brackets) and 1-based position. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A function object: code pointer plus reified environment, so that closures can be inspected and saved. */
export class LFunction {
  code: LispCode;
  /** Captured values and `Box`es, in the order the code expects. */
  env: readonly LispValue[];
  info: FunctionInfo;
  constructor(code: LispCode, env: readonly LispValue[], info: FunctionInfo) {
    this.code = code;
    this.env = env;
    this.info = info;
  }

  /** Tells the CallCache of a call with `count` arguments what it may do for objects like this one; only generic functions have something to say. */
  noteCall(_cache: object, _object: LispValue, _count: number, _access: boolean): void {}
}

/** A funcallable instance (generic functions and their like): a function that is also a CLOS instance. */
export class FuncallableInstance extends LFunction {
  /** The instance layout (see `InstanceLayout`). */
  layout: object;
  slots: LispValue[];
  constructor(
    code: LispCode,
    env: readonly LispValue[],
    info: FunctionInfo,
    layout: object,
    slots: LispValue[],
  ) {
    super(code, env, info);
    this.layout = layout;
    this.slots = slots;
  }
}

/** Stands in the function cell of a symbol that is called somewhere and not defined; calling it signals UNDEFINED-FUNCTION. */
export class UndefinedFunction extends LFunction {}

/** A captured variable that is assigned somewhere. */
export class Box {
  v: LispValue;
  constructor(v: LispValue) {
    this.v = v;
  }
}
