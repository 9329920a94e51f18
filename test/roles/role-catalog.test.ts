import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  RoleDefinitionError,
  RoleTexts,
  bundledRoleNames,
  checkToolGrants,
  discoverRoles,
  maxRoleFiles,
  parseRole,
  projectRoleDirectory,
  resolveRoleModel,
  roleWarnings,
  type RoleCatalog,
} from "../../roles/index.ts";

const bundledRoles = resolve(dirname(fileURLToPath(import.meta.url)), "../../roles/bundled");
let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "autolith-roles-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function definition(name: string, description: string): string {
  return `(:name "${name}" :description "${description}" :instructions "i")`;
}

function discover(workingDirectory = "work"): RoleCatalog {
  return discoverRoles({
    workingDirectory: join(root, workingDirectory),
    userConfigRoot: join(root, "user"),
    siteConfigRoot: join(root, "site"),
    bundledRoles,
  });
}

function effective(catalog: RoleCatalog, name: string): string {
  const found = catalog.lookup(name);
  if (found === undefined) return "nothing";
  return found instanceof RoleDefinitionError
    ? `fault: ${found.problem}`
    : `${found.source} ${found.description}`;
}

describe("the bundled roles", () => {
  it("are the seven, well formed, as the table of the facts has them", () => {
    const catalog = discover();
    expect(catalog.faults).toEqual([]);
    expect(catalog.roles.map((role) => role.name)).toEqual(bundledRoleNames);
    const rows = catalog.roles.map((role) => [
      role.name,
      role.tools.kind === "patterns" ? role.tools.patterns.join(" ") : role.tools.kind,
      role.spawns.kind === "roles" ? role.spawns.names.join(" ") : role.spawns.kind,
      role.models.join(" "),
      role.reasoningEffort,
      role.output !== undefined,
      role.blocking,
    ]);
    expect(rows).toEqual([
      ["scout", "resource.read search.* web_search", "none", "@smol", "medium", false, false],
      ["designer", "all", "none", "@designer", "high", false, false],
      [
        "reviewer",
        "resource.read shell.run search.* job.* web_search",
        "scout",
        "@slow",
        "high",
        false,
        true,
      ],
      [
        "librarian",
        "resource.read shell.run lisp.* search.* job.* web_search",
        "none",
        "@smol",
        "low",
        false,
        false,
      ],
      ["engineering", "all", "all", "@task", "medium", true, false],
      ["task", "all", "all", "@task", "medium", false, false],
      ["sonic", "all", "none", "@smol", "medium", false, false],
    ]);
  });
});

describe("precedence", () => {
  it("goes from project over user and site to bundled", () => {
    write("site/agents/scout.sexp", definition("scout", "site"));
    expect(effective(discover(), "scout")).toBe("site site");
    write("user/agents/scout.sexp", definition("scout", "user"));
    expect(effective(discover(), "scout")).toBe("user user");
    write("work/.autolith/agents/Scout.sexp", definition("SCOUT", "project"));
    const catalog = discover();
    expect(effective(catalog, "sCOUT")).toBe("project project");
    expect(catalog.roles.map((role) => role.name)).toEqual(bundledRoleNames);
  });

  it("puts roles of code first, and other names after the bundled ones", () => {
    write("user/agents/zebra.sexp", definition("zebra", "z"));
    write("user/agents/ant.sexp", definition("ant", "a"));
    const made = parseRole(definition("task", "made"), {
      source: "programmatic",
      path: undefined,
      claimedName: "task",
    });
    const catalog = discoverRoles({
      workingDirectory: root,
      userConfigRoot: join(root, "user"),
      bundledRoles,
      programmatic: [made],
    });
    expect(catalog.lookup("task")).toBe(made);
    expect(catalog.roles.map((role) => role.name)).toEqual([...bundledRoleNames, "ant", "zebra"]);
  });

  it("lets a malformed file block what it claims, and reports it", () => {
    write("work/.autolith/agents/reviewer.sexp", '(:name "reviewer"\n :tolls nil)');
    write("user/agents/reviewer.sexp", definition("reviewer", "user"));
    const catalog = discover();
    expect(effective(catalog, "reviewer")).toContain("fault: ");
    expect(catalog.roles.map((role) => role.name)).not.toContain("reviewer");
    expect(catalog.faults).toHaveLength(1);
    expect(catalog.faults[0]).toMatchObject({ source: "project", definitionName: "reviewer", line: 2 });
  });

  it("lets two files of one folded name block each other", () => {
    write("user/agents/Scout.sexp", definition("scout", "a"));
    write("user/agents/scout.sexp", definition("scout", "b"));
    expect(effective(discover(), "scout")).toBe("fault: Scout.sexp and scout.sexp claim the same name");
  });

  it("reports faults of overridden files, which block nothing", () => {
    write("work/.autolith/agents/scout.sexp", definition("scout", "project"));
    write("user/agents/scout.sexp", "(");
    const catalog = discover();
    expect(effective(catalog, "scout")).toBe("project project");
    expect(catalog.faults.map((fault) => fault.source)).toEqual(["user"]);
  });

  it("knows nothing of names that no file claims", () => {
    expect(discover().lookup("nobody")).toBeUndefined();
  });
});

