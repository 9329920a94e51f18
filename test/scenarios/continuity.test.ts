import { describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { makeSandpit, type Sandpit } from "../support/cli/launch.ts";
import { cast, submit, tool } from "../support/model-server/cast.ts";
import { type RecordedRequest, answer, calls } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { openScene, say, watch } from "../support/sessions/composed-sessions.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";
import { startHostProcess } from "../support/sessions/session-host-process.ts";

/** Kills a session host while child `slow` works; child `quick` has ended. Answers the conversation. */
async function killedHost(pit: Sandpit): Promise<string> {
  await using server = await startModelServer(
    cast({
      PRIMARY: [
        () =>
          calls([
            {
              name: "task__run",
              arguments: {
                context: "Part of a test.",
                tasks: [
                  { task: "Do QUICK.", name: "quick" },
                  { task: "Do SLOW.", name: "slow" },
                ],
              },
            },
          ]),
        () => answer("waiting"),
        () => answer("heard of one"),
      ],
      QUICK: [() => submit("quick result")],
      SLOW: [() => submit("too late", { latencyMs: 60_000 })],
    }),
  );
  const host = await startHostProcess(pit, { AUTOLITH_OPENAI_BASE_URL: server.baseUrl });
  host.send("prompt PRIMARY begins");
  await host.seen(({ kind, name, state }) => kind === "job" && name === "quick-1" && state === "completed");
  await host.seen(({ kind, name, state }) => kind === "job" && name === "slow-2" && state === "running");
  await host.kill();
  return host.opened.id;
}

const decide = (session: Session, args: object): Promise<string> =>
  session.invoke("job.continuity", args).then(({ text }) => text);

const field = (text: string, key: string): string | undefined =>
  new RegExp(`:${key} (?:"([^"]*)"|(\\S+?)[)\\s])`)
    .exec(text)
    ?.slice(1)
    .find((each) => each !== undefined);

function completionsIn(request: RecordedRequest | undefined, name: string): readonly string[] {
  return [...(request?.text ?? "").matchAll(/:JOB-COMPLETION.*?:OUTCOME :([A-Z]+)/g)]
    .filter(([text]) => text.includes(name))
    .map(([, outcome]) => outcome ?? "");
}

describe("jobs of a killed host", () => {
  it("are presented for a decision, told once as unknown, and revived only as their owner decides", async () => {
    using pit = makeSandpit();
    const id = await killedHost(pit);
    await using scene = await openScene(
      cast({
        PRIMARY: [() => answer("noted"), () => answer("noted again")],
        SLOW: [() => submit("done anew")],
      }),
      { pit },
    );
    const session = await scene.service.load(id as Session["id"]);
    // Whoever attaches before the first turn is told of it in a line.
    const { live } = await watch(session);
    expect(live).toMatchObject([
      {
        type: "notice",
        code: "interrupted-jobs",
        text: expect.stringMatching(/^1 job died with the host and needs a decision: slow-2\. \/tasks get/),
      },
    ]);
    await session.setSetting("session-title-generation-p", false);
    const list = await decide(session, { action: "list" });
    expect(list).toMatch(/^\(:CONTINUITY-LIST T :OFFSET 0 :NEXT-OFFSET 2 :TOTAL 2 :MORE-P NIL/);
    const slow = await decide(session, { action: "get", id: "slow-2" });
    expect(field(slow, "CLASSIFICATION")).toBe(":DEAD-NEEDING-DECISION");
    expect(field(await decide(session, { action: "get", id: "quick-1" }), "CLASSIFICATION")).toBe(
      ":COMPLETED",
    );
    const executionId = field(slow, "EXECUTION-ID") ?? "";
    // Nobody who waits for it until it has ended waits for ever.
    const { text: waited } = await session.invoke("job.wait", { id: "slow-2", "timeout-seconds": 3_600 });
    expect(waited).toContain(":TERMINAL-P T");
    expect(field(waited, "STATE")).toBe(":INTERRUPTED");

    await expect(decide(session, { action: "revive", id: "slow-2" })).rejects.toMatchObject({
      code: "authorization-required",
    });
    await expect(decide(session, { action: "revive", id: "slow-2", authorize: true })).rejects.toMatchObject({
      code: "continuity-state",
    });
    await expect(
      decide(session, { action: "allow-restart", id: "slow-2", authorize: true }),
    ).rejects.toMatchObject({ code: "continuity-arguments" });
    const declared = await decide(session, {
      action: "allow-restart",
      id: executionId,
      safety: "It only reads.",
      authorize: true,
    });
    expect(field(declared, "CLASSIFICATION")).toBe(":SAFE-RESTARTABLE-SPECIFICATION");

    const client = await watch(session);
    const revived = await decide(session, { action: "revive", id: executionId, authorize: true });
    const successor = field(revived, "NEW-JOB-ID");
    await eventsUntil(
      client,
      (event) => event.kind === "job" && event.name === successor && event.state === "completed",
    );
    await expect(
      decide(session, { action: "revive", id: executionId, authorize: true }),
    ).rejects.toMatchObject({
      code: "continuity-state",
    });
    const after = await decide(session, { action: "get", id: executionId });
    expect(field(after, "RECOVERY-OUTCOME")).toBe(":DISPATCHED");
    expect(field(after, "NEW-JOB-ID")).toBe(successor);

    await say(session, "PROCEED");
    const first = scene.server.requests.find(({ text }) => text.includes("PROCEED"));
    expect(completionsIn(first, "slow-2")).toEqual(["UNKNOWN"]);
    expect(completionsIn(first, "quick-1")).toEqual(["SUCCESS"]);
    expect(completionsIn(first, successor ?? "?")).toEqual(["SUCCESS"]);

    const again = await (await scene.reopen()).load(session.id);
    await say(again, "and once more");
    const last = scene.server.requests.at(-1);
    expect(completionsIn(last, "slow-2")).toEqual(["UNKNOWN"]);
    expect(completionsIn(last, successor ?? "?")).toEqual(["SUCCESS"]);
    expect(field(await decide(again, { action: "get", id: executionId }), "RECOVERY-OUTCOME")).toBe(
      ":DISPATCHED",
    );
  });

  it("are abandoned for good; what is live or done is not", async () => {
    using pit = makeSandpit();
    const id = await killedHost(pit);
    await using scene = await openScene(
      cast({
        PRIMARY: [() => tool("task__run", { task: "Do HELD.", name: "held" }), () => answer("started")],
        HELD: [() => submit("never", { latencyMs: 60_000 })],
      }),
      { pit },
    );
    const session = await scene.service.load(id as Session["id"]);
    const abandoned = await decide(session, { action: "abandon", id: "slow-2", authorize: true });
    expect(field(abandoned, "CLASSIFICATION")).toBe(":ABANDONED");
    for (const action of ["abandon", "revive"])
      await expect(decide(session, { action, id: "slow-2", authorize: true })).rejects.toMatchObject({
        code: "continuity-state",
      });
    await expect(
      decide(session, { action: "abandon", id: "quick-1", authorize: true }),
    ).rejects.toMatchObject({
      code: "continuity-state",
    });
    await say(session, "hold on");
    const held = session.jobs().find(({ name }) => name.startsWith("held"));
    await expect(
      decide(session, { action: "abandon", id: held?.jobId, authorize: true }),
    ).rejects.toMatchObject({ code: "continuity-live" });
    const reattached = await decide(session, { action: "revive", id: held?.jobId, authorize: true });
    expect(reattached).toMatch(/^\(:JOB-GET :DURABLE-P NIL :JOB \(:ID "held-/);
    await session.cancelJob(held?.jobId ?? "");
    const again = await (await scene.reopen()).load(session.id);
    expect(field(await decide(again, { action: "get", id: "slow-2" }), "CLASSIFICATION")).toBe(":ABANDONED");
  });
});
