/** Cases of the developers' log of real failures that concern session hosts, by their ids. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { composeSessions } from "../../cli/compose-session.ts";
import type { Session, SessionUpdate } from "../../orchestrator/contract/session.ts";
import type { RecordedRequest } from "../support/model-server/script.ts";
import { answer, calls } from "../support/model-server/script.ts";
import { type SessionScene, openScene, say, text, watch } from "../support/sessions/composed-sessions.ts";
import { eventsUntil } from "../support/sessions/read-events.ts";

type Item = { readonly type: string; readonly call_id?: string };

/** The results of each call of a request. */
function resultCounts({ body }: RecordedRequest): readonly number[] {
  const { input } = body as { readonly input: readonly Item[] };
  return input
    .filter(({ type }) => type === "function_call")
    .map(
      ({ call_id: id }) =>
        input.filter((each) => each.type === "function_call_output" && each.call_id === id).length,
    );
}

function chunkOf(scene: SessionScene, session: Session): string {
  const directory = join(scene.pit.home, ".local/share/autolith/conversations", session.id);
  return join(directory, readdirSync(directory).find((name) => name.endsWith(".sexp")) ?? "");
}

const noticesOf = (updates: readonly SessionUpdate[]): readonly string[] =>
  updates.flatMap((update) => (update.type === "notice" ? [update.code] : []));

