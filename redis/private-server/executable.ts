import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { RedisError } from "../failure.ts";

const names = ["redis-server", "valkey-server"] as const;

/** Looked into after PATH, which a job's environment may lack. */
const usualDirectories = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/usr/sbin", "/usr/local/sbin"];

/**
 * The absolute path of redis-server or valkey-server.
 *
 * @throws RedisError `redis-missing`, with what to do.
 */
export async function findServerExecutable(searchPath: string | undefined): Promise<string> {
  const directories = [...(searchPath ?? "").split(delimiter).filter(isAbsolute), ...usualDirectories];
  for (const name of names) {
    for (const directory of directories) {
      const path = join(directory, name);
      if (await isExecutable(path)) return path;
    }
  }
  throw new RedisError(
    "redis-missing",
    `neither ${names.join(" nor ")} was found; run script/bootstrap, install one of them (Debian: apt-get install redis-server), or set AUTOLITH_REDIS_URL`,
  );
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
