/** Where the management REPL listens: a private Unix socket, or a loopback TCP port. */
import { once } from "node:events";
import { chmod, lstat, unlink } from "node:fs/promises";
import { type Server, connect } from "node:net";
import { dirname } from "node:path";
import { AutolithError } from "../../orchestrator/contract/failure.ts";
import { errnoOf } from "../../orchestrator/record/failure.ts";
import { ensurePrivateDirectory } from "../../orchestrator/record/roots.ts";
import type { ManagementAddress } from "./management-configuration.ts";

/** Takes away what was made; can be called again. */
export type RemoveAddress = () => Promise<void>;

/**
 * Makes the server listen. A stale socket of ours is removed first, when connecting to it has proved that nobody listens. Rejects with
 * `management-address` for an active socket, somebody else's file, anything that is no socket, a directory others may write in, a taken port.
 */
export async function listenAt(server: Server, address: ManagementAddress): Promise<RemoveAddress> {
  if (address.transport === "tcp") {
    await listening(server, { host: address.host, port: address.port }, `${address.host}:${address.port}`);
    return () => Promise.resolve();
  }
  const { path } = address;
  await ensurePrivateDirectory(dirname(path));
  await requirePrivateDirectory(dirname(path));
  await removeStaleSocket(path);
  await listening(server, { path }, path);
  await chmod(path, 0o600);
  const { ino, dev } = await lstat(path);
  return async () => {
    const found = await lstat(path).catch(() => undefined);
    // Only the very socket that was made here: another host may have made its own since.
    if (found?.ino === ino && found.dev === dev) await unlink(path).catch(() => undefined);
  };
}

async function listening(
  server: Server,
  place: { readonly path: string } | { readonly host: string; readonly port: number },
  name: string,
): Promise<void> {
  try {
    server.listen(place);
    await once(server, "listening");
  } catch (error) {
    throw addressError(name, errnoOf(error) ?? String(error));
  }
}

async function removeStaleSocket(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket()) throw addressError(path, "something that is no socket is there");
  if (process.getuid !== undefined && found.uid !== process.getuid())
    throw addressError(path, `it belongs to user ${found.uid}`);
  if (!(await isDead(path))) throw addressError(path, "another host listens there");
  await unlink(path);
}

/** Nobody listens: the kernel refuses, which is the only proof. */
async function isDead(path: string): Promise<boolean> {
  const socket = connect({ path });
  try {
    await once(socket, "connect");
    return false;
  } catch (error) {
    return errnoOf(error) === "ECONNREFUSED";
  } finally {
    socket.destroy();
  }
}

async function requirePrivateDirectory(path: string): Promise<void> {
  const { uid, mode } = await lstat(path);
  const isOwn = process.getuid === undefined || uid === process.getuid();
  if (!isOwn || (mode & 0o077) !== 0) throw addressError(path, "its directory must be yours alone, mode 700");
}

function addressError(place: string, reason: string): AutolithError {
  return new AutolithError(
    "management-address",
    `The management REPL cannot listen at ${place}: ${reason}. Free it, or name another place in the environment (AUTOLITH_MANAGEMENT_REPL_…).`,
  );
}