describe("a conversation on disk", () => {
  it("C029: text that is no Unicode is repaired on load with a notice; a turn and a compaction work", async () => {
    await using scene = await openScene((request) =>
      request.text.includes("You compact the conversation")
        ? answer("S")
        : answer(`answer ${request.number}`),
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await say(session, "a question that will be damaged");
    await scene.service.closeSession(session.id);
    const chunk = chunkOf(scene, session);
    const bytes = readFileSync(chunk);
    const place = bytes.indexOf("damaged");
    // A lone surrogate as bytes, and a NUL.
    Buffer.from([0xed, 0xa0, 0x80, 0x00]).copy(bytes, place);
    writeFileSync(chunk, bytes);
    const again = await scene.service.load(session.id);
    const client = await watch(again);
    expect(noticesOf(client.live)).toContain("record-repaired");
    expect(await say(again, "go on")).toMatchObject({ outcome: "end-turn" });
    expect((await again.invoke("compact", {})).text).toContain("Compacted");
    expect(await say(again, "and on")).toMatchObject({ outcome: "end-turn" });
    expect(noticesOf((await watch(again)).live)).not.toContain("record-repaired");
  });

  it("C117: a bad line, NULs and a repeated line in the middle cost themselves alone, and are told", async () => {
    await using scene = await openScene((request) =>
      request.number === 1
        ? calls([{ name: "shell__run", arguments: { command: "echo one" } }])
        : answer(`answer ${request.number}`),
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await say(session, "first");
    await say(session, "second");
    await say(session, "third");
    await scene.service.closeSession(session.id);
    const chunk = chunkOf(scene, session);
    const lines = readFileSync(chunk, "utf8").split("\n");
    const result = lines.findIndex((line) => line.includes(":TOOL-RESULT") || line.includes(":tool-result"));
    lines[result] = "}{ rubbish";
    lines.splice(result + 2, 0, "\0".repeat(500), lines[1] ?? "");
    writeFileSync(chunk, lines.join("\n"));
    const again = await scene.service.load(session.id);
    expect(noticesOf((await watch(again)).live)).toContain("record-repaired");
    const { updates } = await again.history({});
    const typed = updates.flatMap(({ update }) => (update.type === "user-message" ? [update.text] : []));
    expect(typed).toEqual(["first", "second", "third"]);
    await say(again, "fourth");
    expect(resultCounts(scene.server.requests.at(-1) as RecordedRequest)).toEqual([1]);
  });

  it("C119: resumed in the session's own directory, wherever the host was started; one that is gone is told", async () => {
    await using scene = await openScene((request) =>
      JSON.stringify(request.body).includes("function_call_output")
        ? answer("ok")
        : calls([{ name: "shell__run", arguments: { command: "pwd > where" } }]),
    );
    const [a, b] = ["a", "b"].map((name) => join(realpathSync(scene.pit.workspace), name)) as [
      string,
      string,
    ];
    for (const path of [a, b]) mkdirSync(path);
    const session = await scene.service.create({ workingDirectory: a });
    const again = await (await scene.reopen()).load(session.id);
    expect(again.state().workingDirectory).toBe(a);
    await say(again, "where?");
    expect(readFileSync(join(a, "where"), "utf8")).toBe(`${a}\n`);
    expect(readdirSync(b)).toEqual([]);
    rmSync(a, { recursive: true });
    const homeless = await (await scene.reopen()).load(session.id);
    expect(noticesOf((await watch(homeless)).live)).toContain("directory-missing");
    expect(homeless.state().workingDirectory).toBe(a);
    expect(readdirSync(b)).toEqual([]);
    const moved = await (await scene.reopen()).load(session.id, { workingDirectory: b });
    expect(moved.state().workingDirectory).toBe(b);
  });

  it("C121: a second host is refused while the first serves the conversation, and takes over when it is gone", async () => {
    await using scene = await openScene((request) => answer(`answer ${request.number}`));
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await say(session, "mine");
    const other = await composeSessions({
      environment: { ...scene.pit.environment, AUTOLITH_OPENAI_BASE_URL: scene.server.baseUrl },
      permissions: "full",
      model: undefined,
      provider: undefined,
      siteConfigRoot: undefined,
      diagnostics: () => undefined,
    });
    try {
      await expect(other.service.load(session.id)).rejects.toMatchObject({ code: "locked" });
      await say(session, "still mine");
      await scene.service.closeSession(session.id);
      const taken = await other.service.load(session.id);
      await say(taken, "now the other's");
      expect(taken.state().userTurns).toBe(3);
    } finally {
      await other.close();
    }
  });

  it("C123: opening and leaving writes nothing; compaction adds its own records alone", async () => {
    await using scene = await openScene((request) =>
      request.text.includes("You compact the conversation")
        ? answer("S")
        : answer("a long answer ".repeat(200)),
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    await say(session, "first");
    await scene.service.closeSession(session.id);
    const chunk = chunkOf(scene, session);
    const size = statSync(chunk).size;
    for (let turn = 0; turn < 20; turn += 1) {
      const again = await scene.service.load(session.id);
      (await watch(again)).detach();
      await scene.service.closeSession(session.id);
    }
    expect(statSync(chunk).size).toBe(size);
    const again = await scene.service.load(session.id);
    await again.invoke("compact", {});
    const grown = statSync(chunk).size - size;
    expect(grown).toBeLessThan(2_000);
    for (let turn = 0; turn < 19; turn += 1)
      expect((await again.invoke("compact", {})).text).toBe("There is nothing to compact.");
    expect(statSync(chunk).size - size).toBe(grown);
  });
});

describe("calls and requests", () => {
  it("C071: a turn cancelled during two tools, then a message: each call has one result in every request", async () => {
    await using scene = await openScene((request) =>
      request.number === 1
        ? calls([
            { name: "shell__run", arguments: { command: "cat fifo" } },
            { name: "shell__run", arguments: { command: "echo quick" } },
          ])
        : answer(`answer ${request.number}`),
    );
    execFileSync("mkfifo", [join(scene.pit.workspace, "fifo")]);
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    await session.prompt(text("start"));
    await eventsUntil(
      client,
      (event) =>
        event.kind === "update" &&
        event.update.type === "tool-call-update" &&
        event.update.status === "completed",
    );
    await session.cancel();
    await say(session, "what happened?");
    expect(resultCounts(scene.server.requests.at(-1) as RecordedRequest)).toEqual([1, 1]);
    expect(scene.server.requests.at(-1)?.text).toContain("quick");
    const again = await (await scene.reopen()).load(session.id);
    await say(again, "and now?");
    expect(resultCounts(scene.server.requests.at(-1) as RecordedRequest)).toEqual([1, 1]);
  });

  it("C125: what a child asks reaches the client with its origin; nobody left to answer denies it, and the work goes on", async () => {
    await using scene = await openScene(
      (request) => {
        const body = JSON.stringify(request.body);
        const hasResult = body.includes("function_call_output");
        if (body.includes("You are the child")) {
          if (!hasResult && !body.includes("start a child"))
            return calls([{ name: "shell__run", arguments: { command: "echo child" } }]);
          if (!body.includes("start a child"))
            return calls([{ name: "yield__submit", arguments: { status: "success", data: {} } }]);
        }
        return hasResult
          ? answer("done")
          : calls([
              {
                name: "task__run",
                arguments: { context: "c", tasks: [{ task: "You are the child." }], blocking: true },
              },
            ]);
      },
      { permissions: "ask" },
    );
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    const client = await watch(session);
    const turn = await session.prompt(text("start a child"));
    const seen = await eventsUntil(client, (event) => event.kind === "permission-requested");
    const request = seen.find((event) => event.kind === "permission-requested")?.request;
    expect(request).toMatchObject({ kind: "command", command: "echo child" });
    expect(request?.asker).not.toBe("primary");
    client.detach();
    expect(turn.kind === "turn" && (await turn.finished).outcome).toBe("end-turn");
    expect(session.state().permissionRequests).toEqual([]);
  });
});
