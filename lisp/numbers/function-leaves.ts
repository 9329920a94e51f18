/** Registers division, irrational and float functions, and random numbers (chapter 12) as leaves. */
import type { LeafHost, LeafInstaller } from "../data/leaf.ts";
import { Complex, DoubleFloat, SingleFloat } from "../data/number.ts";
import { RandomState } from "../data/random-state.ts";
import { bool, NIL, T } from "../data/symbol.ts";
import { inShares } from "../data/unfinished.ts";
import type { LispValue } from "../data/value.ts";
import {
  type Float,
  formatOf,
  isFloat,
  isRational,
  makeFloat,
  type Real,
  realToFloat,
} from "./arithmetic.ts";
import { denominatorOf, makeRational, numeratorOf, type Rational } from "./rationals.ts";
import { requireInteger } from "./arithmetic-leaves.ts";
import {
  decodeFloat,
  DOUBLE,
  exactRational,
  type RationalParts,
  SINGLE,
  simplestRational,
} from "./float-bits.ts";
import { expt } from "./expt.ts";
import { stepsOf } from "./integer-size.ts";
import { integerLength, type Rounding } from "./integers.ts";
import { floatInvalid, typeError } from "./number-errors.ts";
import { isLongLimit, random, randomSteps, seededState } from "./random.ts";
import {
  divideReal,
  divideRealFloat,
  floatSign,
  modReal,
  remReal,
  scaleFloat,
  signumReal,
} from "./rounding.ts";
import * as irrational from "./transcendental.ts";

const ROUNDINGS: readonly (readonly [string, Rounding])[] = [
  ["FLOOR", "floor"],
  ["CEILING", "ceiling"],
  ["TRUNCATE", "truncate"],
  ["ROUND", "round"],
];

const installDivision: LeafInstaller = (define, host) => {
  for (const [name, mode] of ROUNDINGS) {
    define(
      name,
      "number &optional divisor",
      (a: LispValue, b: LispValue = 1) => {
        const [q, r] = divideReal(mode, a, b);
        if (typeof a === "bigint") host.charge(stepsOf(a));
        return host.values(q, r);
      },
      { values: true },
    );
    define(
      `F${name}`,
      "number &optional divisor",
      (a: LispValue, b: LispValue = 1) => {
        const [q, r] = divideRealFloat(mode, a, b);
        return host.values(q, r);
      },
      { values: true },
    );
  }
  define("MOD", "number divisor", (a: LispValue, b: LispValue) => modReal(a, b));
  define("REM", "number divisor", (a: LispValue, b: LispValue) => remReal(a, b));
};

const installIrrational: LeafInstaller = (define, host) => {
  const one: Readonly<Record<string, (x: unknown) => LispValue>> = {
    EXP: irrational.exp,
    SQRT: irrational.sqrt,
    SIN: irrational.sin,
    COS: irrational.cos,
    TAN: irrational.tan,
    ASIN: irrational.asin,
    ACOS: irrational.acos,
    SINH: irrational.sinh,
    COSH: irrational.cosh,
    TANH: irrational.tanh,
    ASINH: irrational.asinh,
    ACOSH: irrational.acosh,
    ATANH: irrational.atanh,
    PHASE: irrational.phase,
    CIS: irrational.cis,
    ABS: irrational.abs,
    CONJUGATE: irrational.conjugate,
  };
  for (const [name, f] of Object.entries(one)) define(name, "number", (x: LispValue) => f(x));
  define("SIGNUM", "number", (x: LispValue) => {
    const z = irrational.requireNumber(x);
    return z instanceof Complex ? irrational.signumComplex(z) : signumReal(z);
  });
  define("EXPT", "base power", (base: LispValue, power: LispValue) => {
    const result = expt(base, power);
    host.charge(stepsOf(result));
    return result;
  });
  define("LOG", "number &optional base", (x: LispValue, base?: LispValue) =>
    base === undefined ? irrational.log(x) : irrational.logBase(x, base),
  );
  define("ATAN", "number1 &optional number2", (y: LispValue, x?: LispValue) =>
    x === undefined ? irrational.atan(y) : irrational.atan2(y, x),
  );
};

