import { Cons } from "../data/cons.ts";
import { LispError, simpleError, typeError } from "../data/error.ts";
import type { LeafHost } from "../data/leaf.ts";
import { Pathname } from "../data/pathname.ts";
import { LString } from "../data/string.ts";
import { LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { FileStream } from "../streams/file-stream.ts";
import { SynonymStream } from "../streams/composite-streams.ts";
import { type PathKeywords, WildPattern } from "./components.ts";
import { logicalDirectory, logicalFile, logicalHostOf, parseLogical } from "./logical-names.ts";
import { mergePathnames } from "./merging.ts";
import { NameProblem, nativeDirectory, nativeFile, parseNative } from "./native-names.ts";

/** Pathnames of one image: its logical hosts and its default. */
export class PathnameSystem {
  readonly keywords: PathKeywords;
  /** Translations by upper-case host name: Lisp lists of (from to). */
  readonly logicalHosts = new Map<string, LispValue>();
  private readonly defaults: LSymbol;
  private readonly host: LeafHost;

  constructor(host: LeafHost) {
    this.host = host;
    const key = (name: string): LSymbol => host.symbol(`:${name}`);
    this.keywords = {
      absolute: key("ABSOLUTE"),
      relative: key("RELATIVE"),
      wild: key("WILD"),
      wildInferiors: key("WILD-INFERIORS"),
      up: key("UP"),
      back: key("BACK"),
      home: key("HOME"),
      newest: key("NEWEST"),
      unspecific: key("UNSPECIFIC"),
    };
    this.defaults = host.symbol("*DEFAULT-PATHNAME-DEFAULTS*");
  }

  get defaultPathname(): Pathname {
    const { value } = this.defaults;
    return value instanceof Pathname ? value : this.parse("");
  }

  /** The pathname of a namestring: logical when it begins with the name of a logical host. */
  parse(text: string): Pathname {
    const host = logicalHostOf(text);
    if (host !== undefined && this.logicalHosts.has(host)) {
      return parseLogical(LString.from(host), text.slice(text.indexOf(":") + 1), this.keywords);
    }
    return parseNative(text, this.keywords);
  }

  /** As `parse`; a text that is no namestring is a PARSE-ERROR. */
  parsed(text: string): Pathname {
    try {
      return this.parse(text);
    } catch (error) {
      if (!(error instanceof NameProblem)) throw error;
      throw simpleError(
        "AUTOLITH-SYSTEM::SIMPLE-PARSE-ERROR",
        "~S is no namestring: ~A.",
        LString.from(text),
        LString.from(error.message),
      );
    }
  }

  /** The pathname a designator (pathname, string, file stream) stands for. */
  designated(value: LispValue): Pathname {
    if (value instanceof Pathname) return value;
    if (value instanceof LString) return this.parsed(value.toJS());
    const stream = value instanceof SynonymStream ? value.target() : value;
    if (stream instanceof FileStream) return stream.options.pathname as Pathname;
    throw typeError(value, "(OR PATHNAME STRING FILE-STREAM)");
  }

  private failing<T>(pathname: Pathname, action: () => T): T {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof NameProblem)) throw error;
      throw new LispError("AUTOLITH-SYSTEM::SIMPLE-FILE-ERROR", [
        ["PATHNAME", pathname],
        ["FORMAT-CONTROL", "The pathname has no namestring: ~A."],
        ["FORMAT-ARGUMENTS", [LString.from(error.message)]],
      ]);
    }
  }

  hostNamestring(pathname: Pathname): string {
    return pathname.logical && pathname.host instanceof LString ? pathname.host.toJS() : "";
  }

  directoryNamestring(pathname: Pathname): string {
    return this.failing(pathname, () =>
      pathname.logical ? logicalDirectory(pathname.directory) : nativeDirectory(pathname.directory),
    );
  }

  fileNamestring(pathname: Pathname): string {
    return this.failing(pathname, () =>
      pathname.logical ? logicalFile(pathname) : nativeFile(pathname.name, pathname.type),
    );
  }

  namestring(pathname: Pathname): string {
    const host = this.hostNamestring(pathname);
    return (
      (host === "" ? "" : `${host}:`) + this.directoryNamestring(pathname) + this.fileNamestring(pathname)
    );
  }

  /** The namestring, or undefined when there is none. */
  namestringIfAny(pathname: Pathname): string | undefined {
    try {
      return this.namestring(pathname);
    } catch (error) {
      if (error instanceof LispError) return undefined;
      throw error;
    }
  }

  merge(
    pathname: Pathname,
    defaults = this.defaultPathname,
    version: LispValue = this.keywords.newest,
  ): Pathname {
    return mergePathnames(pathname, defaults, version);
  }

  /** A pathname and the position where parsing ended, as two values. */
  hostValues(pathname: LispValue, position: number): LispValue {
    return this.host.values(pathname, position);
  }

  /** The host of a logical pathname, checked to be defined. */
  requireHost(value: LispValue): string {
    const name = value instanceof LString ? value.toJS().toUpperCase() : "";
    if (!this.logicalHosts.has(name)) {
      throw new LispError("SIMPLE-TYPE-ERROR", [
        ["DATUM", value],
        ["EXPECTED-TYPE", "(SATISFIES AUTOLITH-SYSTEM::%LOGICAL-HOST-P)"],
        ["FORMAT-CONTROL", "~S is not defined as a logical host."],
        ["FORMAT-ARGUMENTS", [value]],
      ]);
    }
    return name;
  }
}

const componentTypes: Record<string, string> = {
  name: "(OR STRING SYMBOL)",
  type: "(OR STRING SYMBOL)",
  device: "(OR STRING SYMBOL)",
  directory: "(OR STRING SYMBOL CONS)",
};

/** An argument of MAKE-PATHNAME, checked to be what the component may be. */
export function componentArgument(value: LispValue, what: string): LispValue {
  if (value instanceof LString || value instanceof LSymbol || value instanceof WildPattern) return value;
  if (what === "directory" && value instanceof Cons) return value;
  throw typeError(value, componentTypes[what] ?? "STRING");
}

const systems = new WeakMap<LeafHost, PathnameSystem>();

/** The pathname system of an image, made when first asked for. */
export function pathnameSystem(host: LeafHost): PathnameSystem {
  let found = systems.get(host);
  if (!found) systems.set(host, (found = new PathnameSystem(host)));
  return found;
}
