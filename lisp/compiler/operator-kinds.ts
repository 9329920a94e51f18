import {
  ANY,
  DOUBLE,
  elementKind,
  type FloatKind,
  integerKind,
  type IntegerKind,
  isFloat,
  type Kind,
  SINGLE,
} from "./kinds.ts";

/** Kind of what an operator of COMMON-LISP gives for arguments of these kinds. `same`: the arguments are one variable. */
export function resultKind(name: string, args: readonly Kind[], same: boolean): Kind {
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  return rule === undefined ? ANY : rule(args, same);
}

type Rule = (args: readonly Kind[], same: boolean) => Kind;
type Interval = (a: IntegerKind, b: IntegerKind) => readonly [low: number, high: number];

function integers(args: readonly Kind[]): args is readonly IntegerKind[] {
  return args.every((kind) => kind.type === "integer");
}

/** Float of the wider format when one argument is a float and the others are floats or fixnums. */
export function contagion(args: readonly Kind[]): FloatKind | null {
  if (!args.every((kind) => isFloat(kind) || kind.type === "integer")) return null;
  if (args.some((kind) => kind.type === "double")) return DOUBLE;
  return args.some((kind) => kind.type === "single") ? SINGLE : null;
}

function natural(kind: Kind): boolean {
  return isFloat(kind) ? kind.natural : kind.type === "integer" && kind.low >= 0;
}

function arithmetic(interval: Interval | null, keepsNatural: boolean, square = false): Rule {
  return (args, same) => {
    if (args.length !== 2) return ANY;
    if (interval !== null && integers(args)) return integerKind(...interval(args[0]!, args[1]!));
    const kind = contagion(args);
    if (kind === null) return ANY;
    return { type: kind.type, natural: (keepsNatural && args.every(natural)) || (square && same) };
  };
}

const sum: Interval = (a, b) => [a.low + b.low, a.high + b.high];
const difference: Interval = (a, b) => [a.low - b.high, a.high - b.low];
const product: Interval = (a, b) => {
  const corners = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
  return [Math.min(...corners), Math.max(...corners)];
};

/** A rule for one argument. */
function unary(interval: (a: IntegerKind) => readonly [number, number], naturalResult: boolean): Rule {
  return ([a], _same) => {
    if (a?.type === "integer") return integerKind(...interval(a));
    return a !== undefined && isFloat(a) ? { type: a.type, natural: naturalResult } : ANY;
  };
}

/** A function from floats to floats, whatever the argument. */
function floatFunction(naturalResult: boolean): Rule {
  return (args) => {
    const [a] = args;
    return args.length === 1 && a !== undefined && isFloat(a)
      ? { type: a.type, natural: naturalResult }
      : ANY;
  };
}

const negative = unary((a) => [-a.high, -a.low], false);
const absolute = unary(
  (a) => [a.low > 0 ? a.low : a.high < 0 ? -a.high : 0, Math.max(Math.abs(a.low), Math.abs(a.high))],
  true,
);

/** MIN and MAX: of fixnums, or of floats of one format. */
function extreme(choose: (...numbers: number[]) => number): Rule {
  return (args) => {
    const [a, b] = args;
    if (args.length !== 2 || a === undefined || b === undefined) return ANY;
    if (integers(args))
      return integerKind(choose(args[0]!.low, args[1]!.low), choose(args[0]!.high, args[1]!.high));
    return isFloat(a) && isFloat(b) && a.type === b.type
      ? { type: a.type, natural: a.natural && b.natural }
      : ANY;
  };
}

/** The least 2^n - 1 that is not below a natural number. */
function bitsOf(value: number): number {
  let mask = 0;
  while (mask < value) mask = mask * 2 + 1;
  return mask;
}

const bitOr: Rule = (args) => {
  if (args.length !== 2 || !integers(args) || args.some(({ low }) => low < 0)) return ANY;
  return integerKind(0, bitsOf(Math.max(...args.map(({ high }) => high))));
};

