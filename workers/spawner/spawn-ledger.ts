import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { z } from "zod";
import {
  type PinnedProcess,
  type ProcessEntry,
  type ProcessIdentity,
  bootId,
  isRunning,
  processIdentity,
} from "../../orchestrator/record/process-identity.ts";
import { ProcessScan } from "./process-scan.ts";
import { cookieVariable, endTree, findTree } from "./process-tree.ts";

/*
 * DIRECTORY/<host cookie>/host.json          who the host is
 * DIRECTORY/<host cookie>/<pid>-<ticks>      one empty file for each live command
 *
 * The name of a file is its content, so that recording a command costs one create and forgetting it one unlink, and no
 * crash can leave half a record.
 */
const hostFileSchema = z.strictObject({
  bootId: z.string(),
  pid: z.int().positive(),
  startTicks: z.int().nonnegative(),
});

const entryPattern = /^([0-9]+)-([0-9]+)$/;
const hostDirectoryPattern = /^[0-9a-f]{24}$/;

/** What {@link reapSurvivors} found. */
export interface ReapReport {
  /** Hosts that were dead and whose records are now gone. */
  readonly deadHosts: number;
  /** Processes of dead hosts that were still alive and were ended. */
  readonly ended: number;
  /** Processes of dead hosts that could not be ended; their host's records stay for the next start. */
  readonly left: number;
}

/** The record of the live commands of one host, kept so that the next host can end them if this one is killed. */
export class SpawnLedger {
  /** First part of the cookie of every command of this host. */
  readonly hostCookie: string;
  readonly #directory: string;

  private constructor(hostCookie: string, directory: string) {
    this.hostCookie = hostCookie;
    this.#directory = directory;
  }

  /** Opens this host's part of `root` (made with mode 0700 when missing). Throws the file system's error. */
  static open(root: string): SpawnLedger {
    const hostCookie = randomBytes(12).toString("hex");
    const directory = join(root, hostCookie);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(join(directory, "host.json"), JSON.stringify(processIdentity()), { mode: 0o600 });
    return new SpawnLedger(hostCookie, directory);
  }

  /** Where this host may keep short-lived files of its own (pipes); removed with the ledger. */
  get directory(): string {
    return this.#directory;
  }

  /**
   * Notes a command that has just started. A disk that cannot be written is no reason to stop it: its processes carry the
   * host's cookie, by which they are found as well.
   */
  record(identity: PinnedProcess): void {
    quietly(() => {
      writeFileSync(join(this.#directory, entryName(identity)), "", { mode: 0o600 });
    });
  }

  /** Takes the note back. One that stays names a process that is gone, which is noticed by its start instant. */
  forget(identity: PinnedProcess): void {
    quietly(() => {
      rmSync(join(this.#directory, entryName(identity)), { force: true });
    });
  }

  /** Removes this host's part; only when nothing it started is alive any more. */
  close(): void {
    quietly(() => {
      rmSync(this.#directory, { recursive: true, force: true });
    });
  }
}

/** Does what may fail on a disk that is full, read-only or gone; the callers say why that is no harm. */
function quietly(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
  }
}

function entryName(identity: PinnedProcess): string {
  return `${identity.pid}-${identity.startTicks}`;
}

/**
 * Ends what dead hosts left running. A host of an earlier boot has left nothing; a live host is not touched; records
 * are removed only when all of a host's processes are gone.
 */
export async function reapSurvivors(root: string, graceMs = 1000): Promise<ReapReport> {
  const report = { deadHosts: 0, ended: 0, left: 0 };
  for (const hostCookie of hostDirectories(root)) {
    const directory = join(root, hostCookie);
    const host = readHostFile(directory);
    if (host !== undefined && host.bootId === bootId()) {
      if (isRunning(host)) continue;
      const leaders = recordedLeaders(directory);
      const end = await endTree(() => survivorsOf(hostCookie, leaders), { graceMs });
      report.ended += end.found - end.left;
      report.left += end.left;
      if (end.left > 0) continue;
    }
    report.deadHosts += 1;
    rmSync(directory, { recursive: true, force: true });
  }
  return report;
}

function hostDirectories(root: string): readonly string[] {
  return namesIn(root).filter((name) => hostDirectoryPattern.test(name));
}

/** None in a directory that is not there: another host that starts now may have cleaned it up. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** The host's own record; undefined when it is missing or torn, which only a host killed while starting leaves behind. */
function readHostFile(directory: string): ProcessIdentity | undefined {
  try {
    return hostFileSchema.parse(JSON.parse(readFileSync(join(directory, "host.json"), "utf8")));
  } catch {
    // A host that never wrote its record never started a command.
    return undefined;
  }
}

function recordedLeaders(directory: string): readonly PinnedProcess[] {
  return namesIn(directory).flatMap((name) => {
    const match = entryPattern.exec(name);
    return match === null ? [] : [{ pid: Number(match[1]), startTicks: Number(match[2]) }];
  });
}

function survivorsOf(hostCookie: string, leaders: readonly PinnedProcess[]): readonly ProcessEntry[] {
  const scan = new ProcessScan();
  const found = new Map<number, ProcessEntry>();
  for (const leader of leaders) {
    for (const entry of findTree({ leader, cookie: undefined }, scan)) found.set(entry.pid, entry);
  }
  for (const entry of scan.table) {
    if (found.has(entry.pid) || entry.pid === process.pid) continue;
    if (!scan.startedWith(entry, cookieVariable, (value) => value.startsWith(`${hostCookie}.`))) continue;
    found.set(entry.pid, entry);
    for (const below of scan.descendantsOf(entry.pid)) found.set(below.pid, below);
  }
  return [...found.values()];
}
