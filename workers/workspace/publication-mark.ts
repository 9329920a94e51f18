import { readlink, symlink, unlink } from "node:fs/promises";
import { basename } from "node:path";
import { ResourceError } from "../../orchestrator/resources/resource-scheme.ts";
import { describeWriteFailure } from "../shell/file-system-name.ts";
import { codeOf } from "./confined-file.ts";

/** Names of the temporary files edits are written to. */
const temporaryName = /^\..*\.[0-9a-f]{12}\.autolith$/;

/**
 * Says, beside the mutation lock, which temporary file its holder is writing, so that whoever takes the lock after a kill
 * removes it. The mark is a symbolic link to the file: made and read in one step each, it cannot be half written.
 */
export class PublicationMark {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Marks the absolute path of a temporary file that is about to be made. Throws {@link ResourceError}. */
  async set(temporary: string): Promise<void> {
    try {
      await symlink(temporary, this.#path);
    } catch (error) {
      throw new ResourceError(
        "resource-unavailable",
        `${describeWriteFailure(error, this.#path)} Nothing was changed.`,
        { cause: error },
      );
    }
  }

  /** The marked file is in place or gone. */
  async clear(): Promise<void> {
    await unlinkIfThere(this.#path);
  }

  /** Removes the file that a killed holder was writing, and the mark. The caller holds the lock. Answers whether there was one. */
  async removeRemains(): Promise<boolean> {
    let temporary: string;
    try {
      temporary = await readlink(this.#path);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return false;
      throw error;
    }
    if (temporaryName.test(basename(temporary))) await unlinkIfThere(temporary);
    await this.clear();
    return true;
  }
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    // Its directory may have gone as well.
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") throw error;
  }
}
