import { existsSync, readdirSync, statSync } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasProcess } from "../../../orchestrator/record/process-identity.ts";
import { openHostScene } from "../../support/acp/host-scene.ts";
import { eventually } from "../../support/eventually.ts";

describe("the shared host", () => {
  test("two terminals that start at once get one host, private to its owner", async () => {
    await using scene = openHostScene();
    const [first, second] = await Promise.all([scene.connect(), scene.connect()]);
    expect(second.record).toEqual(first.record);
    const { hostId, socket } = first.record;
    expect(statSync(scene.directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(scene.directory, `${hostId}.json`)).mode & 0o777).toBe(0o600);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(statSync(join(scene.directory, "host.log")).mode & 0o777).toBe(0o600);
    expect(scene.log()).not.toContain(first.record.token);
    expect(scene.log()).not.toContain("sk-scene");
  });

  test("after kill -9 the next terminal gets a new host, and what the dead one left is gone", async () => {
    await using scene = openHostScene();
    const first = await scene.connect();
    const { pid: processId } = first.record.process;
    process.kill(processId, "SIGKILL");
    await eventually(() => hasProcess(processId)).toBe(false);
    const second = await scene.connect();
    expect(second.record.hostId).not.toBe(first.record.hostId);
    expect(existsSync(first.record.socket)).toBe(false);
    expect(readdirSync(scene.directory).filter((name) => name.endsWith(".json"))).toEqual([
      `${second.record.hostId}.json`,
    ]);
  });

  test("a session opened by one client is there for the next, and SIGTERM takes record and socket away", async () => {
    await using scene = openHostScene();
    const { client, link } = await scene.client();
    const { sessionId } = await client.value("open", { how: "new", cwd: scene.pit.workspace });
    client.close();
    const other = await scene.client();
    const { sessions } = await other.client.value("sessions", {});
    expect(sessions).toMatchObject([{ sessionId, cwd: scene.pit.workspace, status: "idle", clients: [] }]);
    const { pid: processId } = link.record.process;
    await other.client.value("attach", { sessionId });
    process.kill(processId, "SIGTERM");
    expect(await other.client.event(({ kind }) => kind === "closed")).toMatchObject({
      data: { reason: "shutdown" },
    });
    await eventually(() => hasProcess(processId)).toBe(false);
    expect(readdirSync(scene.directory)).toEqual(["host.log"]);
  });

  test("it ends when it has had nothing to do, but not while a client is connected", async () => {
    await using scene = openHostScene({}, ["--idle-seconds=1"]);
    const { client, link } = await scene.client();
    const { pid: processId } = link.record.process;
    const state = await client.value("sessions", {});
    expect(state.processId).toBe(processId);
    client.close();
    link.socket.destroy();
    await eventually(() => hasProcess(processId)).toBe(false);
    expect(scene.log()).toContain("ends: idle");
  });

  test("who does not begin with the right token is answered, and the connection ends", async () => {
    await using scene = openHostScene();
    const { record } = await scene.connect();
    const request = (method: string, params: object): string =>
      JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const wrong = request("_autolith/authenticate", { token: "a".repeat(43) });
    for (const line of [wrong, request("initialize", { protocolVersion: 1 }), "{", "\u{ff}"]) {
      const socket = connect(record.socket);
      socket.write(`${line}\n`);
      let answer = "";
      socket.setEncoding("utf8").on("data", (text: string) => (answer += text));
      await once(socket, "close");
      expect(JSON.parse(answer)).toMatchObject({ error: { code: -32_000 } });
      expect(answer).not.toContain(record.token);
    }
  });

  test("a host that cannot start says why", async () => {
    await using scene = openHostScene({ AUTOLITH_REDIS_URL: "http://nowhere" });
    await expect(scene.connect()).rejects.toMatchObject({
      code: "redis-url-invalid",
      message: expect.stringContaining("The session host did not start"),
    });
  });
});
