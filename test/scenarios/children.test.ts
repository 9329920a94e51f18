import { describe, expect, it } from "vitest";
import { jobText, run } from "../support/cli/job-files.ts";
import { makeSandpit } from "../support/cli/launch.ts";
import { cast, itemsOf, submit, submitAnswer, tool } from "../support/model-server/cast.ts";
import { type RecordedRequest, type ScriptedTurn, answer, status } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";

function environment(server: { readonly baseUrl: string }): Record<string, string> {
  return { AUTOLITH_OPENAI_BASE_URL: server.baseUrl };
}

describe("children of a job", () => {
  it("a blocking batch runs all its children, and the parent reads every result", async () => {
    using pit = makeSandpit();
    let seen = "";
    await using server = await startModelServer(
      cast({
        ROOT: [
          () =>
            tool("task__run", {
              context: "Shared words.",
              blocking: true,
              tasks: [{ task: "Do ALPHA." }, { task: "Do BETA.", name: "second" }],
            }),
          (request) => {
            seen = request.text;
            return submitAnswer("both");
          },
        ],
        ALPHA: [() => submit("alpha result")],
        BETA: [() => submit("beta result")],
      }),
    );
    const ended = await run(pit, jobText({ prompt: "ROOT" }), { environment: environment(server) });
    expect([ended.status, ended.stderr]).toEqual([0, ""]);
    expect(seen).toContain("alpha result");
    expect(seen).toContain("beta result");
    expect(seen).toContain("second-3");
    const finished = ended.events.filter(({ kind }) => kind === "job-finished");
    expect(finished.map(({ data }) => data["status"])).toEqual(["succeeded", "succeeded", "succeeded"]);
  });

  it("a detached child's completion reaches the parent that has nothing else to do, once", async () => {
    using pit = makeSandpit();
    const later: string[] = [];
    await using server = await startModelServer(
      cast({
        ROOT: [
          () => tool("task__run", { task: "Do ALPHA." }),
          () => answer("Waiting for the child."),
          (request) => {
            later.push(request.text);
            return submitAnswer("heard");
          },
        ],
        ALPHA: [() => ({ ...submit("alpha result"), latencyMs: 300 })],
      }),
    );
    const ended = await run(pit, jobText({ prompt: "ROOT" }), { environment: environment(server) });
    expect(ended.status).toBe(0);
    expect(later[0]?.match(/:JOB-COMPLETION/g)?.length).toBe(1);
    expect(later[0]).toContain("alpha result");
  });

  it("C111: children that fail, stop, are cancelled or lose their model are all told to their parent", async () => {
    using pit = makeSandpit();
    const words = ["ALPHA", "BETA", "GAMMA", "DELTA", "EPSILON"] as const;
    const completions = ({ text }: RecordedRequest): number => text.match(/:JOB-COMPLETION/g)?.length ?? 0;
    let last = "";
    let turn = 0;
    const root = (request: RecordedRequest): ScriptedTurn => {
      turn += 1;
      if (turn === 1)
        return tool("task__run", {
          context: "Part of a test.",
          tasks: words.map((word) => ({ task: `Do ${word}.`, name: word.toLowerCase() })),
        });
      if (turn === 2) return tool("job__cancel", { id: /gamma-\d+/.exec(request.text)?.[0] });
      last = request.text;
      return completions(request) >= words.length ? submitAnswer("all heard") : answer("Waiting.");
    };
    const parts = cast({
      ALPHA: [() => submit("alpha result")],
      BETA: [() => tool("yield__submit", { status: "failed", error: "beta cannot" })],
      GAMMA: [() => tool("shell__run", { command: "sleep 60" })],
      DELTA: [() => status(401)],
      EPSILON: [() => answer("I say nothing more."), () => answer("Nor now.")],
    });
    await using server = await startModelServer((request) =>
      JSON.stringify(itemsOf(request)[0]).includes("ROOT") ? root(request) : parts(request),
    );
    const ended = await run(pit, jobText({ prompt: "ROOT", role: "engineering" }), {
      environment: environment(server),
      argv: ["--permissions", "full"],
    });
    expect([ended.status, ended.artifact["status"]]).toEqual([0, "succeeded"]);
    const outcomes = [...last.matchAll(/:JOB-COMPLETION.*?:JOB-ID \\"([a-z]+)-\d+\\".*?:STATE :([A-Z]+)/g)];
    expect(Object.fromEntries(outcomes.map(([, name, outcome]) => [name, outcome]))).toEqual({
      alpha: "COMPLETED",
      beta: "FAILED",
      gamma: "ABORTED",
      delta: "FAILED",
      epsilon: "FAILED",
    });
    expect(outcomes).toHaveLength(words.length);
  });

  it("a message sent to a running child is read before it may end", async () => {
    using pit = makeSandpit();
    const heard: string[] = [];
    await using server = await startModelServer(
      cast({
        ROOT: [
          () => tool("task__run", { task: "Do ALPHA.", name: "listener" }),
          () => tool("job__send", { id: "listener-2", message: "Say PEACH." }),
          // The child's command goes on until the message has been sent.
          () => tool("shell__run", { command: "touch sent" }),
          () => tool("job__wait", { id: "listener-2", "timeout-seconds": 20 }),
          () => submitAnswer("sent"),
        ],
        ALPHA: [
          () => ({
            ...tool("shell__run", { command: "until [ -e sent ]; do sleep 0.05; done" }),
            latencyMs: 100,
          }),
          (request) => {
            heard.push(request.text);
            return submit("PEACH");
          },
        ],
      }),
    );
    const ended = await run(pit, jobText({ prompt: "ROOT", role: "engineering" }), {
      environment: environment(server),
      argv: ["--permissions", "full"],
    });
    expect(ended.status).toBe(0);
    expect(heard[0]).toContain("Message from your parent agent");
    expect(heard[0]).toContain("Say PEACH.");
  });

  it("a message to a child that has no place yet says so, and is not lost without a word", async () => {
    using pit = makeSandpit();
    const told: string[] = [];
    await using server = await startModelServer(
      cast({
        ROOT: [
          () => tool("task__run", { task: "Do ALPHA.", name: "late" }),
          () => tool("job__send", { id: "late-2", message: "Say PEACH." }),
          (request) => {
            told.push(request.text);
            return tool("job__wait", { id: "late-2", "timeout-seconds": 20 });
          },
          () => submitAnswer("told"),
        ],
        ALPHA: [() => submit("done")],
      }),
    );
    const ended = await run(pit, jobText({ prompt: "ROOT", role: "engineering" }), {
      environment: { ...environment(server), AUTOLITH_TASK_MAX_CONCURRENCY: "1" },
      argv: ["--permissions", "full"],
    });
    expect(ended.status).toBe(0);
    expect(told[0]).toContain("late-2 is still queued: all places of children are taken");
  });

  it("spawning ends at the depth limit, as a tool error", async () => {
    using pit = makeSandpit();
    let offered = "";
    await using server = await startModelServer(
      cast({
        ROOT: [() => tool("task__run", { task: "Do ALPHA.", blocking: true }), () => submitAnswer("done")],
        ALPHA: [
          (request) => {
            offered = JSON.stringify((request.body as { tools: unknown }).tools);
            return tool("task__run", { task: "Do BETA." });
          },
          () => submit("no grandchildren"),
        ],
      }),
    );
    const ended = await run(pit, jobText({ prompt: "ROOT" }), {
      environment: { ...environment(server), AUTOLITH_TASK_MAX_DEPTH: "2" },
    });
    expect(ended.status).toBe(0);
    expect(offered).not.toContain("task__run");
    expect(
      server.requests.some(({ text }) =>
        text.includes("Children at depth 2 may not start children; the limit is 2"),
      ),
    ).toBe(true);
  });

  it("a tool the role does not grant does not exist for it", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer(
      cast({
        ROOT: [() => tool("shell__run", { command: "echo no" }), () => submitAnswer("none")],
      }),
    );
    pit.write(
      ".autolith/agents/reader.sexp",
      '(:name "reader" :description "Reads." :instructions "Read." :tools ("resource.read"))',
    );
    const ended = await run(pit, jobText({ prompt: "ROOT", role: "reader" }), {
      environment: environment(server),
    });
    expect(ended.status).toBe(0);
    expect(ended.events.find(({ kind }) => kind === "tool-finished")?.data).toMatchObject({
      status: "failed",
    });
    expect(server.requests[1]?.text).toContain("The role reader does not grant shell.run.");
  });

  it("a child has no tool that its parent lacks, however generous its role", async () => {
    const heard: string[] = [];
    using pit = makeSandpit();
    await using server = await startModelServer(
      cast({
        ROOT: [
          () => tool("task__run", { task: "Be BELOW.", agent: "task", name: "below", blocking: true }),
          () => submitAnswer("none"),
        ],
        BELOW: [
          () => tool("shell__run", { command: "echo no" }),
          (request) => {
            heard.push(request.text);
            return tool("resource__read", { uri: "workspace:.autolith/agents/reader.sexp" });
          },
          (request) => {
            heard.push(request.text);
            return submit("read");
          },
        ],
      }),
    );
    pit.write(
      ".autolith/agents/reader.sexp",
      '(:name "reader" :description "Reads." :instructions "Read." :tools ("resource.read") :spawns :all)',
    );
    const ended = await run(pit, jobText({ prompt: "ROOT", role: "reader" }), {
      environment: environment(server),
    });
    expect(ended.status).toBe(0);
    expect(heard[0]).toContain("a child has no tool that its parent lacks");
    expect(heard[1]).toContain(":description");
  });
});
