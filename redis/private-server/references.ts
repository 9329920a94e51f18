import { randomUUID } from "node:crypto";
import { readFile, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { errnoOf } from "../../orchestrator/record/failure.ts";
import { isRunning, processIdentity } from "../../orchestrator/record/process-identity.ts";
import { publishFile } from "../../orchestrator/record/publication.ts";

const referenceSchema = z.object({
  pid: z.int().positive(),
  bootId: z.string(),
  startTicks: z.int().nonnegative(),
});

/** A host's file that says "I use this server". */
export interface ServerReference {
  readonly path: string;
}

/** Writes a reference of this process. */
export async function addReference(directory: string): Promise<ServerReference> {
  const path = join(directory, `${randomUUID()}.json`);
  await publishFile(path, JSON.stringify(processIdentity()), { durable: false });
  return { path };
}

/** Removes a reference; one that has gone already is no error. */
export async function removeReference(reference: ServerReference): Promise<void> {
  await removeIfThere(reference.path);
}

/** How many references of running processes there are. Those of processes that ended are removed. */
export async function countLiveReferences(directory: string): Promise<number> {
  let live = 0;
  for (const name of await namesIn(directory)) {
    const path = join(directory, name);
    if (name.endsWith(".json") && (await isLive(path))) live += 1;
    // Anything else is what a killed process left behind.
    else if (!name.endsWith(".publishing")) await removeIfThere(path);
  }
  return live;
}

async function isLive(path: string): Promise<boolean> {
  try {
    return isRunning(referenceSchema.parse(JSON.parse(await readFile(path, "utf8"))));
  } catch (error) {
    if (error instanceof z.ZodError || error instanceof SyntaxError || errnoOf(error) === "ENOENT")
      return false;
    throw error;
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}
