import { LispError } from "../data/error.ts";
import type { LeafHost } from "../data/leaf.ts";
import { LString } from "../data/string.ts";
import { type LPackage, LSymbol, NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/** PACKAGE-ERROR with a report. `culprit` is the package, or the designator that names none. */
export function packageError(culprit: LispValue, control: string, ...args: readonly LispValue[]): LispError {
  return new LispError(
    "AUTOLITH-SYSTEM::SIMPLE-PACKAGE-ERROR",
    [
      ["PACKAGE", culprit],
      ["FORMAT-CONTROL", control],
      ["FORMAT-ARGUMENTS", [...args]],
    ],
    control,
  );
}

/** Signals unless the package may be changed. */
export function assertUnlocked(pkg: LPackage, what: string): void {
  if (pkg.locked) throw lockViolation(pkg, what);
}

function lockViolation(pkg: LPackage, what: string): LispError {
  return new LispError(
    "AUTOLITH-SYSTEM::PACKAGE-LOCK-VIOLATION",
    [
      ["PACKAGE", pkg],
      ["FORMAT-CONTROL", "The package ~A is locked: ~A."],
      ["FORMAT-ARGUMENTS", [LString.from(pkg.name), LString.from(what)]],
    ],
    what,
  );
}

/** Packages that the engine names: they keep their names and symbols. */
const keptNames: ReadonlySet<string> = new Set(["COMMON-LISP", "KEYWORD", "AUTOLITH-SYSTEM"]);

/** Signals when the package is one of the engine's, or locked. */
export function assertRemovable(pkg: LPackage, what: string): void {
  assertUnlocked(pkg, what);
  if (keptNames.has(pkg.name)) throw lockViolation(pkg, what);
}

/** The symbols present in a package by name. */
export function presentSymbol(pkg: LPackage, name: string): LSymbol | undefined {
  return pkg.external.get(name) ?? pkg.internal.get(name);
}

/** True for the package NIL and T belong to without saying so. */
function isHome(host: LeafHost, symbol: LSymbol, pkg: LPackage): boolean {
  return host.symbolPackage(symbol) === pkg;
}

function setHome(symbol: LSymbol, pkg: LPackage | null): void {
  if (symbol !== NIL && symbol !== T) symbol.pkg = pkg;
}

/** Makes a symbol present in a package without looking for conflicts. */
function add(pkg: LPackage, symbol: LSymbol): void {
  pkg.internal.set(symbol.name, symbol);
  pkg.changed();
  if (symbol.pkg === null) setHome(symbol, pkg);
}

/** IMPORT of one symbol. */
export function importSymbol(pkg: LPackage, symbol: LSymbol): void {
  const known = pkg.lookup(symbol.name);
  if (known === symbol) {
    if (presentSymbol(pkg, symbol.name) === undefined) {
      assertUnlocked(pkg, `importing ${symbol.name}`);
      add(pkg, symbol);
    } else if (symbol.pkg === null) setHome(symbol, pkg);
    return;
  }
  if (known !== undefined) {
    throw packageError(
      pkg,
      "Importing ~S into ~S conflicts with ~S, which is accessible there.",
      symbol,
      pkg,
      known,
    );
  }
  assertUnlocked(pkg, `importing ${symbol.name}`);
  add(pkg, symbol);
}

/** SHADOWING-IMPORT of one symbol. */
export function shadowingImport(host: LeafHost, pkg: LPackage, symbol: LSymbol): void {
  assertUnlocked(pkg, `importing ${symbol.name}`);
  const present = presentSymbol(pkg, symbol.name);
  if (present !== symbol) {
    if (present !== undefined) remove(host, pkg, present);
    add(pkg, symbol);
  }
  pkg.shadowing.add(symbol);
}

/** SHADOW of one name. */
export function shadowName(pkg: LPackage, name: string): void {
  let symbol = presentSymbol(pkg, name);
  if (symbol === undefined) {
    assertUnlocked(pkg, `shadowing ${name}`);
    symbol = new LSymbol(name, pkg);
    pkg.internal.set(name, symbol);
    pkg.changed();
  }
  pkg.shadowing.add(symbol);
}

function remove(host: LeafHost, pkg: LPackage, symbol: LSymbol): void {
  pkg.internal.delete(symbol.name);
  pkg.external.delete(symbol.name);
  pkg.changed();
  pkg.shadowing.delete(symbol);
  if (isHome(host, symbol, pkg)) setHome(symbol, null);
}

/** UNINTERN; false when the symbol is not present. */
export function uninternSymbol(host: LeafHost, pkg: LPackage, symbol: LSymbol): boolean {
  if (presentSymbol(pkg, symbol.name) !== symbol) return false;
  // Keywords are used by their names only.
  if (pkg.name === "KEYWORD") assertUnlocked(pkg, `uninterning ${symbol.name}`);
  else assertRemovable(pkg, `uninterning ${symbol.name}`);
  if (pkg.shadowing.has(symbol)) {
    const revealed = new Set<LSymbol>();
    for (const used of pkg.uses) {
      const inherited = used.external.get(symbol.name);
      if (inherited !== undefined) revealed.add(inherited);
    }
    if (revealed.size > 1) {
      throw packageError(
        pkg,
        "Uninterning ~S from ~S reveals a conflict among ~S.",
        symbol,
        pkg,
        listOf([...revealed]),
      );
    }
  }
  remove(host, pkg, symbol);
  return true;
}

function listOf(symbols: readonly LSymbol[]): LispValue {
  return [...symbols];
}

/** EXPORT of one symbol. */
export function exportSymbol(pkg: LPackage, symbol: LSymbol): void {
  const { name } = symbol;
  if (pkg.external.get(name) === symbol) return;
  if (pkg.lookup(name) !== symbol) {
    throw packageError(pkg, "~S cannot be exported from ~S: it is not accessible there.", symbol, pkg);
  }
  assertUnlocked(pkg, `exporting ${name}`);
  for (const user of pkg.usedBy) {
    const known = user.lookup(name);
    if (known !== undefined && known !== symbol && !user.shadowing.has(known)) {
      throw packageError(pkg, "Exporting ~S from ~S conflicts with ~S in ~S.", symbol, pkg, known, user);
    }
  }
  if (presentSymbol(pkg, name) === undefined) add(pkg, symbol);
  pkg.internal.delete(name);
  pkg.external.set(name, symbol);
  pkg.changed();
}

/** UNEXPORT of one symbol. */
export function unexportSymbol(pkg: LPackage, symbol: LSymbol): void {
  const { name } = symbol;
  if (pkg.lookup(name) !== symbol) {
    throw packageError(pkg, "~S cannot be unexported from ~S: it is not accessible there.", symbol, pkg);
  }
  if (pkg.keywords) throw packageError(pkg, "Keywords stay external: ~S", symbol);
  if (pkg.external.get(name) !== symbol) return;
  assertUnlocked(pkg, `unexporting ${name}`);
  pkg.external.delete(name);
  pkg.internal.set(name, symbol);
  pkg.changed();
}

/** USE-PACKAGE of one package. */
export function usePackage(pkg: LPackage, used: LPackage): void {
  if (pkg === used || pkg.uses.includes(used)) return;
  if (used.keywords) throw packageError(used, "The package KEYWORD cannot be used by ~S.", pkg);
  assertUnlocked(pkg, `using ${used.name}`);
  for (const symbol of used.external.values()) {
    const known = pkg.lookup(symbol.name);
    if (known !== undefined && known !== symbol && !pkg.shadowing.has(known)) {
      throw packageError(
        pkg,
        "Using ~S in ~S causes a conflict between ~S and ~S.",
        used,
        pkg,
        symbol,
        known,
      );
    }
  }
  pkg.uses.push(used);
  used.usedBy.push(pkg);
  pkg.changed();
}

/** UNUSE-PACKAGE of one package. */
export function unusePackage(pkg: LPackage, used: LPackage): void {
  const at = pkg.uses.indexOf(used);
  if (at < 0) return;
  assertUnlocked(pkg, `unusing ${used.name}`);
  pkg.uses.splice(at, 1);
  used.usedBy.splice(used.usedBy.indexOf(pkg), 1);
  pkg.changed();
}

/** DELETE-PACKAGE of a package that nobody uses. */
export function deletePackage(host: LeafHost, pkg: LPackage): void {
  assertRemovable(pkg, "deleting it");
  for (const used of [...pkg.uses]) unusePackage(pkg, used);
  for (const symbol of [...pkg.internal.values(), ...pkg.external.values()]) remove(host, pkg, symbol);
  host.packages.delete(pkg.name);
  pkg.nicknames = [];
  pkg.deleted = true;
}

/** All symbols accessible in a package, each once. */
export function accessibleSymbols(pkg: LPackage): LSymbol[] {
  const seen = new Set<LSymbol>([...pkg.external.values(), ...pkg.internal.values()]);
  for (const used of pkg.uses) {
    for (const symbol of used.external.values()) {
      if (presentSymbol(pkg, symbol.name) === undefined) seen.add(symbol);
    }
  }
  return [...seen];
}
