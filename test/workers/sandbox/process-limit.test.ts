import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { sceneBase } from "./escape-scene.ts";

const run = promisify(execFile);
const fixture = fileURLToPath(new URL("fork-bomb-fixture.ts", import.meta.url));
const ordinaryUser = process.getuid?.() === 0 ? 64_322 : undefined;

describe("a fork bomb", () => {
  test.each([
    ["the user of the tests", undefined],
    ["an ordinary user", ordinaryUser],
  ])("is held below the limit and ended at its deadline for %s", async (_, user) => {
    const base = sceneBase(user);
    try {
      const { stdout } = await run(process.execPath, [
        fixture,
        base.path,
        ...(user === undefined ? [] : [String(user)]),
      ]);
      const { most, left, cause } = JSON.parse(stdout) as { most: number; left: number; cause: string };
      expect(cause).toBe("timeout");
      expect(most).toBeGreaterThan(50);
      expect(most).toBeLessThanOrEqual(208);
      expect(left).toBe(0);
    } finally {
      base.remove();
    }
  });
});
