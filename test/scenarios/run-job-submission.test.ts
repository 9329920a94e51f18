import { describe, expect, it } from "vitest";
import { repeatedRejectionLimit } from "../../orchestrator/agents/yield.ts";
import { jobText, run } from "../support/cli/job-files.ts";
import { makeSandpit } from "../support/cli/launch.ts";
import { answer, calls, status } from "../support/model-server/script.ts";
import { type ModelServer, startModelServer } from "../support/model-server/server.ts";

const submission = (data: string) =>
  calls([{ name: "yield__submit", arguments: `{"status":"success","data":${data}}` }]);
const integer = "(:type :integer)";

function environment(server: Pick<ModelServer, "baseUrl">): Record<string, string> {
  return { AUTOLITH_OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: "sk-test-unused-0123456789" };
}

describe("what a child submits", () => {
  it.each([
    ["3.0 for an integer", "3.0", integer, "3", 3],
    ["an integer that no double holds", "10000000000000000000001", integer, "7", 7],
    [
      "a member that would be lost",
      '{"__proto__":{"x":1},"a":2}',
      "(:type :object :additional-properties t)",
      '"no"',
      undefined,
    ],
    ["a member twice", '{"a":1,"a":2}', "(:type :object :additional-properties t)", '"no"', undefined],
  ])("is refused: %s", async (_name, wrong, contract, right, result) => {
    using pit = makeSandpit();
    const second = result === undefined ? answer("I give up.") : submission(right);
    await using server = await startModelServer([submission(wrong), second, answer("Really.")]);
    const ended = await run(pit, jobText({ contract }), { environment: environment(server) });
    expect(ended.artifact["result"]).toEqual(result);
    expect(server.requests[1]?.text).toMatch(/does not satisfy the output contract|cannot be kept/);
  });

  it("3.0 is a number", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer([submission("3.0")]);
    const ended = await run(pit, jobText({ contract: "(:type :number)" }), {
      environment: environment(server),
    });
    expect([ended.status, ended.artifact["result"]]).toEqual([0, 3]);
  });

  it("again and again the same refused submission ends the child", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer(() => submission("true"));
    const ended = await run(pit, jobText({ contract: integer }), { environment: environment(server) });
    expect([ended.status, ended.artifact["category"]]).toEqual([1, "provider-failure"]);
    expect(ended.artifact["message"]).toContain(
      `the same refused yield.submit ${repeatedRejectionLimit} times`,
    );
    expect(ended.artifact["message"]).toContain("must be an integer");
    expect(server.requests.length).toBe(repeatedRejectionLimit);
  });

  it("a submission whose arguments are wrong counts the same; one that changes begins anew", async () => {
    using pit = makeSandpit();
    const wrong = (time: number) =>
      calls([{ name: "yield__submit", arguments: { status: time < 4 ? "done" : "finished" } }]);
    let asked = 0;
    await using server = await startModelServer(() => wrong(asked++));
    const ended = await run(pit, jobText(), { environment: environment(server) });
    expect(ended.artifact["message"]).toContain("refused yield.submit");
    expect(server.requests.length).toBe(4 + repeatedRejectionLimit);
  });

  it("nothing at all is told as such, and not as a fault of the provider", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer([answer("I am done."), answer("Really done.")]);
    const ended = await run(pit, jobText(), { environment: environment(server) });
    expect(ended.artifact["category"]).toBe("provider-failure");
    expect(ended.artifact["message"]).toContain("without calling yield.submit, also after it was reminded");
  });

  it("a server that refuses is named with the number of attempts", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer([status(503), status(401)]);
    const ended = await run(pit, jobText(), { environment: environment(server) });
    const { host } = new URL(server.baseUrl);
    expect(ended.artifact["message"]).toContain(`(${host}, 2 attempts)`);
    expect(ended.stderr).toContain(`model: attempt 1 of at most 7 at ${server.baseUrl} failed (overloaded)`);
  });
});
