/** How peers' headless runs misled their callers (the case log's ids in the names). */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FinishedRun, jobText, run } from "../support/cli/job-files.ts";
import { type Sandpit, makeSandpit } from "../support/cli/launch.ts";
import { cast, submitAnswer, tool } from "../support/model-server/cast.ts";
import { calls, status } from "../support/model-server/script.ts";
import { type ModelServer, refusedBaseUrl, startModelServer } from "../support/model-server/server.ts";

const key = "sk-test-marked-secret-0123456789";

function environment({ baseUrl }: Pick<ModelServer, "baseUrl">): Record<string, string> {
  return { AUTOLITH_OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: key };
}

/** One closing event, the last line, that names the failure; the same in the artifact; a human sentence on stderr; no key anywhere. */
function expectFailure(ended: FinishedRun, category: string, code: number): void {
  expect([ended.status, ended.artifact["status"], ended.artifact["category"]]).toEqual([
    code,
    "failed",
    category,
  ]);
  expect(ended.events.filter(({ kind }) => kind === "run-finished")).toHaveLength(1);
  expect(ended.events.at(-1)).toMatchObject({ kind: "run-finished", data: { status: "failed", category } });
  expect(ended.stderr).toContain(`run-job: ${category}: ${String(ended.artifact["message"])}`);
  expect(String(ended.artifact["message"]).length).toBeGreaterThan(20);
  expect(ended.stdout + ended.stderr + JSON.stringify(ended.artifact)).not.toContain(key);
}

