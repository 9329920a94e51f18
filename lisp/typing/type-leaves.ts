import { LArray } from "../data/array.ts";
import { Char } from "../data/character.ts";
import { typeError } from "../data/error.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { Complex, DoubleFloat, normalizeBigint, Ratio, SingleFloat } from "../data/number.ts";
import { LString } from "../data/string.ts";
import { bool } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** Number of characters that are BASE-CHAR: the codes below it. */
export const BASE_CHAR_LIMIT = 128;

const scratch = new DataView(new ArrayBuffer(8));

/**
 * Number of a float in the order of its format: neighbours differ by 1, -0.0 is -1 and 0.0 is 0. NaNs come after the infinities.
 */
export function floatOrder(value: SingleFloat | DoubleFloat): number | bigint {
  if (value instanceof SingleFloat) {
    scratch.setFloat32(0, value.v);
    const bits = scratch.getUint32(0);
    return bits >= 0x80000000 ? -1 - (bits - 0x80000000) : bits;
  }
  scratch.setFloat64(0, value.v);
  const bits = scratch.getBigUint64(0);
  return normalizeBigint(bits >= 1n << 63n ? -1n - (bits - (1n << 63n)) : bits);
}

function isSimpleArray(object: LispValue): boolean {
  return Array.isArray(object) || ((object instanceof LString || object instanceof LArray) && object.simple);
}

/** True when EQL of the object and any other is EQ. */
function isEqComparable(object: LispValue): boolean {
  if (typeof object === "number") return true;
  if (typeof object === "bigint" || object instanceof Ratio || object instanceof Complex) return false;
  return !(object instanceof SingleFloat || object instanceof DoubleFloat);
}

/** Predicates of types that the standard gives no predicate, and what the type system needs to know of floats. */
export const installTypeLeaves: LeafInstaller = (define) => {
  const predicate = (name: string, test: (object: LispValue) => boolean): void =>
    define(`SYS:${name}`, "object", (object: LispValue) => bool(test(object)), { total: true });
  predicate("FIXNUMP", (object) => typeof object === "number");
  predicate("BIGNUMP", (object) => typeof object === "bigint");
  predicate("RATIOP", (object) => object instanceof Ratio);
  predicate("SINGLE-FLOAT-P", (object) => object instanceof SingleFloat);
  predicate("DOUBLE-FLOAT-P", (object) => object instanceof DoubleFloat);
  predicate("BITP", (object) => object === 0 || object === 1);
  predicate("UNSIGNED-BYTE-P", (object) =>
    typeof object === "number" ? object >= 0 : typeof object === "bigint" && object >= 0n,
  );
  predicate("BASE-CHAR-P", (object) => object instanceof Char && object.code < BASE_CHAR_LIMIT);
  predicate("EXTENDED-CHAR-P", (object) => object instanceof Char && object.code >= BASE_CHAR_LIMIT);
  predicate("BASE-STRING-P", (object) => object instanceof LString && object.base);
  predicate("SIMPLE-BASE-STRING-P", (object) => object instanceof LString && object.base && object.simple);
  predicate("SIMPLE-ARRAY-P", isSimpleArray);
  predicate("EQ-COMPARABLE-P", isEqComparable);
  define("SYS:FLOAT-ORDER", "float", (value: LispValue) => {
    if (value instanceof SingleFloat || value instanceof DoubleFloat) return floatOrder(value);
    throw typeError(value, "FLOAT");
  });
  define("SYS:FLOAT-INFINITY", "prototype", (prototype: LispValue) =>
    prototype instanceof DoubleFloat ? new DoubleFloat(Infinity) : new SingleFloat(Infinity),
  );
};
