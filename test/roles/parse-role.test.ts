import { describe, expect, it } from "vitest";
import { RoleDefinitionError, grantsTool, maySpawn, parseRole, type Role } from "../../roles/index.ts";

const origin = { source: "project", path: "/p/reviewer.sexp", claimedName: "reviewer" } as const;

function role(fields = ""): Role {
  return parseRole(`(:name "reviewer" :description "d" :instructions "i"\n${fields})`, origin);
}

function fault(text: string): RoleDefinitionError {
  try {
    parseRole(text, origin);
  } catch (error) {
    if (error instanceof RoleDefinitionError) return error;
    throw error;
  }
  throw new Error(`${text} was accepted`);
}

describe("a definition", () => {
  it("has defaults for all that is optional", () => {
    expect(role()).toEqual({
      name: "reviewer",
      description: "d",
      instructions: "i",
      tools: { kind: "none" },
      spawns: { kind: "none" },
      models: [],
      reasoningEffort: "medium",
      output: undefined,
      blocking: false,
      source: "project",
      path: "/p/reviewer.sexp",
      lines: { spawns: 1, models: 1 },
    });
  });

  it("reads the manual's example, with comments of both kinds", () => {
    const text = `#| a role |#
      (:name "Reviewer" ; folded
       :description " Review a change for regressions. "
       :instructions "Report concrete, evidence-backed findings."
       :tools ("resource.read" "search.*")
       :spawns nil
       :models ("@parent")
       :reasoning-effort :high
       :blocking-p t)`;
    expect(parseRole(text, origin)).toMatchObject({
      name: "reviewer",
      description: "Review a change for regressions.",
      tools: { kind: "patterns", patterns: ["resource.read", "search.*"] },
      models: ["@parent"],
      reasoningEffort: "high",
      blocking: true,
    });
  });

  it("reads the other forms of its fields", () => {
    expect(role(":tools :all :spawns :all :reasoning-effort :auto :blocking-p nil")).toMatchObject({
      tools: { kind: "all" },
      spawns: { kind: "all" },
      reasoningEffort: "medium",
      blocking: false,
    });
    expect(role(':spawns ("Scout" "task")').spawns).toEqual({ kind: "roles", names: ["scout", "task"] });
    expect(role(":output :engineering").output).toMatchObject({ type: "object" });
    expect(role(":output (:type :engineering)").output).toMatchObject({ type: "object" });
    expect(role(":output (:type :string)").output).toEqual({ type: "string" });
  });

  it("takes text at its bounds", () => {
    const long = parseRole(
      `(:name "reviewer" :description " ${"d".repeat(512)} " :instructions "${"é".repeat(32_768)}")`,
      origin,
    );
    expect(long.description).toHaveLength(512);
    expect(long.instructions).toHaveLength(32_768);
  });
});

