import { mkdirSync } from "node:fs";
import { access, constants, mkdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { errnoOf, RecordError, recordFailure } from "./failure.ts";

/** The environment variables a process was started with; handed in, never read from the process here. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The four directories everything durable lives under. All are absolute.
 *
 * - `config`: what a person edits (init.lisp, roles, server lists).
 * - `data`: conversations, execution directories, artifacts.
 * - `state`: preferences, credentials, leases, the private Redis.
 * - `cache`: replaceable.
 */
export interface Roots {
  readonly config: string;
  readonly data: string;
  readonly state: string;
  readonly cache: string;
}

const layout = {
  config: { variable: "XDG_CONFIG_HOME", fallback: [".config"] },
  data: { variable: "XDG_DATA_HOME", fallback: [".local", "share"] },
  state: { variable: "XDG_STATE_HOME", fallback: [".local", "state"] },
  cache: { variable: "XDG_CACHE_HOME", fallback: [".cache"] },
} as const;

/**
 * The roots named by `environment`. An XDG value that is not a non-empty absolute path is ignored and the default below
 * the home directory is used. The home directory is `HOME` when absolute, else the account's.
 */
export function resolveRoots(environment: Environment): Roots {
  const home = absoluteOr(environment["HOME"], () => homedir());
  const root = (name: keyof Roots): string => {
    const { variable, fallback } = layout[name];
    return join(
      absoluteOr(environment[variable], () => join(home, ...fallback)),
      "autolith",
    );
  };
  return { config: root("config"), data: root("data"), state: root("state"), cache: root("cache") };
}

function absoluteOr(value: string | undefined, fallback: () => string): string {
  return value !== undefined && isAbsolute(value) ? value : fallback();
}

/** What the program keeps in a root, so that it must be able to write there. What is in `config` it only reads. */
const written = {
  data: "its conversations and results",
  state: "its settings and the private Redis",
  cache: "the temporary files of commands",
} as const;

/** A root in which nothing can be written: neither Redis nor a record can be had, so no job can run. */
export class RootError extends RecordError {
  constructor(name: keyof typeof written, path: string, cause: unknown) {
    const { code } = recordFailure(cause, path, "write to the directory");
    const origin = cause instanceof RecordError ? cause.cause : cause;
    const first = code === "no-space" ? "Free some space" : "Make it writable for this user";
    super(
      code,
      path,
      `autolith cannot write to its ${name} directory ${path} (${errnoOf(origin) ?? String(origin)}), where it keeps ` +
        `${written[name]}. ${first}, or set ${layout[name].variable} or HOME to a directory that can be written.`,
      cause,
    );
  }
}

/**
 * Creates the roots that are missing with mode 0700. Existing ones are left as their owner made them.
 *
 * @throws RootError for the first one that cannot be written.
 */
export async function prepareRoots(roots: Roots): Promise<void> {
  for (const name of ["data", "state", "cache"] as const) {
    try {
      await ensurePrivateDirectory(roots[name]);
      await access(roots[name], constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new RootError(name, roots[name], error);
    }
  }
}

/**
 * Creates `path` and its missing parents with mode 0700. A directory that exists keeps its mode.
 *
 * @throws RecordError `read-only`, `no-space` or `input-output`.
 */
export async function ensurePrivateDirectory(path: string): Promise<void> {
  try {
    const existing = await stat(path).catch(() => undefined);
    if (existing?.isDirectory() !== true) await createPrivateDirectory(path);
  } catch (error) {
    throw recordFailure(error, path, "create the directory");
  }
}

/** Creates `path`, and its parents where they are missing, with mode 0700; one that is there already is no error. */
export function createPrivateDirectory(path: string): Promise<void> {
  return createDirectory(path, 0o700);
}

/**
 * Creates `path`, and its parents where they are missing, with the permission bits `mode`; one that is there already is no
 * error. Does it one directory after the other, each at most twice: Node's recursive `mkdir` calls a read-only file system a
 * missing directory, and never ends where a file system that exists refuses new names as missing (/proc).
 */
export async function createDirectory(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdirOrKeep(path, mode);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT" || dirname(path) === path) throw error;
    await createDirectory(dirname(path), mode);
    await mkdirOrKeep(path, mode);
  }
}

/**
 * Creates the directory at once when its parent is there. False when it was there already, or could not be made like that; then nothing
 * has changed.
 */
export function createPrivateDirectoryNow(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch {
    // Whoever goes on with `createPrivateDirectory` hears why.
    return false;
  }
}

async function mkdirOrKeep(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST" || !(await stat(path)).isDirectory()) throw error;
  }
}
