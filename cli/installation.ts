/** Where this copy of autolith is installed. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

let known: string | undefined;

/** Absolute path of the checkout: the nearest directory above this module that holds `package.json` and `bin/autolith`. */
export function installationRoot(): string {
  known ??= find(dirname(fileURLToPath(import.meta.url)));
  return known;
}

/** The version of this copy. */
export function programVersion(): string {
  const manifest = JSON.parse(readFileSync(join(installationRoot(), "package.json"), "utf8")) as {
    version: string;
  };
  return manifest.version;
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
