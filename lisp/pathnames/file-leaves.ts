import { Char } from "../data/character.ts";
import { arrayToList, Cons, listToArray } from "../data/cons.ts";
import { simpleError, typeError } from "../data/error.ts";
import type { DefineLeaf, LeafHost, LeafInstaller } from "../data/leaf.ts";
import { Pathname } from "../data/pathname.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { type FileElement, FileStream } from "../streams/file-stream.ts";
import { type HostFile, HostFault, type HostFiles, type HostPort } from "../streams/host-port.ts";
import { codecNamed } from "../streams/text-codec.ts";
import { directoryParts, isWild } from "./components.ts";
import { pathnameMatches } from "./matching.ts";
import { parseNative, plainName } from "./native-names.ts";
import { fileError } from "./pathname-leaves.ts";
import { type PathnameSystem, pathnameSystem } from "./pathname-system.ts";

/** Directories visited by one DIRECTORY call before it is refused. */
const maximumDirectories = 100_000;

/** Options of OPEN as keywords' names. */
interface OpenOptions {
  direction: string;
  ifExists: string | undefined;
  ifMissing: string | undefined;
}

/** Files of an image: names go through its pathname system and the host's file port. */
class FileSystem {
  readonly pathnames: PathnameSystem;
  readonly files: HostFiles;
  private serial = 0;

  constructor(pathnames: PathnameSystem, files: HostFiles) {
    this.pathnames = pathnames;
    this.files = files;
  }

  /** Runs a host call; a refusal becomes a FILE-ERROR on the pathname. */
  run<T>(pathname: LispValue, action: () => T): T {
    try {
      return action();
    } catch (error) {
      if (error instanceof HostFault) throw fileError(pathname, error.message);
      throw error;
    }
  }

  /** The absolute native name of a pathname, which must not be wild. */
  native(pathname: Pathname): string {
    if (isWild(pathname.name) || isWild(pathname.type) || directoryParts(pathname.directory).some(isWild)) {
      throw fileError(pathname, "the pathname is wild");
    }
    return this.absolute(this.pathnames.namestring(this.pathnames.merge(pathname)));
  }

  absolute(name: string): string {
    const plain = plainName(name);
    if (plain.startsWith("~/")) return `${this.files.homeDirectory()}${plain.slice(1)}`;
    return plain.startsWith("/") ? plain : `${this.files.currentDirectory()}/${plain}`;
  }

