import { Char } from "../data/character.ts";
import { Cons, arrayToList, listToArray } from "../data/cons.ts";
import { storageError, typeError } from "../data/error.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { eqlNumbers } from "../data/number.ts";
import { LString } from "../data/string.ts";
import { isLongInteger } from "../numbers/integer-text.ts";
import { LSymbol, NIL, bool } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

function part(value: LispValue, path: string): LispValue {
  let current = value;
  for (let i = path.length - 1; i >= 0; i--) {
    if (current instanceof Cons) current = path[i] === "A" ? current.car : current.cdr;
    else if (current !== NIL) throw typeError(current, "LIST");
  }
  return current;
}

const paths = ["A", "D"].flatMap((a) => [
  a,
  ...["A", "D"].flatMap((b) => [
    a + b,
    ...["A", "D"].flatMap((c) => [a + b + c, `${a}${b}${c}A`, `${a}${b}${c}D`]),
  ]),
]);

/** The operators that the compiler has inline and that everything else is built on: conses, identity, symbols' parts. */
export const installCore: LeafInstaller = (define, host) => {
  for (const path of paths) {
    define(`C${path}R`, "list", (list: LispValue) => part(list, path));
    const last = path[0] === "A" ? "car" : "cdr";
    const before = path.slice(1);
    define(`(SETF C${path}R)`, "value list", (value: LispValue, list: LispValue) => {
      const cell = part(list, before);
      if (!(cell instanceof Cons)) throw typeError(cell, "CONS");
      cell[last] = value;
      return value;
    });
  }
  define("FIRST", "list", (list: LispValue) => part(list, "A"));
  define("REST", "list", (list: LispValue) => part(list, "D"));
  define("SECOND", "list", (list: LispValue) => part(list, "AD"));
  define("THIRD", "list", (list: LispValue) => part(list, "ADD"));
  define("CONS", "car cdr", (a: LispValue, b: LispValue) => new Cons(a, b), { total: true });
  define("LIST", "&rest objects", (...items: LispValue[]) => arrayToList(items), { total: true });
  define(
    "LIST*",
    "object &rest objects",
    (...items: LispValue[]) => arrayToList(items.slice(0, -1), 0, items.at(-1)),
    { total: true },
  );
  define("EQ", "a b", (a: LispValue, b: LispValue) => bool(a === b), { total: true });
  define("NOT", "object", (x: LispValue) => bool(x === NIL), { total: true });
  define("NULL", "object", (x: LispValue) => bool(x === NIL), { total: true });
  define("CONSP", "object", (x: LispValue) => bool(x instanceof Cons), { total: true });
  define("ATOM", "object", (x: LispValue) => bool(!(x instanceof Cons)), { total: true });
  define("LISTP", "object", (x: LispValue) => bool(x instanceof Cons || x === NIL), { total: true });
  define("ENDP", "list", (x: LispValue) => {
    if (!(x instanceof Cons) && x !== NIL) throw typeError(x, "LIST");
    return bool(x === NIL);
  });
  define("SYMBOLP", "object", (x: LispValue) => bool(x instanceof LSymbol), { total: true });
  define("STRINGP", "object", (x: LispValue) => bool(x instanceof LString), { total: true });
  define("CHARACTERP", "object", (x: LispValue) => bool(x instanceof Char), { total: true });
  define("KEYWORDP", "object", (x: LispValue) => bool(x instanceof LSymbol && x.pkg?.keywords === true), {
    total: true,
  });
  define("SIMPLE-VECTOR-P", "object", (x: LispValue) => bool(Array.isArray(x)), { total: true });
  define("IDENTITY", "object", (x: LispValue) => x, { total: true });
  define("RPLACA", "cons object", (cell: LispValue, value: LispValue) => {
    if (!(cell instanceof Cons)) throw typeError(cell, "CONS");
    cell.car = value;
    return cell;
  });
  define("RPLACD", "cons object", (cell: LispValue, value: LispValue) => {
    if (!(cell instanceof Cons)) throw typeError(cell, "CONS");
    cell.cdr = value;
    return cell;
  });
  define("APPEND", "&rest lists", (...lists: LispValue[]) => {
    let result: LispValue = lists.at(-1) ?? NIL;
    for (let i = lists.length - 2; i >= 0; i--) {
      const items = listToArray(lists[i]!);
      if (items === null) throw typeError(lists[i]!, "LIST");
      result = arrayToList(items, 0, result);
    }
    return result;
  });
  define("GENSYM", "&optional x", (x?: LispValue) => {
    const counter = host.symbol("*GENSYM-COUNTER*");
    if (x !== undefined && !(x instanceof LString) && typeof x !== "number" && typeof x !== "bigint") {
      throw typeError(x, "(OR STRING UNSIGNED-BYTE)");
    }
    if (typeof x === "number" || typeof x === "bigint") {
      if (x < 0) throw typeError(x, "(OR STRING UNSIGNED-BYTE)");
      if (isLongInteger(x)) throw storageError("A symbol name of more than ~D digits is too long.", 78_912);
      return new LSymbol(`G${x}`, null);
    }
    const count = counter.value;
    if ((typeof count !== "number" && typeof count !== "bigint") || count < 0)
      throw typeError(count, "UNSIGNED-BYTE");
    counter.value =
      typeof count === "number" && Number.isSafeInteger(count + 1) ? count + 1 : BigInt(count) + 1n;
    return new LSymbol(`${x?.toJS() ?? "G"}${count}`, null);
  });
  const variable = (name: string, value: LispValue): void => {
    const symbol = host.symbol(name);
    symbol.kind = "special";
    symbol.value = value;
  };
  variable("*GENSYM-COUNTER*", 1);
  variable("*MACROEXPAND-HOOK*", host.symbol("FUNCALL"));
  variable("SYS:*HANDLER-CLUSTERS*", NIL);
  variable("SYS:*RESTART-CLUSTERS*", NIL);
  define("EQL", "a b", (a: LispValue, b: LispValue) => bool(a === b || eqlNumbers(a, b)), { total: true });
};