describe("warnings", () => {
  it("name roles and models that nobody knows, with path and line, and leave the role usable", () => {
    write(
      "work/.autolith/agents/lead.sexp",
      `(:name "lead" :description "d" :instructions "i"
        :spawns ("scout" "Nobody" "broken")
        :models ("@smol" "openai-api/gpt-6"
                 "ghost/one"))`,
    );
    write("user/agents/broken.sexp", "(");
    const catalog = discover();
    const path = join(root, "work/.autolith/agents/lead.sexp");
    const head = `project role "lead" in ${path}, line`;
    expect(roleWarnings(catalog, (id) => id.startsWith("openai-api/")).map(({ message }) => message)).toEqual(
      [
        `${head} 2, field :spawns: no role is called "nobody", so no such child can be started; correct the name or add its file`,
        `${head} 3, field :models: no provider has "ghost/one": it is passed over for the next in the list, at last for the parent's model`,
      ],
    );
    expect(effective(catalog, "lead")).toBe("project d");
  });

  it("are none for the bundled roles", () => {
    expect(roleWarnings(discover(), () => false)).toEqual([]);
  });
});

describe("files", () => {
  it("are only the regular *.sexp files directly there", () => {
    write("user/agents/deep/a.sexp", definition("a", "nested"));
    write("user/agents/b.lisp", definition("b", "other suffix"));
    mkdirSync(join(root, "user/agents/c.sexp"));
    write("elsewhere/d.txt", definition("d", "linked"));
    symlinkSync(join(root, "elsewhere/d.txt"), join(root, "user/agents/d.sexp"));
    symlinkSync(join(root, "nowhere"), join(root, "user/agents/e.sexp"));
    execFileSync("mkfifo", [join(root, "user/agents/f.sexp")]);
    const catalog = discover();
    expect(catalog.roles.map((role) => role.name).slice(bundledRoleNames.length)).toEqual(["d"]);
    expect(effective(catalog, "e")).toBe("fault: the file cannot be read (ENOENT)");
    expect(effective(catalog, "f")).toBe("fault: it is not a regular file");
  });

  it("are refused when too large or not UTF-8", () => {
    write("user/agents/large.sexp", `${definition("large", "x")}${" ".repeat(131_072)}`);
    mkdirSync(join(root, "user/agents"), { recursive: true });
    writeFileSync(join(root, "user/agents/latin.sexp"), Buffer.from([0x28, 0x22, 0xe9, 0x22, 0x29]));
    const catalog = discover();
    expect(effective(catalog, "large")).toContain("131072");
    expect(effective(catalog, "latin")).toContain("0xe9 is not valid UTF-8");
  });

  it("are bounded in number", () => {
    for (let index = 0; index <= maxRoleFiles; index++) {
      write(`user/agents/r${index}.sexp`, definition(`r${index}`, "x"));
    }
    const catalog = discover();
    expect(catalog.faults.map((fault) => fault.problem)).toEqual([
      `holds ${maxRoleFiles + 1} role files, the limit is ${maxRoleFiles}`,
    ]);
    expect(effective(catalog, "r0")).toContain("fault: holds");
    expect(effective(catalog, "scout")).toContain("bundled");
  });

  it("a directory that cannot be listed may hold any role, so none behind it takes its place unsaid", () => {
    mkdirSync(join(root, "user"), { recursive: true });
    symlinkSync("agents", join(root, "user/agents"));
    write("work/.autolith/agents/own.sexp", definition("own", "of the project"));
    const catalog = discover();
    expect(effective(catalog, "own")).toBe("project of the project");
    expect(effective(catalog, "scout")).toBe("fault: the directory cannot be listed (ELOOP)");
    expect(catalog.roles.map(({ name }) => name)).toEqual(["own"]);
    expect(catalog.faults).toHaveLength(1);
  });
});

