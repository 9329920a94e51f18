import type { LispValue } from "./value.ts";

/** A pathname: components as Lisp values (strings, keywords, NIL; the directory is a list). Logical pathnames have a logical host. */
export class Pathname {
  readonly host: LispValue;
  readonly device: LispValue;
  readonly directory: LispValue;
  readonly name: LispValue;
  readonly type: LispValue;
  readonly version: LispValue;
  readonly logical: boolean;
  constructor(
    host: LispValue,
    device: LispValue,
    directory: LispValue,
    name: LispValue,
    type: LispValue,
    version: LispValue,
    logical = false,
  ) {
    this.host = host;
    this.device = device;
    this.directory = directory;
    this.name = name;
    this.type = type;
    this.version = version;
    this.logical = logical;
  }
}
