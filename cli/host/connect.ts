/** Finds the user's shared session host, starts it when there is none, and connects to it: for the terminal and `autolith lg`. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { type Socket, connect } from "node:net";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { EndpointRecord, HostLaunch } from "../../orchestrator/contract/acp/endpoint-record.ts";
import { answerSchema, wireMethod } from "../../orchestrator/contract/acp/method-table.ts";
import { AutolithError, failureOf, failureSchema } from "../../orchestrator/contract/failure.ts";
import { parseForeignJson } from "../../orchestrator/contract/json-nesting.ts";
import { ensurePrivateDirectory, resolveRoots } from "../../orchestrator/record/roots.ts";
import { withinDeadline } from "../../orchestrator/queue/deadline.ts";
import type { FrameChannel } from "../acp/wire/frame-stream.ts";
import { lineChannel } from "../acp/wire/line-channel.ts";
import { buildId } from "../installation.ts";
import type { Environment } from "../machine.ts";
import { type EndpointFiles, endpointFiles, liveEndpoints } from "./endpoint-files.ts";
import { isOtherLaunch, launchedWith } from "./host-launch.ts";

/** A connection to a host on which the client is authenticated: what follows is the wire of `autolith acp`. */
export type HostLink = {
  readonly record: EndpointRecord;
  readonly channel: FrameChannel;
  readonly socket: Socket;
};

export type ConnectOptions = {
  readonly environment: Environment;
  /** For people: `terminal`, `lg`. */
  readonly client: string;
  /** The program and arguments that run this command line, without a command: `[process.execPath, …process.execArgv, process.argv[1]]`. */
  readonly program: readonly [string, ...string[]];
  /** What the host was launched with, or is when it has to be started. */
  readonly launch: HostLaunch;
};

/** Longest wait for a host to start, in milliseconds. */
const startTimeoutMs = 20_000;
/** Time between looks for a host that somebody else is starting, in milliseconds. */
const lookAgainMs = 20;
/** Time that a host gets to answer the authentication, in milliseconds. */
const answerTimeoutMs = 5_000;

/** What a starting host says on its descriptor 3, once, as a line of JSON. */
export const startReportSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready"), hostId: z.string(), build: z.string() }),
  /** Another process is the shared host of that build and launch already. */
  z.object({ kind: z.literal("running"), build: z.string() }),
  z.object({ kind: z.literal("failed"), failure: failureSchema }),
]);
export type StartReport = z.infer<typeof startReportSchema>;

/**
 * The link to the shared host of this build and launch; starts one when none runs. Hosts of other builds keep their conversations and are not
 * joined: what crosses the socket is of one build. Nor are those of other launch options, which hold for all conversations of a host. Rejects with `host-start-failed`, `other-build` when the program was built anew since this process began,
 * or the failure that the host ended with.
 */
export async function connectToHost(options: ConnectOptions): Promise<HostLink> {
  const files = filesOf(options.environment);
  const deadline = Date.now() + startTimeoutMs;
  let mayStart = true;
  for (;;) {
    const link = await joinShared(files, options);
    if (link !== undefined) return link;
    if (Date.now() > deadline)
      throw new AutolithError(
        "host-start-failed",
        `No session host could be reached within ${startTimeoutMs} ms. ${files.log} may say why.`,
      );
    if (mayStart) mayStart = (await startHost(files, options)) !== "running";
    else await delay(lookAgainMs);
  }
}

/** True for a host whose wire may not be ours. */
export function isOtherBuild({ build }: Pick<EndpointRecord, "build">): boolean {
  return build !== buildId();
}

/** Links to every running host, shared or an editor's, oldest first; starts none. Those that do not answer are left out. */
export async function linksToHosts({
  environment,
  client,
}: Pick<ConnectOptions, "environment" | "client">): Promise<readonly HostLink[]> {
  const records = await liveEndpoints(filesOf(environment));
  const links = await Promise.all(records.map((record) => linkTo(record, client).catch(() => undefined)));
  return links.filter((link) => link !== undefined);
}