const bitAnd: Rule = (args) => {
  if (args.length !== 2 || !integers(args)) return ANY;
  const bounds = args.filter(({ low }) => low >= 0).map(({ high }) => high);
  return bounds.length > 0 ? integerKind(0, Math.min(...bounds)) : ANY;
};

/** Residues and quotients by a positive divisor. */
function division(interval: Interval): Rule {
  return (args) =>
    args.length === 2 && integers(args) && args[1]!.low > 0
      ? integerKind(...interval(args[0]!, args[1]!))
      : ANY;
}

const shift: Rule = (args) => {
  const [a, count] = args;
  if (args.length !== 2 || a?.type !== "integer" || count?.type !== "integer") return ANY;
  if (count.low !== count.high || Math.abs(count.low) > 52) return ANY;
  const factor = 2 ** count.low;
  return integerKind(Math.floor(a.low * factor), Math.floor(a.high * factor));
};

const bounded =
  (low: number, high: number): Rule =>
  () =>
    integerKind(low, high);

/** Most elements of an array or list that fits in memory. */
const MOST_LENGTH = 2 ** 32;

const element: Rule = ([array, ...subscripts]) =>
  array?.type === "array" && array.rank === subscripts.length ? elementKind(array) : ANY;

const rules: Readonly<Record<string, Rule>> = {
  "+": arithmetic(sum, true),
  "-": (args, same) => (args.length === 1 ? negative(args, same) : arithmetic(difference, false)(args, same)),
  "*": arithmetic(product, true, true),
  "/": arithmetic(null, true),
  "1+": unary((a) => [a.low + 1, a.high + 1], false),
  "1-": unary((a) => [a.low - 1, a.high - 1], false),
  ABS: absolute,
  MIN: extreme(Math.min),
  MAX: extreme(Math.max),
  SQRT: ([a]) => (a !== undefined && isFloat(a) && a.natural ? a : ANY),
  SIN: floatFunction(false),
  COS: floatFunction(false),
  TAN: floatFunction(false),
  EXP: floatFunction(true),
  FLOAT: (args) => {
    const [a, prototype] = args;
    if (args.length !== 2 || a === undefined || prototype === undefined || !isFloat(prototype)) return ANY;
    return isFloat(a) || a.type === "integer" ? { type: prototype.type, natural: natural(a) } : ANY;
  },
  LOGAND: bitAnd,
  LOGIOR: bitOr,
  LOGXOR: bitOr,
  ASH: shift,
  MOD: division((_a, b) => [0, b.high - 1]),
  REM: division((a, b) => [a.low < 0 ? 1 - b.high : 0, a.high > 0 ? b.high - 1 : 0]),
  FLOOR: division((a, b) => [
    Math.floor(a.low / (a.low < 0 ? b.low : b.high)),
    Math.floor(a.high / (a.high < 0 ? b.high : b.low)),
  ]),
  TRUNCATE: division((a, b) => [Math.trunc(a.low / b.low), Math.trunc(a.high / b.low)]),
  LENGTH: bounded(0, MOST_LENGTH),
  "ARRAY-DIMENSION": bounded(0, MOST_LENGTH),
  "ARRAY-TOTAL-SIZE": bounded(0, MOST_LENGTH),
  "CHAR-CODE": bounded(0, 0x10ffff),
  "SYS:%MUL-ADD-MOD": ([, , , m]) => (m?.type === "integer" ? integerKind(0, m.high - 1) : ANY),
  "SYS:%MUL-ADD-MASK": ([, , , m]) => (m?.type === "integer" ? integerKind(0, m.high - 1) : ANY),
  "SYS:STRUCTURE-DOUBLE-REF": () => DOUBLE,
  "SYS:STRUCTURE-SINGLE-REF": () => SINGLE,
  AREF: element,
  BIT: bounded(0, 1),
  SBIT: bounded(0, 1),
  "ROW-MAJOR-AREF": ([array]) => (array?.type === "array" ? elementKind(array) : ANY),
};
