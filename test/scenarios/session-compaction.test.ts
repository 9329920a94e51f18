import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type RecordedRequest, answer, calls } from "../support/model-server/script.ts";
import { openScene, say, text, watch } from "../support/sessions/composed-sessions.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";

const isCompaction = (request: RecordedRequest): boolean =>
  request.text.includes("You compact the conversation");
const small = { environment: { AUTOLITH_CONTEXT_WINDOW: "20000" } };

describe("compaction of a session", () => {
  it("by command: the summary stands for the history, the requests are counted, every record stays", async () => {
    await using scene = await openScene((request) =>
      isCompaction(request)
        ? answer("SUMMARY OF IT", { usage: { input: 500, output: 5 } })
        : answer(`${"long answer ".repeat(50)}${request.number}`, { usage: { input: 400, output: 50 } }),
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect(await session.prompt(text("/compact"))).toMatchObject({
      invocation: { text: "There is nothing to compact." },
    });
    expect(scene.server.requests.length).toBe(0);
    await say(session, "remember PEACH");
    expect(await session.invoke("compact", {})).toMatchObject({ text: expect.stringMatching(/^Compacted/) });
    expect(session.state().usage.requests).toBe(2);
    await say(session, "and now");
    const next = scene.server.requests[2]?.text ?? "";
    expect(next).toContain("SUMMARY OF IT");
    expect(next).not.toContain("long answer");
    const read = await session.resource({ uri: "conversation:current" });
    expect(read.text).toContain("PEACH");
  });

  it("after it each request names the jobs that run, as the host knows them, until they are delivered", async () => {
    await using scene = await openScene((request) => {
      if (isCompaction(request)) return answer("SUMMARY", { usage: { input: 500, output: 5 } });
      return request.number === 1
        ? calls([{ name: "shell__run", arguments: { command: "cat fifo", async: true } }])
        : answer(`${"long answer ".repeat(50)}${request.number}`);
    });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await session.setSetting("session-title-generation-p", false);
    execFileSync("mkfifo", [join(scene.pit.workspace, "fifo")]);
    await say(session, "begin");
    expect(scene.server.requests[1]?.text).not.toContain("from the host's records");
    await session.invoke("compact", {});
    const last = (): string => {
      const body = scene.server.requests.at(-1)?.body as { input: readonly unknown[] } | undefined;
      return JSON.stringify(body?.input.at(-1));
    };
    await say(session, "how is it?");
    expect(last()).toMatch(
      /from the host's records .*\(:jobs :shown \(\(\S+exec:1\S+ :running\)\) :omitted 0\)/i,
    );
    await say(session, "and now?");
    expect(last()).toContain("exec:1");
    await writeFile(join(scene.pit.workspace, "fifo"), "done");
    await eventsUntil(
      client,
      (event) => event.kind === "turn" && event.source === "completion" && event.state === "idle",
    );
    await say(session, "done?");
    expect(last()).not.toContain("exec:1");
    const { updates } = await session.history({});
    expect(JSON.stringify(updates)).not.toContain("not a message of the person");
  });

  it("is stopped by a cancel and by a pause; the conversation is as it was and goes on", async () => {
    let asked = Promise.withResolvers<void>();
    await using scene = await openScene((request) => {
      if (!isCompaction(request)) return answer(`${"long answer ".repeat(50)}${request.number}`);
      asked.resolve();
      return answer("SUMMARY", { pieces: 4, fault: { kind: "stall", after: 1 } });
    });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await session.setSetting("session-title-generation-p", false);
    await say(session, "remember PEACH");
    for (const stop of [() => session.cancel(), () => session.pause()]) {
      const compacting = session.invoke("compact", {});
      const refused = expect(compacting).rejects.toMatchObject({ code: "cancelled" });
      await asked.promise;
      asked = Promise.withResolvers<void>();
      expect(await stop()).toBe(true);
      await refused;
      await say(session, "and now");
      expect(scene.server.requests.at(-1)?.text).toContain("remember PEACH");
    }
    expect(await session.cancel()).toBe(false);
  });

  it("at the threshold, in the middle of a turn, and the turn goes on", async () => {
    await using scene = await openScene((request) => {
      if (isCompaction(request)) return answer("SHORT", { usage: { input: 17_000, output: 5 } });
      if (request.number === 1)
        return calls([{ name: "shell__run", arguments: { command: "seq 1000" } }], {
          usage: { input: 17_000, output: 100 },
        });
      return answer("end", { usage: { input: 9_000, output: 3 } });
    }, small);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect(await say(session, "count")).toMatchObject({ outcome: "end-turn", usage: { requests: 3 } });
    expect(scene.server.requests[2]?.text).toContain("SHORT");
    expect(session.state().contextTokens).toBe(9_003);
  });

  it.each([
    ["is empty", ""],
    ["is longer than the history", "x".repeat(400_000)],
    ["does not help", "SHORT"],
  ])(
    "a summary that %s ends the turn clearly after a bounded number of requests (C077)",
    async (_, summary) => {
      await using scene = await openScene(
        (request) =>
          isCompaction(request)
            ? answer(summary, { usage: { input: 7_900, output: 5 } })
            : calls([{ name: "shell__run", arguments: { command: "echo more" } }], {
                usage: { input: 7_900, output: 20 },
              }),
        { environment: { AUTOLITH_CONTEXT_WINDOW: "8000" } },
      );
      const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
      const ended = await say(session, "work");
      expect(ended.outcome).toBe("condition");
      expect(["context-full", "compaction-no-progress", "protocol", "empty-response"]).toContain(
        ended.failure?.code,
      );
      expect(scene.server.requests.length).toBeLessThanOrEqual(6);
    },
  );

  it("after a resume failed calls of earlier turns are not sent again; the record keeps them", async () => {
    await using scene = await openScene((request) =>
      request.number === 1
        ? calls([{ name: "resource__read", arguments: { uri: "workspace:not-there.txt" } }])
        : answer(`answer ${request.number}`),
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await say(session, "read it");
    expect(scene.server.requests[1]?.text).toContain("not-there.txt");
    await say(session, "the cache is warm");
    expect(scene.server.requests[2]?.text).toContain("not-there.txt");
    const again = await (await scene.reopen()).load(session.id);
    await say(again, "go on");
    expect(scene.server.requests[3]?.text).not.toContain("not-there.txt");
    const { updates } = await again.history({});
    expect(JSON.stringify(updates)).toContain("not-there.txt");
  });

  it("before the provider has counted, the context is an estimate", async () => {
    await using scene = await openScene([answer("ok", { usage: { input: 500, output: 5 } })]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    expect(client.state.contextEstimated).toBe(true);
    if (client.state.contextTokens === null)
      await eventsUntil(client, ({ kind }) => kind === "state" && session.state().contextTokens !== null);
    expect(session.state().contextTokens).toBeGreaterThan(100);
    expect((await session.invoke("context", {})).text).toMatch(/^~/);
    await say(session, "hello");
    expect(session.state()).toMatchObject({ contextTokens: 505, contextEstimated: false });
  });
});
