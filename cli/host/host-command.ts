/** `autolith host`: the shared session host as a process of its own. Terminals start it; it says on descriptor 3 whether it is ready. */
// First: it decides how the schemas of everything below are checked.
import "../schema-checks.ts";
import { Console } from "node:console";
import { fstatSync, writeSync } from "node:fs";
import { Writable } from "node:stream";
import type { HostLaunch } from "../../orchestrator/contract/acp/endpoint-record.ts";
import { failureOf } from "../../orchestrator/contract/failure.ts";
import { ensurePrivateDirectory, resolveRoots } from "../../orchestrator/record/roots.ts";
import { WriterLockedError, acquireWriterLock } from "../../orchestrator/record/writer-lock.ts";
import { secretRemover, secretValues } from "../../orchestrator/secrets/secret-removal.ts";
import {
  type ParsedCommand,
  UsageError,
  checkPositionals,
  optionValue,
  parseArguments,
} from "../arguments.ts";
import { takeSignalWatch } from "../early-signals.ts";
import { exitStatus } from "../exit-status.ts";
import { beginHeadStart } from "../head-start.ts";
import { buildId } from "../installation.ts";
import type { StartReport } from "./connect.ts";
import { type EndpointFiles, endpointFiles } from "./endpoint-files.ts";
import { hostLaunch } from "./host-launch.ts";
import { type HostLog, openHostLog } from "./host-log.ts";

const usage = `Usage: autolith [SESSION OPTIONS] host [--idle-seconds N]
Runs the session host that terminals join. Terminals start it by themselves; it ends when it has had no client, job, queue or
wakeup for ten minutes. One runs for each user, state root, build and choice of --immutable, --pristine and --site-config-root;
where it runs already, this ends at once with status 0.
Its log is localgroup/host.log below the state root.

  --idle-seconds N   time with nothing to do after which it ends, 1 to 86400; 600 when not given
`;

/** Resolves to the exit status once the host has ended. */
export async function hostCommand(argv: readonly string[]): Promise<number> {
  const parsed = parseArguments(argv, { "idle-seconds": { value: true } });
  checkPositionals(parsed, 0, "autolith host");
  if (parsed.help) {
    process.stdout.write(usage);
    return exitStatus.ok;
  }
  const idleSeconds = idleSecondsOf(parsed);
  const files = endpointFiles(resolveRoots(process.env).state, process.getuid?.() ?? 0);
  await ensurePrivateDirectory(files.directory);
  const log = openHostLog(files.log, secretRemover(secretValues(process.env)));
  logConsole(log);
  try {
    const launch = hostLaunch(parsed.session, process.env);
    const session = { ...parsed.session, launch };
    return await underHostLock(files, launch, () => serve(files, session, idleSeconds, log));
  } catch (error) {
    const failure = failureOf(error);
    log(`host: could not start: ${failure.code}: ${failure.message}`);
    report({ kind: "failed", failure });
    return exitStatus.usage;
  }
}

function idleSecondsOf(parsed: ParsedCommand): number {
  const text = optionValue(parsed, "idle-seconds") ?? "600";
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= 86_400) return seconds;
  throw new UsageError(`--idle-seconds is a whole number from 1 to 86400, not ${JSON.stringify(text)}.`);
}

async function underHostLock(
  files: EndpointFiles,
  launch: HostLaunch,
  work: () => Promise<number>,
): Promise<number> {
  const path = files.lock(buildId(), launch);
  try {
    const lock = await acquireWriterLock(path);
    try {
      return await work();
    } finally {
      await lock.release();
    }
  } catch (error) {
    if (!(error instanceof WriterLockedError) || error.path !== path) throw error;
    report({ kind: "running", build: buildId() });
    return exitStatus.ok;
  }
}

async function serve(
  files: EndpointFiles,
  { launch, ...session }: ParsedCommand["session"] & { readonly launch: HostLaunch },
  idleSeconds: number,
  log: HostLog,
): Promise<number> {
  const signals = takeSignalWatch();
  const headStart = beginHeadStart({ environment: process.env, replay: false, diagnostics: log });
  try {
    const { serveHost } = await import("./serve-host.ts");
    await serveHost({
      headStart,
      environment: process.env,
      session,
      launch,
      files,
      log,
      idleMs: idleSeconds * 1_000,
      ready: (hostId) => report({ kind: "ready", hostId, build: buildId() }),
      stop: signals.cancelled,
    });
    return signals.exitStatus ?? exitStatus.ok;
  } finally {
    signals.stop();
  }
}

/** What libraries print goes into the log, which is bounded. */
function logConsole(log: HostLog): void {
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      log(chunk.toString("utf8").trimEnd());
      done();
    },
  });
  globalThis.console = new Console(sink, sink);
}

/** Tells whoever started this process, if it listens: descriptor 3 is a pipe then. */
function report(message: StartReport): void {
  try {
    if (fstatSync(3).isFIFO() || fstatSync(3).isSocket()) writeSync(3, `${JSON.stringify(message)}\n`);
  } catch {
    // Started by hand: nobody listens.
  }
}
