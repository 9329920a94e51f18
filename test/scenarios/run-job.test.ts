import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { jobText, run, startRun, finish } from "../support/cli/job-files.ts";
import { type Sandpit, launch, makeSandpit } from "../support/cli/launch.ts";
import { answer, calls } from "../support/model-server/script.ts";
import { type ModelServer, startModelServer } from "../support/model-server/server.ts";

const submission = (data: unknown) =>
  calls([{ name: "yield__submit", arguments: { status: "success", data } }]);
const done = submission({ answer: "42" });

function environment(server: Pick<ModelServer, "baseUrl">): Record<string, string> {
  return { AUTOLITH_OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: "sk-test-marked-secret-0123456789" };
}

function kinds(events: readonly { readonly kind: string }[]): string[] {
  return events.map(({ kind }) => kind).filter((kind) => kind !== "progress" && kind !== "usage");
}

/** What a run may not leave behind: temporary files beside the artifact, Redis, its socket. */
function leftovers(pit: Sandpit): string[] {
  const redis = join(pit.home, ".local/state/autolith/redis");
  return [
    ...readdirSync(join(pit.workspace, "out")).filter((name) => name !== "result.sexp"),
    ...(existsSync(redis) ? readdirSync(redis).filter((name) => name === "s" || name === "server.json") : []),
  ];
}

