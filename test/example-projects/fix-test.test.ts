import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readJobInput } from "../../orchestrator/run-job/index.ts";

const example = resolve(dirname(fileURLToPath(import.meta.url)), "../../examples/fix-test");
let copy = "";
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), "autolith-fix-test-"));
  cpSync(example, copy, { recursive: true });
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

/** Runs the project's own tests as the agent does. */
function runTests(): { status: number | null; output: string } {
  // A test run within a test run would report to the outer one.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const { status, stdout } = spawnSync("node", ["--test"], { cwd: copy, encoding: "utf8", env: environment });
  return { status, output: stdout };
}

describe("the project of the example", () => {
  it("fails the test that its job names, and no other", () => {
    const { status, output } = runTests();
    expect(status).toBe(1);
    expect(output).toMatch(/^# fail 1$|ℹ fail 1/m);
    expect(output).toContain("hours keep their minutes apart");
  });

  it("is mended by a change of one expression", () => {
    const path = join(copy, "src/duration.js");
    const source = readFileSync(path, "utf8");
    const mended = source.replace("Math.floor(seconds / 60)", "Math.floor(seconds / 60) % 60");
    expect(mended).not.toBe(source);
    writeFileSync(path, mended);
    expect(runTests().status).toBe(0);
  });

  it("comes with a valid job", () => {
    const reading = readJobInput(readFileSync(join(example, "job.sexp")));
    expect(reading).toMatchObject({
      job: { id: "fix-test", role: "engineering", outputContract: { type: "object" } },
    });
  });
});
