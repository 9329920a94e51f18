import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { jobText, run } from "../support/cli/job-files.ts";
import { type Sandpit, makeSandpit } from "../support/cli/launch.ts";
import { calls, status } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";

/** What failed attempts of model requests leave behind (manual: every failed attempt is recorded next to its request number). */

const done = calls([{ name: "yield__submit", arguments: { status: "success", data: { answer: "42" } } }], {
  usage: { input: 7, output: 3 },
});

/** The records of the child's conversation, as text. */
function conversationText(pit: Sandpit): string {
  const chunks = globSync(join(pit.home, ".local/share/autolith/conversations/*/*.sexp"));
  return chunks.map((path) => readFileSync(path, "utf8")).join("");
}

describe("failed attempts", () => {
  it("stand in the conversation beside their request, with count, time, output and provider identifiers", async () => {
    using pit = makeSandpit();
    const command = "touch executed.txt; echo this command is cut in its second half";
    const cut = calls([{ name: "shell__run", arguments: { command } }], {
      fault: { kind: "cut-arguments", how: "close" },
    });
    await using server = await startModelServer([
      status(500, { code: "server_error" }, { "x-request-id": "req-first" }),
      cut,
      done,
    ]);
    const ended = await run(pit, jobText(), {
      environment: { AUTOLITH_OPENAI_BASE_URL: server.baseUrl },
      argv: ["--permissions", "full"],
    });
    expect([ended.status, ended.artifact["status"]]).toEqual([0, "succeeded"]);
    expect(existsSync(join(pit.workspace, "executed.txt"))).toBe(false);
    const text = conversationText(pit);
    const attempts = text.split("\n").filter((line) => line.includes('"failedAttempt"'));
    expect(attempts).toHaveLength(2);
    expect(attempts[0]).toMatch(
      /"attempt" 1\).*"code" "server".*"elapsedSeconds" [\d.]+.*"outputReceived" NIL/,
    );
    expect(attempts[0]).toContain('("requestId" "req-first")');
    expect(attempts[1]).toMatch(/"attempt" 2\).*"code" "cut-stream".*"outputReceived" T/);
    expect(attempts[1]).toContain('("requestNumber" 1)');
    expect(text).not.toContain("executed.txt");
    expect(ended.artifact["usage"]).toMatchObject({ "input-tokens": 7, "output-tokens": 3 });
  });

  it("stand there also when the run ends with them", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer([status(401, { code: "invalid_api_key" })]);
    const ended = await run(pit, jobText(), { environment: { AUTOLITH_OPENAI_BASE_URL: server.baseUrl } });
    expect([ended.status, ended.artifact["category"]]).toEqual([1, "provider-failure"]);
    expect(conversationText(pit)).toMatch(/"failedAttempt".*"authentication"/);
  });
});

describe("a server of one's own that speaks Chat Completions", () => {
  it("serves any model id without a key, also when it labels parallel calls badly and sends no usage", async () => {
    using pit = makeSandpit();
    pit.write("a.txt", "text of a\n");
    pit.write("b.txt", "text of b\n");
    const piece = (id: string, path: string) => ({
      index: 0,
      id,
      function: { name: "resource__read", arguments: JSON.stringify({ uri: `workspace:${path}` }) },
    });
    const chunk = (delta: object, finish: string | null) => ({
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    await using server = await startModelServer((request) => {
      if (request.number > 1) return done;
      const pieces = [piece("one", "a.txt"), piece("two", "b.txt")];
      const frames = pieces.map((call) => chunk({ tool_calls: [call] }, null));
      return { kind: "frames", frames: [...frames, chunk({}, "tool_calls")] };
    });
    const ended = await run(pit, jobText(), {
      environment: { AUTOLITH_OPENAI_BASE_URL: server.baseUrl, AUTOLITH_OPENAI_WIRE: "chat" },
      argv: ["--model", "openai-api/zai/any-model:1"],
    });
    expect([ended.status, ended.artifact["status"]]).toEqual([0, "succeeded"]);
    expect(server.requests.map(({ wire }) => wire)).toEqual(["chat", "chat"]);
    expect(server.requests[0]?.body).toMatchObject({ model: "zai/any-model:1" });
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    const body = server.requests[1]?.body as { messages: { role: string; content: string }[] } | undefined;
    const results = (body?.messages ?? [])
      .filter(({ role }) => role === "tool")
      .map(({ content }) => content);
    expect(results.map((text) => /text of [ab]/.exec(text)?.[0])).toEqual(["text of a", "text of b"]);
    // The first request's usage is unknown; the second one's is told.
    expect(ended.artifact["usage"]).toMatchObject({ "input-tokens": 7, "output-tokens": 3 });
  });
});
