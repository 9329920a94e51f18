/**
 * The files of an image that may use one directory tree only. Names are resolved before they are used, and used through their directory
 * held open, so that a link that takes its place meanwhile leads nowhere else.
 */
import { closeSync, constants, lstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { type HostFileInfo, type HostFiles, HostFault } from "../../lisp/streams/host-port.ts";
import { nodeFiles, openNodeFile } from "../../lisp/streams/node-host.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Directories in the tree that are never written: git runs what is in the one, autolith reads roles from the other. */
const protectedName = /^\.(?:git|autolith)$/i;

/** What is said of everything outside, whether it exists or not. */
const outsideInfo: HostFileInfo = { kind: "other", size: 0, modifiedAtMs: 0, owner: undefined };

/** The tree below `root`, an absolute real path. Relative names begin at `directory`. */
export function treeFiles(root: string, directory: string): HostFiles {
  const inside = (path: string): string | undefined => {
    const real = realPath(path);
    const way = relative(root, real);
    return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)) ? real : undefined;
  };
  const readable = (path: string): string => {
    const real = inside(path);
    if (real !== undefined) return real;
    throw new HostFault(
      "denied",
      `it is outside of ${root}, all that this REPL may use in the permission mode it was started in`,
    );
  };
  const writable = (path: string): string => {
    // The last part itself is what is written: where it is a link, the link is.
    const real = join(readable(dirname(path)), basename(path));
    const guard = relative(root, real)
      .split(sep)
      .find((part) => protectedName.test(part));
    if (guard === undefined) return real;
    throw new HostFault("denied", `it is inside ${guard}, which only permission mode full writes`);
  };
  return {
    currentDirectory: () => directory,
    homeDirectory: () => nodeFiles.homeDirectory(),
    open: (path, mode) => {
      const real = mode.write ? writable(readable(path)) : readable(path);
      return held(real, (pinned) => openNodeFile(pinned, mode, O_NOFOLLOW | O_NONBLOCK));
    },
    info: (path) => {
      const real = inside(path);
      return real === undefined ? outsideInfo : nodeFiles.info(real);
    },
    canonical: (path) => {
      const real = inside(path);
      return real === undefined ? undefined : nodeFiles.canonical(real);
    },
    list: (path) => inHeld(readable(path), (pinned) => nodeFiles.list(pinned)),
    rename: (from, to) =>
      held(writable(from), (source) => held(writable(to), (target) => nodeFiles.rename(source, target))),
    removeFile: (path) => held(writable(path), (pinned) => nodeFiles.removeFile(pinned)),
    removeDirectory: (path) => held(writable(path), (pinned) => nodeFiles.removeDirectory(pinned)),
    makeDirectory: (path) => held(writable(path), (pinned) => nodeFiles.makeDirectory(pinned)),
  };
}

/** The path with all links followed that exist; one that leads nowhere, or cannot be followed, leads to the root. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    return isPresent(path) ? sep : join(realPath(parent), basename(path));
  }
}

function isPresent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // What cannot be looked at may be anything.
    return true;
  }
}

/** Does something with a name in its directory held open. Where directories cannot be held the name itself is used. */
function held<Result>(path: string, use: (pinned: string) => Result): Result {
  return inHeld(dirname(path), (pinned) => use(join(pinned, basename(path))));
}

/** Does something in a directory held open; `directory` is its real path. */
function inHeld<Result>(directory: string, use: (pinned: string) => Result): Result {
  if (process.platform !== "linux") return use(directory);
  let descriptor: number;
  try {
    descriptor = openSync(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    throw new HostFault("not-found", (error as Error).message);
  }
  const pinned = `/proc/self/fd/${descriptor}`;
  try {
    if (readlinkSync(pinned) !== directory)
      throw new HostFault("denied", "its directory was replaced at this moment");
    return use(pinned);
  } finally {
    closeSync(descriptor);
  }
}
