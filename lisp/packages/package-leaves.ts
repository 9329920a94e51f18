import { Char } from "../data/character.ts";
import { arrayToList, listToArray } from "../data/cons.ts";
import { typeError } from "../data/error.ts";
import type { DefineLeaf, LeafHost, LeafInstaller } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { bool, LPackage, LSymbol, NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import {
  accessibleSymbols,
  assertRemovable,
  assertUnlocked,
  deletePackage,
  exportSymbol,
  importSymbol,
  packageError,
  presentSymbol,
  shadowingImport,
  shadowName,
  unexportSymbol,
  uninternSymbol,
  unusePackage,
  usePackage,
} from "./package-operations.ts";

/** Text of a string designator. */
function nameOf(designator: LispValue): string {
  if (designator instanceof LString) return designator.toJS();
  if (designator instanceof LSymbol) return designator.name;
  if (designator instanceof Char) return String.fromCodePoint(designator.code);
  throw typeError(designator, "(OR STRING SYMBOL CHARACTER)");
}

function stringOf(value: LispValue): string {
  if (value instanceof LString) return value.toJS();
  throw typeError(value, "STRING");
}

function asSymbol(value: LispValue): LSymbol {
  if (value instanceof LSymbol) return value;
  throw typeError(value, "SYMBOL");
}

/** Items of a designator for a list; NIL is the empty list. */
function itemsOf(designator: LispValue): LispValue[] {
  if (designator === NIL) return [];
  return listToArray(designator) ?? [designator];
}

/** The package a designator names, or null. */
function find(host: LeafHost, designator: LispValue): LPackage | null {
  if (designator instanceof LPackage) return designator;
  return host.findPackage(nameOf(designator));
}

/** The package a designator names; PACKAGE-ERROR when there is none, or it was deleted. */
function need(host: LeafHost, designator: LispValue): LPackage {
  const found = find(host, designator);
  if (found === null) throw packageError(designator, "There is no package named ~S.", designator);
  if (found.deleted) throw packageError(found, "The package ~S has been deleted.", found);
  return found;
}

const orCurrent = (host: LeafHost, designator: LispValue | undefined): LPackage =>
  designator === undefined ? host.currentPackage() : need(host, designator);

function installNames(define: DefineLeaf, host: LeafHost): void {
  define("PACKAGEP", "object", (object: LispValue) => bool(object instanceof LPackage), { total: true });
  define("FIND-PACKAGE", "name", (name: LispValue) => find(host, name) ?? NIL);
  define("LIST-ALL-PACKAGES", "", () => arrayToList([...new Set(host.packages.values())]));
  define("PACKAGE-NAME", "package", (designator: LispValue) => {
    if (designator instanceof LPackage && designator.deleted) return NIL;
    return LString.from(need(host, designator).name);
  });
  define("PACKAGE-NICKNAMES", "package", (designator: LispValue) =>
    arrayToList(need(host, designator).nicknames.map((name) => LString.from(name))),
  );
  define("PACKAGE-USE-LIST", "package", (designator: LispValue) =>
    arrayToList([...need(host, designator).uses]),
  );
  define("PACKAGE-USED-BY-LIST", "package", (designator: LispValue) =>
    arrayToList([...need(host, designator).usedBy]),
  );
  define("PACKAGE-SHADOWING-SYMBOLS", "package", (designator: LispValue) =>
    arrayToList([...need(host, designator).shadowing]),
  );
  define("SYS:PACKAGE-DELETED-P", "package", (pkg: LispValue) =>
    bool(pkg instanceof LPackage && pkg.deleted),
  );
  define(
    "SYS:PACKAGE-DOCUMENTATION",
    "package",
    (designator: LispValue) => need(host, designator).documentation,
  );
  define(
    "SYS:SET-PACKAGE-DOCUMENTATION",
    "package documentation",
    (designator: LispValue, text: LispValue) => {
      need(host, designator).documentation = text;
      return text;
    },
  );
}

/** Signals when one of the names already belongs to a package other than `self`. */
function assertFree(host: LeafHost, names: readonly string[], self: LPackage | null): void {
  for (const name of names) {
    const owner =
      host.packages.get(name) ?? [...host.packages.values()].find((pkg) => pkg.nicknames.includes(name));
    if (owner !== undefined && owner !== self) {
      throw packageError(owner, "The name ~S already belongs to a package: ~S.", LString.from(name), owner);
    }
  }
}

function installDefinition(define: DefineLeaf, host: LeafHost): void {
  define(
    "SYS:%MAKE-PACKAGE",
    "name &key nicknames use",
    (designator: LispValue, nicknames: LispValue | undefined, use: LispValue | undefined) => {
      const name = nameOf(designator);
      const others = itemsOf(nicknames ?? NIL).map(nameOf);
      assertFree(host, [name, ...others], null);
      const used = itemsOf(use ?? NIL).map((each) => need(host, each));
      const pkg = new LPackage(
        name,
        others.filter((each) => each !== name),
      );
      for (const each of used) usePackage(pkg, each);
      host.packages.set(name, pkg);
      return pkg;
    },
  );
  define(
    "RENAME-PACKAGE",
    "package new-name &optional new-nicknames",
    (designator: LispValue, newName: LispValue, nicknames: LispValue | undefined) => {
      const pkg = need(host, designator);
      const name = newName instanceof LPackage ? newName.name : nameOf(newName);
      const others = itemsOf(nicknames ?? NIL).map(nameOf);
      assertRemovable(pkg, "renaming it");
      assertFree(host, [name, ...others], pkg);
      host.packages.delete(pkg.name);
      pkg.name = name;
      pkg.nicknames = others.filter((each) => each !== name);
      host.packages.set(name, pkg);
      return pkg;
    },
  );
  define("SYS:%CHECK-REMOVABLE", "package what", (designator: LispValue, what: LispValue) => {
    assertRemovable(need(host, designator), stringOf(what));
    return T;
  });
  define("SYS:%DELETE-PACKAGE", "package", (designator: LispValue) => {
    deletePackage(host, need(host, designator));
    return T;
  });
  define("SYS:ADD-PACKAGE-NICKNAMES", "package nicknames", (designator: LispValue, nicknames: LispValue) => {
    const pkg = need(host, designator);
    const names = itemsOf(nicknames).map(nameOf);
    assertFree(host, names, pkg);
    pkg.nicknames = names.filter((name) => name !== pkg.name);
    return pkg;
  });
  define(
    "SYS:ADD-PACKAGE-LOCAL-NICKNAME",
    "nickname actual-package &optional package",
    (nickname: LispValue, actual: LispValue, designator: LispValue | undefined) => {
      const pkg = orCurrent(host, designator);
      const name = nameOf(nickname);
      const target = need(host, actual);
      const known = pkg.localNicknames.get(name);
      if (known !== undefined && known !== target) {
        throw packageError(pkg, "~S is already a local nickname of ~S in ~S.", nickname, known, pkg);
      }
      pkg.localNicknames.set(name, target);
      return pkg;
    },
  );
  define("SYS:PACKAGE-LOCKED-P", "package", (designator: LispValue) => bool(need(host, designator).locked));
  define("SYS:LOCK-PACKAGE", "package", (designator: LispValue) => {
    need(host, designator).locked = true;
    return T;
  });
  define("SYS:UNLOCK-PACKAGE", "package", (designator: LispValue) => {
    need(host, designator).locked = false;
    return T;
  });
}

function installSymbols(define: DefineLeaf, host: LeafHost): void {
  define(
    "INTERN",
    "string &optional package",
    (string: LispValue, designator: LispValue | undefined) => {
      const name = stringOf(string);
      const pkg = orCurrent(host, designator);
      const found = pkg.find(name);
      if (found !== null) return host.values(found.symbol, host.symbol(`:${found.status.toUpperCase()}`));
      assertUnlocked(pkg, `interning ${name}`);
      return host.values(pkg.intern(name), NIL);
    },
    { values: true },
  );
  define(
    "FIND-SYMBOL",
    "string &optional package",
    (string: LispValue, designator: LispValue | undefined) => {
      const found = orCurrent(host, designator).find(stringOf(string));
      if (found === null) return host.values(NIL, NIL);
      return host.values(found.symbol, host.symbol(`:${found.status.toUpperCase()}`));
    },
    { values: true },
  );
  define("FIND-ALL-SYMBOLS", "name", (designator: LispValue) => {
    const name = nameOf(designator);
    const found = new Set<LSymbol>();
    for (const pkg of host.packages.values()) {
      const symbol = presentSymbol(pkg, name);
      if (symbol !== undefined) found.add(symbol);
    }
    return arrayToList([...found]);
  });
  define("UNINTERN", "symbol &optional package", (symbol: LispValue, designator: LispValue | undefined) =>
    bool(uninternSymbol(host, orCurrent(host, designator), asSymbol(symbol))),
  );
  const forSymbols = (name: string, operation: (pkg: LPackage, symbol: LSymbol) => void): void =>
    define(name, "symbols &optional package", (symbols: LispValue, designator: LispValue | undefined) => {
      const pkg = orCurrent(host, designator);
      const items = (symbols === NIL ? [] : itemsOf(symbols)).map(asSymbol);
      for (const symbol of items) operation(pkg, symbol);
      return T;
    });
  forSymbols("SYS:%IMPORT", importSymbol);
  forSymbols("SHADOWING-IMPORT", (pkg, symbol) => shadowingImport(host, pkg, symbol));
  forSymbols("SYS:%EXPORT", exportSymbol);
  forSymbols("UNEXPORT", unexportSymbol);
  define(
    "SHADOW",
    "symbol-names &optional package",
    (names: LispValue, designator: LispValue | undefined) => {
      const pkg = orCurrent(host, designator);
      for (const name of itemsOf(names).map(nameOf)) shadowName(pkg, name);
      return T;
    },
  );
  const forPackages = (name: string, operation: (pkg: LPackage, used: LPackage) => void): void =>
    define(name, "packages &optional package", (packages: LispValue, designator: LispValue | undefined) => {
      const pkg = orCurrent(host, designator);
      for (const used of itemsOf(packages).map((each) => need(host, each))) operation(pkg, used);
      return T;
    });
  forPackages("SYS:%USE-PACKAGE", usePackage);
  forPackages("UNUSE-PACKAGE", unusePackage);
  const lister = (name: string, symbols: (pkg: LPackage) => readonly LSymbol[]): void =>
    define(`SYS:${name}`, "package", (designator: LispValue) =>
      arrayToList([...symbols(need(host, designator))]),
    );
  lister("ACCESSIBLE-SYMBOLS", accessibleSymbols);
  lister("EXTERNAL-SYMBOLS", (pkg) => [...pkg.external.values()]);
  lister("PRESENT-SYMBOLS", (pkg) => [...pkg.external.values(), ...pkg.internal.values()]);
  lister("INTERNAL-SYMBOLS", (pkg) => [...pkg.internal.values()]);
}

/** Leaves of chapter 11; what may ask a person (DELETE-PACKAGE) or runs code (DO-SYMBOLS) is in `library/packages.lisp`. */
export const installPackages: LeafInstaller = (define, host) => {
  installNames(define, host);
  installDefinition(define, host);
  installSymbols(define, host);
};
