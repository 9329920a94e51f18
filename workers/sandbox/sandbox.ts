import { spawn } from "node:child_process";
import type { StdioOptions } from "node:child_process";
import { accessSync, closeSync, constants, existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { accountHome, boundSockets, homeDirectories, secretPaths } from "./hidden-paths.ts";
import { FilterFile } from "./filter-file.ts";
import { ProcessCap } from "./process-cap.ts";
import { protectWorkspace } from "./repository-protection.ts";
import {
  filterFlags,
  isInside,
  isolationFlags,
  sandboxArguments,
  sandboxProcessLimit,
} from "./sandbox-arguments.ts";
import type { SandboxFeatures, SandboxLayout } from "./sandbox-arguments.ts";
import { SandboxError } from "./sandbox-error.ts";

/** Time the probe may take, in ms. */
const probeMs = 5_000;

export interface SandboxOptions {
  /** The host's environment; PATH and HOME are used. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Further directories and files no command may see: configuration, state, data, cache, sockets of ours. */
  readonly hidden: readonly string[];
}

/** What the probe at start found. */
export type SandboxProbe =
  | { readonly available: true; readonly sandbox: Sandbox }
  | { readonly available: false; readonly reason: string };

/** A command to confine. */
export interface SandboxRequest {
  readonly argv: readonly [string, ...string[]];
  /** Working directory, inside the workspace. */
  readonly directory: string;
  /** The tree the command may write. */
  readonly workspace: string;
  /** A private directory (mode 0700) of the caller's: the command sees it as /tmp. */
  readonly temporary: string;
  /** `administer` lets an isolated child commit in its own checkout. Default `protect`. */
  readonly git?: "protect" | "administer";
}

/** A confined command, ready for the spawner (`contained: true`). */
export interface ConfinedCommand {
  readonly argv: readonly [string, ...string[]];
  /** Settings the command's environment must have. */
  readonly set: Readonly<Record<string, string>>;
  /** For the spawner: files the command needs opened. */
  readonly opened: Readonly<Record<number, string>>;
  /** To be called once the command has ended. */
  release(): void;
}

/** Directories below /run that are parts of the system, not sockets or secrets. */
const shownBelowRun = ["/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/wrappers"];

/** Confines commands with bubblewrap. Made by {@link probeSandbox}, so that one exists only where it works. */
export class Sandbox {
  readonly #features: SandboxFeatures;
  readonly #options: SandboxOptions;
  readonly #cap: ProcessCap | undefined;
  readonly #filter: FilterFile | undefined;

  constructor(
    features: SandboxFeatures,
    options: SandboxOptions,
    held: { readonly cap: ProcessCap | undefined; readonly filter: FilterFile | undefined },
  ) {
    this.#features = features;
    this.#options = options;
    this.#cap = held.cap;
    this.#filter = held.filter;
  }

  /** How the number of processes is limited, for reports. */
  get processLimit(): "rlimit" | "cgroup" | "none" {
    if (this.#cap !== undefined) return "cgroup";
    return process.getuid?.() === 0 ? "none" : "rlimit";
  }

  /** Builds the confined form of a command. Throws {@link SandboxError} `sandbox-workspace`. */
  confine(request: SandboxRequest): ConfinedCommand {
    const workspace = confinableWorkspace(request.workspace, this.#options.environment["HOME"]);
    const protection = protectWorkspace(workspace, request.git ?? "protect");
    const temporary = realpathSync(request.temporary);
    const visible = [workspace, ...protection.writable, temporary];
    const layout: SandboxLayout = {
      directory: realpathSync(request.directory),
      writable: [workspace, ...protection.writable],
      temporary,
      protected: protection.protected,
      ...hiddenLayout(this.#options, visible),
      shown: shownBelowRun.filter((path) => existsSync(path)),
    };
    const argv = sandboxArguments(this.#features, layout, request.argv);
    return {
      argv: this.#cap === undefined ? argv : this.#cap.wrap(argv),
      opened: this.#filter?.opened ?? {},
      set: { TMPDIR: "/tmp" },
      release: () => {
        protection.release();
      },
    };
  }

  /** Gives back what the sandbox holds of the machine. */
  close(): void {
    this.#cap?.close();
    this.#filter?.close();
  }
}

/** Tries to make a sandbox as every command will need it, and says why when that is impossible. Never rejects. */
export async function probeSandbox(options: SandboxOptions): Promise<SandboxProbe> {
  if (process.platform !== "linux") {
    return { available: false, reason: `There is no sandbox for ${process.platform} in this version.` };
  }
  const program = findProgram("bwrap", options.environment["PATH"]);
  if (program === undefined) {
    return { available: false, reason: "bubblewrap is not installed (no bwrap program in PATH)." };
  }
  const filter = FilterFile.open();
  let reason = "";
  for (const disableUserNamespaces of [true, false]) {
    const features: SandboxFeatures = {
      program,
      disableUserNamespaces,
      processLimit: processLimit(),
      isRoot: process.getuid?.() === 0,
      filterDescriptor: filter?.descriptor,
    };
    const problem = await tryOut(features, filter);
    if (problem === undefined) {
      return { available: true, sandbox: new Sandbox(features, options, { cap: ProcessCap.open(), filter }) };
    }
    reason = problem;
  }
  filter?.close();
  return { available: false, reason: `bubblewrap cannot make a sandbox here: ${reason}` };
}

/** Runs nothing in a sandbox like those of commands; what bubblewrap says when that fails, else undefined. */
async function tryOut(
  features: SandboxFeatures,
  filter: FilterFile | undefined,
): Promise<string | undefined> {
  const [program, ...parameters] = [
    features.program,
    ...isolationFlags(features),
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"],
    ...filterFlags(features),
    ...[
      "--",
      "/usr/bin/prlimit",
      `--nproc=${features.processLimit}`,
      "--core=0",
      "--",
      "/bin/sh",
      "-c",
      "exit 0",
    ],
  ];
  const opened = filter?.reopen();
  const stdio: StdioOptions = ["ignore", "ignore", "pipe", ...(opened === undefined ? [] : [opened])];
  try {
    const child = spawn(program ?? "", parameters, {
      stdio,
      env: { PATH: "/usr/bin:/bin" },
      timeout: probeMs,
    });
    let errors = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      if (errors.length < 2_000) errors += chunk.toString("utf8");
    });
    return await new Promise((resolve) => {
      child.once("error", (error) => {
        resolve(error.message);
      });
      child.once("close", (code, signal) => {
        resolve(code === 0 ? undefined : errors.trim().slice(0, 500) || `it ended with ${signal ?? code}`);
      });
    });
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

/** A hard limit can only be lowered, so the user's own is kept where it is the lower one. */
function processLimit(): number {
  const limits = readFileSync("/proc/self/limits", "latin1");
  const hard = /^Max processes +\S+ +([0-9]+)/m.exec(limits)?.[1];
  return hard === undefined ? sandboxProcessLimit : Math.min(sandboxProcessLimit, Number(hard));
}

/** The real path of a workspace that may be made writable as a whole. */
function confinableWorkspace(path: string, home: string | undefined): string {
  const workspace = realpathSync(path);
  // A home of the environment strictly inside the workspace is a test's; the account's own never is.
  for (const entry of home === undefined ? [accountHome()] : [accountHome(), home]) {
    const real = realPathOf(entry);
    if (real === undefined || !isInside(real, workspace)) continue;
    if (entry === home && entry !== accountHome() && real !== workspace) continue;
    throw new SandboxError(
      "sandbox-workspace",
      `No sandbox in ${workspace}: it holds the home directory ${entry}, whose start-up files would be writable.`,
    );
  }
  return workspace;
}

/** What to hide of everything that exists and would be seen. */
function hiddenLayout(
  options: SandboxOptions,
  visible: readonly string[],
): Pick<SandboxLayout, "hiddenDirectories" | "hiddenFiles"> {
  const hiddenDirectories = new Set<string>();
  const hiddenFiles = new Set<string>();
  for (const path of secretPaths(homeDirectories(options.environment), options.hidden)) {
    const real = realPathOf(path);
    if (real === undefined || visible.includes(real)) continue;
    const stats = lstatSync(real, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    (stats.isDirectory() ? hiddenDirectories : hiddenFiles).add(real);
  }
  for (const path of boundSockets()) {
    const real = realPathOf(path);
    if (real === undefined || isReplaced(real)) continue;
    hiddenFiles.add(real);
  }
  return { hiddenDirectories: [...hiddenDirectories], hiddenFiles: [...hiddenFiles] };
}

/** Places every sandbox replaces as a whole. */
function isReplaced(path: string): boolean {
  return ["/run", "/tmp", "/var/tmp", "/dev", "/proc"].some((directory) => isInside(path, directory));
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // What does not exist, or the user may not look at, cannot be seen inside either.
    return undefined;
  }
}

function findProgram(name: string, searchPath = "/usr/bin:/bin"): string | undefined {
  for (const directory of searchPath.split(":")) {
    if (!directory.startsWith("/")) continue;
    const path = join(directory, name);
    try {
      accessSync(path, constants.X_OK);
      return realpathSync(path);
    } catch {
      // Not in this directory.
    }
  }
  return undefined;
}
