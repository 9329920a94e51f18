import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  ManifestError,
  manifestLimits,
  readManifest,
} from "../../../orchestrator/skills/executable-manifest.ts";
import { readExecutableSkill } from "../../../orchestrator/skills/executable-skill.ts";
import { writeSkill } from "../../support/skills/write-skill.ts";

const whole = `(:skill-executable :format-version 1 :skill-version "1.0 beta"
 :system "my-workflow" :system-version "1.0.0"
 :entrypoint ("MY-WORKFLOW" "RUN") :self-test ("MY-WORKFLOW" "SELF-TEST")
 :dependencies (("other" "2.1") ("third" "0.1"))
 :capabilities ("workspace-read") :tools ("resource.read")
 :input (:type :object) :output (:type :array :items (:type :string)))`;

const read = (text: string) => readManifest(new TextEncoder().encode(text), "/skills/x/EXECUTABLE.sexp");

function workspace(): string {
  const directory = mkdtempSync(join(tmpdir(), "alsx-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

describe("a manifest", () => {
  it("declares versions, functions, contracts, dependencies and tools", () => {
    expect(read(whole)).toEqual({
      skillVersion: "1.0 beta",
      system: "my-workflow",
      systemVersion: "1.0.0",
      functions: {
        invoke: { package: "MY-WORKFLOW", symbol: "RUN" },
        "self-test": { package: "MY-WORKFLOW", symbol: "SELF-TEST" },
        verify: undefined,
      },
      dependencies: [
        { system: "other", version: "2.1" },
        { system: "third", version: "0.1" },
      ],
      capabilities: ["workspace-read"],
      tools: ["resource.read"],
      input: { type: "object", properties: [], required: [], additionalProperties: true },
      output: { type: "array", items: { type: "string" } },
    });
  });

  it.each([
    ["(:skill :format-version 1)", /begins with :skill-executable/],
    [whole.replace(":format-version 1", ":format-version 2"), /:format-version/],
    [whole.replace('"1.0.0"', '"one"'), /:system-version must be numbers with dots/],
    [whole.replace('("MY-WORKFLOW" "RUN")', '("RUN")'), /:entrypoint must be a list of the names/],
    [whole.replace('(("other" "2.1")', '(("other" "new")'), /:dependencies must be/],
    [whole.replace('("third" "0.1")', '("other" "0.1")'), /:dependencies must be/],
    [whole.replace('("workspace-read")', '("a" "a")'), /:capabilities must be a list of at most 128 names/],
    [whole.replace('("resource.read")', `(${'"t" '.repeat(33)})`), /:tools must be a list of at most 32/],
    [whole.replace('"1.0 beta"', `"${"x".repeat(257)}"`), /:skill-version must be a string of 1 to 256/],
    [whole.replace("(:type :object)", "#.(run)"), /EXECUTABLE\.sexp declares no executable skill/],
    [whole.replace(":tools", ";".repeat(manifestLimits.fileBytes)), /EXECUTABLE\.sexp declares no/],
  ])("is refused with what is wrong with it (%#)", (text, problem) => {
    expect(() => read(text)).toThrow(ManifestError);
    expect(() => read(text)).toThrow(problem);
  });

  it("is refused as such whatever the bytes are", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }),
          // A whole one with a piece taken out or put in.
          fc
            .tuple(fc.nat(whole.length), fc.nat(40), fc.string({ maxLength: 8 }))
            .map(([at, length, added]) =>
              new TextEncoder().encode(whole.slice(0, at) + added + whole.slice(at + length)),
            ),
        ),
        (bytes) => {
          try {
            readManifest(bytes, "/x");
          } catch (error) {
            expect(error).toBeInstanceOf(ManifestError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("a skill with code", () => {
  it("is known by a digest of its files: another text is another skill", async () => {
    const root = workspace();
    const directory = writeSkill(root);
    const path = join(directory, "SKILL.md");
    const first = await readExecutableSkill("my-workflow", path);
    expect(first).toMatchObject({
      path,
      directory,
      identity: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect((await readExecutableSkill("my-workflow", path)).identity).toBe(first.identity);
    writeSkill(root, { manifest: { "skill-version": '"1.0.1"' } });
    const second = await readExecutableSkill("my-workflow", path);
    writeFileSync(path, "---\nname: my-workflow\ndescription: Works.\n---\nCall skill.invoke now.\n");
    const third = await readExecutableSkill("my-workflow", path);
    expect(new Set([first, second, third].map(({ identity }) => identity)).size).toBe(3);
  });

  it("has its manifest in its own directory, not behind a link", async () => {
    const root = workspace();
    const directory = writeSkill(root);
    const elsewhere = join(root, "elsewhere.sexp");
    writeFileSync(elsewhere, whole);
    rmSync(join(directory, "EXECUTABLE.sexp"));
    symlinkSync(elsewhere, join(directory, "EXECUTABLE.sexp"));
    const reading = (): Promise<unknown> => readExecutableSkill("my-workflow", join(directory, "SKILL.md"));
    await expect(reading()).rejects.toMatchObject({ code: "invalid-skill-executable" });
    rmSync(join(directory, "EXECUTABLE.sexp"));
    mkdirSync(join(directory, "EXECUTABLE.sexp"));
    await expect(reading()).rejects.toMatchObject({ code: "invalid-skill-executable" });
    rmSync(join(directory, "EXECUTABLE.sexp"), { recursive: true });
    await expect(reading()).rejects.toMatchObject({ code: "skill-not-executable" });
  });
});
