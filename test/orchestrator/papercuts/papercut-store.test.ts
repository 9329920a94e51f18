import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PapercutStore } from "../../../orchestrator/papercuts/papercut-store.ts";

const report = (title: string, content: string, conversationId = "abcdefg") => ({
  title,
  content,
  workspace: "/w",
  conversationId,
});

describe("papercuts", () => {
  let root = "";
  let now = 1_000_000_000;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "al-pc-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("keeps reports of a workspace until they are closed, for every host", async () => {
    const [here, there] = [new PapercutStore(root, () => now), new PapercutStore(root, () => now)];
    const reports = await Promise.all([
      here.report(report("Edit refuses tabs", "resource.edit says stale although nothing changed")),
      there.report(report("Search is slow", "content search takes ten seconds in small trees")),
    ]);
    expect(reports.map(({ repeated }) => repeated)).toEqual([false, false]);
    expect((await here.active("/w")).length).toBe(2);
    expect(await here.active("/other")).toEqual([]);
    const id = reports[0].papercut.id;
    await there.close("/w", id.slice(0, 5), "fixed in the editor");
    expect((await here.active("/w")).map(({ title }) => title)).toEqual(["Search is slow"]);
    await expect(here.find("/w", id)).rejects.toMatchObject({ code: "unknown-papercut" });
  });

  it("does not keep a repetition: same title, same words within a day, looser from the same conversation", async () => {
    const store = new PapercutStore(root, () => now);
    const words = "the shell tool loses the last line of output when a command ends by a signal";
    const first = await store.report(report("Shell loses a line", words));
    const again = async (title: string, content: string, conversation?: string): Promise<boolean> =>
      (await store.report(report(title, content, conversation))).repeated;
    expect(await again("SHELL loses a line!", "other")).toBe(true);
    expect(await again("Output cut", `${words} again`, "zzzzzzz")).toBe(true);
    expect(await again("Unrelated", "colours of the prompt are unreadable on white", "zzzzzzz")).toBe(false);
    expect(await again("Cut output", "tool loses the last output line after signal kill", "zzzzzzz")).toBe(
      true,
    );
    now += 2 * 86_400_000;
    expect(await again("Output cut off", words, "zzzzzzz")).toBe(false);
    expect(first.papercut.reportedAt).toBeLessThan(now);
  });
});
