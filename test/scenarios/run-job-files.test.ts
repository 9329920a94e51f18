import { existsSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { jobText, run } from "../support/cli/job-files.ts";
import { launch, makeSandpit } from "../support/cli/launch.ts";
import { calls } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";

const done = calls([{ name: "yield__submit", arguments: { status: "success", data: { answer: "42" } } }]);

describe("the files a run-job command line names", () => {
  it.each([
    ["a directory", "."],
    ["a device", "/dev/null"],
    ["below a file", "job.sexp/x"],
    ["where nothing can be made", "/proc/x/y"],
  ])(
    "an output that is %s is told before the job is run",
    async (_name, output) => {
      using pit = makeSandpit();
      await using server = await startModelServer([done]);
      const job = pit.write("job.sexp", jobText());
      const ended = await launch(
        pit,
        ["run-job", "--input", "job.sexp", "--output", output, "--events", "sexp"],
        {
          environment: {
            AUTOLITH_OPENAI_BASE_URL: server.baseUrl,
            OPENAI_API_KEY: "sk-test-unused-0123456789",
          },
        },
      ).ended;
      expect(ended.status).toBe(1);
      expect(ended.stderr).toMatch(/^run-job: result-publication-failed: .*The job was not run\.\n$/);
      expect(ended.stdout.trimEnd().split("\n").at(-1)).toContain(
        ":STATUS :FAILED :PUBLISHED-P NIL :CATEGORY :RESULT-PUBLICATION-FAILED",
      );
      expect(server.requests.length).toBe(0);
      expect(readFileSync(job, "utf8")).toBe(jobText());
    },
    30_000,
  );

  it.each([
    ["a cassette where nothing can be made", "/proc/x/y"],
    ["a cassette that is a device", "/dev/null"],
  ])(
    "%s is refused before the job is run",
    async (_name, record) => {
      using pit = makeSandpit();
      await using server = await startModelServer([done]);
      pit.write("job.sexp", jobText());
      const ended = await launch(
        pit,
        ["run-job", "--input", "job.sexp", "--output", "out/result.sexp", "--record", record],
        {
          environment: {
            AUTOLITH_OPENAI_BASE_URL: server.baseUrl,
            OPENAI_API_KEY: "sk-test-unused-0123456789",
          },
        },
      ).ended;
      expect(ended.status).toBe(1);
      expect(ended.stderr).toContain(`The cassette ${record} cannot be written`);
      expect(server.requests.length).toBe(0);
    },
    30_000,
  );

  it.each([
    ["the job itself", ["--input", "job.sexp", "--output", "./job.sexp"], "name the same file"],
    ["the job by a link", ["--input", "job.sexp", "--output", "link.sexp"], "name the same file"],
    ["its cassette", ["--input", "job.sexp", "--output", "x", "--record", "x"], "name the same file"],
    ["standard output", ["--input", "job.sexp", "--output", "-"], "--output needs the name of a file"],
  ])("an output that is %s is an argument error", async (_name, argv, problem) => {
    using pit = makeSandpit();
    const job = pit.write("job.sexp", jobText());
    symlinkSync(job, join(pit.workspace, "link.sexp"));
    const ended = await launch(pit, ["run-job", ...argv]).ended;
    expect([ended.status, ended.stdout]).toEqual([64, ""]);
    expect(ended.stderr).toContain(problem);
    expect(readFileSync(job, "utf8")).toBe(jobText());
    expect(readdirSync(pit.workspace).sort()).toEqual(["job.sexp", "link.sexp"]);
    expect(existsSync(join(pit.home, ".local"))).toBe(false);
  });
});

/** Sends a signal to its own process when the program begins to load the command. */
const signalWhileLoading = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from "node:module";
registerHooks({
  load(url, context, next) {
    if (url.endsWith("/run-job-command.ts")) process.kill(process.pid, "SIGTERM");
    return next(url, context);
  },
});`)}`;

it("a signal that comes while the program loads still leaves a cancelled result", async () => {
  using pit = makeSandpit();
  await using server = await startModelServer([done]);
  const ended = await run(pit, jobText(), {
    environment: {
      AUTOLITH_OPENAI_BASE_URL: server.baseUrl,
      OPENAI_API_KEY: "sk-test-unused-0123456789",
      NODE_OPTIONS: `--import=${signalWhileLoading}`,
    },
  });
  expect([ended.status, ended.artifact["status"]]).toEqual([143, "cancelled"]);
  expect(ended.events.map(({ kind }) => kind)).toEqual(["run-started", "run-finished"]);
  expect(server.requests.length).toBe(0);
}, 30_000);
