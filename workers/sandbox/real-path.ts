import { realpathSync } from "node:fs";

/** The real path of something, or undefined when it does not exist or may not be looked at. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // What does not exist, or the user may not look at, cannot be seen inside either.
    return undefined;
  }
}
