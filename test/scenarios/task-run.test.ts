import { describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { cast, lastOutput, submit, tool } from "../support/model-server/cast.ts";
import { answer } from "../support/model-server/script.ts";
import { type SessionScene, openScene, say, watch } from "../support/sessions/composed-sessions.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";

async function begin(scene: SessionScene): Promise<Session> {
  const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
  await session.setSetting("session-title-generation-p", false);
  return session;
}

/** What a tool answers, refusals included. */
function call(session: Session, name: string, args: object): Promise<string> {
  return session.invoke(name, args).then(
    ({ text }) => text,
    (error: unknown) => `${(error as { code: string }).code}: ${(error as Error).message}`,
  );
}

describe("starting children", () => {
  it("a batch with one wrong item starts nothing, and the item is named", async () => {
    await using scene = await openScene(cast({}));
    const session = await begin(scene);
    const good = { task: "Do it." };
    const shared = { context: "Shared." };
    expect(
      await call(session, "task.run", { ...shared, tasks: [good, { ...good, agent: "nobody" }, good] }),
    ).toMatch(
      /^unknown-role: tasks\[1\]: There is no role "nobody"\. Roles: .*Nothing of this call was started/,
    );
    for (const [args, words] of [
      [
        {
          ...shared,
          tasks: [
            { ...good, name: "a" },
            { ...good, name: "A" },
          ],
        },
        "used twice",
      ],
      [{ tasks: [good] }, "non-empty shared `context`"],
      [{ ...shared, tasks: [{ ...good, blocking: true, async: false }] }, "give one of them"],
      [{ ...shared, tasks: [good], task: "no" }, "does not go with `tasks`"],
      [{ ...shared, tasks: Array.from({ length: 17 }, () => good) }, "1 to 16 elements"],
      [{ ...shared, tasks: [{ ...good, speed: 3 }] }, "speed"],
      [{ task: "   " }, "is empty"],
      [{}, "Give `task`"],
    ] as const)
      expect(await call(session, "task.run", args)).toContain(words);
    expect(session.jobs()).toEqual([]);
    expect(scene.server.requests).toEqual([]);
  });

  it("items override what the batch says, and inherit the rest", async () => {
    const firsts: string[] = [];
    await using scene = await openScene((request) => {
      firsts.push(request.text);
      return submit("done");
    });
    const session = await begin(scene);
    const client = await watch(session);
    const text = await call(session, "task.run", {
      context: "Shared words.",
      blocking: true,
      "completion-policy": "notify",
      tasks: [
        { task: "Do ALPHA.", name: "alpha", context: "Own words." },
        { task: "Do BETA.", name: "beta", async: true, "completion-policy": "continue" },
      ],
    });
    expect(text).toMatch(/^\(:TASK-RUN :SUCCEEDED-P T /);
    const [alpha = "", beta = ""] = text.split(':ID "beta-2"');
    expect(alpha).toMatch(
      /:ID "alpha-1"[\s\S]*:DETACHED NIL[\s\S]*:COMPLETION-POLICY :NOTIFY[\s\S]*:STATUS :SUCCESS/,
    );
    expect(beta).toMatch(/:DETACHED T :OWNER "primary" :COMPLETION-POLICY :CONTINUE/);
    await eventsUntil(client, (event) => event.kind === "turn" && event.state === "idle");
    expect(firsts.find((each) => each.includes("Do ALPHA."))).toContain(
      String.raw`Shared words.\n\nOwn words.\n\nDo ALPHA.`,
    );
    expect(firsts.find((each) => each.includes("Do BETA."))).toContain(String.raw`Shared words.\n\nDo BETA.`);
  }, 180_000);

  it("hurry-up admits two until it is turned off", async () => {
    await using scene = await openScene(() => submit("done"));
    const session = await begin(scene);
    await session.setSetting("hurry-up-p", true);
    const start = (): Promise<string> => call(session, "task.run", { task: "Do it.", blocking: true });
    expect(await start()).toContain(":SUCCEEDED-P T");
    expect(await start()).toContain(":SUCCEEDED-P T");
    expect(await start()).toMatch(/^hurry-up-limit: .*at most 2 may be until it is turned off/);
    await session.setSetting("hurry-up-p", false);
    expect(await start()).toContain(":SUCCEEDED-P T");
  });

  it("a blocking child that takes longer than the grace goes on as the same job, and its owner is told", async () => {
    const told: string[] = [];
    await using scene = await openScene(
      cast({
        PRIMARY: [
          () => tool("task__run", { task: "Do SLOW.", name: "slow", blocking: true }),
          (request) => {
            told.push(lastOutput(request));
            return answer("going on");
          },
          (request) => {
            told.push(request.text);
            return answer("heard");
          },
        ],
        SLOW: [() => submit("late result", { latencyMs: 12_000 })],
      }),
    );
    const session = await begin(scene);
    const client = await watch(session);
    await say(session, "PRIMARY begins");
    await eventsUntil(
      client,
      (event) => event.kind === "turn" && event.state === "idle" && event.epoch === 2,
    );
    expect(told[0]).toMatch(/:ID "slow-1"[\s\S]*:STATE :RUNNING :DETACHED T/);
    const executionId = /:EXECUTION-ID "([^"]+)"/.exec(told[0] ?? "")?.[1] ?? "?";
    expect(told[1]?.match(/:JOB-COMPLETION/g)).toHaveLength(1);
    expect(told[1]).toContain(executionId);
    expect(told[1]).toContain("late result");
    expect(session.jobs()).toHaveLength(1);
  }, 90_000);

  it("an empty or missing answer is never a success", async () => {
    const refusals: string[] = [];
    await using scene = await openScene(
      cast({
        EMPTY: [
          () => tool("yield__submit", { status: "success", text: "  " }),
          (request) => {
            refusals.push(lastOutput(request));
            return tool("yield__submit", { status: "success" });
          },
          (request) => {
            refusals.push(lastOutput(request));
            return answer("");
          },
          () => answer(""),
        ],
        FALSE: [() => tool("yield__submit", { status: "success", data: false })],
      }),
    );
    const session = await begin(scene);
    const empty = await call(session, "task.run", { task: "Do EMPTY.", blocking: true });
    expect(refusals).toEqual([
      "A success needs a non-empty `text` or explicit `data`.",
      "A success needs a non-empty `text` or explicit `data`.",
    ]);
    expect(empty).toMatch(/^child-not-succeeded: \(:TASK-RUN :SUCCEEDED-P NIL[\s\S]*:STATUS :FAILED/);
    expect(empty).toContain("without calling yield.submit");
    expect(empty).toContain("(no output; 4 requests)");
    const data = await call(session, "task.run", { task: "Do FALSE.", blocking: true });
    expect(data).toMatch(/:STATUS :SUCCESS[\s\S]*:STRUCTURED-OUTPUT-PRESENT-P T :STRUCTURED-OUTPUT NIL/);
  });

  it("a child that gives the work up is aborted, with its reason", async () => {
    await using scene = await openScene(() =>
      tool("yield__submit", { status: "aborted", error: "Not worth doing." }),
    );
    const session = await begin(scene);
    const text = await call(session, "task.run", { task: "Do it.", blocking: true });
    expect(text).toMatch(
      /:STATE :ABORTED[\s\S]*:STATUS :ABORTED :ERROR "Not worth doing\."[\s\S]*:CANCELLATION-REASON NIL/,
    );
    const list = await call(session, "job.list", {});
    expect(list).toContain(":STATE :ABORTED :DETACHED NIL :STATUS :ABORTED");
  });

  it("long results are kept whole in their artifact, and memory and reports say so", async () => {
    const words = "word ".repeat(8_000);
    await using scene = await openScene(() => submit(words));
    const session = await begin(scene);
    const text = await call(session, "task.run", { task: "Do it.", blocking: true });
    expect(text.length).toBeLessThanOrEqual(16_000);
    expect(text).toContain(
      `:OUTPUT (:IN-ARTIFACT :FIELD :OUTPUT :CHARACTERS ${words.length} :PREVIEW "word word`,
    );
    expect(await call(session, "job.get", { id: session.jobs()[0]?.jobId })).toContain(
      `:CHARACTERS ${words.length}`,
    );
  });
});

describe("what children may do", () => {
  it("a child sees its own jobs and those below, and no others", async () => {
    const seen: string[] = [];
    await using scene = await openScene(
      cast({
        SIBLING: [() => submit("sibling done")],
        CURIOUS: [
          () => tool("shell__run", { command: "echo mine" }),
          () => tool("job__list", {}),
          (request) => {
            seen.push(lastOutput(request));
            return tool("job__get", { id: "sibling-1" });
          },
          (request) => {
            seen.push(lastOutput(request));
            return tool("job__cancel", { id: "sibling-1" });
          },
          (request) => {
            seen.push(lastOutput(request));
            return tool("job__continuity", { action: "list" });
          },
          (request) => {
            seen.push(lastOutput(request));
            return tool("job__continuity", { action: "abandon", id: "exec:3", authorize: true });
          },
          (request) => {
            seen.push(lastOutput(request));
            return submit("looked");
          },
        ],
      }),
    );
    const session = await begin(scene);
    await call(session, "task.run", { task: "Do SIBLING.", name: "sibling", blocking: true });
    await call(session, "task.run", { task: "Be CURIOUS.", name: "curious", blocking: true });
    const [list, get, cancel, continuity, abandon] = seen;
    expect(list).toContain(":TOTAL 1 ");
    expect(list).toContain('"exec:3"');
    expect(get).toContain('There is no visible job named "sibling-1"');
    expect(cancel).toContain('There is no visible job named "sibling-1"');
    expect(continuity).toContain(":TOTAL 0 ");
    expect(abandon).toMatch(/decision of the primary/);
  });

  it.each([
    ["job.wait", () => tool("job__wait", { id: "leaf-2", "timeout-seconds": 60 })],
    ["the end of its turn", () => answer("waiting for the leaf")],
  ])("with one slot for all, a child that waits by %s lends it", async (_, wait) => {
    await using scene = await openScene(
      cast({
        BRANCH: [
          () => tool("task__run", { task: "Do LEAF.", name: "leaf" }),
          wait,
          (request) => submit(request.text.includes("leaf result") ? "has it" : "has nothing"),
        ],
        LEAF: [() => submit("leaf result")],
      }),
      { environment: { AUTOLITH_TASK_MAX_CONCURRENCY: "1" } },
    );
    const session = await begin(scene);
    const text = await call(session, "task.run", { task: "Be BRANCH.", name: "branch", blocking: true });
    expect(text).toContain("has it");
  });

  it("task.agents shows effective roles page by page, what is wrong with others, and only what the caller may start", async () => {
    const seen: string[] = [];
    await using scene = await openScene(
      cast({
        PARENT: [
          () => tool("task__agents", {}),
          (request) => {
            seen.push(lastOutput(request));
            return tool("task__run", { task: "No.", agent: "sonic" });
          },
          (request) => {
            seen.push(lastOutput(request));
            return submit("seen");
          },
        ],
      }),
    );
    scene.pit.write(".autolith/agents/broken.sexp", '(:name "broken" :description 3)');
    scene.pit.write(
      ".autolith/agents/lead.sexp",
      '(:name "lead" :description "Leads." :instructions "Lead." :tools nil :spawns ("scout"))',
    );
    const session = await begin(scene);
    const first = await call(session, "task.agents", { limit: 2 });
    expect(first).toMatch(/^\(:TASK-AGENTS :OFFSET 0 :COUNT 2 :TOTAL 9 :NEXT-OFFSET 2 :ENTRIES/);
    const all = await call(session, "task.agents", {});
    expect(all).toMatch(/:KIND :AGENT :NAME "lead"[^)]*:SOURCE :PROJECT/);
    expect(all).toMatch(/:KIND :DIAGNOSTIC :SEVERITY :ERROR :NAME "broken"/);
    expect(all).toContain(":REASONING-EFFORT :MEDIUM");
    expect(await call(session, "task.agents", { limit: 33 })).toContain("from 1 to 32");
    await call(session, "task.run", { task: "Be PARENT.", agent: "lead", blocking: true });
    expect([...(seen[0] ?? "").matchAll(/:KIND :AGENT :NAME "(\w+)"/g)].map(([, name]) => name)).toEqual([
      "scout",
    ]);
    expect(seen[1]).toBe("Role lead may not start sonic; it may start: scout.");
  });
});
