import { createHash } from "node:crypto";
import { join } from "node:path";
import { socketPathLimit } from "../endpoint.ts";

/** The files of a user's private Redis. All live in one directory of mode 0700. */
export interface PrivateServerLocation {
  readonly directory: string;
  readonly socket: string;
  /** Start and stop happen under this lock. */
  readonly lock: string;
  /** Names the running server and its password; mode 0600. */
  readonly record: string;
  /** Where the record is while the last host stops the server. */
  readonly stoppingRecord: string;
  /** Written by the server itself. */
  readonly pidFile: string;
  /** Read by the server once; mode 0600, since it holds the password. */
  readonly configuration: string;
  readonly log: string;
  /** One file for every host that uses the server. */
  readonly references: string;
}

/**
 * Where the private Redis of the user with that state root lives: `redis` below the state root, which survives logout; or,
 * where a Unix socket's path would be too long there, a directory of the user below `/var/tmp` that is named by the state
 * root.
 */
export function privateServerLocation(stateRoot: string, userId: number): PrivateServerLocation {
  const below = join(stateRoot, "redis");
  const fits = Buffer.byteLength(join(below, socketName)) <= socketPathLimit;
  const digest = createHash("sha256").update(stateRoot).digest("hex").slice(0, 12);
  return locationIn(fits ? below : join("/var/tmp", `autolith-${userId}-${digest}`));
}

const socketName = "s";

function locationIn(directory: string): PrivateServerLocation {
  return {
    directory,
    socket: join(directory, socketName),
    lock: join(directory, "lock"),
    record: join(directory, "server.json"),
    stoppingRecord: join(directory, "server.json.stopping"),
    pidFile: join(directory, "server.pid"),
    configuration: join(directory, "server.conf"),
    log: join(directory, "server.log"),
    references: join(directory, "hosts"),
  };
}
