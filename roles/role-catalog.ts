import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { RoleDefinitionError } from "./role-definition-error.ts";
import { RoleDirectory, type RoleTexts, readRoleDirectory } from "./role-files.ts";
import { roleSources, type Role, type RoleSource } from "./role.ts";
import { unsatisfiedPatterns } from "./tool-grant.ts";

/** Where roles are looked for. All directories are absolute; one that does not exist holds no roles. */
export interface RoleLocations {
  /** The project's roles are in the nearest `.autolith/agents/` from here up to the project's root. */
  readonly workingDirectory: string;
  /** The user's configuration directory of autolith; roles are in its `agents/`. */
  readonly userConfigRoot: string;
  /** The site's configuration directory, if any; roles are in its `agents/`. */
  readonly siteConfigRoot?: string | undefined;
  /** The directory of the bundled roles themselves. */
  readonly bundledRoles: string;
  /** Roles made by code; they come before all files. */
  readonly programmatic?: readonly Role[] | undefined;
  /** What was read before, for a host that looks at its roles again and again. */
  readonly known?: RoleTexts | undefined;
}

/** The bundled roles in the order in which they are presented. */
export const bundledRoleNames: readonly string[] = [
  ...["scout", "designer", "reviewer", "librarian", "engineering", "task", "sonic"],
];

/** The role of a child whose parent names none. */
export const defaultRoleName = "task";

/** Directories looked at for a project's roles. */
export const maxProjectLevels = 64;

/** The roles in effect: for each name the definition of the first source that claims it. Files are read when they are asked for. */
export class RoleCatalog {
  readonly #directories: readonly RoleDirectory[];
  #roles: readonly Role[] | undefined;

  /** `directories` by precedence. */
  constructor(directories: readonly RoleDirectory[]) {
    this.#directories = directories;
  }

  /** Effective roles, bundled names first in their order, then the others by name. */
  get roles(): readonly Role[] {
    this.#roles ??= [...new Set(this.#directories.flatMap(({ names }) => names))]
      .map((name) => this.lookup(name))
      .filter((claim): claim is Role => claim !== undefined && !(claim instanceof RoleDefinitionError))
      .sort(byPresentation);
    return this.#roles;
  }

  /** Everything that could not be used, by precedence of its source, overridden ones included. */
  get faults(): readonly RoleDefinitionError[] {
    return this.#directories.flatMap((directory) => directory.faults);
  }

  /** The effective role, the fault of the malformed file that claims the name, or `undefined` when nothing does. */
  lookup(name: string): Role | RoleDefinitionError | undefined {
    const folded = name.toLowerCase();
    for (const directory of this.#directories) {
      const claim = directory.lookup(folded);
      if (claim !== undefined) return claim;
    }
    return undefined;
  }
}

/** Finds all roles. Lists directories; never throws for what is in them. */
export function discoverRoles(locations: RoleLocations): RoleCatalog {
  const project = projectRoleDirectory(locations.workingDirectory);
  const directories: Readonly<Record<Exclude<RoleSource, "programmatic">, string | undefined>> = {
    project,
    user: join(locations.userConfigRoot, "agents"),
    site: locations.siteConfigRoot === undefined ? undefined : join(locations.siteConfigRoot, "agents"),
    bundled: locations.bundledRoles,
  };
  return new RoleCatalog(
    roleSources.map((source) => {
      if (source === "programmatic") return programmaticRoles(locations.programmatic ?? []);
      const directory = directories[source];
      return directory === undefined
        ? new RoleDirectory([])
        : readRoleDirectory(directory, source, locations.known);
    }),
  );
}

/** The first of a name counts. */
function programmaticRoles(roles: readonly Role[]): RoleDirectory {
  return new RoleDirectory(roles.toReversed().map((role) => [role.name, () => role]));
}

/** The nearest `.autolith/agents/`; see {@link projectDirectory}. */
export function projectRoleDirectory(workingDirectory: string): string | undefined {
  return projectDirectory(workingDirectory, "agents");
}

/**
 * The nearest `.autolith/NAME/` from `workingDirectory` up to the project's root (the nearest one with a repository),
 * at most {@link maxProjectLevels} up. Outside a repository only the working directory's own counts, so that a stray
 * directory in a shared parent cannot speak for the project.
 */
export function projectDirectory(workingDirectory: string, name: string): string | undefined {
  const start = resolve(workingDirectory);
  const root = projectRoot(start) ?? start;
  let directory = start;
  for (let level = 0; level < maxProjectLevels; level++) {
    const candidate = join(directory, ".autolith", name);
    if (exists(candidate, "directory")) return candidate;
    if (directory === root) return undefined;
    directory = dirname(directory);
  }
  return undefined;
}

/**
 * Checks that a role can be used with the tools registered for children.
 * @returns a fault naming the first grant that nothing satisfies and autolith does not know.
 */
export function checkToolGrants(role: Role, childTools: readonly string[]): RoleDefinitionError | undefined {
  const [first] = unsatisfiedPatterns(role.tools, childTools);
  if (first === undefined) return undefined;
  return new RoleDefinitionError({
    source: role.source,
    definitionName: role.name,
    path: role.path,
    line: undefined,
    field: ":tools",
    problem: `no tool satisfies ${JSON.stringify(first)}`,
  });
}

function projectRoot(start: string): string | undefined {
  let directory = start;
  for (let level = 0; level < maxProjectLevels; level++) {
    if (isRepository(join(directory, ".git"))) return directory;
    const parent = dirname(directory);
    if (parent === directory) return undefined;
    directory = parent;
  }
  return undefined;
}

/**
 * A repository's directory has a HEAD, and a linked checkout's is a file. Git passes over any other, and so do we: a sandbox
 * holds the name `.git` by a directory while a command runs.
 */
function isRepository(dotGit: string): boolean {
  return exists(dotGit, "file") || exists(join(dotGit, "HEAD"), "file");
}

function exists(path: string, what: "directory" | "file"): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && (what === "directory" ? found.isDirectory() : found.isFile());
  } catch {
    // A path that cannot be looked at (no permission, a loop of links) holds nothing for us.
    return false;
  }
}

function byPresentation(left: Role, right: Role): number {
  const rank = (role: Role): number => {
    const index = bundledRoleNames.indexOf(role.name);
    return index < 0 ? bundledRoleNames.length : index;
  };
  return rank(left) - rank(right) || (left.name < right.name ? -1 : 1);
}
