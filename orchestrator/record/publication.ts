import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fdatasync,
  fsync,
  linkSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { type FileHandle, link, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { failureOf } from "../contract/failure.ts";
import { errnoOf, recordFailure } from "./failure.ts";
import { hasProcess } from "./process-identity.ts";
import { createDirectory, createPrivateDirectory } from "./roots.ts";

const privateMode = 0o600;

/** How a file is put in place. */
export interface PublicationOptions {
  /** Permission bits; default 0600. */
  readonly mode?: number;
  /** Refuse with `already-exists` when the file is there already; default: replace it. */
  readonly once?: boolean;
  /** Sync the file and its directory before returning, so that loss of power cannot undo it; default true. */
  readonly durable?: boolean;
}

/**
 * Puts a complete file at `path`, or nothing at all: readers see the old content or the new, never a part. Missing parent
 * directories are created (0700). No temporary file is left behind by a failure; one left by a killed process is removed
 * by `removeAbandonedTemporaries`.
 *
 * @throws RecordError `already-exists` (with `once`), `no-space`, `read-only`, `input-output`.
 */
export async function publishFile(
  path: string,
  content: string | Uint8Array,
  options: PublicationOptions = {},
): Promise<void> {
  const { mode = privateMode, once = false, durable = true } = options;
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const temporary = temporaryName(path);
  let temporaryExists = false;
  try {
    if (bytes.length <= immediateBytes && (await putNow(temporary, path, bytes, { mode, once, durable })))
      return;
    const handle = await openIn(dirname(path), temporary, mode);
    temporaryExists = true;
    try {
      await writeFully(handle, bytes);
      // Only bits for others can have fallen to the umask.
      if (mode !== privateMode) await handle.chmod(mode);
      if (durable) await handle.datasync();
    } finally {
      await handle.close();
    }
    if (once) {
      // A hard link is the only step that both installs a whole file and refuses to replace one.
      await link(temporary, path);
    } else {
      await rename(temporary, path);
      temporaryExists = false;
    }
    if (durable) await syncDirectory(dirname(path));
  } catch (error) {
    throw recordFailure(error, path, "publish");
  } finally {
    if (temporaryExists) await unlink(temporary).catch(ignoreMissing);
  }
}

/**
 * Largest file that is put in place by steps of which none but a sync is handed to a thread of the system's pool, in bytes. Each step takes
 * microseconds; handing it over and being told takes several times as long.
 */
const immediateBytes = 16_384;

const [datasync, fullSync] = [promisify(fdatasync), promisify(fsync)];

/** False when the directory is missing; nothing has been done then. */
async function putNow(
  temporary: string,
  path: string,
  bytes: Uint8Array,
  { mode, once, durable }: Required<PublicationOptions>,
): Promise<boolean> {
  const descriptor = createdNow(temporary, mode);
  if (descriptor === undefined) return false;
  let temporaryExists = true;
  try {
    try {
      for (let done = 0; done < bytes.length;)
        done += writeSync(descriptor, bytes, done, bytes.length - done, done);
      if (mode !== privateMode) fchmodSync(descriptor, mode);
      if (durable) await datasync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (once) {
      linkSync(temporary, path);
    } else {
      renameSync(temporary, path);
      temporaryExists = false;
    }
  } finally {
    if (temporaryExists) unlinkNow(temporary);
  }
  if (durable) await syncDirectory(dirname(path));
  return true;
}

/** Undefined when the directory is missing. */
function createdNow(path: string, mode: number): number | undefined {
  try {
    return openSync(path, "wx", mode);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function unlinkNow(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    ignoreMissing(error);
  }
}

/**
 * Why no file can be put at `path`, as a clause for a message, or undefined when one can: asked before work whose result is to go
 * there. Missing directories are made with `directoryMode`; a file is made beside `path` and removed again, since permission bits
 * alone do not tell. What is at `path` is not touched.
 */
export async function publicationProblem(path: string, directoryMode = 0o777): Promise<string | undefined> {
  try {
    const existing = await stat(path).catch(() => undefined);
    // A rename would replace a device or a pipe by a file.
    if (existing?.isFile() === false)
      return `it is ${existing.isDirectory() ? "a directory" : "a device, pipe or socket"}; name a regular file or one that does not exist`;
    await createDirectory(dirname(path), directoryMode);
    const probe = temporaryName(path);
    await (await open(probe, "wx", privateMode)).close();
    await unlink(probe);
    return undefined;
  } catch (error) {
    return failureOf(directoryFailure(error, path)).message;
  }
}

function directoryFailure(error: unknown, path: string): unknown {
  const [directory, errno] = [dirname(path), errnoOf(error)];
  if (errno === "ENOTDIR" || errno === "EEXIST")
    return new Error(`a part of ${directory} is a file, not a directory`, { cause: error });
  return recordFailure(error, directory, "create a file in");
}

/** Creates the temporary file, and its directory when that turns out to be missing. */
async function openIn(directory: string, temporary: string, mode: number): Promise<FileHandle> {
  try {
    return await open(temporary, "wx", mode);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
    await createPrivateDirectory(directory);
    return open(temporary, "wx", mode);
  }
}

async function writeFully(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += (await handle.write(bytes, done, bytes.length - done, done)).bytesWritten;
  }
}

/** Syncs of directories that have not begun; who asks meanwhile is served by the same. */
const comingSyncs = new Map<string, Promise<void>>();
/** The last sync of each directory that has begun. */
const runningSyncs = new Map<string, Promise<void>>();

/** Makes the names in a directory durable. File systems that cannot sync a directory are taken at their word. */
export function syncDirectory(path: string): Promise<void> {
  const coming = comingSyncs.get(path);
  if (coming !== undefined) return coming;
  const running = runningSyncs.get(path) ?? Promise.resolve();
  const sync = running
    .catch(() => undefined)
    .then(() => {
      comingSyncs.delete(path);
      runningSyncs.set(path, sync);
      return syncNow(path);
    })
    .finally(() => {
      if (runningSyncs.get(path) === sync) runningSyncs.delete(path);
    });
  comingSyncs.set(path, sync);
  return sync;
}

async function syncNow(path: string): Promise<void> {
  const descriptor = openSync(path, "r");
  try {
    await fullSync(descriptor);
  } catch (error) {
    if (errnoOf(error) !== "EINVAL") throw error;
  } finally {
    closeSync(descriptor);
  }
}

const temporaryPattern = /^\..+\.(\d+)\.[0-9a-f]{12}\.publishing$/;

/** Tells this module's instance from those of other threads and of earlier processes with our number. */
const instance = randomBytes(3).toString("hex");
let publications = 0;

function temporaryName(path: string): string {
  publications = (publications + 1) % 0x1000000;
  const unique = instance + publications.toString(16).padStart(6, "0");
  return join(dirname(path), `.${basename(path)}.${process.pid}.${unique}.publishing`);
}

/**
 * Removes temporary files that processes which no longer run left in `directory`, which need not exist. `isAlive` answers
 * whether a process id belongs to a running process. Returns the number removed.
 */
export async function removeAbandonedTemporaries(
  directory: string,
  isAlive: (processId: number) => boolean = hasProcess,
): Promise<number> {
  let removed = 0;
  const names = await readdir(directory).catch((error: unknown) => {
    ignoreMissing(error);
    return [];
  });
  for (const name of names) {
    const match = temporaryPattern.exec(name);
    if (match === null || isAlive(Number(match[1]))) continue;
    await unlink(join(directory, name)).catch(ignoreMissing);
    removed += 1;
  }
  return removed;
}

function ignoreMissing(error: unknown): void {
  if (errnoOf(error) !== "ENOENT") throw error;
}
