/** How peers failed their users with children (the case log's ids in the names), tried on a whole session host. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { Session, SessionEvent } from "../../orchestrator/contract/session.ts";
import { eventually } from "../support/eventually.ts";
import { cast, itemsOf, lastOutput, submit, tool } from "../support/model-server/cast.ts";
import { type RecordedRequest, answer, calls } from "../support/model-server/script.ts";
import { type SessionScene, openScene, say, text, watch } from "../support/sessions/composed-sessions.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";

async function begin(scene: SessionScene): Promise<Session> {
  const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
  await session.setSetting("session-title-generation-p", false);
  return session;
}

/** Execution ids of the completions that the conversation has received, in order. */
async function deliveries(session: Session): Promise<readonly string[]> {
  const { updates } = await session.history({ limit: 1_000 });
  return updates.flatMap(({ update }) =>
    update.type === "user-message" && update.origin === "automatic"
      ? [/:EXECUTION-ID "([^"]+)"/.exec(update.text)?.[1] ?? update.text]
      : [],
  );
}

function batch(count: number, word: string): object {
  return {
    context: "Part of a test.",
    tasks: Array.from({ length: count }, (_, index) => ({ task: `${word} number ${index}.` })),
  };
}

const settledName = (event: SessionEvent): string | undefined =>
  event.kind === "job" && ["completed", "failed", "aborted"].includes(event.state) ? event.name : undefined;

