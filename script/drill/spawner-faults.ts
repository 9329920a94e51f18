/**
 * Faults of what a host starts its processes with. The spawner is no process: it is killed by halves. Either everything it started is
 * killed, or it is kept from starting anything for a while by a real limit of its host, which is lifted again.
 */
import { execFileSync } from "node:child_process";
import { chownSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Sandpit } from "../../test/support/cli/launch.ts";
import { isAlive } from "../../workers/spawner/process-table.ts";

export const spawnerFaults = ["spawner-kill", "spawner-descriptors", "spawner-processes"] as const;
export type SpawnerFault = (typeof spawnerFaults)[number];

/** Whether limits of a running host can be set here: by two programs of Linux. Without them only {@link killCommands} is left. */
export const canLimit = ["prlimit", "setpriv"].every((program) =>
  (process.env["PATH"] ?? "").split(":").some((directory) => existsSync(join(directory, program))),
);

/** The first of the user ids that hosts without the powers of root run under; the numbers belong to nobody. */
const firstUser = 712_000;

/** The prefix that runs a command as the user of a point. */
function asUser(number: number): readonly string[] {
  const user = firstUser + number;
  return ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--"];
}

/**
 * What a host must be run through so that the fault can be inflicted: root is not bound by a number of processes, so such a host is made
 * somebody else's, who owns the sandpit, and whom no other drilled host counts for.
 */
export function throughFor(fault: string, pit: Sandpit, number: number): readonly string[] {
  if (fault !== "spawner-processes" || !canLimit || process.getuid?.() !== 0) return [];
  const user = firstUser + number;
  const root = join(pit.home, "..");
  for (const path of [
    root,
    ...readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => join(root, name)),
  ])
    chownSync(path, user, user);
  return asUser(number);
}

/** Inflicts the fault on the host `pid`. False when there was nothing to inflict it on before the host ended. */
export async function strikeSpawner(
  fault: SpawnerFault,
  host: { readonly pid: number; readonly running: () => boolean },
  pit: Sandpit,
  { holdMs, through }: { readonly holdMs: number; readonly through: readonly string[] },
): Promise<boolean> {
  if (fault === "spawner-kill") return killCommands(host, pit);
  if (!canLimit) return false;
  await withoutRoom(host, fault === "spawner-descriptors" ? "nofile" : "nproc", through, holdMs);
  return true;
}

/** Kills the groups of all commands that run, once there is one. */
async function killCommands(
  { pid, running }: { readonly pid: number; readonly running: () => boolean },
  pit: Sandpit,
): Promise<boolean> {
  while (running()) {
    const leaders = commandsOf(pid, pit);
    for (const leader of leaders) {
      try {
        process.kill(-leader, "SIGKILL");
      } catch (error) {
        // It has just ended by itself.
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    }
    if (leaders.length > 0) return true;
    await delay(1);
  }
  return false;
}

/** Leaders of the groups of the commands that the ledger of a host names and that are alive. */
function commandsOf(host: number, pit: Sandpit): readonly number[] {
  const root = join(pit.home, ".local/state/autolith/processes");
  const own = namesIn(root).find((name) => hostOf(join(root, name)) === host);
  return namesIn(join(root, own ?? "none")).flatMap((name) => {
    const [, pid, startTicks] = /^(\d+)-(\d+)$/.exec(name) ?? [];
    const leader = { pid: Number(pid), startTicks: Number(startTicks) };
    return pid !== undefined && isAlive(leader) ? [leader.pid] : [];
  });
}

function hostOf(directory: string): number | undefined {
  const path = join(directory, "host.json");
  if (!existsSync(path)) return undefined;
  try {
    return (JSON.parse(readFileSync(path, "utf8")) as { pid: number }).pid;
  } catch {
    // It is just being written.
    return undefined;
  }
}

function namesIn(directory: string): readonly string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

/** Takes all room for more of what `limit` counts, and gives it back after `holdMs`. Only the host's own user may, hence `through`. */
async function withoutRoom(
  { pid, running }: { readonly pid: number; readonly running: () => boolean },
  limit: "nofile" | "nproc",
  through: readonly string[],
  holdMs: number,
): Promise<void> {
  const prlimit = (...parameters: readonly string[]): string => {
    const [program = "", ...rest] = [...through, "prlimit", `--pid=${pid}`, ...parameters];
    try {
      return execFileSync(program, rest, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      // A host that has ended needs no room.
      if (running()) throw error;
      return "";
    }
  };
  const usual = prlimit(`--${limit}`, "--output=SOFT,HARD", "--noheadings", "--raw")
    .trim()
    .replace(/\s+/, ":");
  if (usual === "") return;
  // What is open or runs stays so; nothing more is granted.
  prlimit(`--${limit}=1:`);
  await delay(holdMs);
  prlimit(`--${limit}=${usual}`);
}