function filesOf(environment: Environment): EndpointFiles {
  return endpointFiles(resolveRoots(environment).state, process.getuid?.() ?? 0);
}

async function joinShared(
  files: EndpointFiles,
  { client, launch: wanted }: ConnectOptions,
): Promise<HostLink | undefined> {
  const joinable = (await liveEndpoints(files)).filter(
    (each) => each.role === "shared" && !isOtherBuild(each) && !isOtherLaunch(each.launch, wanted),
  );
  for (const record of joinable) {
    try {
      return await linkTo(record, client);
    } catch {
      // It is ending, or it has just been killed: the next look finds out.
    }
  }
  return undefined;
}

/** Connects to the host of a record. Rejects with `host-unreachable`. */
async function linkTo(record: EndpointRecord, client: string): Promise<HostLink> {
  const socket = connect({ path: record.socket, allowHalfOpen: true });
  try {
    await once(socket, "connect");
    const channel = lineChannel(socket, socket, () => socket.destroySoon());
    const frames = channel.frames()[Symbol.asyncIterator]();
    const params = { token: record.token, client };
    const request = { jsonrpc: "2.0", id: "authenticate", method: wireMethod("authenticate"), params };
    await channel.send(JSON.stringify(request));
    const answered = frames.next().then(({ done, value }) => {
      if (done === true || value.kind !== "bytes") throw new Error("it ended the connection");
      const { result } = parseForeignJson(Buffer.from(value.bytes).toString("utf8")) as { result?: unknown };
      answerSchema("authenticate").parse(result);
    });
    if ((await withinDeadline(answered, answerTimeoutMs)) === "deadline")
      throw new Error(`it did not answer within ${answerTimeoutMs} ms`);
    const rest = { ...channel, frames: () => ({ [Symbol.asyncIterator]: () => frames }) };
    return { record, channel: rest, socket };
  } catch (error) {
    socket.destroy();
    throw new AutolithError(
      "host-unreachable",
      `The session host of process ${record.process.pid} does not let us in: ${failureOf(error).message}`,
    );
  }
}

/** Starts a host of its own session and waits for what it says. Rejects when it could not start. */
async function startHost(
  files: EndpointFiles,
  { program, launch, environment }: ConnectOptions,
): Promise<"ready" | "running"> {
  await ensurePrivateDirectory(files.directory);
  const [executable, ...argv] = program;
  const launched = launchedWith(launch, environment);
  // What Node itself says at a crash goes to the same file as the host's own lines.
  const log = openSync(files.log, "a", 0o600);
  try {
    const child = spawn(executable, [...argv, "host", ...launched.argv], {
      cwd: "/",
      detached: true,
      stdio: ["ignore", "ignore", log, "pipe"],
      env: launched.environment,
    });
    const report = await startReport(child);
    if (report.kind !== "failed") {
      if (!isOtherBuild(report)) return report.kind;
      throw new AutolithError(
        "other-build",
        "autolith was built anew since this program was started. Leave it and start it again; autolith resume goes on with the conversation.",
      );
    }
    throw new AutolithError(report.failure.code, `The session host did not start: ${report.failure.message}`);
  } finally {
    closeSync(log);
  }
}

async function startReport(child: ChildProcess): Promise<StartReport> {
  const pipe = child.stdio[3] as Readable;
  const failed = new Promise<never>((_resolve, reject) => child.once("error", reject));
  try {
    return await Promise.race([firstReport(pipe), failed]);
  } finally {
    pipe.destroy();
    child.unref();
  }
}

async function firstReport(pipe: Readable): Promise<StartReport> {
  let text = "";
  pipe.setEncoding("utf8");
  for await (const part of pipe) {
    text += String(part);
    const end = text.indexOf("\n");
    if (end >= 0) return startReportSchema.parse(JSON.parse(text.slice(0, end)));
  }
  throw new AutolithError("host-start-failed", "The session host ended before it was ready.");
}