function requireFloat(x: unknown): Float {
  return isFloat(x) ? x : typeError(x, "FLOAT");
}

function requireRational(x: unknown): Rational {
  return isRational(x) ? x : typeError(x, "RATIONAL");
}

function fromParts([num, den]: RationalParts): Rational {
  return makeRational(num, den);
}

function toRational(x: LispValue, convert: typeof exactRational): Rational {
  const real = irrational.requireReal(x);
  if (!isFloat(real)) return real;
  if (real.v - real.v !== 0) return floatInvalid("RATIONAL", [real]);
  return fromParts(convert(real.v, formatOf(real)));
}

/** FLOAT: rationals become single floats unless a prototype says otherwise; floats change format only for a prototype. */
function toFloat(x: LispValue, prototype: LispValue | undefined): Real {
  const real = irrational.requireReal(x);
  if (prototype === undefined) return isFloat(real) ? real : makeFloat(realToFloat(real, SINGLE), SINGLE);
  const format = formatOf(requireFloat(prototype));
  if (isFloat(real) && formatOf(real) === format) return real;
  return makeFloat(realToFloat(real, format), format);
}

function finiteFloat(x: LispValue, operation: string): Float {
  const f = requireFloat(x);
  return f.v - f.v === 0 ? f : floatInvalid(operation, [f]);
}

function installDecoding(define: Parameters<LeafInstaller>[0], host: LeafHost): void {
  define(
    "DECODE-FLOAT",
    "float",
    (x: LispValue) => {
      const f = finiteFloat(x, "DECODE-FLOAT");
      const format = formatOf(f);
      const { mantissa, exponent, sign } = decodeFloat(f.v, format);
      const bits = integerLength(mantissa);
      return host.values(
        makeFloat(mantissa / 2 ** bits, format),
        mantissa === 0 ? 0 : exponent + bits,
        makeFloat(sign, format),
      );
    },
    { values: true },
  );
  define(
    "INTEGER-DECODE-FLOAT",
    "float",
    (x: LispValue) => {
      const f = finiteFloat(x, "INTEGER-DECODE-FLOAT");
      const { mantissa, exponent, sign } = decodeFloat(f.v, formatOf(f));
      return host.values(mantissa, exponent, sign);
    },
    { values: true },
  );
}

const installFloats: LeafInstaller = (define, host) => {
  installDecoding(define, host);
  define("FLOAT", "number &optional prototype", (x: LispValue, prototype?: LispValue) =>
    toFloat(x, prototype),
  );
  define("RATIONAL", "number", (x: LispValue) => toRational(x, exactRational));
  define("RATIONALIZE", "number", (x: LispValue) => toRational(x, simplestRational));
  define("NUMERATOR", "rational", (x: LispValue) => numeratorOf(requireRational(x)));
  define("DENOMINATOR", "rational", (x: LispValue) => denominatorOf(requireRational(x)));
  define("SCALE-FLOAT", "float integer", (x: LispValue, power: LispValue) =>
    scaleFloat(requireFloat(x), requireInteger(power)),
  );
  define("FLOAT-RADIX", "float", (x: LispValue) => {
    requireFloat(x);
    return 2;
  });
  define("FLOAT-DIGITS", "float", (x: LispValue) => formatOf(requireFloat(x)).digits);
  define("FLOAT-PRECISION", "float", (x: LispValue) => {
    const f = requireFloat(x);
    return integerLength(decodeFloat(f.v, formatOf(f)).mantissa);
  });
  define("FLOAT-SIGN", "float1 &optional float2", (a: LispValue, b?: LispValue) =>
    floatSign(requireFloat(a), b === undefined ? makeFloat(1, formatOf(requireFloat(a))) : requireFloat(b)),
  );
  define("SYS:FLOAT-INFINITY-P", "float", (x: LispValue) => bool(Math.abs(requireFloat(x).v) === Infinity));
  define("SYS:FLOAT-NAN-P", "float", (x: LispValue) => bool(Number.isNaN(requireFloat(x).v)));
};

