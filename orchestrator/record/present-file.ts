import { readFile } from "node:fs/promises";
import { errnoOf } from "./failure.ts";

/** The content of a file; undefined when there is none. Rejects with the operating system's error for every other failure. */
export async function readIfPresent(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
