/** Where this copy of autolith is installed. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

let known: string | undefined;

/** Absolute path of the checkout: the nearest directory above this module that holds `package.json` and `bin/autolith`. */
export function installationRoot(): string {
  known ??= find(dirname(fileURLToPath(import.meta.url)));
  return known;
}

function find(start: string): string {
  for (let directory = start; ; directory = dirname(directory)) {
    if (existsSync(join(directory, "package.json")) && existsSync(join(directory, "bin", "autolith")))
      return directory;
    if (directory === dirname(directory))
      throw new Error(
        `No installation of autolith contains ${start}: package.json and bin/autolith were not found.`,
      );
  }
}
