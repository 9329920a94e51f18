import { Char, char } from "../data/character.ts";
import { arrayToList, Cons, listToArray } from "../data/cons.ts";
import { typeError } from "../data/error.ts";
import { LHashTable } from "../data/hash-table.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { bool, LSymbol, NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

function text(value: LispValue): string {
  if (value instanceof LString) return value.toJS();
  if (value instanceof LSymbol) return value.name;
  if (value instanceof Char) return String.fromCodePoint(value.code);
  throw typeError(value, "STRING");
}

function elements(value: LispValue): LispValue[] {
  if (Array.isArray(value)) return value;
  if (value instanceof LString) return Array.from(value.toJS(), (c) => char(c.codePointAt(0) ?? 0));
  return listToArray(value) ?? [];
}

function like(model: LispValue, items: LispValue[]): LispValue {
  if (Array.isArray(model)) return items;
  if (model instanceof LString) return LString.from(items.map(text).join(""));
  return arrayToList(items);
}

function at(vector: LispValue, index: number): LispValue {
  if (vector instanceof LString) return char(vector.code(index));
  return (vector as LispValue[])[index] ?? NIL;
}

function put(vector: LispValue, index: number, value: LispValue): LispValue {
  if (vector instanceof LString) vector.setCode(index, (value as Char).code);
  else (vector as LispValue[])[index] = value;
  return value;
}

function equal(a: LispValue, b: LispValue): boolean {
  if (a === b) return true;
  if (a instanceof LString && b instanceof LString) return a.toJS() === b.toJS();
  return a instanceof Cons && b instanceof Cons && equal(a.car, b.car) && equal(a.cdr, b.cdr);
}

