/**
 * What the Lisp's streams, pathnames and environment functions need from the machine they run on. The image never
 * touches the machine itself: the host passes an implementation, which may restrict it to a folder or refuse it whole.
 * Every call is synchronous, bounded by the size of its buffer, and throws `HostFault` when the machine refuses.
 */

/** Why a host call failed; `errno` names are mapped to these by the implementation. */
export type HostFaultCode =
  | "not-found"
  | "exists"
  | "is-directory"
  | "not-directory"
  | "not-empty"
  | "denied"
  | "unsupported"
  | "failed";

/** A host call that the machine refused. The image reports it as a FILE-ERROR or STREAM-ERROR. */
export class HostFault extends Error {
  readonly code: HostFaultCode;
  constructor(code: HostFaultCode, message: string) {
    super(message);
    this.name = "HostFault";
    this.code = code;
  }
}

/** An open file. Positions and lengths are bytes. */
export interface HostFile {
  /** Reads at most `length` bytes at `position` into `buffer` from `offset`; 0 means end of file. */
  read(buffer: Uint8Array, offset: number, length: number, position: number): number;
  /** Writes all bytes at `position`. */
  write(buffer: Uint8Array, offset: number, length: number, position: number): void;
  size(): number;
  /** Waits until what was written is on the medium. */
  sync(): void;
  close(): void;
}

/** What a path names; times are epoch milliseconds. */
export interface HostFileInfo {
  kind: "file" | "directory" | "other";
  size: number;
  modifiedAtMs: number;
  owner: string | undefined;
}

/** How a file is opened: `create` makes it when absent, `exclusive` fails when present, `truncate` empties it. */
export interface HostOpenMode {
  read: boolean;
  write: boolean;
  create: boolean;
  exclusive: boolean;
  truncate: boolean;
}

/** The file system as the image sees it; paths are absolute native names. */
export interface HostFiles {
  currentDirectory(): string;
  homeDirectory(): string;
  open(path: string, mode: HostOpenMode): HostFile;
  /** Follows symbolic links; undefined when there is nothing. */
  info(path: string): HostFileInfo | undefined;
  /** Canonical name with links resolved; undefined when there is nothing. */
  canonical(path: string): string | undefined;
  /** Entry names of a directory, sorted. */
  list(path: string): string[];
  rename(from: string, to: string): void;
  removeFile(path: string): void;
  removeDirectory(path: string): void;
  makeDirectory(path: string): void;
}

/**
 * The text channels of the process. `readInput` gives the next bytes of standard input: an empty array at the end of
 * input, undefined when nothing is there yet (the green thread then waits with `inputReady`).
 */
export interface HostTerminal {
  readInput(): Uint8Array | undefined;
  /** Settles when `readInput` has something to say. */
  inputReady(): Promise<void>;
  /** True when `readInput` would not block and has bytes. */
  inputPending(): boolean;
  writeOutput(text: string): void;
  writeError(text: string): void;
  /** Columns of the output, undefined when it is no terminal. */
  width(): number | undefined;
}

/** Facts about the machine for the environment functions (chapter 25). */
export interface HostMachine {
  instance: string;
  type: string;
  version: string;
  softwareType: string;
  softwareVersion: string;
  /** Wall clock, epoch milliseconds. */
  now(): number;
  /** Monotonic clock, milliseconds. */
  monotonicMs(): number;
  /** Processor time used, milliseconds. */
  cpuMs(): number;
  /** Heap in use and heap limit, bytes. */
  heap(): { used: number; limit: number };
  /** Minutes west of Greenwich at an instant, and whether daylight saving time holds. */
  zone(atMs: number): { minutesWest: number; daylight: boolean };
  environment(name: string): string | undefined;
}

/** All of the machine an image may use. */
export interface HostPort {
  files: HostFiles;
  terminal: HostTerminal;
  machine: HostMachine;
}
