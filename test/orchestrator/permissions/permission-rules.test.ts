import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PermissionRules, permissionRuleLimit } from "../../../orchestrator/permissions/permission-rules.ts";

async function directory(): Promise<{ readonly path: string; [Symbol.asyncDispose](): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "rules-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

describe("approvals for good", () => {
  it("are exact, durable, shared by hosts and cleared together", async () => {
    await using root = await directory();
    const rules = new PermissionRules(root.path);
    const other = new PermissionRules(root.path);
    await rules.add({ command: "make check", directory: "/work" });
    await other.add({ command: 'say "quoted"', directory: "/work" });
    await rules.add({ command: "make check", directory: "/work" });
    expect(await other.list()).toEqual([
      { command: 'say "quoted"', directory: "/work" },
      { command: "make check", directory: "/work" },
    ]);
    expect(await rules.has({ command: "make check", directory: "/" })).toBe(false);
    expect(await rules.has({ command: "make check ", directory: "/work" })).toBe(false);
    expect(await rules.clear()).toBe(2);
    expect(await other.list()).toEqual([]);
  });

  it("keep the newest", async () => {
    await using root = await directory();
    const line = (index: number) => `(:command "c${index}" :directory "/")`;
    const full = Array.from({ length: permissionRuleLimit }, (_, index) => line(index)).join(" ");
    await writeFile(join(root.path, "permissions.sexp"), `(:permissions :version 1 :rules (${full}))`);
    const rules = new PermissionRules(root.path);
    await rules.add({ command: "new", directory: "/" });
    const kept = await rules.list();
    expect([kept.length, kept[0]?.command, kept.at(-1)?.command]).toEqual([permissionRuleLimit, "c1", "new"]);
  });

  it("of a file that holds something else are an error that names it; the file stays", async () => {
    await using root = await directory();
    const path = join(root.path, "permissions.sexp");
    await writeFile(path, "(:something-else)");
    const rules = new PermissionRules(root.path);
    await expect(rules.add({ command: "x", directory: "/" })).rejects.toMatchObject({
      code: "permissions-unreadable",
      message: expect.stringContaining(path) as string,
    });
    expect(await readFile(path, "utf8")).toBe("(:something-else)");
  });
});