/** Interim leaves for strings, vectors and hash tables, until those of their chapters are there. */
export const installInterimText: LeafInstaller = (define, host) => {
  define("MAKE-STRING", "size &key initial-element element-type", (size: LispValue, fill?: LispValue) =>
    LString.make(size as number, fill instanceof Char ? fill.code : 32),
  );
  for (const name of ["SVREF", "CHAR", "SCHAR", "AREF", "ELT", "ROW-MAJOR-AREF"]) {
    define(name, "vector index", (v: LispValue, i: LispValue) => at(v, i as number));
    define(`(SETF ${name})`, "value vector index", (x: LispValue, v: LispValue, i: LispValue) =>
      put(v, i as number, x),
    );
  }
  define("STRING", "x", (x: LispValue) => (x instanceof LString ? x : LString.from(text(x))));
  define("CODE-CHAR", "code", (code: LispValue) => char(code as number));
  define("CHAR-CODE", "character", (c: LispValue) => (c as Char).code);
  define("CHAR=", "&rest chars", (...chars: LispValue[]) => bool(chars.every((c) => c === chars[0])));
  define("CHAR-UPCASE", "c", (c: LispValue) => char(text(c).toUpperCase().codePointAt(0) ?? 0));
  define("ALPHANUMERICP", "c", (c: LispValue) => bool(/[\p{L}\p{Nd}]/u.test(text(c))));
  define("CHAR-NAME", "c", (c: LispValue) =>
    c === char(10) ? LString.from("Newline") : c === char(32) ? LString.from("Space") : NIL,
  );
  define("GRAPHIC-CHAR-P", "c", (c: LispValue) => bool((c as Char).code > 31));
  define("DIGIT-CHAR-P", "c &optional radix", (c: LispValue, radix?: LispValue) => {
    const weight = Number.parseInt(text(c), (radix as number | undefined) ?? 10);
    return Number.isNaN(weight) ? NIL : weight;
  });
  define("STRING-UPCASE", "x", (x: LispValue) => LString.from(text(x).toUpperCase()));
  define("STRING-DOWNCASE", "x", (x: LispValue) => LString.from(text(x).toLowerCase()));
  define("NSTRING-UPCASE", "x", (x: LispValue) => LString.from(text(x).toUpperCase()));
  define("NSTRING-DOWNCASE", "x", (x: LispValue) => LString.from(text(x).toLowerCase()));
  define("NSTRING-CAPITALIZE", "x", (x: LispValue) =>
    LString.from(
      text(x)
        .toLowerCase()
        .replace(/[a-z0-9]+/g, (w) => w[0]!.toUpperCase() + w.slice(1)),
    ),
  );
  define("STRING=", "a b", (a: LispValue, b: LispValue) => bool(text(a) === text(b)));
  define("STRING-RIGHT-TRIM", "bag s", (_bag: LispValue, s: LispValue) =>
    LString.from(text(s).replace(/0+$/, "")),
  );
  define("SUBSEQ", "s start &optional end", (s: LispValue, start: LispValue, end?: LispValue) =>
    like(
      s,
      elements(s).slice(start as number, end === undefined || end === NIL ? undefined : (end as number)),
    ),
  );
  define(
    "REPLACE",
    "to from &key start1 end1 start2 end2",
    (to: LispValue, from: LispValue, s1?: LispValue, e1?: LispValue, s2?: LispValue, e2?: LispValue) => {
      const number = (x: LispValue | undefined, d: number): number => (typeof x === "number" ? x : d);
      const source = elements(from).slice(number(s2, 0), number(e2, Infinity));
      const start = number(s1, 0);
      const room = number(e1, elements(to).length) - start;
      for (const [i, item] of source.slice(0, room).entries()) put(to, start + i, item);
      return to;
    },
  );
  define("SYMBOL-PACKAGE", "symbol", (symbol: LispValue) => host.symbolPackage(symbol as LSymbol) ?? NIL);
  define("GET", "symbol key &optional default", (symbol: LispValue, k: LispValue, d?: LispValue) => {
    const items = listToArray((symbol as LSymbol).plist) ?? [];
    const found = items.findIndex((item, i) => i % 2 === 0 && item === k);
    return found < 0 ? (d ?? NIL) : (items[found + 1] ?? NIL);
  });
  define(
    "(SETF GET)",
    "value symbol key &optional default",
    (value: LispValue, symbol: LispValue, k: LispValue) => {
      const items = listToArray((symbol as LSymbol).plist) ?? [];
      const found = items.findIndex((item, i) => i % 2 === 0 && item === k);
      if (found < 0) items.push(k, value);
      else items[found + 1] = value;
      (symbol as LSymbol).plist = arrayToList(items);
      return value;
    },
  );
  define(
    "MAKE-ARRAY",
    "size &key element-type initial-element initial-contents",
    (size: LispValue, _type?: LispValue, fill?: LispValue, contents?: LispValue) =>
      contents === undefined
        ? Array.from<LispValue>({ length: size as number }).fill(fill ?? 0)
        : elements(contents).slice(),
  );
  define("ARRAYP", "x", (x: LispValue) => bool(Array.isArray(x) || x instanceof LString));
  define("VECTORP", "x", (x: LispValue) => bool(Array.isArray(x) || x instanceof LString));
  define("BIT-VECTOR-P", "x", () => NIL);
  define("SIMPLE-BIT-VECTOR-P", "x", () => NIL);
  define("SIMPLE-STRING-P", "x", (x: LispValue) => bool(x instanceof LString && x.simple));
  define("HASH-TABLE-P", "x", (x: LispValue) => bool(x instanceof LHashTable));
  define("ARRAY-HAS-FILL-POINTER-P", "x", () => NIL);
  define("ARRAY-ELEMENT-TYPE", "x", (x: LispValue) => (Array.isArray(x) ? T : host.symbol("CHARACTER")));
  define("ARRAY-RANK", "x", () => 1);
  define("ARRAY-DIMENSION", "x axis", (x: LispValue) => (x as LispValue[]).length);
  define("ARRAY-DIMENSIONS", "x", (x: LispValue) => arrayToList([(x as LispValue[]).length]));
  define("COPY-LIST", "list", (l: LispValue) => arrayToList(listToArray(l) ?? []));
  define("EQUAL", "a b", (a: LispValue, b: LispValue) => bool(equal(a, b)));
  define("COPY-SEQ", "s", (s: LispValue) => like(s, [...elements(s)]));
  define("CONCATENATE", "type &rest parts", (type: LispValue, ...parts: LispValue[]) => {
    const all = parts.flatMap(elements);
    return type instanceof LSymbol && type.name === "STRING"
      ? LString.from(all.map(text).join(""))
      : arrayToList(all);
  });
  define("COERCE", "x type", (x: LispValue, type: LispValue) => {
    const name = type instanceof LSymbol ? type.name : "";
    if (name === "LIST") return arrayToList(elements(x));
    return name.includes("STRING") ? LString.from(elements(x).map(text).join("")) : x;
  });
  define(
    "MAKE-HASH-TABLE",
    "&key test size rehash-size rehash-threshold",
    (test?: LispValue) =>
      new LHashTable(test instanceof LSymbol && test.name === "EQUAL" ? "equal" : "eql", 7, 2, 1),
  );
  const key = (x: LispValue): unknown => (x instanceof LString ? x.toJS() : x);
  define(
    "GETHASH",
    "key table &optional default",
    (k: LispValue, table: LispValue, d?: LispValue) => {
      const entry = (table as LHashTable).map.get(key(k));
      return host.values(entry?.value ?? d ?? NIL, bool(entry !== undefined));
    },
    { values: true },
  );
  define(
    "(SETF GETHASH)",
    "value key table &optional default",
    (value: LispValue, k: LispValue, t: LispValue) => {
      const table = t as LHashTable;
      if (!table.map.has(key(k))) table.count++;
      table.map.set(key(k), { key: k, value, next: null });
      return value;
    },
  );
  define("CLRHASH", "table", (t: LispValue) => {
    (t as LHashTable).map.clear();
    return t;
  });
  define("HASH-TABLE-COUNT", "table", (t: LispValue) => (t as LHashTable).count);
};
