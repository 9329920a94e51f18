import { describe, expect, it } from "vitest";
import { cast, itemsOf, submit, tool } from "../support/model-server/cast.ts";
import { type RecordedRequest, answer } from "../support/model-server/script.ts";
import { eventually } from "../support/eventually.ts";
import { openScene, say, watch } from "../support/sessions/composed-sessions.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";

const userTexts = (request: RecordedRequest | undefined): readonly string[] =>
  request === undefined
    ? []
    : itemsOf(request).flatMap((item) => (item.role === "user" ? [JSON.stringify(item.content)] : []));

const isAlphas = (request: RecordedRequest): boolean => userTexts(request)[0]?.includes("Do ALPHA.") === true;

describe("a person's prompt to a child", () => {
  it("is read before the child may end, without preamble, and its next words are shown to the person once", async () => {
    const heard: string[] = [];
    await using scene = await openScene(
      cast({
        PRIMARY: [() => tool("task__run", { task: "Do ALPHA.", name: "alpha" }), () => answer("started")],
        ALPHA: [
          () => tool("shell__run", { command: "while [ ! -e go ]; do sleep 0.05; done" }),
          (request) => {
            heard.push(...userTexts(request));
            return answer("It is 42 percent done.");
          },
          () => submit("alpha done"),
        ],
      }),
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await session.setSetting("session-title-generation-p", false);
    const client = await watch(session);
    await say(session, "PRIMARY begins");
    await eventsUntil(client, (event) => event.kind === "job" && event.name.startsWith("exec:"));
    expect(await session.sendToJob("alpha-1", "How far are you?")).toBe(1);
    scene.pit.write("go", "");
    const events = await eventsUntil(
      client,
      (event) => event.kind === "job" && event.name === "alpha-1" && event.state === "completed",
    );
    expect(heard.filter((text) => text.includes("How far are you?"))).toHaveLength(1);
    expect(heard.join()).not.toContain("Message from your parent");
    const replies = events.flatMap((event) =>
      event.kind === "update" && event.update.type === "notice" && event.update.code === "child-reply"
        ? [event.update.text]
        : [],
    );
    expect(replies).toEqual(["alpha-1 replies: It is 42 percent done."]);
    const again = await (await scene.reopen()).load(session.id);
    const shown = (await again.history({})).updates.filter(
      ({ update }) => update.type === "notice" && update.code === "child-reply",
    );
    expect(shown).toHaveLength(1);
  });

  it("wakes a child that only waits for its own jobs", async () => {
    const heard: string[] = [];
    await using scene = await openScene(
      cast({
        PRIMARY: [() => tool("task__run", { task: "Do ALPHA.", name: "alpha" }), () => answer("started")],
        ALPHA: [
          () => tool("shell__run", { command: "sleep 300", async: true }),
          () => answer("Waiting for the command."),
          (request) => {
            heard.push(...userTexts(request));
            return tool("job__cancel", { id: "exec:2" });
          },
          () => submit("alpha stopped it"),
        ],
      }),
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await session.setSetting("session-title-generation-p", false);
    const client = await watch(session);
    await say(session, "PRIMARY begins");
    await eventually(() => scene.server.requests.filter(isAlphas).length).toBe(2);
    await session.invoke("job.send", { id: "alpha-1", message: "Stop it." });
    await eventsUntil(
      client,
      (event) => event.kind === "job" && event.name === "alpha-1" && event.state === "completed",
    );
    expect(heard.join()).toContain("Message from your parent agent");
    expect(heard.join()).toContain("Stop it.");
  });
});
