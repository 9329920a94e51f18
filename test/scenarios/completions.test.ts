import { describe, expect, it } from "vitest";
import type { Attachment, Session } from "../../orchestrator/contract/session.ts";
import { eventually } from "../support/eventually.ts";
import { cast, submit, tool } from "../support/model-server/cast.ts";
import { answer, calls, status } from "../support/model-server/script.ts";
import { type SessionScene, openScene, say, text, watch } from "../support/sessions/composed-sessions.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";

async function begin(scene: SessionScene): Promise<{ session: Session; client: Attachment }> {
  const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
  await session.setSetting("session-title-generation-p", false);
  return { session, client: await watch(session) };
}

/** A child that ends when the file is there. */
const heldBy = (file: string) => [
  () =>
    tool("shell__run", { command: `while [ ! -e ${file} ]; do sleep 0.05; done`, "timeout-seconds": 300 }),
  () => submit("child result"),
];

const ended = (client: Attachment, name: string): ReturnType<typeof eventsUntil> =>
  eventsUntil(client, (event) => event.kind === "job" && event.name === name && event.state === "completed");

const completions = (scene: SessionScene, words: string): number =>
  scene.server.requests.findLast((request) => request.text.includes(words))?.text.match(/:JOB-COMPLETION/g)
    ?.length ?? -1;

describe("the end of a detached job", () => {
  it("with notify starts no turn, and is read with the next one", async () => {
    await using scene = await openScene(
      cast({
        PRIMARY: [
          () => tool("task__run", { task: "CHILD", name: "child", "completion-policy": "notify" }),
          () => answer("started"),
          () => answer("read"),
        ],
        CHILD: heldBy("go"),
      }),
    );
    const { session, client } = await begin(scene);
    await say(session, "PRIMARY begins");
    scene.pit.write("go", "");
    await ended(client, "child-1");
    expect(await say(session, "NEXT-PROMPT")).toMatchObject({ outcome: "end-turn", epoch: 2 });
    expect(completions(scene, "NEXT-PROMPT")).toBe(1);
  });

  it.each([
    ["a cancel", "cancelled"],
    ["an error", "condition"],
  ])("after %s waits until the person speaks", async (_, outcome) => {
    await using scene = await openScene(
      cast({
        PRIMARY: [
          () => tool("task__run", { task: "CHILD", name: "child" }),
          () => answer("started"),
          () =>
            outcome === "cancelled"
              ? answer("never heard", { latencyMs: 60_000 })
              : status(400, { code: "invalid_request" }),
          () => answer("read"),
        ],
        CHILD: heldBy("go"),
      }),
    );
    const { session, client } = await begin(scene);
    await say(session, "PRIMARY begins");
    const submission = await session.prompt(text("SECOND-PROMPT"));
    const asked = (): boolean =>
      scene.server.requests.some((request) => request.text.includes("SECOND-PROMPT"));
    await eventually(asked).toBe(true);
    if (outcome === "cancelled") await session.cancel();
    expect(submission.kind === "turn" ? await submission.finished : undefined).toMatchObject({ outcome });
    scene.pit.write("go", "");
    await ended(client, "child-1");
    expect(session.state().turn).toMatchObject({ state: "idle", epoch: 2 });
    expect(await say(session, "THIRD-PROMPT")).toMatchObject({ outcome: "end-turn", epoch: 3 });
    expect(completions(scene, "THIRD-PROMPT")).toBe(1);
  });

  it("starts a turn also behind more than a boundary's worth of such as only notify, and all of them come along", async () => {
    const quiet = (count: number): object => ({
      context: "Part of a test.",
      "completion-policy": "notify",
      tasks: Array.from({ length: count }, () => ({ task: "QUIET" })),
    });
    await using scene = await openScene((request) => {
      if (request.text.includes("below a title")) return answer("A title");
      const first = JSON.stringify(
        (request.body as { input: object[] }).input.find((item) => "role" in item),
      );
      if (first.includes("QUIET")) return submit("quiet result");
      if (first.includes("LOUD"))
        return request.text.includes("function_call_output")
          ? submit("loud result")
          : (heldBy("go")[0]?.() ?? answer(""));
      return request.text.includes("function_call_output")
        ? answer("words")
        : calls([
            { name: "task__run", arguments: quiet(16) },
            { name: "task__run", arguments: quiet(2) },
            { name: "task__run", arguments: { task: "LOUD", name: "loud" } },
          ]);
    });
    const { session } = await begin(scene);
    await say(session, "PRIMARY begins");
    await eventually(() => session.jobs().filter(({ state }) => state === "completed").length).toBe(18);
    expect(session.state().turn).toMatchObject({ state: "idle", epoch: 1 });
    scene.pit.write("go", "");
    await eventually(() => session.state().turn.epoch).toBe(2);
    await eventually(() => session.state().turn.state).toBe("idle");
    const last = scene.server.requests.findLast((request) => request.text.includes("PRIMARY"));
    expect(last?.text.match(/:JOB-COMPLETION/g)).toHaveLength(19);
  }, 120_000);
});
