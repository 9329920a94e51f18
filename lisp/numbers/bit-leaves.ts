/** Registers the bit operations on integers (chapter 12) as leaves. */
import { Cons } from "../data/cons.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { bool } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { foldArguments } from "./argument-fold.ts";
import { requireInteger } from "./arithmetic-leaves.ts";
import {
  ash,
  BOOLE_NAMES,
  BOOLE_OPERATIONS,
  type ByteField,
  depositByte,
  depositField,
  loadByte,
  logAnd,
  logBit,
  logCount,
  logIor,
  logNot,
  logXor,
  maskField,
} from "./bits.ts";
import { defineConstant } from "./function-leaves.ts";
import { type Int, integerLength, isInteger } from "./integers.ts";
import { typeError } from "./number-errors.ts";

function requireNatural(x: LispValue): Int {
  return isInteger(x) && x >= 0 ? x : typeError(x, "UNSIGNED-BYTE");
}

/** A byte specifier is a cons (size . position). */
function byteField(x: LispValue): ByteField {
  if (x instanceof Cons && isInteger(x.car) && isInteger(x.cdr) && x.car >= 0 && x.cdr >= 0) {
    return { size: x.car, position: x.cdr };
  }
  return typeError(x, "(CONS UNSIGNED-BYTE UNSIGNED-BYTE)");
}

const installLogical: LeafInstaller = (define) => {
  const folds: readonly (readonly [string, Int, (a: Int, b: Int) => Int])[] = [
    ["LOGAND", -1, logAnd],
    ["LOGIOR", 0, logIor],
    ["LOGXOR", 0, logXor],
    ["LOGEQV", -1, (a, b) => logNot(logXor(a, b))],
  ];
  for (const [name, unit, operation] of folds) {
    const combine = (result: Int, x: LispValue): Int => operation(result, requireInteger(x));
    define(name, "&rest integers", (...integers: LispValue[]) =>
      foldArguments(integers, 0, unit, combine, (result) => result),
    );
  }
  const pairs: readonly (readonly [string, (a: Int, b: Int) => Int])[] = [
    ["LOGNAND", (a, b) => logNot(logAnd(a, b))],
    ["LOGNOR", (a, b) => logNot(logIor(a, b))],
    ["LOGANDC1", (a, b) => logAnd(logNot(a), b)],
    ["LOGANDC2", (a, b) => logAnd(a, logNot(b))],
    ["LOGORC1", (a, b) => logIor(logNot(a), b)],
    ["LOGORC2", (a, b) => logIor(a, logNot(b))],
  ];
  for (const [name, operation] of pairs) {
    define(name, "integer-1 integer-2", (a: LispValue, b: LispValue) =>
      operation(requireInteger(a), requireInteger(b)),
    );
  }
  define("LOGNOT", "integer", (a: LispValue) => logNot(requireInteger(a)));
  define("LOGTEST", "integer-1 integer-2", (a: LispValue, b: LispValue) =>
    bool(logAnd(requireInteger(a), requireInteger(b)) !== 0),
  );
  define("LOGBITP", "index integer", (index: LispValue, a: LispValue) =>
    bool(logBit(requireNatural(index), requireInteger(a))),
  );
  define("LOGCOUNT", "integer", (a: LispValue) => logCount(requireInteger(a)));
  define("INTEGER-LENGTH", "integer", (a: LispValue) => integerLength(requireInteger(a)));
  define("ASH", "integer count", (a: LispValue, count: LispValue) =>
    ash(requireInteger(a), requireInteger(count)),
  );
};

const installBoole: LeafInstaller = (define, host) => {
  BOOLE_NAMES.forEach((name, code) => {
    defineConstant(host, name, code);
  });
  define("BOOLE", "op integer-1 integer-2", (op: LispValue, a: LispValue, b: LispValue) => {
    const operation = typeof op === "number" ? BOOLE_OPERATIONS[op] : undefined;
    if (operation === undefined) return typeError(op, "(INTEGER 0 15)");
    return operation(requireInteger(a), requireInteger(b));
  });
};

const installBytes: LeafInstaller = (define) => {
  define(
    "BYTE",
    "size position",
    (size: LispValue, position: LispValue) => new Cons(requireNatural(size), requireNatural(position)),
  );
  define("BYTE-SIZE", "bytespec", (spec: LispValue) => byteField(spec).size);
  define("BYTE-POSITION", "bytespec", (spec: LispValue) => byteField(spec).position);
  define("LDB", "bytespec integer", (spec: LispValue, a: LispValue) =>
    loadByte(byteField(spec), requireInteger(a)),
  );
  define("LDB-TEST", "bytespec integer", (spec: LispValue, a: LispValue) =>
    bool(loadByte(byteField(spec), requireInteger(a)) !== 0),
  );
  define("MASK-FIELD", "bytespec integer", (spec: LispValue, a: LispValue) =>
    maskField(byteField(spec), requireInteger(a)),
  );
  define("DPB", "newbyte bytespec integer", (value: LispValue, spec: LispValue, a: LispValue) =>
    depositByte(requireInteger(value), byteField(spec), requireInteger(a)),
  );
  define("DEPOSIT-FIELD", "newbyte bytespec integer", (value: LispValue, spec: LispValue, a: LispValue) =>
    depositField(requireInteger(value), byteField(spec), requireInteger(a)),
  );
};

/** Logical operations, BOOLE, shifts and byte fields. */
export const installBits: LeafInstaller = (define, host) => {
  installLogical(define, host);
  installBoole(define, host);
  installBytes(define, host);
};
