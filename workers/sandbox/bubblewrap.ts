import { spawn } from "node:child_process";
import type { StdioOptions } from "node:child_process";
import { accessSync, closeSync, constants, existsSync, openSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { confinableWorkspace } from "./confinable-workspace.ts";
import type { ConfinedCommand, Sandbox, SandboxOptions, SandboxRequest } from "./confined-command.ts";
import { hiddenLayout } from "./hidden-layout.ts";
import { NamelessFile } from "./nameless-file.ts";
import { ProcessCap } from "./process-cap.ts";
import { protectWorkspace } from "./repository-protection.ts";
import {
  baseMounts,
  filterDescriptor,
  filterFlags,
  isolationFlags,
  sandboxArguments,
  sandboxProcessLimit,
  statusDescriptor,
} from "./sandbox-arguments.ts";
import type { SandboxFeatures, SandboxLayout } from "./sandbox-arguments.ts";
import { systemCallFilter } from "./system-call-filter.ts";

/** Time the probe may take, in ms. */
const probeMs = 5_000;

/** Directories below /run that are parts of the system, not sockets or secrets. */
const shownBelowRun = ["/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/wrappers"];

/** Confines commands with bubblewrap. Made by {@link probeBubblewrap}, so that one exists only where it works. */
class BubblewrapSandbox implements Sandbox {
  readonly #features: SandboxFeatures;
  readonly #options: SandboxOptions;
  readonly #cap: ProcessCap | undefined;
  readonly #filter: NamelessFile | undefined;
  /** Those no command uses at the moment; opening one for a command empties it. */
  readonly #statusFiles: NamelessFile[] = [];

  constructor(
    features: SandboxFeatures,
    options: SandboxOptions,
    held: { readonly cap: ProcessCap | undefined; readonly filter: NamelessFile | undefined },
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
    const temporary = realpathSync(request.temporary);
    const directory = realpathSync(request.directory);
    const status = this.#statusFiles.pop() ?? new NamelessFile();
    const protection = protectWorkspace(workspace, request.git ?? "protect");
    const visible = [workspace, ...protection.writable, temporary];
    const layout: SandboxLayout = {
      directory,
      writable: [workspace, ...protection.writable],
      temporary,
      protected: protection.protected,
      ...hiddenLayout(this.#options, visible),
      shown: shownBelowRun.filter((path) => existsSync(path)),
    };
    const argv = sandboxArguments(this.#features, layout, request.argv);
    return {
      argv: this.#cap === undefined ? argv : this.#cap.wrap(argv),
      contained: true,
      opened: {
        ...(this.#filter === undefined ? {} : { [filterDescriptor]: { path: this.#filter.path, mode: "r" } }),
        [statusDescriptor]: { path: status.path, mode: "w" },
      },
      // bubblewrap writes the exit code only when it got as far as running the command.
      neverStarted: () => !status.text().includes('"exit-code"'),
      set: { TMPDIR: "/tmp" },
      release: () => {
        protection.release();
        this.#statusFiles.push(status);
      },
    };
  }

  /** Gives back what the sandbox holds of the machine. */
  close(): void {
    this.#cap?.close();
    this.#filter?.close();
    for (const file of this.#statusFiles.splice(0)) file.close();
  }
}

/** Tries to make a sandbox as every command will need it, and says why when that is impossible. Never rejects. */
export async function probeBubblewrap(
  options: SandboxOptions,
): Promise<
  | { readonly available: true; readonly sandbox: Sandbox }
  | { readonly available: false; readonly reason: string }
> {
  const program = findProgram("bwrap", options.environment["PATH"]);
  if (program === undefined) {
    return { available: false, reason: "bubblewrap is not installed (no bwrap program in PATH)." };
  }
  const instructions = systemCallFilter(process.arch, process.getuid?.() === 0);
  const filter = instructions === undefined ? undefined : new NamelessFile(instructions);
  let reason = "";
  for (const disableUserNamespaces of [true, false]) {
    const features: SandboxFeatures = {
      program,
      disableUserNamespaces,
      processLimit: processLimit(options.processLimit ?? sandboxProcessLimit),
      isRoot: process.getuid?.() === 0,
      filtered: filter !== undefined,
    };
    const problem = await tryOut(features, filter);
    if (problem === undefined) {
      return {
        available: true,
        sandbox: new BubblewrapSandbox(features, options, {
          cap: ProcessCap.open(options.processLimit ?? sandboxProcessLimit),
          filter,
        }),
      };
    }
    reason = problem;
  }
  filter?.close();
  return { available: false, reason: `bubblewrap cannot make a sandbox here: ${reason}` };
}

/** Runs nothing in a sandbox like those of commands; what bubblewrap says when that fails, else undefined. */
async function tryOut(
  features: SandboxFeatures,
  filter: NamelessFile | undefined,
): Promise<string | undefined> {
  const [program, ...parameters] = [
    features.program,
    ...isolationFlags(features),
    ...baseMounts(),
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
  const opened = filter === undefined ? undefined : openSync(filter.path, "r");
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
function processLimit(wanted: number): number {
  const limits = readFileSync("/proc/self/limits", "latin1");
  const hard = /^Max processes +\S+ +([0-9]+)/m.exec(limits)?.[1];
  return hard === undefined ? wanted : Math.min(wanted, Number(hard));
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
