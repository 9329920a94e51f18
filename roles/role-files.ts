import { closeSync, constants, fstatSync, openSync, readSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseRole, roleLimits } from "./parse-role.ts";
import { RoleDefinitionError } from "./role-definition-error.ts";
import type { Role, RoleSource } from "./role.ts";

/** What one directory of role files holds. */
export interface RoleDirectory {
  readonly roles: readonly Role[];
  /** One for each file that cannot be used; its name stays claimed. */
  readonly faults: readonly RoleDefinitionError[];
}

/** Role files read from one directory; the ones beyond are reported. */
export const maxRoleFiles = 256;

const suffix = ".sexp";

/**
 * Reads the `*.sexp` files directly in `directory`, in the order of their names. A directory that does not exist holds
 * nothing; one that cannot be listed is a fault. Reads synchronously: the files are few and at most 128 KiB each.
 */
export function readRoleDirectory(directory: string, source: RoleSource): RoleDirectory {
  const roles: Role[] = [];
  const faults: RoleDefinitionError[] = [];
  const listing = listRoleFiles(directory, source);
  if (listing instanceof RoleDefinitionError) return { roles, faults: [listing] };
  const byName = Map.groupBy(listing, claimedName);
  for (const [name, files] of byName) {
    const path = join(directory, files[0] as string);
    const reading =
      files.length === 1 ? readRoleFile(path, name, source) : ambiguous(directory, files, name, source);
    if (reading instanceof RoleDefinitionError) faults.push(reading);
    else roles.push(reading);
  }
  return { roles, faults };
}

function listRoleFiles(directory: string, source: RoleSource): string[] | RoleDefinitionError {
  try {
    const files = readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.name.endsWith(suffix) && !entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
    if (files.length <= maxRoleFiles) return files;
    return directoryFault(
      directory,
      source,
      `holds ${files.length} role files, the limit is ${maxRoleFiles}`,
    );
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    return directoryFault(directory, source, `the directory cannot be listed (${code})`);
  }
}

function directoryFault(directory: string, source: RoleSource, problem: string): RoleDefinitionError {
  return new RoleDefinitionError({
    source,
    definitionName: "*",
    path: directory,
    line: undefined,
    field: undefined,
    problem,
  });
}

function readRoleFile(path: string, name: string, source: RoleSource): Role | RoleDefinitionError {
  try {
    return parseRole(readBounded(path), { source, path, claimedName: name });
  } catch (error) {
    if (error instanceof RoleDefinitionError) return error;
    const problem =
      error instanceof UnreadableFile ? error.message : `the file cannot be read (${errorCode(error)})`;
    return new RoleDefinitionError(
      { source, definitionName: name, path, line: undefined, field: undefined, problem },
      { cause: error },
    );
  }
}

function ambiguous(
  directory: string,
  files: readonly string[],
  name: string,
  source: RoleSource,
): RoleDefinitionError {
  const problem = `${files.join(" and ")} claim the same name`;
  return new RoleDefinitionError({
    source,
    definitionName: name,
    path: join(directory, files[0] as string),
    line: undefined,
    field: ":name",
    problem,
  });
}

class UnreadableFile extends Error {}

/** At most one byte more than a role may have, so that the parser sees that it is too large. Never waits on a FIFO. */
function readBounded(path: string): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new UnreadableFile("it is not a regular file");
    const buffer = Buffer.alloc(roleLimits.maxBytes + 1);
    let length = 0;
    for (;;) {
      const read = readSync(descriptor, buffer, length, buffer.length - length, length);
      length += read;
      if (read === 0 || length === buffer.length) return buffer.subarray(0, length);
    }
  } finally {
    closeSync(descriptor);
  }
}

function claimedName(file: string): string {
  return file.slice(0, -suffix.length).toLowerCase();
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : "unknown error";
}
