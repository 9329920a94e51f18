import { describe, expect, it } from "vitest";
import type { Session } from "../../orchestrator/contract/session.ts";
import { cast, submit, tool } from "../support/model-server/cast.ts";
import { answer } from "../support/model-server/script.ts";
import { openScene, say, watch } from "../support/sessions/composed-sessions.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";

const tasks = (session: Session, input: string): Promise<string> =>
  session.invoke("tasks", { input }).then(({ text }) => text);

describe("tasks", () => {
  it("lists live work first, then what is retained, also after a restart; shows, reads and acts on it", async () => {
    await using scene = await openScene(
      cast({
        PRIMARY: [
          () => tool("task__run", { task: "Do QUICK.", name: "quick", blocking: true }),
          () => tool("task__run", { task: "Do SLOW.", name: "slow" }),
          () => answer("started"),
        ],
        QUICK: [() => tool("shell__run", { command: "echo from quick" }), () => submit("quick result")],
        SLOW: [
          () => tool("shell__run", { command: "while [ ! -e go ]; do sleep 0.05; done" }),
          () => submit("read it", { latencyMs: 60_000 }),
        ],
      }),
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await session.setSetting("session-title-generation-p", false);
    expect(await tasks(session, "")).toBe("There are no tasks.");
    const client = await watch(session);
    await say(session, "PRIMARY begins");
    await eventsUntil(
      client,
      (event) => event.kind === "job" && event.name === "exec:4" && event.state === "running",
    );

    const list = await tasks(session, "");
    expect(list).toMatch(/^Tasks 1 to 3 of 3\.\n/);
    const names = [...list.matchAll(/^(\S+) {2}(\w+) {2}parent (\S+)/gm)].map((row) =>
      row.slice(1, 4).join(" "),
    );
    expect(names).toEqual(["exec:4 running slow-3", "slow-3 running primary", "quick-1 completed primary"]);
    expect(list).toMatch(/quick-1 .*tool yield\.submit[\s\S]*requests 2 {2}tools 2/);
    expect(await tasks(session, "list :offset 1 :limit 1")).toMatch(
      /^Tasks 2 to 2 of 3\.[\s\S]*More: offset 2\.$/,
    );
    expect(await tasks(session, "list :offset 9")).toBe("No tasks from 9 on; there are 3.");
    await expect(tasks(session, "list quick-1 7")).rejects.toThrow("tasks list does not take quick-1, 7");
    await expect(tasks(session, "1 2 3")).rejects.toThrow("not 1.");
    await expect(tasks(session, "list :limit 65")).rejects.toMatchObject({ code: "invalid-argument" });

    expect(await tasks(session, "get quick-1")).toContain("quick result");
    const whole = await tasks(session, "transcript quick-1 :limit 16000");
    expect(whole).toContain("Do QUICK.");
    expect(whole).toContain("from quick");
    const window = await tasks(session, "transcript quick-1 :offset 2 :limit 5");
    expect(window.split("\n")[0]).toBe(whole.slice(2, 7));
    expect(await tasks(session, "transcript quick-1 :offset 1000000")).toMatch(/The end is at \d+\.$/);
    await expect(tasks(session, "transcript quick-1 :limit 16001")).rejects.toMatchObject({
      code: "invalid-argument",
    });

    expect(await tasks(session, 'send slow-3 :message "Hurry."')).toContain("1 message(s)");
    expect(await tasks(session, "cancel slow-3")).toMatch(/:JOB-CANCEL :ID "slow-3" :ACCEPTED-P T/);
    await eventsUntil(
      client,
      (event) => event.kind === "job" && event.name === "slow-3" && event.state === "aborted",
    );
    await expect(tasks(session, "send slow-3 more")).rejects.toMatchObject({ code: "not-steerable" });

    const again = await (await scene.reopen()).load(session.id);
    const later = await tasks(again, "");
    expect([...later.matchAll(/^(\S+) {2}(\w+)/gm)].map((row) => row[1])).toEqual(["slow-3", "quick-1"]);
    expect(later).toMatch(/quick-1 {2}completed {2}parent primary {2}tool yield\.submit[\s\S]*requests 2/);
    const executionId = /quick-1[\s\S]*?execution (\S+)/.exec(later)?.[1] ?? "";
    expect(await tasks(again, `get ${executionId}`)).toContain("quick result");
    expect(await tasks(again, `transcript ${executionId}`)).toContain("from quick");
  });
});
