import type { OpenedPath } from "../spawner/command-request.ts";

export interface SandboxOptions {
  /** The host's environment; PATH and HOME are used. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Further directories and files no command may see: configuration, state, data, cache, sockets of ours. */
  readonly hidden: readonly string[];
  /** Most processes and threads; for root of all commands together, for others of each. Default 2048. */
  readonly processLimit?: number;
}

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

/** A confined command, ready for the spawner. */
export interface ConfinedCommand {
  readonly argv: readonly [string, ...string[]];
  /** Settings the command's environment must have. */
  readonly set: Readonly<Record<string, string>>;
  /** For the spawner: whether all its processes end with its first one. */
  readonly contained: boolean;
  /** For the spawner: files the command needs opened. */
  readonly opened: Readonly<Record<number, OpenedPath>>;
  /**
   * After its end by itself: whether the sandbox could not be set up, so that nothing of the command ran and it may be
   * tried again. Something to hide may have vanished in the moment of hiding it.
   */
  neverStarted(): boolean;
  /** To be called once the command has ended. */
  release(): void;
}

/** Confines commands: no network, the host read-only, credentials and our own files out of sight. */
export interface Sandbox {
  /** How the number of processes is limited, for reports. */
  readonly processLimit: "rlimit" | "cgroup" | "none";
  /** Builds the confined form of a command. Throws `SandboxError` `sandbox-workspace`. */
  confine(request: SandboxRequest): ConfinedCommand;
  /** Gives back what the sandbox holds of the machine. */
  close(): void;
}
