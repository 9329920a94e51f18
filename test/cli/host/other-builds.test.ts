import { describe, expect, test } from "vitest";
import { frameStream } from "../../../cli/acp/wire/frame-stream.ts";
import { isOtherBuild } from "../../../cli/host/connect.ts";
import { launch } from "../../support/cli/launch.ts";
import { openHostScene } from "../../support/acp/host-scene.ts";
import { copyInstallation } from "../../support/acp/installation-copy.ts";
import { testClient } from "../../support/acp/test-client.ts";

describe("a host of another build", () => {
  test("is not joined and keeps its conversations; new ones get a host of this build, and what to do is said", async () => {
    using copy = copyInstallation();
    await using scene = openHostScene();
    await expect(scene.connect(copy.program)).rejects.toMatchObject({
      code: "other-build",
      message: expect.stringContaining("start it again") as string,
    });
    const [old] = await scene.links();
    if (old === undefined) throw new Error("the other build's host was expected to run");
    expect(isOtherBuild(old.record)).toBe(true);
    const there = await testClient(frameStream(old.channel), {});
    const { sessionId } = await there.value("open", { how: "new", cwd: scene.pit.workspace });

    const own = await scene.client();
    expect(isOtherBuild(own.link.record)).toBe(false);
    expect(own.link.record.process.pid).not.toBe(old.record.process.pid);
    const second = await scene.connect();
    expect(second.record).toEqual(own.link.record);

    const name = `${sessionId.slice(0, 1)}-${sessionId.slice(1)}`;
    const refused = await own.client.ask("open", { how: "load", sessionId });
    expect(refused).toMatchObject({ outcome: "condition", code: "locked" });
    expect(JSON.stringify(refused)).toContain(`autolith lg kill ${name} ends it there`);
    const status = await launch(scene.pit, ["lg", "status"]).ended;
    expect([status.status, status.stdout]).toEqual([0, expect.stringContaining(name)]);
    const killed = await launch(scene.pit, ["lg", "kill", name]).ended;
    expect(killed.status).toBe(0);
    expect(await own.client.value("open", { how: "load", sessionId })).toMatchObject({ sessionId });
  }, 120_000);
});
