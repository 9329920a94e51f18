/** What a cancel, Escape and `lg pause` do to input that waits, and what lifts them. */
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Attachment, Session } from "../../orchestrator/contract/session.ts";
import { answer, calls } from "../support/model-server/script.ts";
import { type SessionScene, openScene, say, text, watch } from "../support/sessions/composed-sessions.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";

type Opened = { readonly scene: SessionScene; readonly session: Session; readonly client: Attachment };

/** A session whose first turn hangs in a command until it is cancelled; every other request is answered. */
async function hangingTurn(): Promise<Opened> {
  const scene = await openScene((request) =>
    request.number === 1
      ? calls([{ name: "shell__run", arguments: { command: "cat fifo" } }])
      : answer(`answer ${request.number}`),
  );
  const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
  await session.setSetting("session-title-generation-p", false);
  const client = await watch(session);
  execFileSync("mkfifo", [join(scene.pit.workspace, "fifo")]);
  await session.prompt(text("first"));
  await eventsUntil(client, (event) => event.kind === "job" && event.state === "running");
  return { scene, session, client };
}

const ended =
  (epoch: number) =>
  (event: { kind: string }): boolean =>
    event.kind === "turn" &&
    "state" in event &&
    event.state === "idle" &&
    "epoch" in event &&
    event.epoch === epoch;

const waiting = (session: Session): readonly string[] =>
  session.state().pendingInputs.map((input) => input.text);

describe("input that waits when a turn is stopped", () => {
  it("Escape gives waiting steering its turn, oldest first, and holds what is queued until input comes", async () => {
    const { scene, session, client } = await hangingTurn();
    await using _ = scene;
    await session.queue(text("follow-up one"));
    await session.steer(text("steer one"));
    await session.steer(text("steer two"));
    expect(await session.cancel({ continueSteering: true })).toBe(true);
    await eventsUntil(client, ended(2));
    expect(scene.server.requests.length).toBe(2);
    const sent = scene.server.requests[1]?.text ?? "";
    expect(sent.indexOf("steer one")).toBeGreaterThan(0);
    expect(sent.indexOf("steer two")).toBeGreaterThan(sent.indexOf("steer one"));
    expect(sent).not.toContain("follow-up one");
    expect(session.state()).toMatchObject({ paused: true, held: false, turn: { state: "idle", epoch: 2 } });
    expect(waiting(session)).toEqual(["follow-up one"]);
    await session.queue(text("follow-up two"));
    await eventsUntil(client, ended(4));
    expect(scene.server.requests[2]?.text).toContain("follow-up one");
    expect(scene.server.requests[2]?.text).not.toContain("follow-up two");
    expect(scene.server.requests[3]?.text).toContain("follow-up two");
  });

  it("Escape without steering holds what is queued, as a cancel does", async () => {
    const { scene, session } = await hangingTurn();
    await using _ = scene;
    await session.queue(text("follow-up"));
    expect(await session.cancel({ continueSteering: true })).toBe(true);
    expect(session.state()).toMatchObject({ paused: true, turn: { state: "idle", epoch: 1 } });
    expect(waiting(session)).toEqual(["follow-up"]);
  });

  it("a cancel holds steering too; steering that comes while the turn ends lifts it, in order", async () => {
    const { scene, session, client } = await hangingTurn();
    await using _ = scene;
    await session.queue(text("follow-up"));
    await session.steer(text("early"));
    const stopping = session.cancel();
    const late = session.steer(text("late"));
    expect(await stopping).toBe(true);
    await late;
    await eventsUntil(client, ended(3));
    expect(scene.server.requests[1]?.text).toContain("early");
    expect(scene.server.requests[1]?.text).toContain("late");
    expect(scene.server.requests[2]?.text).toContain("follow-up");
    expect(session.state()).toMatchObject({ paused: false, pendingInputs: [] });
  });

  it("a prompt that is refused as busy lifts nothing", async () => {
    const { scene, session, client } = await hangingTurn();
    await using _ = scene;
    await session.queue(text("follow-up"));
    const stopping = session.cancel();
    await expect(session.prompt(text("too early"))).rejects.toMatchObject({ code: "busy" });
    await stopping;
    expect(session.state().paused).toBe(true);
    expect(waiting(session)).toEqual(["follow-up"]);
    await say(session, "now");
    await eventsUntil(client, ended(3));
    expect(waiting(session)).toEqual([]);
  });
});

describe("pausing by name", () => {
  it("holds an idle session: what completes starts no turn until input comes", async () => {
    await using scene = await openScene((request) =>
      request.number === 1
        ? calls([{ name: "shell__run", arguments: { command: "cat fifo", async: true } }])
        : answer(`answer ${request.number}`),
    );
    execFileSync("mkfifo", [join(scene.pit.workspace, "fifo")]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await say(session, "start it");
    expect(await session.pause()).toBe(false);
    expect(session.state()).toMatchObject({ paused: true, held: true, turn: { state: "idle" } });
    await writeFile(join(scene.pit.workspace, "fifo"), "done");
    await eventsUntil(client, (event) => event.kind === "job" && event.state === "completed");
    expect(scene.server.requests.length).toBe(2);
    await session.steer(text("go on"));
    await eventsUntil(client, ended(2));
    expect(session.state()).toMatchObject({ paused: false, held: false });
    expect(scene.server.requests[2]?.text).toContain(":JOB-COMPLETION");
  });
});
