import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { PermissionRules } from "../../../orchestrator/permissions/permission-rules.ts";
import { readPreferences } from "../../../orchestrator/settings/preferences.ts";

const roots: string[] = [];
function stateRoot(): string {
  const root = mkdtempSync(join(tmpdir(), "rules-"));
  roots.push(root);
  return root;
}
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

describe("what is approved for good", () => {
  it("loses nothing when several hosts add at once", async () => {
    const root = stateRoot();
    const [hosts, each] = [4, 12];
    const names = Array.from({ length: hosts }, (_, host) => `host-${host}`);
    const ended = await Promise.all(
      names.map(async (name) => {
        const script = join(import.meta.dirname, "../../support/permissions/add-rules-main.ts");
        const child = spawn(process.execPath, [script, root, name, String(each)], {
          stdio: ["ignore", "ignore", "inherit"],
        });
        const [status] = (await once(child, "exit")) as [number];
        return status;
      }),
    );
    expect(ended).toEqual(names.map(() => 0));
    const rules = await new PermissionRules(root).list();
    const wanted = names.flatMap((name) => Array.from({ length: each }, (_, index) => `${name} ${index}`));
    expect(rules.map(({ command }) => command).toSorted()).toEqual(wanted.toSorted());
    const saved = await readPreferences(join(root, "preferences.sexp"));
    expect(names.filter((name) => !saved.has(name.toUpperCase()))).toEqual([]);
  }, 60_000);

  it("is kept once, exactly, and cleared with a count", async () => {
    const rules = new PermissionRules(stateRoot());
    await rules.add({ command: "make", directory: "/a" });
    await rules.add({ command: "make", directory: "/a" });
    await rules.add({ command: "make", directory: "/b" });
    expect(await rules.list()).toHaveLength(2);
    expect(await rules.has({ command: "make", directory: "/a" })).toBe(true);
    expect(await rules.has({ command: "make ", directory: "/a" })).toBe(false);
    await expect(rules.add({ command: "x".repeat(40_000), directory: "/a" })).rejects.toMatchObject({
      code: "invalid-argument",
    });
    expect(await rules.clear()).toBe(2);
    expect(await rules.list()).toEqual([]);
  });
});
