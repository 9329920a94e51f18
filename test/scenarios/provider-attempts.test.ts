import { globSync, readFileSync } from "node:fs";
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
    const cut = calls([{ name: "resource__edit", arguments: { uri: "workspace:a.txt", content: "half" } }], {
      fault: { kind: "cut-arguments", how: "close" },
    });
    await using server = await startModelServer([
      status(500, { code: "server_error" }, { "x-request-id": "req-first" }),
      cut,
      done,
    ]);
    const ended = await run(pit, jobText(), { environment: { AUTOLITH_OPENAI_BASE_URL: server.baseUrl } });
    expect([ended.status, ended.artifact["status"]]).toEqual([0, "succeeded"]);
    const text = conversationText(pit);
    const attempts = text.split("\n").filter((line) => line.includes('"failedAttempt"'));
    expect(attempts).toHaveLength(2);
    expect(attempts[0]).toMatch(
      /"attempt" 1\).*"code" "server".*"elapsedSeconds" [\d.]+.*"outputReceived" NIL/,
    );
    expect(attempts[0]).toContain('("requestId" "req-first")');
    expect(attempts[1]).toMatch(/"attempt" 2\).*"code" "cut-stream".*"outputReceived" T/);
    expect(attempts[1]).toContain('("requestNumber" 1)');
    expect(text).not.toContain("half");
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
