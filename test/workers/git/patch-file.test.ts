import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeAbandonedPatches, writePatch } from "../../../workers/git/patch-file.ts";
import { scratchDirectory } from "../spawner/collect.ts";

test("patches of live processes stay until they are removed, those of killed ones are taken away", async () => {
  const directory = join(scratchDirectory(), "patches");
  expect(await removeAbandonedPatches(directory)).toBe(0);
  const own = await writePatch(directory, Buffer.from("diff"));
  // No process has so great a number.
  mkdirSync(join(directory, "patch-4999999-abcdef"));
  mkdirSync(join(directory, "notes"));
  expect(await removeAbandonedPatches(directory)).toBe(1);
  expect(readFileSync(own.path, "utf8")).toBe("diff");
  await own.remove();
  expect(readdirSync(directory)).toEqual(["notes"]);
  expect(existsSync(own.path)).toBe(false);
});
