import { Char } from "../data/character.ts";
import { Cons, arrayToList, listToArray } from "../data/cons.ts";
import { LFunction } from "../data/function.ts";
import { LHashTable } from "../data/hash-table.ts";
import { DoubleFloat, SingleFloat } from "../data/number.ts";
import { Pathname } from "../data/pathname.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { hashEntries } from "../hash/hash-entries.ts";
import { nativeDirectory, nativeFile } from "../pathnames/native-names.ts";

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A value has no counterpart on the other side; `path` says where in the whole it is. */
export class ConversionError extends Error {
  readonly code = "lisp-conversion";
  readonly path: string;
  constructor(path: string, expected: string, got: string) {
    super(`${path === "" ? "the value" : path}: expected ${expected}, got ${got}`);
    this.name = "ConversionError";
    this.path = path;
  }
}

/** Nesting allowed in either direction. */
const maximumDepth = 500;

/** Symbols that the conversion to Lisp makes. */
export interface ConversionSymbols {
  keyword(name: string): LSymbol;
}

/**
 * JSON as Lisp data: `(:object ("key" V) …)` with the keys in code unit order, `(:array V …)`, strings, numbers,
 * T, NIL and `:null`.
 */
export function jsonToLisp(json: Json, symbols: ConversionSymbols, path = "", depth = 0): LispValue {
  if (depth > maximumDepth)
    throw new ConversionError(path, `at most ${maximumDepth} levels`, "a deeper value");
  if (json === null) return symbols.keyword("NULL");
  if (typeof json === "boolean") return json ? T : NIL;
  if (typeof json === "string") return LString.from(json);
  if (typeof json === "number") return numberToLisp(json, path);
  if (Array.isArray(json)) {
    const items = (json as readonly Json[]).map((item, i) =>
      jsonToLisp(item, symbols, `${path}[${i}]`, depth + 1),
    );
    return new Cons(symbols.keyword("ARRAY"), arrayToList(items));
  }
  const object = json as { readonly [key: string]: Json };
  const entries = Object.keys(object)
    .toSorted()
    .map((key) =>
      arrayToList([LString.from(key), jsonToLisp(object[key]!, symbols, `${path}.${key}`, depth + 1)]),
    );
  return new Cons(symbols.keyword("OBJECT"), arrayToList(entries));
}

function numberToLisp(value: number, path: string): LispValue {
  if (!Number.isFinite(value)) throw new ConversionError(path, "a finite number", String(value));
  if (Number.isSafeInteger(value)) return value + 0;
  return Number.isInteger(value) ? BigInt(value) : new DoubleFloat(value);
}

/**
 * Lisp data as JSON at the boundary of a call: T, NIL and `:null` are true, false and null; symbols become strings (see {@link nameText});
 * pathnames and characters strings; lists and vectors arrays; hash tables and `(:object …)` objects; `(:array …)` an array.
 */
export function lispToJson(value: LispValue, path = "", depth = 0): Json {
  if (depth > maximumDepth)
    throw new ConversionError(path, `at most ${maximumDepth} levels`, "a deeper value");
  if (typeof value === "number") return value;
  if (typeof value === "bigint" && BigInt(Number(value)) === value) return Number(value);
  if (value === NIL) return false;
  if (value === T) return true;
  if (value instanceof LString) return value.toJS();
  if (value instanceof DoubleFloat || value instanceof SingleFloat) return value.v;
  if (value instanceof LSymbol) return symbolToJson(value);
  if (value instanceof Char) return String.fromCodePoint(value.code);
  if (value instanceof Pathname) return nativeDirectory(value.directory) + nativeFile(value.name, value.type);
  if (Array.isArray(value)) return itemsToJson(value as LispValue[], path, depth);
  if (value instanceof LHashTable) return tableToJson(value, path, depth);
  if (value instanceof Cons) return listToJson(value, path, depth);
  const kind =
    typeof value === "bigint"
      ? "an integer that no JSON number holds exactly"
      : value instanceof LFunction
        ? "a function"
        : "an object that is no data";
  throw new ConversionError(path, "a value with a JSON counterpart", kind);
}

function symbolToJson(symbol: LSymbol): Json {
  if (symbol.name === "NULL" && symbol.pkg?.keywords === true) return null;
  return nameText(symbol);
}

/** Name of a symbol as text: lower case, unless it has lower-case letters of its own (`:|filePath|`). */
export function nameText({ name }: LSymbol): string {
  const lower = name.toLowerCase();
  return name === name.toUpperCase() ? lower : name;
}

function itemsToJson(items: readonly LispValue[], path: string, depth: number): Json {
  return items.map((item, i) => lispToJson(item, `${path}[${i}]`, depth + 1));
}

function listToJson(list: Cons, path: string, depth: number): Json {
  const items = listToArray(list);
  if (items === null) throw new ConversionError(path, "a proper list", "a dotted or circular one");
  const head = list.car;
  const marked = head instanceof LSymbol && head.pkg?.keywords === true;
  if (marked && head.name === "ARRAY") return itemsToJson(items.slice(1), path, depth);
  if (!marked || head.name !== "OBJECT") return itemsToJson(items, path, depth);
  const pairs = items.slice(1).map((entry) => {
    const pair = listToArray(entry);
    if (pair === null || pair.length !== 2)
      throw new ConversionError(path, 'entries ("key" value)', "something else");
    return [keyText(pair[0]!, path), pair[1]!] as const;
  });
  return objectOf(pairs, path, depth);
}

function tableToJson(table: LHashTable, path: string, depth: number): Json {
  const entries = hashEntries(table);
  const pairs: (readonly [string, LispValue])[] = [];
  for (let i = 0; i < entries.length; i += 2) pairs.push([keyText(entries[i]!, path), entries[i + 1]!]);
  return objectOf(pairs, path, depth);
}

function keyText(key: LispValue, path: string): string {
  if (key instanceof LString) return key.toJS();
  if (key instanceof LSymbol) return nameText(key);
  throw new ConversionError(path, "strings or symbols as keys", "another key");
}

function objectOf(pairs: readonly (readonly [string, LispValue])[], path: string, depth: number): Json {
  const result: Record<string, Json> = {};
  for (const [key, value] of pairs) {
    if (Object.hasOwn(result, key)) throw new ConversionError(path, "distinct keys", `"${key}" twice`);
    Object.defineProperty(result, key, {
      value: lispToJson(value, `${path}.${key}`, depth + 1),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}
