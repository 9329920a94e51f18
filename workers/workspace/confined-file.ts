import { closeSync, constants, openSync, readlinkSync, realpathSync } from "node:fs";
import type { Stats } from "node:fs";
import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ToolContext } from "../../orchestrator/contract/tool.ts";
import { ResourceError } from "../../orchestrator/resources/resource-scheme.ts";
import { RegularFile } from "./regular-file.ts";

/** A path whose links are resolved and whose use was allowed. */
export interface AllowedPath {
  /** Absolute real path; the last parts may not exist. */
  readonly path: string;
  readonly exists: boolean;
}

/** Most links and missing parts looked at on the way to an existing ancestor. */
const ancestorLimit = 256;

/** How long a directory that has answered is taken to answer again, in ms. */
const answersForMs = 250;

/** Directories whose file systems have answered the thread pool lately, with the time of the answer, oldest first. */
const answered = new Map<string, number>();
const answeredLimit = 64;

function noteAnswer(directory: string): void {
  answered.delete(directory);
  answered.set(directory, performance.now());
  const [oldest] = answered.keys();
  if (answered.size > answeredLimit && oldest !== undefined) answered.delete(oldest);
}

/**
 * The real path, asked of the thread pool: a file system that does not answer holds up a thread of it and nobody else. One that has answered
 * this moment, for a path in the same directory, is asked on the spot, which takes a fraction of the time.
 */
async function realPathOf(path: string): Promise<string> {
  const directory = dirname(path);
  if (performance.now() - (answered.get(directory) ?? -Infinity) < answersForMs)
    return realpathSync.native(path);
  const real = await realpath(path);
  noteAnswer(directory);
  return real;
}

/** The real path of what exists of `path`, and whether all of it does. Throws {@link ResourceError}. */
async function resolvePath(path: string): Promise<AllowedPath> {
  const missing: string[] = [];
  for (let at = path; missing.length < ancestorLimit; at = dirname(at)) {
    try {
      const real = await realPathOf(at);
      return { path: join(real, ...missing), exists: missing.length === 0 };
    } catch (error) {
      const code = codeOf(error);
      if (code !== "ENOENT" || at === dirname(at)) throw pathFailure(error, path);
      if (await isLink(at)) {
        throw new ResourceError("not-found", `${at} is a symbolic link to something that does not exist.`);
      }
      missing.unshift(basename(at));
    }
  }
  throw new ResourceError("not-found", `${path} lies too deep below the last directory that exists.`);
}

async function isLink(path: string): Promise<boolean> {
  try {
    await readlink(path);
    return true;
  } catch {
    // EINVAL: no link. ENOENT: nothing there.
    return false;
  }
}

/** Whether a path is, or lies in, a repository's or our own configuration directory. */
function isGuarded(path: string): boolean {
  return path.split("/").some((part) => /^\.(?:git|autolith)$/i.test(part));
}

/** Resolves a path and asks the caller's authority for it. Throws {@link ResourceError} `permission-denied`. */
export async function allowedPath(
  path: string,
  access: "read" | "write",
  context: ToolContext,
): Promise<AllowedPath> {
  const resolved = await resolvePath(path);
  if (access === "write" && context.authority.mode !== "full" && isGuarded(resolved.path)) {
    throw new ResourceError(
      "permission-denied",
      `${resolved.path} may not be written in permission mode ${context.authority.mode}: git's own files and .autolith decide what runs outside the sandbox.`,
    );
  }
  const decision = await context.authority.decidePath(
    { path: resolved.path, access, callId: context.callId, caller: context.caller },
    context.signal,
  );
  if (decision.kind === "allowed") return resolved;
  throw new ResourceError(
    "permission-denied",
    `${resolved.path} may not be ${access === "read" ? "read" : "written"}: ${decision.reason}`,
  );
}

/**
 * A directory held open, so that what is done in it is done in this very directory although somebody renames or links
 * its path meanwhile.
 */
export class HeldDirectory {
  readonly #descriptor: number;
  readonly #path: string;

  private constructor(descriptor: number, path: string) {
    this.#descriptor = descriptor;
    this.#path = path;
  }

  /** Opens the real path of a directory. Throws {@link ResourceError} when a link has taken its place. */
  static open(path: string): HeldDirectory {
    let descriptor: number;
    try {
      descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    } catch (error) {
      throw pathFailure(error, path);
    }
    const held = new HeldDirectory(descriptor, path);
    // The kernel answers this itself, whatever file system the directory is on.
    if (held.#isPinned() && readlinkSync(held.#pinned()) !== path) {
      held.close();
      throw new ResourceError("permission-denied", `${path} changed while it was being opened. Try again.`);
    }
    return held;
  }

  /** A path that leads to `name` in this directory, whatever its own path leads to by now. */
  pathOf(name: string): string {
    return join(this.#isPinned() ? this.#pinned() : this.#path, name);
  }

  #isPinned(): boolean {
    return process.platform === "linux";
  }

  #pinned(): string {
    return `/proc/self/fd/${this.#descriptor}`;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/**
 * Opens a real path for reading without following a link that has taken its place and without waiting for a device.
 * Undefined when it is a directory. Throws {@link ResourceError} `not-found`, `not-regular` or `permission-denied`.
 */
export function openRegular(directory: HeldDirectory, path: string): RegularFile | undefined {
  let file: RegularFile;
  try {
    file = RegularFile.open(
      directory.pathOf(basename(path)),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
  } catch (error) {
    throw pathFailure(error, path);
  }
  const { stats } = file;
  if (stats.isFile()) return file;
  file.close();
  if (stats.isDirectory()) return undefined;
  throw new ResourceError("not-regular", `${path} is a ${kindOf(stats)}, neither a file nor a directory.`);
}

function kindOf(stats: Stats): string {
  if (stats.isFIFO()) return "pipe";
  if (stats.isSocket()) return "socket";
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return "device";
  return "special file";
}

/** The typed form of what a file operation on a user's path threw. */
export function pathFailure(error: unknown, path: string): unknown {
  if (error instanceof ResourceError) return error;
  switch (codeOf(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return new ResourceError("not-found", `There is no ${path}.`, { cause: error });
    case "EACCES":
    case "EPERM":
      return new ResourceError("permission-denied", `The system does not let this user use ${path}.`, {
        cause: error,
      });
    case "ELOOP":
      return new ResourceError(
        "permission-denied",
        `${path} is a symbolic link now, or part of a ring of links.`,
        { cause: error },
      );
    case "ENXIO":
      return new ResourceError("not-regular", `${path} is a socket or device that cannot be opened.`, {
        cause: error,
      });
    case "ENAMETOOLONG":
      return new ResourceError(
        "not-found",
        `A name in ${path.slice(0, 200)}… is longer than the file system allows.`,
        { cause: error },
      );
    case undefined:
      return error;
    default:
      return new ResourceError("resource-unavailable", `${path} cannot be used (${codeOf(error)}).`, {
        cause: error,
      });
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