describe("children of a session", () => {
  it("C013: completions that land while the parent's answer streams are all delivered, once, and get a turn", async () => {
    let primary = 0;
    await using scene = await openScene((request) => {
      if (request.text.includes("below a title")) return answer("A title");
      if (firstUser(request).includes("CHILD")) return submit("child result");
      primary += 1;
      if (primary === 1)
        return calls([
          { name: "task__run", arguments: batch(16, "CHILD") },
          { name: "task__run", arguments: batch(4, "CHILD") },
        ]);
      return answer(`words ${primary}`, primary === 2 ? { latencyMs: 5_000, pieces: 4 } : {});
    });
    const session = await begin(scene);
    await say(session, "PRIMARY begins");
    await eventually(async () => (await deliveries(session)).length).toBe(20);
    expect(new Set(await deliveries(session)).size).toBe(20);
    await eventually(() => session.state().turn.state).toBe("idle");
    const last = scene.server.requests.findLast((request) => firstUser(request).includes("PRIMARY"));
    expect(last?.text.match(/:JOB-COMPLETION/g)).toHaveLength(20);
    expect(session.state().jobs.live).toBe(0);
  }, 120_000);

  it("C015: children that start children meet limits with numbers, and nothing goes on when the host is closed", async () => {
    let primary = 0;
    const scene = await openScene(
      (request) => {
        if (request.text.includes("below a title")) return answer("A title");
        const isPrimary = firstUser(request).includes("PRIMARY");
        if (isPrimary) primary += 1;
        // The children come to speak only when the primary does not use up the limit alone.
        return isPrimary && primary > 2
          ? answer("waiting")
          : tool("task__run", batch(5, "Do the same again"), { latencyMs: 20 });
      },
      { environment: { AUTOLITH_TASK_MAX_PER_MINUTE: "30", AUTOLITH_TASK_MAX_CONCURRENCY: "32" } },
    );
    try {
      const session = await begin(scene);
      await session.prompt(text("Do the same again, PRIMARY"));
      const told = (words: string): boolean =>
        scene.server.requests.some((request) => request.text.includes(words));
      await eventually(() => told("at most 30 a minute may be (AUTOLITH_TASK_MAX_PER_MINUTE)")).toBe(true);
      await eventually(() => told("may not start children; the limit is")).toBe(true);
      const children = session.jobs().filter(({ kind }) => kind === "agent");
      expect(children.length).toBeLessThanOrEqual(30);
      expect(Math.max(...children.map(({ depth }) => depth))).toBeLessThanOrEqual(1);
    } finally {
      await scene[Symbol.asyncDispose]();
    }
    const processes = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    expect(processes.split("\n").filter((line) => line.includes(scene.pit.home))).toEqual([]);
  }, 120_000);

  it("C017: children one after another end at the total, and leave nothing that grows", async () => {
    const total = 70;
    let spawned = 0;
    const answers: string[] = [];
    await using scene = await openScene(
      (request) => {
        if (request.text.includes("below a title")) return answer("A title");
        if (firstUser(request).includes("CHILD")) return submit("child result");
        if (spawned > 0) answers.push(lastOutput(request));
        spawned += 1;
        if (spawned > total + 3) return answer("enough");
        return tool("task__run", { task: "CHILD work.", blocking: true });
      },
      { environment: { AUTOLITH_TASK_MAX_TOTAL: String(total), AUTOLITH_TASK_MAX_PER_MINUTE: "1000" } },
    );
    const session = await begin(scene);
    await say(session, "PRIMARY begins");
    expect(answers.filter((each) => each.includes(":SUCCEEDED-P T"))).toHaveLength(total);
    const refused = answers.filter((each) => each.includes(`at most ${total} may be in all`));
    expect(refused).toHaveLength(3);
    // Settled jobs in memory are bounded; the older ones are read from their files.
    expect(session.jobs().length).toBeLessThanOrEqual(65);
    const first = /:EXECUTION-ID "([^"]+)"/.exec(answers[0] ?? "")?.[1] ?? "";
    expect((await session.invoke("job.get", { id: first })).text).toMatch(/:DURABLE-P T [\s\S]*child result/);
  }, 180_000);

  it("C019: ids of a background command and of a child hold across compaction and resume", async () => {
    await using scene = await openScene(
      cast({
        PRIMARY: [
          () =>
            calls([
              { name: "shell__run", arguments: { command: "echo early words; sleep 300", async: true } },
              { name: "task__run", arguments: { task: "CHILD waits.", name: "child" } },
            ]),
          () => answer("both started"),
          () => answer("a summary of it all"),
        ],
        CHILD: [() => tool("shell__run", { command: "sleep 300", "timeout-seconds": 400 })],
      }),
    );
    const session = await begin(scene);
    const client = await watch(session);
    await say(session, "PRIMARY begins");
    const command = session.jobs().find(({ summary }) => summary.includes("early words"))?.name ?? "";
    const child = session.jobs().find(({ kind }) => kind === "agent")?.name ?? "";
    await session.invoke("compact", {});
    for (const id of [command, command.replace("exec:", ""), child])
      expect((await session.invoke("job.get", { id })).text).toMatch(/^\(:JOB-GET/);
    expect((await session.invoke("job.send", { id: child, message: "Stay." })).text).toContain("Accepted");
    const ids = new Map(session.jobs().map(({ name, jobId }) => [name, jobId]));
    expect((await session.invoke("job.cancel", { id: child })).text).toContain(":ACCEPTED-P T");
    expect((await session.invoke("job.cancel", { id: command })).text).toContain(":ACCEPTED-P T");
    const stopped = new Set<string>();
    await eventsUntil(client, (event) => {
      const name = settledName(event);
      if (name !== undefined) stopped.add(name);
      return stopped.has(command) && stopped.has(child);
    });
    const again = await (await scene.reopen()).load(session.id);
    for (const name of [command, child]) {
      expect((await again.invoke("job.get", { id: name })).text).toContain(":STATE :ABORTED");
      expect((await again.invoke("job.get", { id: ids.get(name) })).text).toContain(":STATE :ABORTED");
    }
    expect((await again.invoke("job.get", { id: command })).text).toContain("early words");
  }, 120_000);

  it("C021: results that were consumed come never again, after compaction and after two resumes", async () => {
    await using scene = await openScene((request) => {
      if (request.text.includes("below a title")) return answer("A title");
      if (firstUser(request).includes("CHILD")) return submit("child result");
      const isFirst = !request.text.includes("function_call_output") && !request.text.includes("AGAIN");
      return isFirst && firstUser(request).includes("PRIMARY")
        ? tool("task__run", batch(5, "CHILD"))
        : answer("read them");
    });
    const session = await begin(scene);
    await say(session, "PRIMARY begins");
    await eventually(async () => (await deliveries(session)).length).toBe(5);
    await eventually(() => session.state().turn.state).toBe("idle");
    await session.invoke("compact", {});
    let current = session;
    for (const round of [1, 2]) {
      current = await (await scene.reopen()).load(session.id);
      await say(current, `AGAIN ${round}`);
      expect(await deliveries(current)).toHaveLength(5);
      const asked = scene.server.requests.findLast((each) => each.text.includes(`AGAIN ${round}`));
      expect(asked?.text.match(/:JOB-COMPLETION/g) ?? []).toHaveLength(0);
    }
  }, 120_000);
});

function firstUser(request: RecordedRequest): string {
  return JSON.stringify(itemsOf(request).find((item) => item.role === "user")?.content ?? "");
}
