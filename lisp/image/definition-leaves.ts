import { Char } from "../data/character.ts";
import { Cons, arrayToList, list, listToArray } from "../data/cons.ts";
import { LispError, programError, simpleError, typeError } from "../data/error.ts";
import { LFunction, UndefinedFunction } from "../data/function.ts";
import { LString } from "../data/string.ts";
import {
  LSymbol,
  NIL,
  SetfCell,
  T,
  UNBOUND,
  bool,
  setSymbolProperty,
  symbolFunction,
} from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { eql } from "../equality/equality.ts";
import { GenericFunction } from "../objects/class.ts";
import type { DefinitionEntry } from "./definition-journal.ts";
import type { Image } from "./image.ts";

function theSymbol(value: LispValue): LSymbol {
  if (!(value instanceof LSymbol)) throw typeError(value, "SYMBOL");
  return value;
}

/** Cell of a function name, or a type error. */
export function functionCellOf(image: Image, name: LispValue): LSymbol {
  if (name instanceof LSymbol) return name;
  if (
    name instanceof Cons &&
    name.car === image.symbol("SETF") &&
    name.cdr instanceof Cons &&
    name.cdr.cdr === NIL
  ) {
    if (name.cdr.car instanceof LSymbol) return image.setfCell(name.cdr.car);
  }
  throw typeError(name, "(OR SYMBOL (CONS (EQL SETF) (CONS SYMBOL NULL)))");
}

/** Leaves behind the defining macros, function cells, value cells and proclamations. */
export function installDefinitions(image: Image): void {
  installFunctionCells(image);
  installVariables(image);
  installSources(image);
  installDestructuring(image);
}

function fail(name: LispValue): never {
  throw undefinedFunction(name);
}

/**
 * What FDEFINITION and SYMBOL-FUNCTION give: the function, the macro's function, or for a special operator, which has none, a
 * function that signals UNDEFINED-FUNCTION when it is called. Null when the name is not bound at all.
 */
function globalFunction(image: Image, cell: LSymbol): LFunction | null {
  const fn = cell.macro ?? symbolFunction(cell);
  if (fn !== null || image.specialOperator(cell) === null) return fn;
  return image.runtime.undefined(cell);
}

