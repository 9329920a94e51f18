/** What becomes of a session whose clients go to another conversation. */
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { answer, calls } from "../support/model-server/script.ts";
import { eventually } from "../support/eventually.ts";
import { openScene, say, watch } from "../support/sessions/composed-sessions.ts";

it("the endpoint follows its clients: what they left at rest is closed, and can be resumed", async () => {
  await using scene = await openScene(() => answer("fine"));
  const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
  const client = await watch(session);
  await say(session, "hello");
  const { switchedTo } = await session.invoke("new", {});
  const next = switchedTo === undefined ? undefined : scene.service.find(switchedTo);
  if (next === undefined) throw new Error("another conversation was expected in front");
  const second = await watch(next);
  expect(scene.service.find(session.id)).toBe(session);
  client.detach();
  await eventually(() => scene.service.sessions().map(({ id }) => id)).toEqual([next.id]);
  const { switchedTo: back } = await next.invoke("resume", { input: session.id });
  expect(back).toBe(session.id);
  const again = scene.service.find(session.id);
  expect(again?.state().userTurns).toBe(1);
  expect(again).not.toBe(session);
  second.detach();
});

it("a session that still works when its clients leave goes on, and is closed when it is done", async () => {
  await using scene = await openScene((request) =>
    request.number === 1
      ? calls([{ name: "shell__run", arguments: { command: "cat fifo", async: true } }])
      : answer(`answer ${request.number}`),
  );
  execFileSync("mkfifo", [join(scene.pit.workspace, "fifo")]);
  const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
  const client = await watch(session);
  await session.setSetting("session-title-generation-p", false);
  await say(session, "start it");
  const { switchedTo } = await session.invoke("new", {});
  client.detach();
  expect(scene.service.find(session.id)).toBe(session);
  await writeFile(join(scene.pit.workspace, "fifo"), "done");
  await eventually(() => scene.service.sessions().map(({ id }) => id)).toEqual([switchedTo]);
  expect(scene.server.requests.at(-1)?.text).toContain(":JOB-COMPLETION");
});

it("a session that nobody looked at is not closed by a switch", async () => {
  await using scene = await openScene([]);
  const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
  await session.invoke("new", {});
  await scene.service.create({ workingDirectory: scene.pit.workspace });
  expect(scene.service.sessions().length).toBe(3);
});
