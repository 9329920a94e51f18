import { type ArrayKind, type IntegerKind, type Kind, MOST } from "./kinds.ts";
import { type Primitive } from "./primitives.ts";

const int32: IntegerKind = { type: "integer", low: -(2 ** 31), high: 2 ** 31 - 1 };

/** How an operator is written for arguments of known kinds; undefined when knowing them does not help. */
export function typedPrimitive(name: string, args: readonly Kind[], result: Kind): Primitive | undefined {
  const [a, b] = args;
  if (a?.type === "array") return ofArray(name, a, args.length);
  if (a?.type !== "integer") return undefined;
  if (args.length === 1) return unary(name, a, result);
  return args.length === 2 && b?.type === "integer" ? binary(name, a, b, result) : undefined;
}

function total(arity: number, js: (...args: string[]) => string, atomic = false): Primitive {
  return { kind: "total", arity, js, atomic };
}

function test(arity: number, js: (...args: string[]) => string): Primitive {
  return { kind: "test", arity, js, atomic: false };
}

/** Operators of arrays whose answer is a field of them. */
function ofArray(name: string, array: ArrayKind, count: number): Primitive | undefined {
  const general = array.element === "t" && array.rank === 1;
  if (count === 1 && ((name === "LENGTH" && array.rank === 1) || name === "ARRAY-TOTAL-SIZE"))
    return total(1, (a) => `${a}.${general ? "length" : "total"}`);
  return undefined;
}

/** Arithmetic on fixnums: nothing to check when the result is one for certain, else whether it is. */
function arithmetic(arity: number, js: (...args: string[]) => string, result: Kind): Primitive {
  if (result.type === "integer") return total(arity, (...args) => `(${js(...args)})`);
  return {
    kind: "checked",
    arity,
    fast: (t, ...args) => `(${t}=${js(...args)})<=${MOST}&&${t}>=${-MOST}`,
  };
}

const comparisons: Readonly<Record<string, string>> = {
  "<": "<",
  ">": ">",
  "<=": "<=",
  ">=": ">=",
  "=": "===",
  "/=": "!==",
  EQL: "===",
  EQ: "===",
};

const signs: Readonly<Record<string, string>> = {
  ZEROP: "===0",
  PLUSP: ">0",
  MINUSP: "<0",
  EVENP: "%2===0",
  ODDP: "%2!==0",
};

function unary(name: string, a: IntegerKind, result: Kind): Primitive | undefined {
  if (Object.hasOwn(signs, name)) return test(1, (x) => `${x}${signs[name]}`);
  switch (name) {
    case "1+":
      return arithmetic(1, (x) => `${x}+1`, result);
    case "1-":
      return arithmetic(1, (x) => `${x}-1`, result);
    case "-":
      return total(1, (x) => `(0-${x})`);
    case "ABS":
      return a.low >= 0 ? total(1, (x) => x) : total(1, (x) => `Math.abs(${x})`);
    default:
      return undefined;
  }
}

function within32(...kinds: readonly IntegerKind[]): boolean {
  return kinds.every(({ low, high }) => low >= int32.low && high <= int32.high);
}

const bitOperators: Readonly<Record<string, string>> = { LOGAND: "&", LOGIOR: "|", LOGXOR: "^" };

function natural32(...kinds: readonly IntegerKind[]): boolean {
  return kinds.every(({ low, high }) => low >= 0 && high < 2 ** 32);
}

/** An operation on bits of integers of 32 bits, or of natural numbers of as many. */
function bitwise(operator: string, a: IntegerKind, b: IntegerKind): Primitive | undefined {
  if (within32(a, b)) return total(2, (x, y) => `(${x}${operator}${y})`);
  return natural32(a, b) ? total(2, (x, y) => `((${x}${operator}${y})>>>0)`) : undefined;
}

function binary(name: string, a: IntegerKind, b: IntegerKind, result: Kind): Primitive | undefined {
  if (Object.hasOwn(comparisons, name)) return test(2, (x, y) => `${x}${comparisons[name]}${y}`);
  if (Object.hasOwn(bitOperators, name)) return bitwise(bitOperators[name]!, a, b);
  switch (name) {
    case "+":
    case "-":
      return arithmetic(2, (x, y) => `${x}${name}${y}`, result);
    case "*": {
      // A product of 0 and a negative number would be -0.
      const zero = (a.low < 0 && b.low <= 0 && b.high >= 0) || (b.low < 0 && a.low <= 0 && a.high >= 0);
      return arithmetic(2, (x, y) => `${x}*${y}${zero ? "+0" : ""}`, result);
    }
    case "MIN":
      return total(2, (x, y) => `(${y}<${x}?${y}:${x})`, true);
    case "MAX":
      return total(2, (x, y) => `(${y}>${x}?${y}:${x})`, true);
    case "MOD":
    case "REM":
      return a.low >= 0 && b.low > 0 ? total(2, (x, y) => `(${x}%${y})`) : undefined;
    case "ASH":
      return result.type === "integer" && b.low === b.high ? shift(a, b.low) : undefined;
    default:
      return undefined;
  }
}

/** A shift by a constant whose result is a fixnum. */
function shift(a: IntegerKind, places: number): Primitive {
  if (places >= 0) return total(2, (x) => `(${x}*${2 ** places})`);
  if (within32(a) && places > -32) return total(2, (x) => `(${x}>>${-places})`);
  if (natural32(a) && places > -32) return total(2, (x) => `(${x}>>>${-places})`);
  return total(2, (x) => `Math.floor(${x}/${2 ** -places})`);
}
