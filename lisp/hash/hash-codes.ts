/** Hash codes: SXHASH, consistent with EQUAL, and the coarser code of EQUALP tables. */
import { LArray } from "../data/array.ts";
import { Char } from "../data/character.ts";
import { Cons } from "../data/cons.ts";
import { LHashTable } from "../data/hash-table.ts";
import { LStruct } from "../data/instance.ts";
import { Complex, DoubleFloat, Ratio, SingleFloat } from "../data/number.ts";
import { Pathname } from "../data/pathname.ts";
import { LString } from "../data/string.ts";
import { LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { downcaseCode } from "../characters/char-case.ts";
import { ratioToFloat, DOUBLE } from "../numbers/float-bits.ts";

/** At most this many elements of an array take part in its code. */
const MAX_PARTS = 48;

function mix(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = mix(hash, text.charCodeAt(i));
  return hash;
}

function symbolHash(x: LSymbol): number {
  if (x.hash === 0) x.hash = textHash(x.name);
  return x.hash;
}

function doubleHash(v: number): number {
  if (Number.isInteger(v) && Math.abs(v) < 2 ** 31) return v | 0;
  return textHash(String(v));
}

function eqlHash(x: LispValue): number {
  if (typeof x === "number") return x ^ Math.floor(x / 4294967296);
  if (typeof x === "bigint") return Number(BigInt.asIntN(32, x)) ^ Number(BigInt.asIntN(32, x >> 32n));
  if (x instanceof LSymbol) return symbolHash(x) + 1;
  if (x instanceof Char) return mix(17, x.code);
  if (x instanceof DoubleFloat) return mix(3, doubleHash(x.v));
  if (x instanceof SingleFloat) return mix(5, doubleHash(x.v));
  if (x instanceof Ratio) return mix(eqlHash(x.num), eqlHash(x.den));
  if (x instanceof Complex) return mix(eqlHash(x.re) + 7, eqlHash(x.im));
  return textHash(x.constructor.name);
}

function equalAtom(x: LispValue): number {
  if (x instanceof LString) return textHash(x.toJS());
  if (x instanceof LArray && x.type === "bit" && x.rank === 1) {
    let hash = x.length;
    for (let i = 0; i < Math.min(x.length, MAX_PARTS); i++) hash = mix(hash, x.ref(i) as number);
    return hash;
  }
  if (x instanceof Pathname) return mix(treeHash(x.name, false), treeHash(x.directory, false));
  return eqlHash(x);
}

/** Lists take part with their first elements, down to a depth. */
const MAX_DEPTH = 4;
const MAX_LENGTH = 24;

/** Code of a tree of conses by its first atoms; `fold` for EQUALP. */
function treeHash(tree: LispValue, fold: boolean, depth = MAX_DEPTH): number {
  if (!(tree instanceof Cons)) return fold ? equalpAtom(tree) : equalAtom(tree);
  let hash = 0x2f0b4c47;
  let rest: LispValue = tree;
  const most = depth === MAX_DEPTH ? MAX_LENGTH : 6;
  for (let i = 0; i < most && rest instanceof Cons; i++) {
    hash = mix(hash, depth === 0 ? 11 : treeHash(rest.car, fold, depth - 1));
    rest = rest.cdr;
  }
  return rest instanceof Cons ? hash : mix(hash, fold ? equalpAtom(rest) : equalAtom(rest));
}

/** Code by EQUAL, a 32-bit integer. */
export function equalHash(x: LispValue): number {
  return treeHash(x, false) | 0;
}

/** SXHASH: a non-negative fixnum. */
export function sxhash(x: LispValue): number {
  return equalHash(x) & 0x7fffffff;
}

function numberValue(x: LispValue): number {
  if (typeof x === "number") return x;
  if (typeof x === "bigint") return Number(x);
  if (x instanceof DoubleFloat || x instanceof SingleFloat) return x.v + 0;
  return x instanceof Ratio ? ratioToFloat(x.num, x.den, DOUBLE) : Number.NaN;
}

function equalpElements(x: LispValue): { length: number; at: (i: number) => number } | null {
  if (x instanceof LString) return { length: x.length, at: (i) => mix(17, downcaseCode(x.code(i))) };
  if (Array.isArray(x)) return { length: x.length, at: (i) => shallowEqualp(x[i] as LispValue) };
  if (x instanceof LArray) {
    return { length: x.rank === 1 ? x.length : x.total, at: (i) => shallowEqualp(x.ref(i)) };
  }
  return null;
}

/** Code of an element: containers count only by their kind. */
function shallowEqualp(x: LispValue): number {
  const v = numberValue(x);
  if (!Number.isNaN(v)) return doubleHash(v);
  if (x instanceof Complex) return 19;
  if (x instanceof Char) return mix(17, downcaseCode(x.code));
  if (x instanceof LSymbol) return symbolHash(x);
  return x instanceof Cons ? 23 : 29;
}

function equalpAtom(x: LispValue): number {
  const elements = equalpElements(x);
  if (elements !== null) {
    let hash = elements.length;
    for (let i = 0; i < Math.min(elements.length, MAX_PARTS); i++) hash = mix(hash, elements.at(i));
    return hash;
  }
  if (x instanceof LStruct) {
    let hash = textHash(x.layout.name.name);
    for (const slot of x.slots.slice(0, MAX_PARTS)) hash = mix(hash, shallowEqualp(slot));
    return hash;
  }
  if (x instanceof LHashTable) return mix(31, x.count);
  if (x instanceof Complex) {
    const [re, im] = [numberValue(x.re), numberValue(x.im)];
    return im === 0 ? doubleHash(re) : mix(doubleHash(re), doubleHash(im));
  }
  return shallowEqualp(x);
}

/** Code by EQUALP, a 32-bit integer. */
export function equalpHash(x: LispValue): number {
  return treeHash(x, true) | 0;
}
