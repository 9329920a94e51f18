import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { failureOf } from "../../../../orchestrator/contract/failure.ts";
import { SessionSettings, SettingsStore } from "../../../../orchestrator/sessions/settings/settings-store.ts";

const directory = mkdtempSync(join(tmpdir(), "settings-"));
afterAll(() => rmSync(directory, { recursive: true }));

const path = join(directory, "preferences.sexp");
const knowsModel = (id: string): boolean => id.startsWith("openai-api/");

describe("where a setting's value comes from", () => {
  it("a saved model that nobody serves is dropped and told; an explicit one and one of the environment are refused", async () => {
    writeFileSync(path, '(:preferences :version 8 :model "nobody/none")');
    const told: string[] = [];
    const report = (error: unknown): void => void told.push(failureOf(error).message);
    const open = (explicit: { model?: string }, environment: Record<string, string>) =>
      SettingsStore.open({ path, explicit, environment, report, knowsModel });
    const settings = new SessionSettings(await open({}, {}));
    expect(settings.row("model")).toMatchObject({ value: "openai-api/gpt-5.6", source: "default" });
    expect(told).toEqual([expect.stringContaining("nobody/none")]);
    await expect(open({ model: "other/none" }, {})).rejects.toMatchObject({ code: "configuration" });
    await expect(open({}, { AUTOLITH_MODEL: "other/none" })).rejects.toMatchObject({ code: "configuration" });
    const chosen = new SessionSettings(await open({}, { AUTOLITH_MODEL: "openai-api/x" }));
    expect(chosen.row("model")).toMatchObject({ value: "openai-api/x", source: "environment" });
  });

  it("Fast mode cannot be changed while its variable is set", async () => {
    const store = await SettingsStore.open({
      path,
      explicit: {},
      environment: { AUTOLITH_CODEX_FAST_MODE: "off" },
      report: () => undefined,
    });
    const settings = new SessionSettings(store);
    await expect(settings.set("codex-fast-mode-p", true)).rejects.toMatchObject({ code: "configuration" });
    expect(await settings.set("turn-timestamps-p", true)).toMatchObject({ source: "this session" });
  });
});