function installFunctionCells(image: Image): void {
  const { define } = image;
  define("SYS:%DEFUN", "name function", (name: LispValue, fn: LFunction) => {
    const cell = functionCellOf(image, name);
    if (image.specialOperator(cell) !== null) throw programError("~S names a special operator", name);
    refuseStandard(image, cell);
    fn.info.location = image.location;
    cell.fn = fn;
    cell.macro = null;
    fn.info.name = name;
    return name;
  });
  define(
    "SYS:%DEFMACRO",
    "name function lambda-list documentation",
    (name: LSymbol, fn: LFunction, ll: LispValue, doc: LispValue) => {
      if (image.specialOperator(name) !== null) throw programError("~S names a special operator", name);
      if (!image.booted && name.fn instanceof UndefinedFunction) {
        throw programError("~S is called as a function before it is defined as a macro", name);
      }
      refuseStandard(image, name);
      name.macro = fn;
      forgetFunction(image, name);
      fn.info.location = image.location;
      fn.info.lambdaList = ll;
      fn.info.documentation = doc;
      return name;
    },
  );
  define("FBOUNDP", "name", (name: LispValue) => {
    const cell = functionCellOf(image, name);
    return bool(cell.macro !== null || symbolFunction(cell) !== null || image.specialOperator(cell) !== null);
  });
  define("FMAKUNBOUND", "name", (name: LispValue) => {
    const cell = functionCellOf(image, name);
    refuseStandard(image, cell);
    cell.macro = null;
    if (cell.fn !== null) cell.fn = image.runtime.undefined(cell);
    return name;
  });
  define("FDEFINITION", "name", (name: LispValue) => {
    const cell = functionCellOf(image, name);
    return globalFunction(image, cell) ?? fail(name);
  });
  define("SYMBOL-FUNCTION", "symbol", (symbol: LispValue) => {
    return globalFunction(image, theSymbol(symbol)) ?? fail(symbol);
  });
  define("SYS:DESIGNATED-FUNCTION", "designator", (designator: LispValue) => {
    if (designator instanceof LFunction) return designator;
    if (!(designator instanceof LSymbol)) throw typeError(designator, "(OR FUNCTION SYMBOL)");
    const fn = symbolFunction(designator);
    if (fn === null || designator.macro !== null) throw undefinedFunction(designator);
    return fn;
  });
  const setFunction = (fn: LispValue, name: LispValue): LispValue => {
    if (!(fn instanceof LFunction)) throw typeError(fn, "FUNCTION");
    const cell = functionCellOf(image, name);
    refuseStandard(image, cell);
    cell.fn = fn;
    cell.macro = null;
    return fn;
  };
  // TRACE may put its report in the place of any function.
  define("SYS:%SET-TRACED-FUNCTION", "function name", (fn: LFunction, name: LispValue) => {
    const cell = functionCellOf(image, name);
    refuseShared(cell);
    cell.fn = fn;
    return fn;
  });
  define("(SETF FDEFINITION)", "function name", setFunction);
  define("(SETF SYMBOL-FUNCTION)", "function symbol", setFunction);
  define("SYS:%GLOBAL-MACRO-FUNCTION", "symbol", (symbol: LispValue) => theSymbol(symbol).macro ?? NIL);
  define("SYS:%SET-MACRO-FUNCTION", "function symbol", (fn: LispValue, symbol: LispValue) => {
    refuseStandard(image, theSymbol(symbol));
    theSymbol(symbol).macro = fn instanceof LFunction ? fn : null;
    if (fn instanceof LFunction) forgetFunction(image, symbol as LSymbol);
    return fn;
  });
  define("SPECIAL-OPERATOR-P", "symbol", (symbol: LispValue) => {
    const operator = image.specialOperator(theSymbol(symbol));
    return bool(operator !== null && (symbol as LSymbol).pkg === image.commonLisp);
  });
  define("FUNCTIONP", "object", (object: LispValue) => bool(object instanceof LFunction), { total: true });
  define(
    "COMPILED-FUNCTION-P",
    "object",
    (object: LispValue) => bool(object instanceof LFunction && !(object instanceof GenericFunction)),
    { total: true },
  );
  define("SYS:%FUNCTION-NAME", "function", (fn: LFunction) => fn.info.name);
  define("SYS:%FUNCTION-LAMBDA-LIST", "function", (fn: LFunction) => {
    const { lambdaList } = fn.info;
    return typeof lambdaList === "string" ? image.readText(`(${lambdaList})`) : lambdaList;
  });
  define("SYS:%FUNCTION-DOCUMENTATION", "function", (fn: LFunction) => {
    image.stubs.get(fn)?.();
    return fn.info.documentation;
  });
  define("SYS:%SET-FUNCTION-DOCUMENTATION", "doc function", (doc: LispValue, fn: LFunction) => {
    image.stubs.get(fn)?.();
    fn.info.documentation = doc;
    return doc;
  });
  define("SYS:%SET-FUNCTION-NAME", "function name", (fn: LFunction, name: LispValue) => {
    fn.info.name = name;
    return fn;
  });
}

/** Empties the function cell of what has become a macro. Code that calls it as a function must find something to call. */
function forgetFunction(image: Image, name: LSymbol): void {
  if (name.fn !== null) name.fn = image.runtime.undefined(name);
}

/** NIL and T are shared by all images and name no functions. */
function refuseShared(cell: LSymbol): void {
  const symbol = cell instanceof SetfCell ? cell.base : cell;
  if (symbol === NIL || symbol === T) throw programError("~S cannot name a function", symbol);
}

/** The functions and macros of COMMON-LISP cannot be redefined once the image is booted. */
function refuseStandard(image: Image, cell: LSymbol): void {
  refuseShared(cell);
  if (cell.macro !== null || symbolFunction(cell) !== null) refuseStandardName(image, cell);
}

/** Refuses a definition of any kind on a symbol of COMMON-LISP once the image is booted. */
function refuseStandardName(image: Image, cell: LSymbol): void {
  const symbol = cell instanceof SetfCell ? cell.base : cell;
  if (!image.booted || image.symbolPackage(symbol) !== image.commonLisp) return;
  const what = `${cell.name} cannot be redefined`;
  throw new LispError(
    "AUTOLITH-SYSTEM::PACKAGE-LOCK-VIOLATION",
    [
      ["PACKAGE", image.commonLisp],
      ["FORMAT-CONTROL", "The package COMMON-LISP is locked: ~A."],
      ["FORMAT-ARGUMENTS", [LString.from(what)]],
    ],
    what,
  );
}

/** What is kept with a symbol and says how forms that begin with it are compiled. */
const lockedKeys: ReadonlySet<string> = new Set(["setf-expander", "compiler-macro"]);

