/** Where this copy of autolith is installed. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

let known: string | undefined;
let knownBuild: string | undefined;

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

/**
 * Which build of this copy runs: two processes with the same text speak the same wire. It is that of the moment of the first call, so a process
 * keeps its own when the copy is built anew. A copy that is run from its source counts as one build.
 */
export function buildId(): string {
  knownBuild ??= identified(installationRoot());
  return knownBuild;
}

function identified(root: string): string {
  const isSource = fileURLToPath(import.meta.url).startsWith(join(root, "cli"));
  const stamp = isSource ? "source" : readStamp(join(root, "dist", ".built"));
  const digest = createHash("sha256")
    .update(JSON.stringify([root, stamp]))
    .digest("hex");
  return `${programVersion()}-${digest.slice(0, 12)}`;
}

/** What the build wrote last; empty while it is being built anew. */
function readStamp(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
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
