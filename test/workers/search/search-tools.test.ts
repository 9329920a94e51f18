import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ToolOutcome } from "../../../orchestrator/contract/tool.ts";
import { LineSink } from "../../../workers/search/line-sink.ts";
import { findRipgrep } from "../../../workers/search/ripgrep.ts";
import { searchTools } from "../../../workers/search/search-tools.ts";
import { scratchDirectory, scratchSpawner } from "../spawner/collect.ts";
import { toolContext } from "../workspace/tool-context.ts";

type Search = (name: string, args: object) => Promise<ToolOutcome>;

function searchIn(files: Readonly<Record<string, string>>, signal?: AbortSignal): Search {
  const context = toolContext(signal === undefined ? {} : { signal });
  for (const [name, content] of Object.entries(files)) {
    const path = join(context.workspace, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const tools = searchTools({ spawner: scratchSpawner(), searchPath: process.env["PATH"] });
  return async (name, args) => {
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(name);
    return await tool.execute(tool.arguments.parse(args), context);
  };
}

const project = {
  ".gitignore": "dist/\n*.log\n",
  ".git/config": "needle in git",
  ".github/ci.yml": "needle in ci\n",
  "dist/out.ts": "needle built\n",
  "debug.log": "needle logged\n",
  "src/alpha.ts": "one\nneedle here\nthree\n",
  "src/beta.ts": "const readFile = 1;\nNEEDLE upper\n",
  "src/deep/gamma.md": "read_file and needle\n",
  "test/alpha.test.ts": "needle tested\n",
};

describe("search.files", () => {
  test("finds by parts of the path, leaves out ignored files, pages", async () => {
    const search = searchIn(project);
    expect((await search("search.files", { query: "alpha" })).content).toMatch(
      /^2 of 6 files, 1-2 shown\nsrc\/alpha\.ts\ntest\/alpha\.test\.ts$/,
    );
    expect((await search("search.files", { query: "out.ts" })).content).toBe("0 of 6 files\n");
    const first = await search("search.files", { query: "a", "max-results": 2 });
    expect(first.content).toContain("[more: page 2]");
    const second = await search("search.files", { query: "a", "max-results": 2, page: 2 });
    expect(second.content.split("\n")[1]).not.toBe(first.content.split("\n")[1]);
  });
});

describe("search.glob", () => {
  test("matches paths, not ignored ones, by name", async () => {
    const search = searchIn(project);
    expect((await search("search.glob", { pattern: "**/*.ts" })).content).toBe(
      "3 of 6 files, 1-3 shown\nsrc/alpha.ts\nsrc/beta.ts\ntest/alpha.test.ts",
    );
    expect((await search("search.glob", { pattern: "**/*" })).content).not.toMatch(/dist|\.git\//);
  });

  test("a pattern that stands for too much is refused", async () => {
    await expect(searchIn({})("search.glob", { pattern: "{a,b}".repeat(10) })).rejects.toMatchObject({
      code: "search-pattern",
    });
  });
});

describe("search.content", () => {
  test("finds literal text with smart case, sorted by path, ignore rules honoured", async () => {
    const { content } = await searchIn(project)("search.content", { query: "needle" });
    expect(content).toBe(
      [
        "5 matches in 5 files",
        ...[
          ".github/ci.yml",
          "  1: needle in ci",
          "src/alpha.ts",
          "  2: needle here",
          "src/beta.ts",
          "  2: NEEDLE upper",
        ],
        ...["src/deep/gamma.md", "  1: read_file and needle", "test/alpha.test.ts", "  1: needle tested"],
      ].join("\n"),
    );
    expect((await searchIn(project)("search.content", { query: "NEEDLE" })).content).toContain(
      "1 matches in 1 files",
    );
  });

  test("several patterns, regular expressions, and special characters taken literally", async () => {
    const search = searchIn({ a: "x.y\nxay\n-e foo\n(unclosed\n", b: "other\n" });
    expect((await search("search.content", { query: "x.y" })).content).toContain("1 matches");
    expect((await search("search.content", { query: "x.y", mode: "regex" })).content).toContain("2 matches");
    expect((await search("search.content", { query: "-e foo" })).content).toContain("  3: -e foo");
    expect((await search("search.content", { query: "(unclosed" })).content).toContain("  4: (unclosed");
    expect((await search("search.content", { patterns: ["xay", "other"] })).content).toContain(
      "2 matches in 2 files",
    );
  });

  test("a wrong expression is an error that says what is wrong", async () => {
    await expect(searchIn(project)("search.content", { query: "(", mode: "regex" })).rejects.toMatchObject({
      code: "search-pattern",
      message: expect.stringContaining("unclosed group"),
    });
  });

  test("fuzzy needs every word in the line, in any order, across separators", async () => {
    const search = searchIn(project);
    expect((await search("search.content", { query: "readfile", mode: "fuzzy" })).content).toContain(
      "2 matches in 2 files",
    );
    const both = await search("search.content", { query: "needle readfile", mode: "fuzzy" });
    expect(both.content).toContain("1 matches in 1 files\nsrc/deep/gamma.md");
  });

  test("constraints include and exclude, without letting ignored files in", async () => {
    const search = searchIn(project);
    const count = async (...constraints: string[]) =>
      (await search("search.content", { query: "needle", constraints })).content.split("\n")[0];
    expect(await count("src/")).toBe("3 matches in 3 files");
    expect(await count("*.ts")).toBe("3 matches in 3 files");
    expect(await count("src/**/*.{ts,md}", "!*.md")).toBe("2 matches in 2 files");
    expect(await count("**/*.log", "dist/**")).toBe("0 matches in 0 files");
  });

  test("context, limits per file and paging by files", async () => {
    const search = searchIn({ a: "1\n2\nhit\n4\n5\nhit\nhit\n", b: "hit\n", c: "hit\n" });
    const { content } = await search("search.content", {
      query: "hit",
      context: 1,
      "max-matches-per-file": 2,
      "max-results": 2,
    });
    expect(content).toContain("a\n  2- 2\n  3: hit\n  4- 4\n  5- 5\n  6: hit");
    expect(content).toContain("[more: file-offset 1]");
    const rest = await search("search.content", { query: "hit", "file-offset": 1 });
    expect(rest.content).toBe("2 matches in 2 files\nb\n  1: hit\nc\n  1: hit");
  });

  test("long lines are cut around the match, binary files left out, links not followed", async () => {
    const outside = scratchDirectory();
    writeFileSync(join(outside, "x"), "needle outside\n");
    const context = toolContext();
    symlinkSync(outside, join(context.workspace, "out"));
    writeFileSync(join(context.workspace, "min.js"), `${"a".repeat(5000)}needle${"b".repeat(5000)}\n`);
    writeFileSync(join(context.workspace, "bin"), "needle\0\u0001");
    const [, , tool] = searchTools({ spawner: scratchSpawner(), searchPath: undefined });
    const outcome = await tool?.execute(tool.arguments.parse({ query: "needle" }), context);
    expect(outcome?.content).toMatch(/^1 matches in 1 files\nmin\.js\n {2}1: …a{100}needleb+…$/);
  });

  test("an exhausted time budget is reported with what was found", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`f${index}`, "x".repeat(20_000)]),
    );
    const { content, details } = await searchIn(files)("search.content", {
      query: "(x+x+)+y",
      mode: "regex",
      "time-budget-ms": 1,
    });
    expect(details).toMatchObject({ complete: false });
    expect(content).toContain("stopped after 1 ms");
  });

  test("a cancelled search rejects with the reason", async () => {
    const controller = new AbortController();
    controller.abort(new Error("enough"));
    await expect(searchIn(project, controller.signal)("search.content", { query: "x" })).rejects.toThrow(
      "enough",
    );
  });

  test("needs exactly one of query and patterns", async () => {
    for (const args of [{}, { query: "a", patterns: ["b"] }]) {
      await expect(searchIn({})("search.content", args)).rejects.toThrow("either query or patterns");
    }
  });
});

describe("findRipgrep", () => {
  test("prefers the packaged program", async () => {
    const directory = scratchDirectory();
    writeFileSync(join(directory, "rg"), "#!/bin/sh\n");
    chmodSync(join(directory, "rg"), 0o755);
    expect(await findRipgrep(directory)).toContain("ripgrep");
  });
});

describe("LineSink", () => {
  test("joins parts, emits a last open line, drops and counts what is too long", () => {
    const lines: string[] = [];
    const sink = new LineSink((line) => lines.push(line), 10);
    for (const part of ["ab", "c\nd", "\n", "x".repeat(8), "yyyy", "\nlast"]) sink.write(Buffer.from(part));
    sink.end();
    expect(lines).toEqual(["abc", "d", "last"]);
    expect(sink.droppedLines).toBe(1);
  });
});