describe("what is wrong", () => {
  const base = '(:name "reviewer" :description "d" :instructions "i"\n';
  it.each([
    ["12", 1, undefined, "must be a property list"],
    ["", 1, undefined, "one form was expected, the text holds none"],
    [`${base} :tools nil) (:name "x")`, 2, undefined, "another follows"],
    [`${base} :tool nil)`, 2, ":tool", "a role definition has no key :tool; its keys are :name"],
    [`${base} :reasoning-effort :turbo)`, 2, ":reasoning-effort", "must be one of :none, :low"],
    [`${base} :output (:type :strin))`, 2, ":output", ":string"],
    [`${base} ) (:x 1)`, 2, undefined, "another follows"],
    [`${base} :type nil)`, 2, ":type", "a role definition has no key :type"],
    [`${base} :tools nil\n :tools nil)`, 3, ":tools", "twice"],
    [`${base} :tools #.(quit))`, 2, undefined, "no dispatch macros"],
    [`${base} :tools resource.read)`, 2, undefined, "the symbol resource.read is not data"],
    ['(:name "reviewer"\n :description "d")', 1, ":instructions", "needs the key :instructions"],
    [
      '(:name "other" :description "d" :instructions "i")',
      1,
      ":name",
      'must be "reviewer" as the file is called',
    ],
    ['(:name "re viewer" :description "d" :instructions "i")', 1, ":name", "ASCII letter"],
    [`(:name "${"r".repeat(65)}" :description "d" :instructions "i")`, 1, ":name", "ASCII letter"],
    ['(:name "reviewer"\n :description "  "\n :instructions "i")', 2, ":description", "only blanks"],
    [`(:name "reviewer" :instructions "i"\n :description "${"d".repeat(513)}")`, 2, ":description", "512"],
    [`(:name "reviewer" :description "d"\n :instructions "${"i".repeat(32_769)}")`, 2, undefined, "32768"],
    [`${base} :tools "resource.read")`, 2, ":tools", "must be a list, got a string"],
    [`${base} :tools ("resource.read" "resource.read"))`, 2, ":tools", "twice"],
    [`${base} :tools ("Resource.read"))`, 2, ":tools", "in lower case"],
    [`${base} :tools ("resource"))`, 2, ":tools", "namespace.name"],
    [`${base} :tools ("*"))`, 2, ":tools", "namespace.name"],
    [`${base} :tools ("resource.re*"))`, 2, ":tools", "namespace.name"],
    [`${base} :tools ("self.eval"))`, 2, ":tools", "must not grant self.*"],
    [`${base} :tools ("task.*"))`, 2, ":tools", "must not grant task.*"],
    [`${base} :tools ("yield.submit"))`, 2, ":tools", "must not grant yield.*"],
    [`${base} :tools (:all))`, 2, ":tools", "non-empty strings"],
    [`${base} :spawns ("a b"))`, 2, ":spawns", "role names"],
    [`${base} :models nil)`, 2, ":models", "at least one model"],
    [`${base} :models ("@big"))`, 2, ":models", "aliases @task"],
    [`${base} :reasoning-effort :all)`, 2, ":reasoning-effort", "must be one of :none, :low"],
    [`${base} :blocking-p 1)`, 2, ":blocking-p", "T or NIL"],
    [`${base} :output\n (:type :object\n :properties (("a" (:type :array)))))`, 4, ":output", "$.a"],
    [`${base} :output (:type :engineering :required ("x")))`, 2, ":output", "does not declare"],
  ])("%j", (text, line, field, message) => {
    const error = fault(text);
    expect(error).toMatchObject({
      code: "task-agent-definition-error",
      source: "project",
      definitionName: "reviewer",
      path: "/p/reviewer.sexp",
      line,
      field,
    });
    expect(error.message).toContain(message);
  });

  it("is reported with origin, role, path, line, field and cause in that order", () => {
    expect(fault(`${base} :blocking-p 1)`).message).toBe(
      'project role "reviewer" in /p/reviewer.sexp, line 2, field :blocking-p: :blocking-p must be T or NIL, got an integer',
    );
  });

  it("holds the file's bounds", () => {
    expect(fault(`${base})${" ".repeat(131_072)}`).message).toContain("131072");
    expect(fault(`${base} :tools ${"(".repeat(128)}`).message).toContain("128");
    expect(fault(`${base} :tools (${'"a" '.repeat(8192)}))`).message).toContain("8192");
    expect(fault(Buffer.from([0x28, 0xff, 0x29]).toString("latin1")).code).toBe(
      "task-agent-definition-error",
    );
  });
});

describe("grants", () => {
  it("cover exact names and namespaces, and never what no role can grant", () => {
    const { tools } = role(':tools ("resource.read" "search.*" "mcp__docs.*" "web_search")');
    const covered = ["resource.read", "search.files", "search.content", "mcp__docs.find", "web_search"];
    const others = ["resource.edit", "searching.x", "search", "task.run", "yield.submit", "job.list"];
    for (const tool of covered) expect(grantsTool(tools, tool)).toBe(true);
    for (const tool of others) expect(grantsTool(tools, tool)).toBe(false);
    const everything = role(":tools :all").tools;
    expect(grantsTool(everything, "job.list")).toBe(true);
    expect(grantsTool(everything, "web_search")).toBe(true);
    for (const tool of ["self.eval", "task.run", "yield.submit"])
      expect(grantsTool(everything, tool)).toBe(false);
    expect(grantsTool(role().tools, "resource.read")).toBe(false);
  });

  it("say whom an agent may start", () => {
    expect(maySpawn(role(), "scout")).toBe(false);
    expect(maySpawn(role(":spawns :all"), "anything")).toBe(true);
    expect(maySpawn(role(':spawns ("scout")'), "Scout")).toBe(true);
    expect(maySpawn(role(':spawns ("scout")'), "task")).toBe(false);
  });
});
