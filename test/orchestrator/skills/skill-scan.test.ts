import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type SkillRoot, scanSkills, skillScanLimits } from "../../../orchestrator/skills/skill-scan.ts";

function directoryWith(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), "alsk-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  return directory;
}

const user = (path: string): SkillRoot => ({ origin: "user", path });
const markdown = (name: string, extra = ""): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${extra}---\n\n# Steps\n\nDo it.\n`;
const form = (name: string, instructions = "Do it so."): string =>
  `(:autolith-skill :version 1 :name "${name}" :description "Does ${name}." :instructions "${instructions}")`;

describe("skills on disk", () => {
  it("are read from both kinds of files, sorted, with their places", async () => {
    const root = directoryWith({
      "b/SKILL.md": markdown("b", 'license: MIT\nmetadata:\n  version: "1"\nallowed-tools: [shell.run]\n'),
      "deep/er/a/SKILL.sexp": form("a"),
      "deep/er/a/EXECUTABLE.sexp": "()",
    });
    const { skills, diagnostics } = await scanSkills([user(root)]);
    expect(diagnostics).toEqual([]);
    expect(skills).toEqual([
      {
        name: "a",
        description: "Does a.",
        instructions: "Do it so.",
        origin: "user",
        path: join(root, "deep/er/a/SKILL.sexp"),
        directory: join(root, "deep/er/a"),
        hasExecutable: true,
      },
      {
        name: "b",
        description: "Does b.",
        instructions: "# Steps\n\nDo it.",
        origin: "user",
        path: join(root, "b/SKILL.md"),
        directory: join(root, "b"),
        hasExecutable: false,
      },
    ]);
  });

  it("of an earlier root win, SKILL.sexp before SKILL.md, and below a skill nothing is searched", async () => {
    const project = directoryWith({ "x/SKILL.sexp": form("x", "mine"), "x/SKILL.md": markdown("x") });
    const site = directoryWith({ "x/SKILL.md": markdown("x"), "x/inner/SKILL.md": markdown("inner") });
    const { skills, diagnostics } = await scanSkills([
      { origin: "project", path: project },
      { origin: "site", path: site },
    ]);
    expect(skills.map(({ name, origin, instructions }) => [name, origin, instructions])).toEqual([
      ["x", "project", "mine"],
    ]);
    expect(diagnostics).toEqual([]);
  });

  it.each([
    ["no front matter", "x/SKILL.md", "# Hello", "front matter"],
    [
      "no description",
      "x/SKILL.md",
      "---\nname: x\n---\n# Hello",
      "its front matter: description: expected a string; nothing came",
    ],
    ["another name than its directory", "x/SKILL.md", markdown("y"), "not that of its directory"],
    ["an unknown field", "x/SKILL.md", markdown("x", "color: red\n"), "color"],
    ["no description", "x/SKILL.md", "---\nname: x\n---\ntext", "description"],
    ["no instructions", "x/SKILL.md", "---\nname: x\ndescription: d\n---\n", "no instructions"],
    ["YAML that is none", "x/SKILL.md", "---\nname: [x\n---\ntext", "no YAML"],
    ["aliases", "x/SKILL.md", "---\nname: &a x\ndescription: *a\n---\ntext", "no YAML"],
    ["a bad name", "x/SKILL.sexp", form("X Y"), "lower-case"],
    ["another form", "x/SKILL.sexp", "(:skill :version 1)", ":autolith-skill"],
    ["an evaluated form", "x/SKILL.sexp", '(:autolith-skill :version #.(quit) :name "x")', "is no skill"],
    ["an unknown key", "x/SKILL.sexp", `${form("x").slice(0, -1)} :color "red")`, "no key :color"],
    ["too many bytes", "x/SKILL.md", markdown("x") + "y".repeat(65_536), "more than 65536 bytes"],
  ])("with %s are told and hide nothing else", async (_what, path, content, problem) => {
    const root = directoryWith({ [path]: content, "good/SKILL.sexp": form("good") });
    const { skills, diagnostics } = await scanSkills([user(root)]);
    expect(skills.map(({ name }) => name)).toEqual(["good"]);
    expect(diagnostics).toEqual([expect.stringContaining(problem)]);
    expect(diagnostics[0]).toContain(join(root, path));
  });

  it("behind links are read inside the roots only, and circles end", async () => {
    const outside = directoryWith({ "out/SKILL.sexp": form("out") });
    const root = directoryWith({ "in/SKILL.sexp": form("in") });
    symlinkSync(join(outside, "out"), join(root, "out"));
    symlinkSync(root, join(root, "circle"));
    const { skills, diagnostics } = await scanSkills([user(root)]);
    expect(skills.map(({ name }) => name)).toEqual(["in"]);
    expect(diagnostics).toEqual([expect.stringContaining("leads out of the directories of skills")]);
    const both = await scanSkills([user(root), user(outside)]);
    expect(both.skills.map(({ name }) => name)).toEqual(["in", "out"]);
  });

  it("are searched to a depth and no further, and missing roots are nothing special", async () => {
    const path = "1/2/3/4/5/6/7";
    const root = directoryWith({ [`${path}/SKILL.sexp`]: form("low"), "1/2/3/4/5/SKILL.md": "x" });
    const { skills, diagnostics } = await scanSkills([user(root), user("/nonexistent/skills")]);
    expect(skills).toEqual([]);
    expect(diagnostics).toHaveLength(1);
    const deep = directoryWith({ [`${path}/8/SKILL.sexp`]: form("low") });
    const { diagnostics: told } = await scanSkills([user(deep)]);
    expect(told).toEqual([expect.stringContaining(`deeper than ${skillScanLimits.depth} levels`)]);
  });
});
