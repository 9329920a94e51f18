import type { LPackage, LSymbol } from "./symbol.ts";
import type { LispValue } from "./value.ts";

/**
 * Code of a leaf: an operator in TypeScript that never calls a Lisp function. It gets the arguments in the order of its lambda
 * list: required ones, then optional ones (`undefined` when not supplied), then either the rest as further arguments
 * (`...rest`) or, when the list has `&key`, one parameter for each key (`undefined` when not supplied). It returns the primary
 * value; for other than one value return `host.values(…)`. It throws LispError to signal; it never returns `undefined`.
 */
export type LeafCode = (...args: never[]) => LispValue;

/** Facts about a leaf which the compiler may use. */
export interface LeafTraits {
  /** Never throws, whatever the arguments: the call needs no check. */
  readonly total?: boolean;
  /** May return other than one value (the code calls `host.values`). Leaves without it must not call `host.values`. */
  readonly values?: boolean;
  /** Set by the runtime for its few operators that call functions (FUNCALL, APPLY, EVAL …): never for leaves of a chapter. */
  readonly caller?: boolean;
  /** One line of documentation. */
  readonly doc?: string;
}

/**
 * Registers a leaf. `name`: symbol name in upper case; without prefix it is external in COMMON-LISP, "SYS:NAME" is external in
 * AUTOLITH-SYSTEM, "PKG:NAME" in another package, "(SETF NAME)" is a setf function. `lambdaList`: text of the parameter
 * list without the outer parentheses, e.g. `"sequence start &optional end"`, `"string &key start end"`, `"&rest numbers"`.
 */
export type DefineLeaf = (name: string, lambdaList: string, code: LeafCode, traits?: LeafTraits) => void;

/** What leaves may use of their image. One per image; handed to every `install…` function, whose closures keep it. */
export interface LeafHost {
  /** Sets the multiple values and returns the primary one (NIL when there is none). */
  values(...values: readonly LispValue[]): LispValue;
  /** The symbol of that name: "CAR" is external in COMMON-LISP, "SYS:X" external in AUTOLITH-SYSTEM, ":X" a keyword. Interned when missing. */
  symbol(name: string): LSymbol;
  /** Home package of a symbol (knows about NIL and T), or null. */
  symbolPackage(symbol: LSymbol): LPackage | null;
  /** Package by name or nickname as seen from the current package, or null. */
  findPackage(name: string): LPackage | null;
  /** All packages of the image by name. */
  readonly packages: Map<string, LPackage>;
  /** The value of *PACKAGE*. */
  currentPackage(): LPackage;
  /** Fresh number for layouts, gensyms and the like. */
  nextSerial(): number;
  /**
   * Counts the work of a leaf, one step for each element it touched, as steps of the running evaluation. A leaf whose work grows
   * with its arguments says so, or a loop over calls of it would see time slices and a cancel late.
   */
  charge(steps: number): void;
}

/** Signature of a module's installer: registers all leaves of a chapter in one image. */
export type LeafInstaller = (define: DefineLeaf, host: LeafHost) => void;
