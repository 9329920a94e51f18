import { Cons, listToArray } from "../data/cons.ts";
import { LispError, simpleError, typeError } from "../data/error.ts";
import type { DefineLeaf, LeafHost, LeafInstaller } from "../data/leaf.ts";
import { Pathname } from "../data/pathname.ts";
import { LString } from "../data/string.ts";
import { bool, LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { objectSystem } from "../objects/object-system.ts";
import { atomPrinter } from "../printer/printer-leaves.ts";
import { unreadable } from "../printer/atom-text.ts";
import { boundOf } from "../streams/character-leaves.ts";
import { isWild, samePathname, sameComponent, WildPattern } from "./components.ts";
import { logicalHostOf, parseLogical } from "./logical-names.ts";
import { pathnameMatches, translate } from "./matching.ts";
import { convertCase, directoryArgument } from "./merging.ts";
import { NameProblem } from "./native-names.ts";
import { componentArgument, type PathnameSystem, pathnameSystem } from "./pathname-system.ts";

function isCommon(value: LispValue | undefined): boolean {
  if (value === undefined || value === NIL) return false;
  const name = value instanceof LSymbol ? value.name : "";
  if (name !== "COMMON" && name !== "LOCAL") throw typeError(value, "(MEMBER :COMMON :LOCAL)");
  return name === "COMMON";
}

function installMaking(define: DefineLeaf, host: LeafHost, system: PathnameSystem): void {
  define("PATHNAMEP", "object", (object: LispValue) => bool(object instanceof Pathname), { total: true });
  define("PATHNAME", "pathspec", (designator: LispValue) => system.designated(designator));
  define(
    "MAKE-PATHNAME",
    "&key host device directory name type version defaults case",
    (
      hostArg?: LispValue,
      device?: LispValue,
      directory?: LispValue,
      name?: LispValue,
      type?: LispValue,
      version?: LispValue,
      defaults?: LispValue,
      caseArg?: LispValue,
    ) => {
      const common = isCommon(caseArg);
      const local = (value: LispValue | undefined, what: string): LispValue | undefined => {
        if (value === undefined) return undefined;
        componentArgument(value, what);
        return common ? convertCase(value) : value;
      };
      const base =
        defaults === undefined || defaults === NIL
          ? new Pathname(system.defaultPathname.host, NIL, NIL, NIL, NIL, NIL, system.defaultPathname.logical)
          : system.designated(defaults);
      const given = hostArg === undefined || hostArg === NIL ? undefined : hostArg;
      const logical = given === undefined ? base.logical : given instanceof LString && given.length > 0;
      const upper = given instanceof LString ? LString.from(given.toJS().toUpperCase()) : given;
      if (logical && given !== undefined) system.requireHost(given);
      const directoryValue = local(directory, "directory");
      return new Pathname(
        given === undefined ? base.host : logical ? (upper ?? NIL) : NIL,
        local(device, "device") ?? (logical ? system.keywords.unspecific : base.device),
        directoryValue === undefined ? base.directory : checkedDirectory(system, directoryValue),
        local(name, "name") ?? base.name,
        local(type, "type") ?? base.type,
        version ?? base.version,
        logical,
      );
    },
  );
  define(
    "MERGE-PATHNAMES",
    "pathname &optional default-pathname default-version",
    (pathname: LispValue, defaults?: LispValue, version?: LispValue) =>
      system.merge(
        system.designated(pathname),
        defaults === undefined ? system.defaultPathname : system.designated(defaults),
        version ?? system.keywords.newest,
      ),
  );
  const parts: readonly (readonly [string, keyof Pathname])[] = [
    ["HOST", "host"],
    ["DEVICE", "device"],
    ["DIRECTORY", "directory"],
    ["NAME", "name"],
    ["TYPE", "type"],
  ];
  for (const [name, key] of parts) {
    define(`PATHNAME-${name}`, "pathname &key case", (designator: LispValue, caseArg?: LispValue) => {
      const pathname = system.designated(designator);
      const value = pathname[key] as LispValue;
      return isCommon(caseArg) && !pathname.logical ? convertCase(value) : value;
    });
  }
  define("PATHNAME-VERSION", "pathname", (designator: LispValue) => system.designated(designator).version);
  define("SYS:%SAME-PATHNAME", "a b", (a: LispValue, b: LispValue) =>
    bool(a instanceof Pathname && b instanceof Pathname && samePathname(a, b)),
  );
  objectSystem(host).addExtension((value) =>
    value instanceof WildPattern ? objectSystem(host).standard("SYS:FOREIGN-OBJECT") : undefined,
  );
}

function checkedDirectory(system: PathnameSystem, value: LispValue): LispValue {
  const directory = directoryArgument(value, system.keywords);
  if (directory === NIL || directory instanceof LSymbol) return directory;
  const { absolute, relative } = system.keywords;
  if (directory instanceof Cons && (directory.car === absolute || directory.car === relative))
    return directory;
  throw simpleError("SIMPLE-ERROR", "~S cannot be the directory of a pathname.", value);
}

function installNames(define: DefineLeaf, system: PathnameSystem): void {
  const text = (name: string, make: (pathname: Pathname) => string): void =>
    define(name, "pathname", (designator: LispValue) => LString.from(make(system.designated(designator))));
  text("NAMESTRING", (p) => system.namestring(p));
  text("FILE-NAMESTRING", (p) => system.fileNamestring(p));
  text("DIRECTORY-NAMESTRING", (p) => system.directoryNamestring(p));
  text("HOST-NAMESTRING", (p) => system.hostNamestring(p));
  define(
    "ENOUGH-NAMESTRING",
    "pathname &optional defaults",
    (designator: LispValue, defaults?: LispValue) => {
      const pathname = system.designated(designator);
      const base = defaults === undefined ? system.defaultPathname : system.designated(defaults);
      return LString.from(enough(system, pathname, base));
    },
  );
  define(
    "PARSE-NAMESTRING",
    "thing &optional host default-pathname &key start end junk-allowed",
    (
      thing: LispValue,
      hostArg?: LispValue,
      _defaults?: LispValue,
      start?: LispValue,
      end?: LispValue,
      junk?: LispValue,
    ) => {
      if (!(thing instanceof LString)) {
        const found = system.designated(thing);
        const wanted = hostArg === undefined || hostArg === NIL ? undefined : hostArg;
        if (wanted !== undefined && !sameHost(wanted, found.host)) {
          throw simpleError("SIMPLE-ERROR", "The host of ~S is not ~S.", found, wanted);
        }
        return values(found, boundOf(start, 0, Number.MAX_SAFE_INTEGER));
      }
      const to = boundOf(end, thing.length, thing.length);
      const from = boundOf(start, 0, to);
      return parseText(thing.slice(from, to), hostArg, from, to, junk);
    },
    { values: true },
  );
  const values = (pathname: LispValue, position: number): LispValue => system.hostValues(pathname, position);
  const parseText = (
    source: string,
    hostArg: LispValue | undefined,
    from: number,
    to: number,
    junk: LispValue | undefined,
  ): LispValue => {
    try {
      if (hostArg instanceof LString) {
        const name = system.requireHost(hostArg);
        const own = logicalHostOf(source);
        if (own !== undefined && own !== name && system.logicalHosts.has(own)) {
          throw simpleError("SIMPLE-ERROR", "The host of ~S is not ~S.", LString.from(source), hostArg);
        }
        const rest = own === name ? source.slice(source.indexOf(":") + 1) : source;
        return values(parseLogical(LString.from(name), rest, system.keywords), to);
      }
      return values(system.parse(source), to);
    } catch (error) {
      if (!(error instanceof NameProblem)) throw error;
      if (junk !== undefined && junk !== NIL) return values(NIL, from);
      return values(system.parsed(source), to);
    }
  };
}

function sameHost(wanted: LispValue, host: LispValue): boolean {
  if (wanted instanceof LString && host instanceof LString)
    return wanted.toJS().toUpperCase() === host.toJS().toUpperCase();
  return wanted === host;
}

/** ENOUGH-NAMESTRING: the part of the name that merging with the defaults does not give. */
function enough(system: PathnameSystem, pathname: Pathname, base: Pathname): string {
  const whole = system.namestring(pathname);
  if (pathname.logical !== base.logical || !sameComponent(pathname.host, base.host)) return whole;
  const file = system.fileNamestring(pathname);
  if (sameComponent(pathname.directory, base.directory)) return pathname.directory === NIL ? whole : file;
  const [own, theirs] = [system.directoryNamestring(pathname), system.directoryNamestring(base)];
  if (pathname.logical || theirs === "" || !own.startsWith(theirs)) return whole;
  return own.slice(theirs.length) + file;
}

function installMatching(define: DefineLeaf, system: PathnameSystem): void {
  define("WILD-PATHNAME-P", "pathname &optional field-key", (designator: LispValue, field?: LispValue) => {
    const pathname = system.designated(designator);
    const directory = listToArray(pathname.directory) ?? [pathname.directory];
    const wild: Record<string, boolean> = {
      HOST: isWild(pathname.host),
      DEVICE: isWild(pathname.device),
      DIRECTORY: directory.some(isWild),
      NAME: isWild(pathname.name),
      TYPE: isWild(pathname.type),
      VERSION: isWild(pathname.version),
    };
    if (field === undefined || field === NIL) return bool(Object.values(wild).includes(true));
    const found = field instanceof LSymbol ? wild[field.name] : undefined;
    if (found === undefined)
      throw typeError(field, "(MEMBER :HOST :DEVICE :DIRECTORY :NAME :TYPE :VERSION NIL)");
    return bool(found);
  });
  define("PATHNAME-MATCH-P", "pathname wildcard", (pathname: LispValue, wild: LispValue) =>
    bool(pathnameMatches(system.designated(pathname), system.designated(wild))),
  );
  define(
    "TRANSLATE-PATHNAME",
    "source from-wildcard to-wildcard &key",
    (source: LispValue, from: LispValue, to: LispValue) => {
      try {
        return translate(
          system.designated(source),
          system.designated(from),
          system.designated(to),
          system.keywords,
        );
      } catch (error) {
        if (!(error instanceof NameProblem)) throw error;
        throw simpleError(
          "SIMPLE-ERROR",
          "~S cannot be translated from ~S: ~A.",
          source,
          from,
          LString.from(error.message),
        );
      }
    },
  );
}

function installLogical(define: DefineLeaf, system: PathnameSystem): void {
  define("LOGICAL-PATHNAME", "pathspec", (designator: LispValue) => {
    if (designator instanceof LString) {
      const host = logicalHostOf(designator.toJS());
      if (host === undefined) throw typeError(designator, "LOGICAL-PATHNAME");
      if (!system.logicalHosts.has(host)) throw typeError(designator, "LOGICAL-PATHNAME");
    }
    const pathname = system.designated(designator);
    if (!pathname.logical) throw typeError(designator, "LOGICAL-PATHNAME");
    return pathname;
  });
  define("LOGICAL-PATHNAME-TRANSLATIONS", "host", (hostArg: LispValue) => {
    return system.logicalHosts.get(system.requireHost(hostArg)) ?? NIL;
  });
  define(
    "SYS:%SET-LOGICAL-TRANSLATIONS",
    "host translations",
    (hostArg: LispValue, translations: LispValue) => {
      if (!(hostArg instanceof LString)) throw typeError(hostArg, "STRING");
      system.logicalHosts.set(hostArg.toJS().toUpperCase(), translations);
      return translations;
    },
  );
  define("SYS:%LOGICAL-HOST-P", "name", (name: LispValue) =>
    bool(name instanceof LString && system.logicalHosts.has(name.toJS().toUpperCase())),
  );
  define("SYS:%LOGICAL-PATHNAME-P", "pathname", (pathname: LispValue) =>
    bool(pathname instanceof Pathname && pathname.logical),
  );
}

/** Pathnames (chapter 19). */
export const installPathnames: LeafInstaller = (define, host) => {
  const system = pathnameSystem(host);
  const defaults = host.symbol("*DEFAULT-PATHNAME-DEFAULTS*");
  defaults.kind = "special";
  defaults.value = system.parse("");
  installMaking(define, host, system);
  installNames(define, system);
  installMatching(define, system);
  installLogical(define, system);
  atomPrinter(host).addExtension((object, settings) => {
    if (object instanceof WildPattern) return unreadable(object, `PATTERN ${object.source}`, settings);
    if (!(object instanceof Pathname)) return undefined;
    const name = system.namestringIfAny(object);
    if (name === undefined) return unreadable(object, "PATHNAME without namestring", settings);
    if (!settings.escape) return name;
    // A namestring of this machine has no place for a version, so such a pathname could not be read back.
    if (settings.readably && !object.logical && isWild(object.version))
      return unreadable(object, "PATHNAME with a version", settings);
    return `#P"${name.replace(/["\\]/g, "\\$&")}"`;
  });
};

/** FILE-ERROR on a pathname, with a reason. */
export function fileError(pathname: LispValue, reason: string): LispError {
  return new LispError("AUTOLITH-SYSTEM::SIMPLE-FILE-ERROR", [
    ["PATHNAME", pathname],
    ["FORMAT-CONTROL", "The operation on the file ~S failed: ~A."],
    ["FORMAT-ARGUMENTS", [pathname, LString.from(reason)]],
  ]);
}
