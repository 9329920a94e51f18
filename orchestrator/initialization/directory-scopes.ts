/** The directories whose own initialization a person trusts: `directory-scopes.sexp` of the configuration root (facts I). */
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { isAbsolute, sep } from "node:path";
import { DataFormError, PlistReader, readDataForm } from "../../lisp/data-forms/index.ts";
import { AutolithError } from "../contract/failure.ts";
import { errnoOf } from "../record/failure.ts";

/** Bytes of the file, and directories in it. */
export const directoryScopeLimits = { bytes: 65_536, directories: 256 } as const;

/** The file of directory scopes cannot be used. Code `directory-scopes`. */
export class DirectoryScopeError extends AutolithError {
  constructor(path: string, problem: string, options: { readonly cause?: unknown } = {}) {
    super("directory-scopes", `The trusted directories in ${path} cannot be read: ${problem}`, options);
  }
}

/**
 * The trusted directories that hold `workingDirectory`, outermost first, as real paths; none without a file. What the file names and is not
 * there is passed over. Rejects with {@link DirectoryScopeError} for a file that others may write, or that is not
 * `(:version 1 :directories ("/absolute" …))`.
 */
export async function trustedScopes(path: string, workingDirectory: string): Promise<readonly string[]> {
  const bytes = await readOwnFile(path);
  if (bytes === undefined) return [];
  const here = await realpath(workingDirectory);
  const named = await Promise.all(
    directoriesOf(bytes, path).map((directory) => realpath(directory).catch(() => undefined)),
  );
  const holding = named.filter(
    (directory) =>
      directory !== undefined &&
      (directory === here || here.startsWith(directory === sep ? sep : directory + sep)),
  ) as string[];
  return [...new Set(holding)].toSorted((left, right) => left.length - right.length);
}

function directoriesOf(bytes: Uint8Array, path: string): readonly string[] {
  try {
    const reader = PlistReader.of(
      readDataForm(bytes, {
        limits: {
          maxBytes: directoryScopeLimits.bytes,
          maxDepth: 4,
          maxNodes: 1_024,
          maxStringCharacters: 4_096,
        },
      }),
      { what: "the trusted directories", keys: ["version", "directories"] },
    );
    reader.integer("version", { minimum: 1, maximum: 1 });
    const directories = reader.list("directories");
    if (directories.length > directoryScopeLimits.directories)
      throw new DirectoryScopeError(
        path,
        `it names ${directories.length} directories; at most ${directoryScopeLimits.directories} are read`,
      );
    return directories.map((directory) => {
      if (typeof directory === "string" && isAbsolute(directory)) return directory;
      throw new DirectoryScopeError(path, "a directory in it is no absolute path in a string");
    });
  } catch (error) {
    if (!(error instanceof DataFormError)) throw error;
    throw new DirectoryScopeError(path, error.message, { cause: error });
  }
}

/** Undefined when there is none. A link is not followed: the file itself must be the user's. */
async function readOwnFile(path: string): Promise<Uint8Array | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw new DirectoryScopeError(path, errnoOf(error) ?? String(error), { cause: error });
  });
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    const isOwn = process.getuid === undefined || found.uid === process.getuid();
    if (!found.isFile() || !isOwn || (found.mode & 0o022) !== 0)
      throw new DirectoryScopeError(path, "it must be a regular file of yours that nobody else may write");
    if (found.size > directoryScopeLimits.bytes)
      throw new DirectoryScopeError(
        path,
        `it has ${found.size} bytes, more than ${directoryScopeLimits.bytes}`,
      );
    return await file.readFile();
  } finally {
    await file.close();
  }
}