/** A seed that differs from run to run. */
function freshSeed(): number {
  return Math.floor(Math.random() * 4294967296);
}

const installRandom: LeafInstaller = (define, host) => {
  const variable = host.symbol("*RANDOM-STATE*");
  variable.kind = "special";
  variable.value = seededState(0x5eed);
  const stateOf = (x: LispValue | undefined): RandomState => {
    const state = x ?? variable.value;
    return state instanceof RandomState ? state : typeError(state, "RANDOM-STATE");
  };
  define("RANDOM", "limit &optional random-state", (limit: LispValue, state?: LispValue) =>
    isLongLimit(limit) ? inShares(randomSteps(limit, stateOf(state))) : random(limit, stateOf(state)),
  );
  define("RANDOM-STATE-P", "object", (x: LispValue) => bool(x instanceof RandomState), { total: true });
  define("MAKE-RANDOM-STATE", "&optional state", (state: LispValue = NIL) => {
    if (state === T) return seededState(freshSeed());
    if (state !== NIL && !(state instanceof RandomState))
      return typeError(state, "(OR BOOLEAN RANDOM-STATE)");
    return new RandomState(stateOf(state === NIL ? undefined : state).words.slice());
  });
  define("SYS:SEED-RANDOM-STATE", "seed", (seed: LispValue) => seededState(Number(requireInteger(seed))));
};

/** Defines a constant variable. */
export function defineConstant(host: LeafHost, name: string, value: LispValue): void {
  const symbol = host.symbol(name);
  symbol.kind = "constant";
  symbol.value = value;
}

/** The implementation-defined limits of numbers. SHORT is SINGLE, LONG is DOUBLE. */
const installLimits: LeafInstaller = (_define, host) => {
  defineConstant(host, "MOST-POSITIVE-FIXNUM", Number.MAX_SAFE_INTEGER);
  defineConstant(host, "MOST-NEGATIVE-FIXNUM", Number.MIN_SAFE_INTEGER);
  defineConstant(host, "PI", new DoubleFloat(Math.PI));
  for (const [kind, format] of [
    ["SHORT", SINGLE],
    ["SINGLE", SINGLE],
    ["DOUBLE", DOUBLE],
    ["LONG", DOUBLE],
  ] as const) {
    const make = (v: number): LispValue => (format === DOUBLE ? new DoubleFloat(v) : new SingleFloat(v));
    const least = 2 ** format.minExponent;
    const normalized = 2 ** (format.minExponent + format.digits - 1);
    const epsilon = 2 ** -format.digits;
    const step = 2 ** (1 - format.digits);
    defineConstant(host, `MOST-POSITIVE-${kind}-FLOAT`, make(format.max));
    defineConstant(host, `MOST-NEGATIVE-${kind}-FLOAT`, make(-format.max));
    defineConstant(host, `LEAST-POSITIVE-${kind}-FLOAT`, make(least));
    defineConstant(host, `LEAST-NEGATIVE-${kind}-FLOAT`, make(-least));
    defineConstant(host, `LEAST-POSITIVE-NORMALIZED-${kind}-FLOAT`, make(normalized));
    defineConstant(host, `LEAST-NEGATIVE-NORMALIZED-${kind}-FLOAT`, make(-normalized));
    defineConstant(host, `${kind}-FLOAT-EPSILON`, make(epsilon * (1 + step)));
    defineConstant(host, `${kind}-FLOAT-NEGATIVE-EPSILON`, make((epsilon / 2) * (1 + step)));
  }
};

/** Division, irrational functions, float functions, random numbers and limits. */
export const installNumberFunctions: LeafInstaller = (define, host) => {
  installDivision(define, host);
  installIrrational(define, host);
  installFloats(define, host);
  installRandom(define, host);
  installLimits(define, host);
};