/** Where definitions come from, and the journal. */
function installSources(image: Image): void {
  const { define } = image;
  define(
    "SYS:%SET-SOURCE-PLACE",
    "file line column",
    (file: LispValue, line: LispValue, column: LispValue) => {
      const outer = image.location;
      image.location =
        file instanceof LString
          ? { file: file.toJS(), line: line as number, column: column as number }
          : null;
      return outer === null ? list(NIL, 0, 0) : list(LString.from(outer.file), outer.line, outer.column);
    },
  );
  define(
    "SYS:%NOTE-DEFINITION",
    "kind name source file line",
    (kind: LString, name: LString, source: LString, file: LispValue, line: LispValue) => {
      image.journal.record({
        kind: kind.toJS(),
        name: name.toJS(),
        source: source.toJS(),
        file: file instanceof LString ? file.toJS() : null,
        line: typeof line === "number" ? line : null,
        package: image.currentPackage().name,
      });
      return NIL;
    },
  );
  define("SYS:%NOTE-NAME-USES", "", () => {
    image.nameUses = [];
    return NIL;
  });
  define("SYS:%NAME-USES", "", () => {
    const uses = image.nameUses ?? [];
    image.nameUses = null;
    return arrayToList(uses.map(({ symbol, count }) => new Cons(symbol, count ?? NIL)));
  });
  define("SYS:%JOURNAL-ENTRIES", "", () => arrayToList(image.journal.entries().map(entryList)));
}

/** An entry of the journal as a list: kind, name, source, file, line, package, sequence, whether the source is cut. */
function entryList(entry: DefinitionEntry): LispValue {
  const { kind, name, source, file, line, package: pkg, sequence, cut } = entry;
  const text = (value: string | null): LispValue => (value === null ? NIL : LString.from(value));
  return list(text(kind), text(name), text(source), text(file), line ?? NIL, text(pkg), sequence, bool(cut));
}

function undefinedFunction(name: LispValue): Error {
  return Object.assign(programError("undefined function ~S", name), {
    conditionType: "UNDEFINED-FUNCTION",
    initargs: [["NAME", name]],
  });
}

function installVariables(image: Image): void {
  const { define } = image;
  define("SYS:%PROCLAIM-SPECIAL", "symbol", (symbol: LispValue) => {
    const s = theSymbol(symbol);
    if (s.kind === "constant") throw programError("the constant ~S cannot be proclaimed special", s);
    if (s.kind !== "special") refuseStandardName(image, s);
    s.kind = "special";
    return s;
  });
  define("SYS:%DEFINED-VARIABLE", "symbol documentation", (symbol: LSymbol, doc: LispValue) => {
    if (doc !== NIL) setSymbolProperty(symbol, "variable-documentation", doc);
    return symbol;
  });
  define("SYS:%UNBOUND-P", "symbol", (symbol: LSymbol) => bool(symbol.value === UNBOUND));
  define(
    "SYS:%DEFCONSTANT",
    "symbol value documentation",
    (symbol: LispValue, value: LispValue, doc: LispValue) => {
      const s = theSymbol(symbol);
      if (s.kind === "constant" && s.value !== UNBOUND && !eql(s.value, value)) {
        throw simpleError("SIMPLE-ERROR", "the constant ~S is ~S and cannot become ~S", s, s.value, value);
      }
      if (s.kind !== "constant") refuseStandardName(image, s);
      s.kind = "constant";
      s.value = value;
      if (doc !== NIL) setSymbolProperty(s, "variable-documentation", doc);
      return s;
    },
  );
  define("SET", "symbol value", (symbol: LispValue, value: LispValue) => {
    if (theSymbol(symbol).kind === "constant") throw programError("cannot assign the constant ~S", symbol);
    (symbol as LSymbol).value = value;
    return value;
  });
  define("BOUNDP", "symbol", (symbol: LispValue) => bool(theSymbol(symbol).value !== UNBOUND));
  define("MAKUNBOUND", "symbol", (symbol: LispValue) => {
    if (theSymbol(symbol).kind === "constant")
      throw programError("cannot make the constant ~S unbound", symbol);
    (symbol as LSymbol).value = UNBOUND;
    return symbol;
  });
  define("SYMBOL-VALUE", "symbol", (symbol: LispValue) => {
    const { value } = theSymbol(symbol);
    if (value === UNBOUND) {
      throw Object.assign(programError("unbound variable ~S", symbol), {
        conditionType: "UNBOUND-VARIABLE",
        initargs: [["NAME", symbol]],
      });
    }
    return value;
  });
  define("SYS:%VARIABLE-KIND", "symbol", (symbol: LispValue) =>
    image.keyword(theSymbol(symbol).kind.toUpperCase()),
  );
  define("SYS:%SET-VARIABLE-KIND", "symbol kind", (symbol: LispValue, kind: LSymbol) => {
    theSymbol(symbol).kind = kind.name.toLowerCase() as LSymbol["kind"];
    return symbol;
  });
  define(
    "SYS:%SYMBOL-INFO",
    "symbol key",
    (symbol: LispValue, key: LispValue) => theSymbol(symbol).props?.get(infoKey(key)) ?? NIL,
  );
  define(
    "SYS:%SET-SYMBOL-INFO",
    "symbol key value",
    (symbol: LispValue, key: LispValue, value: LispValue) => {
      if (lockedKeys.has(infoKey(key))) refuseStandardName(image, theSymbol(symbol));
      setSymbolProperty(theSymbol(symbol), infoKey(key), value);
      return value;
    },
  );
  define("SYS:%REMOVE-SYMBOL-INFO", "symbol key", (symbol: LispValue, key: LispValue) =>
    bool(theSymbol(symbol).props?.delete(infoKey(key)) ?? false),
  );
  define("SYS:%DEFINE-SYMBOL-MACRO", "symbol expansion", (symbol: LispValue, expansion: LispValue) => {
    const s = theSymbol(symbol);
    if (s.kind === "special" || s.kind === "constant") throw programError("~S is a variable already", s);
    refuseStandardName(image, s);
    s.kind = "symbol-macro";
    setSymbolProperty(s, "symbol-macro", expansion);
    return s;
  });
  define("SYS:%REFUSE-STANDARD-NAME", "name", (name: LispValue) => {
    if (name instanceof LSymbol) refuseStandardName(image, name);
    return NIL;
  });
  define("SYS:%SETF-CELL", "symbol", (symbol: LispValue) => image.setfCell(theSymbol(symbol)));
  define("SYS:%IN-PACKAGE", "name", (name: LispValue) => {
    const text =
      name instanceof LString
        ? name.toJS()
        : name instanceof Char
          ? String.fromCodePoint(name.code)
          : theSymbol(name).name;
    const pkg = image.findPackage(text);
    if (pkg === null) {
      const control = "There is no package named ~S.";
      throw new LispError("AUTOLITH-SYSTEM::SIMPLE-PACKAGE-ERROR", [
        ["PACKAGE", name],
        ["FORMAT-CONTROL", control],
        ["FORMAT-ARGUMENTS", list(LString.from(text))],
      ]);
    }
    image.symbol("*PACKAGE*").value = pkg;
    return pkg;
  });
}