/** The records of the conversation as text. */
function conversationText(pit: Sandpit): string {
  const directory = join(pit.home, ".local/share/autolith/conversations");
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

describe("C003: a provider that fails is a failure, and its words are nobody's answer", () => {
  const words = "the provider says no";
  const refusal = (code: number) => ({ ...status(code), body: { error: { message: words } } });
  // Retries with their real waits: all at once, because each takes its time.
  it.concurrent.each([
    ["401", () => refusal(401)],
    ["403", () => refusal(403)],
    ["500", () => refusal(500)],
    ["no connection", undefined],
  ])("%s", async (_name, turn) => {
    using pit = makeSandpit();
    const server = turn === undefined ? undefined : await startModelServer(turn);
    const ended = await run(pit, jobText({ timeoutSeconds: 120 }), {
      environment: environment(server ?? { baseUrl: await refusedBaseUrl() }),
    });
    await server?.close();
    expectFailure(ended, "provider-failure", 1);
    const record = conversationText(pit);
    expect(record).not.toMatch(/:assistant/i);
    if (turn !== undefined) expect(ended.stderr).toContain(words);
  });
});

describe("C005: whatever keeps a run from starting ends it with one closing event", () => {
  it.each<[string, Record<string, string>, readonly string[], string, number]>([
    ["no key", {}, [], "process-failure", 1],
    ["a base URL that is none", { AUTOLITH_OPENAI_BASE_URL: "ftp:/x" }, [], "process-failure", 1],
    ["a wire that is none", { OPENAI_API_KEY: key, AUTOLITH_OPENAI_WIRE: "telex" }, [], "process-failure", 1],
    ["an unknown model", { OPENAI_API_KEY: key }, ["--model", "ghost/one"], "process-failure", 1],
    [
      "a site directory that is not there",
      { OPENAI_API_KEY: key },
      ["--site-config-root", "/nowhere/at/all"],
      "process-failure",
      1,
    ],
    ["a cassette that is not there", {}, ["--replay", "nowhere.jsonl"], "process-failure", 1],
    [
      "Redis that refuses",
      { OPENAI_API_KEY: key, AUTOLITH_REDIS_URL: "redis://127.0.0.1:1" },
      [],
      "runtime-unavailable",
      64,
    ],
    [
      "a Redis URL that is none",
      { OPENAI_API_KEY: key, AUTOLITH_REDIS_URL: "http://127.0.0.1" },
      [],
      "runtime-unavailable",
      64,
    ],
    ["a home that cannot be written", { OPENAI_API_KEY: key, HOME: "/proc" }, [], "runtime-unavailable", 64],
  ])("%s", async (_name, extra, argv, category, code) => {
    using pit = makeSandpit();
    const ended = await run(pit, jobText(), { environment: extra, argv });
    expectFailure(ended, category, code);
  });

  it("a role file that cannot be read", async () => {
    using pit = makeSandpit();
    pit.write(".autolith/agents/broken.sexp", '(:name "broken" :tolls nil)');
    const ended = await run(pit, jobText({ role: "broken" }), { environment: { OPENAI_API_KEY: key } });
    expectFailure(ended, "process-failure", 1);
    expect(ended.stderr).toMatch(/broken\.sexp, line 1, field :tolls/);
  });
});

describe("C007: what needs a person is refused at once where there is none", () => {
  const made = "echo ran >> ran.txt";
  const asks = [
    ["shell__run", { command: `npx x | head; ${made}` }],
    ["shell__run", { command: `cat job.sexp | sh -c '${made}'` }],
    ["resource__edit", outside("/tmp/autolith-c007.txt")],
    ["resource__read", { uri: "file:///etc/hostname" }],
    ["mcp__server__tool", {}],
  ] as const;

  function outside(path: string) {
    return {
      uri: `file://${path}`,
      "base-revision": "absent",
      operations: [{ operation: "replace-empty", content: "x" }],
    };
  }

  function refusals(text: string | undefined): readonly string[] {
    const body = JSON.parse(text ?? "{}") as { input?: { type?: string; output?: string }[] };
    return (body.input ?? []).flatMap(({ type, output }) =>
      type === "function_call_output" ? [output ?? ""] : [],
    );
  }

  function expectRefused(outputs: readonly string[]): void {
    expect(outputs).toHaveLength(asks.length);
    for (const output of outputs)
      expect(output).toMatch(/nobody can be asked|permission mode ask does not allow|no tool/i);
  }

  it.each(["the job itself", "a child of it"])("asked for by %s", async (who) => {
    using pit = makeSandpit();
    const wanted = () => calls(asks.map(([name, args]) => ({ name, arguments: args })));
    let seen: string | undefined;
    const look = ({ text }: { readonly text: string }) => {
      seen = text;
      return submitAnswer("done");
    };
    await using server = await startModelServer(
      who === "the job itself"
        ? cast({ ROOT: [wanted, look] })
        : cast({
            ROOT: [
              () => tool("task__run", { task: "Do ALPHA.", blocking: true }),
              () => submitAnswer("done"),
            ],
            ALPHA: [wanted, look],
          }),
    );
    const ended = await run(pit, jobText({ prompt: "ROOT" }), {
      environment: environment(server),
      argv: ["--permissions", "ask"],
    });
    expect([ended.status, ended.artifact["status"]]).toEqual([0, "succeeded"]);
    expectRefused(refusals(seen));
    const failed = ended.events.filter(
      ({ kind, data }) => kind === "tool-finished" && data["status"] === "failed",
    );
    expect(failed.length).toBeGreaterThanOrEqual(asks.length - 1);
    expect([existsSync(join(pit.workspace, "ran.txt")), existsSync("/tmp/autolith-c007.txt")]).toEqual([
      false,
      false,
    ]);
  });
});

describe("C009: a deadline is the verdict", () => {
  it.concurrent.each(["trap 'exit 0' TERM; sleep 60", "trap 'exit 0' TERM; sleep 60 & wait"])(
    "whatever `%s` returns when it is stopped",
    async (command) => {
      using pit = makeSandpit();
      await using server = await startModelServer([
        calls([{ name: "shell__run", arguments: { command } }]),
        submitAnswer("done"),
      ]);
      const ended = await run(pit, jobText({ timeoutSeconds: 3 }), {
        environment: environment(server),
        argv: ["--permissions", "full"],
      });
      expect([ended.status, ended.artifact["status"], ended.artifact["category"]]).toEqual([
        1,
        "timed-out",
        "timeout",
      ]);
      expect(ended.events.at(-1)).toMatchObject({ kind: "run-finished", data: { status: "timed-out" } });
    },
  );
});