describe("the project's directory", () => {
  it("is the nearest one up to the repository's root", () => {
    mkdirSync(join(root, "repo/.git"), { recursive: true });
    writeFileSync(join(root, "repo/.git/HEAD"), "ref: refs/heads/main\n");
    mkdirSync(join(root, "repo/a/b"), { recursive: true });
    mkdirSync(join(root, ".autolith/agents"), { recursive: true });
    expect(projectRoleDirectory(join(root, "repo/a/b"))).toBeUndefined();
    mkdirSync(join(root, "repo/.autolith/agents"), { recursive: true });
    expect(projectRoleDirectory(join(root, "repo/a/b"))).toBe(join(root, "repo/.autolith/agents"));
    mkdirSync(join(root, "repo/a/.autolith/agents"), { recursive: true });
    expect(projectRoleDirectory(join(root, "repo/a/b"))).toBe(join(root, "repo/a/.autolith/agents"));
  });

  it("is found past names that a sandbox holds while a command runs", () => {
    mkdirSync(join(root, "repo/.autolith/agents"), { recursive: true });
    mkdirSync(join(root, "repo/sub/.git/autolith-placeholder.1.2.3"), { recursive: true });
    mkdirSync(join(root, "repo/sub/.autolith/autolith-placeholder.1.2.3"), { recursive: true });
    writeFileSync(join(root, "repo/.git"), "gitdir: /elsewhere\n");
    expect(projectRoleDirectory(join(root, "repo/sub"))).toBe(join(root, "repo/.autolith/agents"));
  });

  it("is the working directory's own outside a repository", () => {
    mkdirSync(join(root, ".autolith/agents"), { recursive: true });
    mkdirSync(join(root, "plain"));
    expect(projectRoleDirectory(join(root, "plain"))).toBeUndefined();
    expect(projectRoleDirectory(root)).toBe(join(root, ".autolith/agents"));
  });
});

describe("using a role", () => {
  const role = (tools: string): Parameters<typeof checkToolGrants>[0] =>
    parseRole(`(:name "r" :description "d" :instructions "i" :tools (${tools}))`, {
      source: "user",
      path: "/r.sexp",
      claimedName: "r",
    });

  it("fails for a grant that nothing satisfies and nobody knows", () => {
    const fault = checkToolGrants(role('"resource.read" "resource.raed"'), ["resource.read"]);
    expect(fault?.message).toBe('user role "r" in /r.sexp, field :tools: no tool satisfies "resource.raed"');
    expect(checkToolGrants(role('"nothing.*"'), ["resource.read"])?.code).toBe("task-agent-definition-error");
  });

  it("passes for known tools that are not installed, MCP servers and tools of extensions", () => {
    const known = role(
      '"lsp.*" "lisp.eval" "fs.view-image" "mcp__docs.*" "mcp.status" "web_search" "my.tool"',
    );
    expect(checkToolGrants(known, ["my.tool"])).toBeUndefined();
  });

  it("takes the first model that can be resolved, else the parent's", () => {
    const choices = {
      parent: "p/parent",
      cheap: "p/cheap",
      strong: undefined,
      isRegistered: (id: string) => ["p/parent", "p/cheap", "q/own"].includes(id),
    };
    expect(resolveRoleModel(["q/none", "@slow", "q/own"], choices)).toBe("q/own");
    expect(resolveRoleModel(["@smol"], choices)).toBe("p/cheap");
    expect(resolveRoleModel(["@designer"], choices)).toBe("p/parent");
    for (const alias of ["@task", "@parent", "@auto"])
      expect(resolveRoleModel([alias], choices)).toBe("p/parent");
    expect(resolveRoleModel([], choices)).toBe("p/parent");
  });
});

it("reads a file again when it has changed, and only then", () => {
  const known = new RoleTexts();
  const locations = { workingDirectory: root, userConfigRoot: join(root, "user"), bundledRoles, known };
  const smith = (): unknown => discoverRoles(locations).lookup("smith");
  write("user/agents/smith.sexp", definition("smith", "one"));
  const first = smith();
  expect(first).toMatchObject({ description: "one" });
  expect(smith()).toBe(first);
  write("user/agents/smith.sexp", definition("smith", "two"));
  expect(smith()).toMatchObject({ description: "two" });
});
