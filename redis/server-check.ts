import type { Redis } from "ioredis";
import { type RedisEndpoint, describeEndpoint } from "./endpoint.ts";
import { RedisError, redisErrorCode } from "./failure.ts";

/** What the server says of itself. */
export interface ServerFacts {
  /** Redis version it is compatible with, such as `7.0.15`. */
  readonly version: string;
  /** What it does when memory is used up, such as `noeviction`; undefined when it does not tell. */
  readonly evictionPolicy: string | undefined;
}

const oldestVersion = [6, 2] as const;

/** The facts in the text that INFO returns. */
export function serverFacts(information: string): ServerFacts {
  const fields = new Map(
    information.split(/\r?\n/).flatMap((line) => {
      const colon = line.indexOf(":");
      return colon === -1 ? [] : [[line.slice(0, colon), line.slice(colon + 1)] as const];
    }),
  );
  return { version: fields.get("redis_version") ?? "0", evictionPolicy: fields.get("maxmemory_policy") };
}

/** What is wrong with a server of these facts for our use, or undefined. */
export function serverObjection(facts: ServerFacts, endpoint: RedisEndpoint): RedisError | undefined {
  const where = describeEndpoint(endpoint);
  const [major = 0, minor = 0] = facts.version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldestVersion;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    return new RedisError(
      "redis-too-old",
      `Redis at ${where} is version ${facts.version} and must be ${oldestMajor}.${oldestMinor} or later; upgrade it, or unset AUTOLITH_REDIS_URL to use a private server`,
    );
  }
  if (facts.evictionPolicy !== undefined && facts.evictionPolicy !== "noeviction") {
    return new RedisError(
      "redis-evicting",
      `Redis at ${where} has maxmemory-policy ${facts.evictionPolicy}, which loses jobs when memory is short; set it to noeviction, or unset AUTOLITH_REDIS_URL to use a private server`,
    );
  }
  return undefined;
}

/**
 * Refuses a server that would lose our data.
 *
 * @throws RedisError `redis-too-old`, `redis-evicting`, `redis-authentication`, `redis-unreachable`.
 */
export async function checkServer(client: Redis, endpoint: RedisEndpoint): Promise<void> {
  let information: string;
  try {
    information = await client.info();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RedisError(
      redisErrorCode(error),
      `Redis at ${describeEndpoint(endpoint)} does not answer INFO: ${reason}`,
      error,
    );
  }
  const objection = serverObjection(serverFacts(information), endpoint);
  if (objection !== undefined) throw objection;
}