  /** The pathname of a native name, with a trailing slash for directories. */
  pathnameOf(native: string, directory: boolean): Pathname {
    const escaped = native.replace(/[*?[\\]/g, "\\$&");
    return parseNative(
      directory && !escaped.endsWith("/") ? `${escaped}/` : escaped,
      this.pathnames.keywords,
    );
  }

  /** The truename of what a pathname names, or undefined. */
  truename(pathname: Pathname): Pathname | undefined {
    const native = this.native(pathname);
    const info = this.files.info(native);
    const canonical = info && this.files.canonical(native);
    return info && canonical !== undefined
      ? this.pathnameOf(canonical, info.kind === "directory")
      : undefined;
  }

  open(pathname: Pathname, options: OpenOptions, { called, ...rest }: StreamFacts): LispValue {
    const native = this.native(pathname);
    const { direction } = options;
    const exists = this.files.info(native) !== undefined;
    const writes = direction === "OUTPUT" || direction === "IO";
    const ifExists =
      options.ifExists ??
      (writes
        ? pathname.version === this.pathnames.keywords.newest || pathname.version === NIL
          ? "SUPERSEDE"
          : "ERROR"
        : "OVERWRITE");
    const ifMissing =
      options.ifMissing ??
      (direction === "INPUT" || (writes && (ifExists === "OVERWRITE" || ifExists === "APPEND"))
        ? "ERROR"
        : direction === "PROBE"
          ? "NIL"
          : "CREATE");
    if (!exists && ifMissing === "NIL") return NIL;
    if (!exists && ifMissing === "ERROR") throw fileError(pathname, "the file does not exist");
    if (exists && writes && ifExists === "NIL") return NIL;
    if (exists && writes && ifExists === "ERROR") throw fileError(pathname, "the file exists");
    if (exists && writes && this.files.info(native)?.kind === "directory")
      throw fileError(pathname, "it is a directory");
    const replaces = exists && writes && !["OVERWRITE", "APPEND", "TRUNCATE"].includes(ifExists);
    const path = replaces ? `${native}.new-${++this.serial}` : native;
    const file = this.run(pathname, () => this.openNative(path, direction, !exists || replaces, ifExists));
    const stream = new FileStream({
      ...rest,
      files: this.files,
      file: direction === "PROBE" ? undefined : file,
      path,
      renameTo: replaces ? native : undefined,
      created: !exists,
      input: direction === "INPUT" || direction === "IO",
      output: writes,
      pathname: called ?? this.pathnames.merge(pathname),
      truename: this.pathnameOf(this.files.canonical(native) ?? native, false),
    });
    if (direction === "PROBE") stream.close(false);
    else if (exists && ifExists === "APPEND" && writes) stream.setPosition("end");
    return stream;
  }

  private openNative(
    path: string,
    direction: string,
    creates: boolean,
    ifExists: string,
  ): HostFile | undefined {
    const writes = direction === "OUTPUT" || direction === "IO";
    if (direction === "PROBE" && !creates) return undefined;
    const mode = {
      read: direction === "INPUT" || direction === "IO",
      write: writes || (creates && direction !== "INPUT"),
      create: creates,
      exclusive: false,
      truncate: ifExists === "TRUNCATE",
    };
    if (direction === "INPUT" && creates) {
      this.files.open(path, { ...mode, read: false, write: true }).close();
      return this.files.open(path, { ...mode, create: false });
    }
    const file = this.files.open(path, mode);
    if (direction !== "PROBE") return file;
    file.close();
    return undefined;
  }

  /** The truenames of all files a wild pathname matches. */
  matching(pathname: Pathname): Pathname[] {
    const base = this.pathnames.merge(
      this.pathnames.merge(pathname),
      this.pathnameOf(this.files.currentDirectory(), true),
      NIL,
    );
    const names = listToArray(base.directory) ?? [];
    const firstWild = names.findIndex(isWild);
    const fixed = firstWild < 0 ? names : names.slice(0, firstWild);
    const root = new Pathname(NIL, NIL, fixed.length > 0 ? arrayToList(fixed) : NIL, NIL, NIL, NIL);
    const start = this.absolute(this.pathnames.namestring(root) || "./");
    const deep = firstWild >= 0;
    const found = new Map<string, Pathname>();
    this.visit(start, deep, (native, isDirectory) => {
      const each = this.pathnameOf(native, false);
      const asDirectory = this.pathnameOf(native, true);
      const wanted = base.name === NIL && base.type === NIL;
      const matches = wanted
        ? isDirectory && pathnameMatches(asDirectory, base)
        : sameKind(each, base) && pathnameMatches(each, base);
      if (!matches) return;
      const truename = this.truename(each);
      if (truename) found.set(this.pathnames.namestring(truename), truename);
    });
    return [...found.values()];
  }

  private visit(start: string, deep: boolean, each: (native: string, isDirectory: boolean) => void): void {
    const work = [start.endsWith("/") ? start : `${start}/`];
    if (this.files.info(start)?.kind === "directory") each(start.replace(/(.)\/$/, "$1"), true);
    for (let visited = 0; work.length > 0; visited++) {
      if (visited >= maximumDirectories) {
        throw simpleError(
          "AUTOLITH-SYSTEM::SIMPLE-STORAGE-CONDITION",
          "DIRECTORY visited ~D directories, its bound.",
          visited,
        );
      }
      const directory = work.pop()!;
      let entries: string[] = [];
      try {
        entries = this.files.list(directory);
      } catch (error) {
        if (!(error instanceof HostFault)) throw error;
      }
      for (const entry of entries) {
        const native = directory + entry;
        const isDirectory = this.files.info(native)?.kind === "directory";
        each(native, isDirectory);
        if (isDirectory && deep) work.push(`${native}/`);
      }
    }
  }
}

/** For DIRECTORY a missing name or type of the wildcard stands for a missing one. */
function sameKind(pathname: Pathname, wild: Pathname): boolean {
  return (wild.type !== NIL || pathname.type === NIL) && (wild.name !== NIL || pathname.name === NIL);
}

interface StreamFacts {
  element: FileElement;
  elementType: LispValue;
  externalFormat: LispValue;
  codec: NonNullable<ReturnType<typeof codecNamed>>;
  replacement: number | undefined;
  /** The pathname of the stream where that is not the file's own: a logical one. */
  called: Pathname | undefined;
}

function optionName(value: LispValue | undefined, allowed: readonly string[]): string | undefined {
  if (value === undefined) return undefined;
  const name = value instanceof LSymbol ? value.name : "";
  if (allowed.includes(name)) return name;
  throw typeError(value, `(MEMBER ${allowed.map((each) => (each === "NIL" ? each : `:${each}`)).join(" ")})`);
}

const ifExistsNames = [
  "ERROR",
  "NEW-VERSION",
  "RENAME",
  "RENAME-AND-DELETE",
  "OVERWRITE",
  "APPEND",
  "SUPERSEDE",
  "TRUNCATE",
  "NIL",
];

function elementOf(bits: LispValue, signed: LispValue): FileElement {
  return typeof bits === "number" ? { kind: "integer", bits, signed: signed !== NIL } : { kind: "character" };
}

function codecOf(format: LispValue | undefined): StreamFacts["codec"] {
  const first = format instanceof Cons ? format.car : format;
  if (first === undefined || first === NIL) return "utf-8";
  const codec = first instanceof LSymbol ? codecNamed(first.name) : undefined;
  if (codec === undefined) throw simpleError("SIMPLE-ERROR", "~S is no external format.", first);
  return codec;
}

/** Code of the character after :REPLACEMENT in a list that designates an external format. */
function replacementIn(format: LispValue | undefined): number | undefined {
  const items = format instanceof Cons ? (listToArray(format.cdr) ?? []) : [];
  const at = items.findIndex((item) => item instanceof LSymbol && item.name === "REPLACEMENT");
  const value = at < 0 ? undefined : items[at + 1];
  if (value instanceof Char) return value.code;
  return value instanceof LString && value.length === 1 ? value.code(0) : undefined;
}

function installOpen(define: DefineLeaf, host: LeafHost, system: FileSystem): void {
  define(
    "SYS:%OPEN",
    "filename direction element-type bits signed &key if-exists if-does-not-exist external-format called",
    (
      designator: LispValue,
      direction: LispValue,
      elementType: LispValue,
      bits: LispValue,
      signed: LispValue,
      ifExists?: LispValue,
      ifMissing?: LispValue,
      format?: LispValue,
      called?: LispValue,
    ) => {
      const options: OpenOptions = {
        direction: optionName(direction, ["INPUT", "OUTPUT", "IO", "PROBE"]) ?? "INPUT",
        ifExists: optionName(ifExists, ifExistsNames),
        ifMissing: optionName(ifMissing, ["ERROR", "CREATE", "NIL"]),
      };
      return system.open(system.pathnames.designated(designator), options, {
        element: elementOf(bits, signed),
        elementType,
        codec: codecOf(format),
        replacement: replacementIn(format),
        externalFormat: format ?? host.symbol(":DEFAULT"),
        called: called === undefined ? undefined : system.pathnames.designated(called),
      });
    },
  );
}

function required(system: FileSystem, designator: LispValue): Pathname {
  const pathname = system.pathnames.designated(designator);
  const found = system.truename(pathname);
  if (!found) throw fileError(pathname, "the file does not exist");
  return found;
}

function installFiles(define: DefineLeaf, host: LeafHost, system: FileSystem): void {
  const { files, pathnames } = system;
  define("SYS:%TRUENAME", "filename", (designator: LispValue) => {
    if (designator instanceof FileStream) return designator.options.truename as LispValue;
    return required(system, designator);
  });
  define(
    "SYS:%PROBE-FILE",
    "pathspec",
    (designator: LispValue) => system.truename(pathnames.designated(designator)) ?? NIL,
  );
  define("SYS:%DIRECTORY", "pathspec", (designator: LispValue) =>
    arrayToList(system.matching(pathnames.designated(designator))),
  );
  define("SYS:%DELETE-FILE", "filespec", (designator: LispValue) => {
    const pathname = pathnames.designated(designator);
    system.run(pathname, () => files.removeFile(system.native(pathname)));
    return T;
  });
  define(
    "SYS:%RENAME-FILE",
    "file new-name",
    (file: LispValue, name: LispValue) => {
      const from = pathnames.merge(pathnames.designated(file));
      const to = pathnames.merge(pathnames.designated(name), undefined, NIL);
      const old = required(system, from);
      system.run(from, () => files.rename(system.native(from), system.native(to)));
      return host.values(to, old, system.truename(to) ?? NIL);
    },
    { values: true },
  );
  define("SYS:%FILE-WRITE-DATE", "pathspec", (designator: LispValue) => {
    const pathname = pathnames.designated(designator);
    const info = files.info(system.native(pathname));
    if (!info) throw fileError(pathname, "the file does not exist");
    return Math.floor(info.modifiedAtMs / 1000) + 2_208_988_800;
  });
  define("SYS:%FILE-AUTHOR", "pathspec", (designator: LispValue) => {
    const pathname = pathnames.designated(designator);
    const info = files.info(system.native(pathname));
    if (!info) throw fileError(pathname, "the file does not exist");
    return info.owner === undefined ? NIL : LString.from(info.owner);
  });
  define("SYS:%MAKE-DIRECTORY", "native-name", (name: LispValue) => {
    const path = system.absolute((name as LString).toJS());
    if (files.info(path)?.kind === "directory") return NIL;
    system.run(name, () => files.makeDirectory(path));
    return T;
  });
  define("SYS:%NATIVE-PATHNAME", "native-name", (name: LispValue) =>
    system.pathnameOf((name as LString).toJS(), false),
  );
  define("SYS:%HOME-DIRECTORY", "", () => system.pathnameOf(files.homeDirectory(), true));
  define("SYS:%CURRENT-DIRECTORY", "", () => system.pathnameOf(files.currentDirectory(), true));
  define("SYS:%FILE-STREAM-P", "object", (object: LispValue) => (object instanceof FileStream ? T : NIL));
  define("SYS:%NATIVE-NAME", "pathname", (designator: LispValue) => {
    if (designator instanceof Pathname || designator instanceof LString) {
      return LString.from(system.native(pathnames.designated(designator)));
    }
    throw typeError(designator, "(OR PATHNAME STRING)");
  });
}

/** Installer of the file functions (chapter 20) for an image that may use the files of this port. */
export function filesInstaller(port: HostPort): LeafInstaller {
  return (define, host) => {
    const system = new FileSystem(pathnameSystem(host), port.files);
    installOpen(define, host, system);
    installFiles(define, host, system);
  };
}