describe("run-job end to end", () => {
  it("says which command was still running and was ended with the run", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer([
      calls([{ name: "shell__run", arguments: { command: "sleep 300", async: true } }]),
      done,
    ]);
    const ended = await run(pit, jobText(), {
      environment: environment(server),
      argv: ["--permissions", "full"],
    });
    expect(ended.stderr).toMatch(
      /^run-job: exec:\d+ was still running when its agent ended and was ended with it: shell\.run sleep 300\n$/,
    );
    expect([ended.status, ended.artifact["status"]]).toEqual([0, "succeeded"]);
  });

  it.each(["responses", "chat"])(
    "runs a child with real tools to a contracted result over %s, and reports every step",
    async (wire) => {
      using pit = makeSandpit();
      pit.write("greeting.txt", "hello\n");
      await using server = await startModelServer([
        calls([{ name: "resource__read", arguments: { uri: "workspace:greeting.txt" } }]),
        calls([{ name: "shell__run", arguments: { command: "cat greeting.txt && echo done > made.txt" } }]),
        done,
      ]);
      const ended = await run(pit, jobText(), {
        environment: { ...environment(server), AUTOLITH_OPENAI_WIRE: wire },
        argv: ["--permissions", "full"],
      });
      expect(ended.stderr).toBe("");
      expect(ended.status).toBe(0);
      expect(ended.artifact).toMatchObject({ id: "job-1", status: "succeeded" });
      expect(kinds(ended.events)).toEqual([
        "run-started",
        "job-started",
        "tool-started",
        "tool-finished",
        "tool-started",
        "tool-finished",
        "tool-started",
        "tool-finished",
        "job-finished",
        "run-finished",
      ]);
      expect(ended.events.map(({ seq }) => seq)).toEqual(ended.events.map((_, index) => index + 1));
      expect(readFileSync(join(pit.workspace, "made.txt"), "utf8")).toBe("done\n");
      expect(server.requests[2]?.text).toContain("hello");
      expect(leftovers(pit)).toEqual([]);
    },
  );

  it("a child that never submits is a provider failure after one reminder", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer([answer("I am done."), answer("Really done.")]);
    const ended = await run(pit, jobText(), { environment: environment(server) });
    expect([ended.status, ended.artifact["category"]]).toEqual([1, "provider-failure"]);
    expect(server.requests.length).toBe(2);
  });

  it("a child that yields failed is a child failure", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer([
      calls([{ name: "yield__submit", arguments: { status: "failed", error: "no such file" } }]),
    ]);
    const ended = await run(pit, jobText(), { environment: environment(server) });
    expect([ended.status, ended.artifact["category"], ended.artifact["message"]]).toEqual([
      1,
      "child-failure",
      "no such file",
    ]);
  });

  it("a result outside the contract is refused and may be corrected", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer([submission({ wrong: 1 }), done]);
    const ended = await run(pit, jobText(), { environment: environment(server) });
    expect([ended.status, ended.artifact["status"]]).toEqual([0, "succeeded"]);
    expect(server.requests[1]?.text).toContain("does not satisfy the output contract");
  });

  it.each<[string, string | undefined, string]>([
    ["no file", undefined, "input-not-found"],
    ["not a form", "(:autolith-job", "invalid-input"],
    ["evaluation", "#.(quit)", "invalid-input"],
    ["another head", "(:job)", "invalid-envelope"],
    ["version 2", jobText().replace(":version 1", ":version 2"), "unsupported-version"],
    ["bad contract", jobText({ contract: "(:type :nothing)" }), "invalid-contract"],
    ["unknown role", jobText({ role: "nobody" }), "unknown-role"],
  ])("refuses %s with status 64, artifact and closing event", async (_name, text, category) => {
    using pit = makeSandpit();
    const running =
      text === undefined
        ? launch(pit, ["run-job", "--input", "no.sexp", "--output", "out/result.sexp", "--events", "sexp"])
        : startRun(pit, text);
    const ended = await finish(pit, running);
    expect([ended.status, ended.artifact["category"]]).toEqual([64, category]);
    expect(kinds(ended.events)).toEqual(["run-started", "run-finished"]);
  });

  it("starts at once with a standard input that never ends, and reads the job from - when asked", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer([done, done]);
    const open = await run(pit, jobText(), { environment: environment(server), stdin: "open" });
    expect(open.status).toBe(0);
    const running = launch(
      pit,
      ["run-job", "--input", "-", "--output", "out/result.sexp", "--events", "sexp"],
      { environment: environment(server), stdin: { text: jobText({ id: "from-stdin" }) } },
    );
    const piped = await finish(pit, running);
    expect([piped.status, piped.artifact["id"]]).toEqual([0, "from-stdin"]);
  });

  it.each([
    ["SIGINT" as const, 130],
    ["SIGTERM" as const, 143],
    ["SIGQUIT" as const, 131],
    ["SIGHUP" as const, 129],
  ])("%s stops the tree, writes a cancelled artifact and exits %i", async (signal, code) => {
    using pit = makeSandpit();
    await using server = await startModelServer([
      calls([{ name: "shell__run", arguments: { command: "echo $$ > pid; sleep 60" } }]),
    ]);
    const running = startRun(pit, jobText(), {
      environment: environment(server),
      argv: ["--permissions", "full"],
    });
    await running.printed(":TOOL-STARTED");
    running.child.kill(signal);
    const ended = await finish(pit, running);
    expect([ended.status, ended.artifact["status"]]).toEqual([code, "cancelled"]);
    expect(ended.events.at(-1)).toMatchObject({ kind: "run-finished", data: { status: "cancelled" } });
    expect(leftovers(pit)).toEqual([]);
  });

  it("mode auto asks the classifier about the command and the prompt, never the input", async () => {
    using pit = makeSandpit();
    const seen: string[] = [];
    await using server = await startModelServer((request) => {
      if (!request.text.includes("You judge whether"))
        return request.number === 1
          ? calls([{ name: "shell__run", arguments: { command: "echo hi" } }])
          : done;
      seen.push(request.text);
      return answer("DENY");
    });
    const ended = await run(pit, jobText({ prompt: "Say hi to PROMPTWORD.", input: '("INPUTWORD")' }), {
      environment: environment(server),
    });
    expect(ended.status).toBe(0);
    expect([seen.length, seen[0]?.includes("PROMPTWORD"), seen[0]?.includes("INPUTWORD")]).toEqual([
      1,
      true,
      false,
    ]);
    expect(server.requests.at(-1)?.text).toContain("does not call for the command");
  });

  it("an output that cannot be written ends with its own category and status 1", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer([done]);
    pit.write("job.sexp", jobText());
    mkdirSync(join(pit.workspace, "result.sexp/in-the-way"), { recursive: true });
    const running = launch(
      pit,
      ["run-job", "--input", "job.sexp", "--output", "result.sexp", "--events", "sexp"],
      { environment: environment(server) },
    );
    const ended = await running.ended;
    expect(ended.status).toBe(1);
    expect(ended.stdout.trimEnd().split("\n").at(-1)).toContain(":CATEGORY :RESULT-PUBLICATION-FAILED");
    expect(ended.stderr).toContain("result-publication-failed");
  });

  it("a reader that leaves ends delivery, not the job", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer([
      calls([{ name: "shell__run", arguments: { command: "sleep 0.3" } }]),
      done,
    ]);
    const running = startRun(pit, jobText(), {
      environment: environment(server),
      argv: ["--permissions", "full"],
    });
    await running.printed(":RUN-STARTED");
    running.child.stdout?.destroy();
    const ended = await running.ended;
    expect(ended.status).toBe(0);
    expect(readFileSync(join(pit.workspace, "out/result.sexp"), "utf8")).toContain(":SUCCEEDED");
  });

  it("refuses arguments before anything is written", async () => {
    using pit = makeSandpit();
    const ended = await launch(pit, ["run-job", "--input", "job.sexp"]).ended;
    expect([ended.status, ended.stdout]).toEqual([64, ""]);
    expect(ended.stderr).toContain("run-job needs --output FILE");
  });
});
