/** The files of the private local endpoints of one user's hosts. */
import { createHash, randomBytes } from "node:crypto";
import { readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  type EndpointRecord,
  type HostLaunch,
  endpointRecordSchema,
} from "../../orchestrator/contract/acp/endpoint-record.ts";
import { isRunning } from "../../orchestrator/record/process-identity.ts";
import { publishFile } from "../../orchestrator/record/publication.ts";
import { socketPathLimit } from "../../redis/endpoint.ts";

/** Where they are. */
export type EndpointFiles = {
  /** Mode 0700, below the state root: it survives logout. */
  readonly directory: string;
  /** Held by the shared host of a build and launch as long as it lives. */
  lock(build: string, launch: HostLaunch): string;
  /** What the shared host says. */
  readonly log: string;
  record(hostId: string): string;
  /** Short enough for every platform. */
  socket(hostId: string): string;
};

/** A host's name: eight characters. */
export function newHostId(): string {
  return randomBytes(4).toString("hex");
}

/** The files below a state root. Sockets are elsewhere when their paths would be too long there. */
export function endpointFiles(stateRoot: string, userId: number): EndpointFiles {
  const directory = join(stateRoot, "localgroup");
  const fits = Buffer.byteLength(join(directory, `${newHostId()}.s`)) <= socketPathLimit;
  const digest = createHash("sha256").update(stateRoot).digest("hex").slice(0, 12);
  const sockets = fits ? directory : join("/var/tmp", `autolith-${userId}-${digest}`, "localgroup");
  return {
    directory,
    lock: (build, launch) => join(directory, `host-${build}-${launchDigest(launch)}.lock`),
    log: join(directory, "host.log"),
    record: (hostId) => join(directory, `${hostId}.json`),
    socket: (hostId) => join(sockets, `${hostId}.s`),
  };
}

function launchDigest({ mode, siteConfigRoot }: HostLaunch): string {
  const text = JSON.stringify([mode, siteConfigRoot ?? null]);
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** Puts a record in place, readable by its owner alone. */
export function writeEndpointRecord(files: EndpointFiles, record: EndpointRecord): Promise<void> {
  return publishFile(files.record(record.hostId), JSON.stringify(record), { durable: false });
}

/** Takes a record and its socket away. */
export async function removeEndpoint(
  files: EndpointFiles,
  { hostId, socket }: Pick<EndpointRecord, "hostId" | "socket">,
): Promise<void> {
  await rm(files.record(hostId), { force: true });
  await rm(socket, { force: true });
}

/** The records of hosts that run, oldest first; those that killed hosts left are removed. */
export async function liveEndpoints(files: EndpointFiles): Promise<readonly EndpointRecord[]> {
  const names = await readdir(files.directory).catch(() => []);
  const live: EndpointRecord[] = [];
  for (const name of names.filter((each) => each.endsWith(".json"))) {
    const record = await readRecord(join(files.directory, name));
    if (record === undefined) continue;
    if (isRunning(record.process)) live.push(record);
    else await removeEndpoint(files, record);
  }
  return live.toSorted((one, other) => one.startedAt - other.startedAt);
}

/** Undefined for a file that has gone, or that is no record of ours: nothing can be reached by it. */
async function readRecord(path: string): Promise<EndpointRecord | undefined> {
  try {
    return endpointRecordSchema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return undefined;
  }
}
