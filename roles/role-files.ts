import { closeSync, constants, fstatSync, openSync, readSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type RoleOrigin, parseRole, roleLimits } from "./parse-role.ts";
import { RoleDefinitionError } from "./role-definition-error.ts";
import type { Role, RoleSource } from "./role.ts";

/** What one directory of role files holds, each read when it is first asked for. */
export class RoleDirectory {
  readonly #claims: ReadonlyMap<string, () => Role | RoleDefinitionError>;

  constructor(claims: Iterable<readonly [name: string, read: () => Role | RoleDefinitionError]>) {
    this.#claims = new Map([...claims].map(([name, read]) => [name, once(read)]));
  }

  /** The names that files claim, in the order of the files. */
  get names(): readonly string[] {
    return [...this.#claims.keys()];
  }

  /**
   * The role of that name, or why its file cannot be used; undefined when no file claims the name. A directory that cannot be listed may
   * claim any: what comes behind it must not silently take its place.
   */
  lookup(name: string): Role | RoleDefinitionError | undefined {
    return (this.#claims.get(name) ?? this.#claims.get(everyName))?.();
  }

  get roles(): readonly Role[] {
    return this.#all().filter((claim): claim is Role => !(claim instanceof RoleDefinitionError));
  }

  /** One for each file that cannot be used; its name stays claimed. */
  get faults(): readonly RoleDefinitionError[] {
    // One fault may stand for many names.
    return [...new Set(this.#all().filter((claim) => claim instanceof RoleDefinitionError))];
  }

  #all(): readonly (Role | RoleDefinitionError)[] {
    return [...this.#claims.values()].map((read) => read());
  }
}

/** What a directory that cannot be listed claims; no role is called so. */
const everyName = "*";

/** Role files read from one directory; the ones beyond are reported. */
export const maxRoleFiles = 256;

const suffix = ".sexp";

/**
 * Lists the `*.sexp` files directly in `directory`, in the order of their names. A directory that does not exist holds
 * nothing; one that cannot be listed is a fault. Reads synchronously: the files are few and at most 128 KiB each.
 */
export function readRoleDirectory(
  directory: string,
  source: RoleSource,
  known: RoleTexts = new RoleTexts(),
): RoleDirectory {
  const listing = listRoleFiles(directory, source);
  if (listing instanceof RoleDefinitionError) return new RoleDirectory([[everyName, () => listing]]);
  const byName = Map.groupBy(listing, claimedName);
  if (listing.length > maxRoleFiles) {
    const problem = `holds ${listing.length} role files, the limit is ${maxRoleFiles}`;
    const fault = directoryFault(directory, source, problem);
    return new RoleDirectory([...byName.keys()].map((name) => [name, () => fault]));
  }
  return new RoleDirectory(
    [...byName].map(([name, files]) => {
      const path = join(directory, files[0] as string);
      return [
        name,
        () =>
          files.length === 1
            ? readRoleFile(path, { name, source, known })
            : ambiguous(directory, files, name, source),
      ];
    }),
  );
}

function once<T>(read: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => (known ??= { value: read() }).value;
}

function listRoleFiles(directory: string, source: RoleSource): string[] | RoleDefinitionError {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.name.endsWith(suffix) && !entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    return directoryFault(directory, source, `the directory cannot be listed (${code})`);
  }
}

function directoryFault(directory: string, source: RoleSource, problem: string): RoleDefinitionError {
  return new RoleDefinitionError({
    source,
    definitionName: everyName,
    path: directory,
    line: undefined,
    field: undefined,
    problem,
  });
}

type RoleFile = { readonly name: string; readonly source: RoleSource; readonly known: RoleTexts };

function readRoleFile(path: string, { name, source, known }: RoleFile): Role | RoleDefinitionError {
  try {
    return known.role(readBounded(path), { source, path, claimedName: name });
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

/** Files whose last reading is remembered; the oldest is forgotten first. */
const rememberedFiles = 1_024;

/** Roles by the text they were read from: files are looked at each time, and read as a role again when they have changed. */
export class RoleTexts {
  readonly #readings = new Map<string, { readonly text: Buffer; readonly role: Role }>();

  /** The role that the text defines. @throws RoleDefinitionError for everything that is wrong in it. */
  role(text: Buffer, origin: RoleOrigin & { readonly path: string }): Role {
    const key = `${origin.source} ${origin.path}`;
    const reading = this.#readings.get(key);
    if (reading?.text.equals(text) === true) return reading.role;
    const role = parseRole(text, origin);
    this.#readings.delete(key);
    this.#readings.set(key, { text, role });
    const [oldest] = this.#readings.keys();
    if (this.#readings.size > rememberedFiles && oldest !== undefined) this.#readings.delete(oldest);
    return role;
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
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new UnreadableFile("it is not a regular file");
    const buffer = Buffer.allocUnsafeSlow(Math.min(status.size, roleLimits.maxBytes) + 1);
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
