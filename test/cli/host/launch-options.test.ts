import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hostLaunch, isOtherLaunch, launchedWith } from "../../../cli/host/host-launch.ts";
import { openHostScene } from "../../support/acp/host-scene.ts";
import { launch, makeSandpit } from "../../support/cli/launch.ts";

const none = { pristine: false, immutable: false, siteConfigRoot: undefined };

describe("the launch options of a host", () => {
  test("a pristine terminal gets past an init file that stops the running host, and a usual one does not lose its own", async () => {
    await using scene = openHostScene();
    const configuration = join(scene.pit.home, ".config/autolith");
    mkdirSync(configuration, { recursive: true });
    writeFileSync(join(configuration, "init.lisp"), "(no-such-function)");
    const open = { how: "new", cwd: scene.pit.workspace } as const;

    const usual = await scene.client();
    const refused = await usual.client.ask("open", open);
    expect(JSON.stringify(refused)).toContain("--pristine");
    const pristine = await scene.client({}, { mode: "pristine" });
    expect(pristine.link.record.hostId).not.toBe(usual.link.record.hostId);
    const { sessionId } = await pristine.client.value("open", open);

    expect((await scene.connect()).record.hostId).toBe(usual.link.record.hostId);
    const again = await scene.connect(undefined, { mode: "pristine" });
    expect(again.record.hostId).toBe(pristine.link.record.hostId);
    const byHand = await launch(scene.pit, ["--pristine", "host"]).ended;
    expect([byHand.status, byHand.stderr]).toEqual([0, ""]);
    expect(await scene.links()).toHaveLength(2);
    const status = await launch(scene.pit, ["lg", "status"]).ended;
    expect(status.stdout).toContain(`${sessionId.slice(0, 1)}-${sessionId.slice(1)}`);
  }, 120_000);

  test("one conversation is open in one of the hosts, and the other says what to do; a site root is one by whatever path", async () => {
    await using scene = openHostScene();
    const site = join(scene.pit.home, "site");
    const [real, linked] = [join(site, "real"), join(site, "linked")];
    mkdirSync(real, { recursive: true });
    symlinkSync(real, linked);
    const byLink = hostLaunch({ ...none, siteConfigRoot: linked }, scene.pit.environment);
    const byVariable = hostLaunch(none, { AUTOLITH_SITE_CONFIG_ROOT: real });

    const immutable = await scene.client({}, { mode: "immutable" });
    const { sessionId } = await immutable.client.value("open", { how: "new", cwd: scene.pit.workspace });
    const ofSite = await scene.client({}, byLink);
    expect(ofSite.link.record).toMatchObject({
      launch: { mode: "usual", siteConfigRoot: realpathSync(real) },
    });
    expect((await scene.connect(undefined, byVariable)).record.hostId).toBe(ofSite.link.record.hostId);

    const name = `${sessionId.slice(0, 1)}-${sessionId.slice(1)}`;
    const refused = await ofSite.client.ask("open", { how: "load", sessionId });
    expect(refused).toMatchObject({ outcome: "condition", code: "locked" });
    expect(JSON.stringify(refused)).toContain(`autolith lg kill ${name} ends it there`);
    expect((await launch(scene.pit, ["lg", "kill", name]).ended).status).toBe(0);
    expect(await ofSite.client.value("open", { how: "load", sessionId })).toMatchObject({ sessionId });
  }, 120_000);

  test("a host is started with exactly what it is matched by, whatever the environment says", () => {
    using pit = makeSandpit();
    const [one, other] = [pit.home, pit.workspace];
    const starts = [
      { session: none, environment: {} },
      { session: { ...none, immutable: true, pristine: true }, environment: {} },
      { session: { ...none, immutable: true }, environment: { AUTOLITH_SITE_CONFIG_ROOT: one } },
      { session: { ...none, siteConfigRoot: other }, environment: { AUTOLITH_SITE_CONFIG_ROOT: one } },
      { session: { ...none, siteConfigRoot: "" }, environment: { AUTOLITH_SITE_CONFIG_ROOT: one } },
    ];
    const wanted = starts.map(({ session, environment }) => hostLaunch(session, environment));
    expect(wanted).toEqual([
      { mode: "usual" },
      { mode: "pristine" },
      { mode: "immutable", siteConfigRoot: one },
      { mode: "usual", siteConfigRoot: other },
      { mode: "usual" },
    ]);
    for (const each of wanted)
      for (const environment of [{}, { AUTOLITH_SITE_CONFIG_ROOT: one }]) {
        const started = launchedWith(each, environment);
        const option = started.argv.indexOf("--site-config-root");
        const session = {
          immutable: started.argv.includes("--immutable"),
          pristine: started.argv.includes("--pristine"),
          siteConfigRoot: option < 0 ? undefined : started.argv[option + 1],
        };
        expect(isOtherLaunch(hostLaunch(session, started.environment), each)).toBe(false);
      }
    expect(isOtherLaunch(undefined, { mode: "usual" })).toBe(true);
    expect(isOtherLaunch({ mode: "usual", siteConfigRoot: one }, { mode: "usual" })).toBe(true);
  });
});
