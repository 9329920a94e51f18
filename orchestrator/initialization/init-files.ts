/** The Lisp files that a session's image begins with, in the order of the manual: site, trusted directories from outermost to nearest, user. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { AutolithError, failureOf } from "../contract/failure.ts";
import { errnoOf } from "../record/failure.ts";
import { trustedScopes } from "./directory-scopes.ts";

/** Bytes of one file. */
export const initFileByteLimit = 1_048_576;

/** Time that the evaluation of one file may take, in milliseconds. */
export const initFileMs = 60_000;

export type InitFile = {
  readonly origin: "site" | "directory" | "user";
  /** Absolute. */
  readonly path: string;
  readonly source: string;
};

/** A file that is there and cannot be read or evaluated. Code `initialization`; the message has the exact pathname. */
export class InitializationError extends AutolithError {
  readonly path: string;

  constructor(path: string, problem: string, options: { readonly cause?: unknown } = {}) {
    super(
      "initialization",
      `${path} could not be loaded: ${problem} Correct it, or start with --pristine to go without initialization.`,
      options,
    );
    this.path = path;
  }
}

export type InitFilePlaces = {
  readonly workingDirectory: string;
  readonly configRoot: string;
  readonly siteConfigRoot: string | undefined;
};

/** Those that are there, with their text. Rejects with {@link InitializationError} and `directory-scopes`. */
export async function initFiles({
  workingDirectory,
  configRoot,
  siteConfigRoot,
}: InitFilePlaces): Promise<readonly InitFile[]> {
  const scopes = await trustedScopes(join(configRoot, "directory-scopes.sexp"), workingDirectory);
  const wanted = [
    ...(siteConfigRoot === undefined ? [] : [["site", join(siteConfigRoot, "init.lisp")] as const]),
    ...scopes.map((directory) => ["directory", join(directory, ".autolith", "init.lisp")] as const),
    ["user", join(configRoot, "init.lisp")] as const,
  ];
  const found: InitFile[] = [];
  for (const [origin, path] of wanted) {
    const source = await sourceAt(path);
    if (source !== undefined && !found.some((file) => file.path === path))
      found.push({ origin, path, source });
  }
  return found;
}

async function sourceAt(path: string): Promise<string | undefined> {
  const file = await open(path, "r").catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return undefined;
    throw new InitializationError(path, `${errnoOf(error) ?? String(error)}.`, { cause: error });
  });
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat().then((status) => {
      if (!status.isFile()) throw new InitializationError(path, "it is no regular file.");
      return status;
    });
    if (size > initFileByteLimit)
      throw new InitializationError(path, `it has ${size} bytes; at most ${initFileByteLimit} are read.`);
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile());
  } catch (error) {
    if (error instanceof InitializationError) throw error;
    throw new InitializationError(path, `${failureOf(error).message}.`, { cause: error });
  } finally {
    await file.close();
  }
}
