import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import type { Stats } from "node:fs";
import { access, link, lstat, open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describeWriteFailure } from "../shell/file-system-name.ts";
import { ResourceError } from "../../orchestrator/resources/resource-scheme.ts";
import { codeOf, pathFailure } from "./confined-file.ts";
import type { HeldDirectory } from "./confined-file.ts";
import type { PublicationMark } from "./publication-mark.ts";

/**
 * Puts `bytes` in the place of a file as one step: readers see the old content or the new. Mode and, where allowed, owner
 * of the old file are kept. `before` is what the old file was when it was read (undefined: it did not exist); when
 * something else is there now nothing is changed. `mark` names the temporary file while it exists. Throws
 * {@link ResourceError}.
 */
export async function publishText(
  directory: HeldDirectory,
  path: string,
  bytes: Uint8Array,
  { before, mark }: { readonly before: Stats | undefined; readonly mark: PublicationMark },
): Promise<void> {
  const target = directory.pathOf(basename(path));
  if (before !== undefined) await refuseUnwritable(target, path);
  const name = `.${basename(path).slice(0, 100)}.${randomBytes(6).toString("hex")}.autolith`;
  const temporary = directory.pathOf(name);
  let exists = false;
  await mark.set(join(dirname(path), name));
  try {
    const handle = await open(temporary, "wx", before === undefined ? 0o666 : before.mode & 0o777);
    exists = true;
    try {
      await handle.writeFile(bytes);
      if (before !== undefined) {
        await keepOwner(handle, before);
        await handle.chmod(before.mode & 0o7777);
      }
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await refuseChanged(target, path, before);
    if (before === undefined) await installNew(temporary, target, path);
    else await rename(temporary, target);
    exists = before === undefined;
  } catch (error) {
    throw writeFailure(error, path);
  } finally {
    if (exists) await unlink(temporary).catch(() => undefined);
    await mark.clear();
  }
}

/** Installs a file under a name nobody has: a hard link is the step that refuses to replace one made meanwhile. */
async function installNew(temporary: string, target: string, path: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    throw new ResourceError(
      "stale-revision",
      `${path} was made by somebody else meanwhile. Nothing was changed; read it first.`,
      { cause: error },
    );
  }
}

/** Replacing needs only the directory's permission; a file its owner made read-only is respected all the same. */
async function refuseUnwritable(target: string, path: string): Promise<void> {
  try {
    await access(target, constants.W_OK);
  } catch (error) {
    throw writeFailure(error, path);
  }
}

async function keepOwner(
  handle: { chown(uid: number, gid: number): Promise<void>; stat(): Promise<Stats> },
  before: Stats,
): Promise<void> {
  const now = await handle.stat();
  if (now.uid === before.uid && now.gid === before.gid) return;
  try {
    await handle.chown(before.uid, before.gid);
  } catch (error) {
    // Only root may give a file away; the editor becomes the owner, as with any other editor.
    if (codeOf(error) !== "EPERM") throw error;
  }
}

async function refuseChanged(target: string, path: string, before: Stats | undefined): Promise<void> {
  const now = await lstat(target).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  const same =
    before === undefined
      ? now === undefined
      : now !== undefined &&
        now.ino === before.ino &&
        now.size === before.size &&
        now.mtimeMs === before.mtimeMs &&
        now.ctimeMs === before.ctimeMs;
  if (same) return;
  throw new ResourceError(
    "stale-revision",
    `${path} was changed by somebody else in the very moment of writing. Nothing was changed; read it again.`,
  );
}

function writeFailure(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EROFS") {
    return new ResourceError(
      "resource-unavailable",
      `${describeWriteFailure(error, path)} The file is as it was.`,
      {
        cause: error,
      },
    );
  }
  return pathFailure(error, path);
}
