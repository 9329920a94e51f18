/** Patches on their way to git, which takes them from files. */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errnoOf } from "../../orchestrator/record/failure.ts";
import { hasProcess } from "../../orchestrator/record/process-identity.ts";
import { ensurePrivateDirectory } from "../../orchestrator/record/roots.ts";

/** Writes a patch into a private directory of its own below `directory`. */
export async function writePatch(
  directory: string,
  patch: Uint8Array,
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  await ensurePrivateDirectory(directory);
  const own = await mkdtemp(join(directory, `patch-${process.pid}-`));
  const path = join(own, "change.patch");
  const remove = (): Promise<void> => rm(own, { recursive: true, force: true });
  try {
    await writeFile(path, patch, { mode: 0o600 });
    return { path, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Removes what killed processes left there. Returns the number removed. */
export async function removeAbandonedPatches(directory: string): Promise<number> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  });
  const abandoned = names.filter((name) => {
    const owner = /^patch-(\d+)-/.exec(name)?.[1];
    return owner !== undefined && !hasProcess(Number(owner));
  });
  for (const name of abandoned) await rm(join(directory, name), { recursive: true, force: true });
  return abandoned.length;
}
