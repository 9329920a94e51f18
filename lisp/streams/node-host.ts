import * as fs from "node:fs";
import * as os from "node:os";
import {
  type HostFile,
  type HostFileInfo,
  type HostFiles,
  HostFault,
  type HostFaultCode,
  type HostMachine,
  type HostOpenMode,
  type HostPort,
  type HostTerminal,
} from "./host-port.ts";

/** Own words for what the system refuses; the name of the file is said by whoever reports it. */
const faultWords: Record<string, string> = {
  ENOENT: "there is no such file or directory",
  EEXIST: "it exists already",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of its name is no directory",
  ENOTEMPTY: "the directory is not empty",
  EACCES: "permission is denied",
  EPERM: "the system does not permit it",
  EROFS: "its file system can only be read",
  ENOSPC: "the device is full",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ELOOP: "its symbolic links go round in a circle",
  ENAMETOOLONG: "its name is too long",
  EXDEV: "it cannot move to another file system",
  EBUSY: "it is in use",
  EIO: "the device failed",
  ENXIO: "there is no device behind it",
  EINVAL: "the system does not allow this of it",
};

const faultCodes: Record<string, HostFaultCode> = {
  ENOENT: "not-found",
  EEXIST: "exists",
  EISDIR: "is-directory",
  ENOTDIR: "not-directory",
  ENOTEMPTY: "not-empty",
  EACCES: "denied",
  EPERM: "denied",
};

function guarded<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new HostFault(faultCodes[code] ?? "failed", faultWords[code] ?? message);
  }
}

class NodeFile implements HostFile {
  private readonly descriptor: number;
  constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  read(buffer: Uint8Array, offset: number, length: number, position: number): number {
    return guarded(() => {
      try {
        return fs.readSync(this.descriptor, buffer, offset, length, position);
      } catch (error) {
        // A pipe or a terminal has no positions: it is read from where it is.
        if ((error as NodeJS.ErrnoException).code !== "ESPIPE") throw error;
        return fs.readSync(this.descriptor, buffer, offset, length, null);
      }
    });
  }

  write(buffer: Uint8Array, offset: number, length: number, position: number): void {
    guarded(() => {
      for (let done = 0; done < length;) {
        done += fs.writeSync(this.descriptor, buffer, offset + done, length - done, position + done);
      }
    });
  }

  size(): number {
    return guarded(() => fs.fstatSync(this.descriptor).size);
  }

  sync(): void {
    guarded(() => fs.fsyncSync(this.descriptor));
  }

  close(): void {
    guarded(() => fs.closeSync(this.descriptor));
  }
}

function openFlags({ read, write, create, exclusive, truncate }: HostOpenMode): number {
  const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC } = fs.constants;
  let flags = write ? (read ? O_RDWR : O_WRONLY) : O_RDONLY;
  if (create) flags |= O_CREAT;
  if (exclusive) flags |= O_EXCL;
  if (truncate) flags |= O_TRUNC;
  return flags;
}

function fileInfo(path: string): HostFileInfo | undefined {
  const found = fs.statSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  return {
    kind: found.isDirectory() ? "directory" : found.isFile() ? "file" : "other",
    size: found.size,
    modifiedAtMs: found.mtimeMs,
    owner: found.uid === os.userInfo().uid ? os.userInfo().username : undefined,
  };
}

/** Opens a file, with flags of open(2) beyond those that the mode gives. */
export function openNodeFile(path: string, mode: HostOpenMode, moreFlags = 0): HostFile {
  return guarded(() => new NodeFile(fs.openSync(path, openFlags(mode) | moreFlags, 0o666)));
}

/** The whole file system of the machine. */
export const nodeFiles: HostFiles = {
  currentDirectory: () => process.cwd(),
  homeDirectory: () => os.homedir(),
  open: (path, mode) => openNodeFile(path, mode),
  info(path) {
    try {
      return fileInfo(path);
    } catch {
      // A component that is no directory, or one that may not be searched: there is nothing the image could open.
      return undefined;
    }
  },
  canonical(path) {
    try {
      return fs.realpathSync.native(path);
    } catch {
      // What /dev/stdin leads to has no name when it is a pipe.
      return fs.existsSync(path) ? path : undefined;
    }
  },
  list: (path) => guarded(() => fs.readdirSync(path).toSorted()),
  rename: (from, to) => guarded(() => fs.renameSync(from, to)),
  removeFile: (path) => guarded(() => fs.unlinkSync(path)),
  removeDirectory: (path) => guarded(() => fs.rmdirSync(path)),
  makeDirectory: (path) => guarded(() => fs.mkdirSync(path)),
};

/** Standard input read synchronously: for a process that has nothing else to do while it waits. */
function blockingTerminal(): HostTerminal {
  const buffer = new Uint8Array(65_536);
  const wait = new Int32Array(new SharedArrayBuffer(4));
  const write = (descriptor: number, text: string): void => {
    const bytes = Buffer.from(text, "utf8");
    for (let done = 0; done < bytes.length;) {
      try {
        done += fs.writeSync(descriptor, bytes, done);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
        Atomics.wait(wait, 0, 0, 5);
      }
    }
  };
  return {
    readInput() {
      for (;;) {
        try {
          return buffer.slice(0, fs.readSync(0, buffer, 0, buffer.length, null));
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException;
          if (code === "EOF") return new Uint8Array();
          if (code !== "EAGAIN") throw error;
          Atomics.wait(wait, 0, 0, 5);
        }
      }
    },
    inputReady: () => Promise.resolve(),
    inputPending: () => false,
    writeOutput: (text) => write(1, text),
    writeError: (text) => write(2, text),
    width: () => (process.stdout.isTTY ? process.stdout.columns : undefined),
  };
}

/** Minutes west of Greenwich of the local zone at an instant. */
function zoneAt(atMs: number): { minutesWest: number; daylight: boolean } {
  const at = new Date(atMs);
  const offsets = [0, 6].map((month) => new Date(at.getFullYear(), month, 1).getTimezoneOffset());
  const standard = Math.max(...offsets);
  const now = at.getTimezoneOffset();
  return { minutesWest: standard, daylight: now < standard };
}

/** Facts about this machine. */
const nodeMachine: HostMachine = {
  instance: os.hostname(),
  type: os.machine(),
  version: os.cpus()[0]?.model ?? os.arch(),
  softwareType: os.type(),
  softwareVersion: os.release(),
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  cpuMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  heap() {
    const { heapUsed, rss } = process.memoryUsage();
    return { used: heapUsed, limit: rss };
  },
  zone: zoneAt,
  environment: (name) => process.env[name],
};

/** The port of a process that gives its image the whole machine. */
export function nodeHostPort(): HostPort {
  return { files: nodeFiles, terminal: blockingTerminal(), machine: nodeMachine };
}
