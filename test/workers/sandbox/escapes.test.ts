import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { sceneBase } from "./escape-scene.ts";
import type { EscapeOutcome } from "./escape-scene.ts";
import { escapeTries } from "./escape-tries.ts";

const run = promisify(execFile);
const fixture = fileURLToPath(new URL("escape-fixture.ts", import.meta.url));

/** Tests run as root act as a user without an account too; others can only be who they are. */
const ordinaryUser = process.getuid?.() === 0 ? 64_321 : undefined;

async function outcomesAs(user: number | undefined): Promise<readonly EscapeOutcome[]> {
  const base = sceneBase(user);
  try {
    const { stdout } = await run(
      process.execPath,
      [fixture, base.path, ...(user === undefined ? [] : [String(user)])],
      { env: { ...process.env, AUTOLITH_ESCAPE_SECRET: "s3cret" }, maxBuffer: 16 * 1024 * 1024 },
    );
    return JSON.parse(stdout) as readonly EscapeOutcome[];
  } finally {
    base.remove();
  }
}

function report(outcomes: readonly EscapeOutcome[]): string {
  return outcomes.map(({ name, noticed, output }) => `${name}: ${noticed.join(", ")} ${output}`).join("\n");
}

describe("ways out of the sandbox", () => {
  test("there are at least 40, each tried once", () => {
    expect(new Set(escapeTries.map(({ name }) => name)).size).toBe(escapeTries.length);
    expect(escapeTries.length).toBeGreaterThanOrEqual(40);
  });

  test.concurrent.each([
    ["the user of the tests", undefined],
    ["an ordinary user", ordinaryUser],
  ])(
    "none gets out for %s, and every control is noticed",
    async (_, user) => {
      const outcomes = await outcomesAs(user);
      const sandboxed = outcomes.filter((outcome) => outcome.sandboxed);
      expect(sandboxed).toHaveLength(escapeTries.length);
      expect(report(sandboxed.filter(({ noticed }) => noticed.length > 0))).toBe("");
      const controls = outcomes.filter((outcome) => !outcome.sandboxed);
      expect(controls.length).toBeGreaterThanOrEqual(40);
      expect(report(controls.filter(({ noticed }) => noticed.length === 0))).toBe("");
    },
    120_000,
  );
});