/** Key of a system datum: a symbol, its name in lower case. */
function infoKey(key: LispValue): string {
  return theSymbol(key).name.toLowerCase();
}

function installDestructuring(image: Image): void {
  const { define } = image;
  define(
    "SYS:%DESTRUCTURE-CHECK",
    "form least most pattern",
    (form: LispValue, least: number, most: LispValue, pattern: LispValue) => {
      let count = 0;
      let rest = form;
      for (; rest instanceof Cons && count <= 1e6; rest = rest.cdr) count++;
      const tooLong = typeof most === "number" && (count > most || rest !== NIL);
      if (count < least || tooLong) throw programError("~S does not match the lambda list ~S", form, pattern);
      return form;
    },
  );
  define(
    "SYS:%DESTRUCTURE-KEYS",
    "tail keys allow pattern",
    (tail: LispValue, keys: LispValue, allow: LispValue, pattern: LispValue) => {
      const items = listToArray(tail);
      if (items === null || items.length % 2 !== 0)
        throw programError("odd keyword arguments ~S for the lambda list ~S", tail, pattern);
      const known = new Set(listToArray(keys));
      const allowKey = image.keyword("ALLOW-OTHER-KEYS");
      const at = items.findIndex((item, i) => i % 2 === 0 && item === allowKey);
      if (allow === T || (at >= 0 && items[at + 1] !== NIL)) return NIL;
      for (let i = 0; i < items.length; i += 2) {
        if (!known.has(items[i]!) && items[i] !== allowKey) {
          throw programError("unknown keyword argument ~S for the lambda list ~S", items[i]!, pattern);
        }
      }
      return NIL;
    },
  );
  define("SYS:%FIND-KEY", "tail key", (tail: LispValue, key: LispValue) => {
    for (let rest = tail; rest instanceof Cons && rest.cdr instanceof Cons; rest = rest.cdr.cdr) {
      if (rest.car === key) return rest.cdr;
    }
    return NIL;
  });
}

/** True when the function cell holds a real function. */
export function isDefined(fn: LFunction | null): boolean {
  return fn !== null && !(fn instanceof UndefinedFunction);
}
