import { dirname } from "node:path";
import { ResourceError } from "../../orchestrator/resources/resource-scheme.ts";
import { HeldDirectory, openRegular } from "./confined-file.ts";

/** All bytes of a regular file by its real path. Throws {@link ResourceError} for what is none, and `tooLarge` above `byteLimit`. */
export async function readWholeFile(
  path: string,
  byteLimit: number,
  tooLarge: (size: number) => Error,
): Promise<Buffer> {
  const directory = HeldDirectory.open(dirname(path));
  try {
    const opened = openRegular(directory, path);
    if (opened === undefined) throw new ResourceError("not-regular", `${path} is a directory, no file.`);
    try {
      if (opened.stats.size > byteLimit) throw tooLarge(opened.stats.size);
      return await opened.readAll();
    } finally {
      opened.close();
    }
  } finally {
    directory.close();
  }
}
