import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { failureOf } from "../../../../orchestrator/contract/failure.ts";
import { SettingsStore } from "../../../../orchestrator/sessions/settings/settings-store.ts";

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
    const settings = await (await open({}, {})).forSession();
    expect(settings.row("model")).toMatchObject({ value: "openai-api/gpt-5.6", source: "default" });
    expect(told).toEqual([expect.stringContaining("nobody/none")]);
    await expect(open({ model: "other/none" }, {})).rejects.toMatchObject({ code: "configuration" });
    await expect(open({}, { AUTOLITH_MODEL: "other/none" })).rejects.toMatchObject({ code: "configuration" });
    const chosen = await (await open({}, { AUTOLITH_MODEL: "openai-api/x" })).forSession();
    expect(chosen.row("model")).toMatchObject({ value: "openai-api/x", source: "environment" });
  });

  it("Fast mode cannot be changed while its variable is set", async () => {
    const store = await SettingsStore.open({
      path,
      explicit: {},
      environment: { AUTOLITH_CODEX_FAST_MODE: "off" },
      report: () => undefined,
    });
    const settings = await store.forSession();
    await expect(settings.set("codex-fast-mode-p", true)).rejects.toMatchObject({ code: "configuration" });
    expect(await settings.set("turn-timestamps-p", true)).toMatchObject({ source: "this session" });
  });

  it("settings of parts that are not here say so instead of taking a value; unknown names name the known ones", async () => {
    const settings = await (
      await SettingsStore.open({ path, explicit: {}, environment: {}, report: () => undefined })
    ).forSession();
    for (const name of [
      "boot-screen-p",
      ":knowledge-mode",
      "web-search-mode",
      "fullscreen-p",
      "terminal-theme",
    ])
      await expect(settings.set(name, true)).rejects.toMatchObject({
        code: "unsupported",
        message: expect.stringMatching(/in this version: .* no |has one theme/) as string,
      });
    expect(settings.row("fullscreen-p")).toMatchObject({ settable: false, value: false });
    await expect(settings.set("nonsense", true)).rejects.toMatchObject({
      code: "unknown-setting",
      message: expect.stringContaining("transcript-style") as string,
    });
    await expect(settings.set("management-repl-tcp-port", 1)).rejects.toMatchObject({
      code: "configuration",
      message: expect.stringContaining("AUTOLITH_MANAGEMENT_REPL_TCP_PORT") as string,
    });
  });

  it("what the host decided is shown with its source, and its variable is not read a second time", async () => {
    const store = await SettingsStore.open({
      path,
      explicit: {},
      environment: { AUTOLITH_MANAGEMENT_REPL_TCP_PORT: "not a port" },
      fixed: { "management-repl-tcp-port": { value: 4_200, source: "environment" } },
      report: () => undefined,
    });
    expect((await store.forSession()).row("management-repl-tcp-port")).toMatchObject({
      value: 4_200,
      source: "environment",
      settable: false,
    });
  });

  it("a session keeps the durable values it opened with; what others save, also in another host, is for later ones", async () => {
    const own = join(directory, "shared.sexp");
    const told: unknown[] = [];
    const open = () =>
      SettingsStore.open({ path: own, explicit: {}, environment: {}, report: (error) => told.push(error) });
    const [host, other] = [await open(), await open()];
    const [first, second, beside] = [
      await host.forSession(),
      await host.forSession(),
      await other.forSession(),
    ];
    expect(await first.set("transcript-style", "repl")).toMatchObject({
      value: "repl",
      source: "this session",
    });
    await beside.set("turn-timestamps-p", true);
    for (const session of [second, beside])
      expect(session.row("transcript-style")).toMatchObject({ value: "labels", source: "default" });
    expect(first.row("turn-timestamps-p")).toMatchObject({ value: false, source: "default" });
    for (const store of [host, other]) {
      const later = await store.forSession();
      expect(later.row("transcript-style")).toMatchObject({ value: "repl", source: "saved" });
      expect(later.row("turn-timestamps-p")).toMatchObject({ value: true, source: "saved" });
    }
    expect(told).toEqual([]);
    // What cannot be read is told once, and what was read before counts.
    writeFileSync(own, "(:preferences");
    for (let round = 0; round < 2; round += 1)
      expect((await host.forSession()).row("transcript-style")).toMatchObject({ value: "repl" });
    expect(told.map((error) => failureOf(error).code)).toEqual(["preferences-unreadable"]);
  });
});
