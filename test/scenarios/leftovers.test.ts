import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { remains } from "../../script/drill/remains.ts";
import { finish, jobText, run, startRun } from "../support/cli/job-files.ts";
import { launch, makeSandpit } from "../support/cli/launch.ts";
import { answer, calls } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";

// Whole runs, several in a test: a busy machine takes its time.
vi.setConfig({ testTimeout: 180_000 });

const done = calls([{ name: "yield__submit", arguments: { status: "success", data: { answer: "42" } } }]);

/** Writes its number and stays; the second one leaves its session and its parent. */
const lingering =
  "echo $$ > lingering.pid; setsid sh -c 'echo $$ > daemon.pid; exec sleep 600' > /dev/null 2>&1 & exec sleep 600";

function isAlive(processId: number): boolean {
  return (
    existsSync(`/proc/${processId}`) &&
    !/^State:\s+Z/m.test(readFileSync(`/proc/${processId}/status`, "utf8"))
  );
}

it("a host killed with its commands running leaves nothing that the next start does not end and remove", async () => {
  using pit = makeSandpit();
  await using server = await startModelServer([
    calls([{ name: "shell__run", arguments: { command: lingering, async: true } }]),
    calls([{ name: "shell__run", arguments: { command: "sleep 600" } }]),
    done,
  ]);
  const environment = { AUTOLITH_OPENAI_BASE_URL: server.baseUrl };
  const first = startRun(pit, jobText(), { environment, argv: ["--permissions", "full"], stdin: "ignore" });
  const pidFiles = ["lingering.pid", "daemon.pid"].map((name) => join(pit.workspace, name));
  await expect
    .poll(() => pidFiles.every((path) => existsSync(path) && readFileSync(path, "utf8") !== ""), {
      timeout: 30_000,
    })
    .toBe(true);
  await server.arrived(2);
  first.child.kill("SIGKILL");
  await first.ended;
  const processes = pidFiles.map((path) => Number(readFileSync(path, "utf8")));
  expect(processes.map(isAlive)).toEqual([true, true]);
  // What a kill between two steps leaves: files that were being put in place, the private /tmp of a dead conversation.
  const dead = `999999999.${"0".repeat(12)}.publishing`;
  mkdirSync(join(pit.workspace, "out"), { recursive: true });
  writeFileSync(join(pit.workspace, "out", `.result.sexp.${dead}`), "half");
  writeFileSync(join(pit.home, ".local/state/autolith", `.preferences.sexp.${dead}`), "half");
  mkdirSync(join(pit.home, ".cache/autolith/sandbox-temporary/b6uouHJ"), { recursive: true });
  expect(remains(pit).length).toBeGreaterThan(4);
  await using next = await startModelServer([done]);
  const second = await run(pit, jobText(), {
    environment: { AUTOLITH_OPENAI_BASE_URL: next.baseUrl },
    stdin: "ignore",
  });
  expect([second.status, second.stderr]).toEqual([0, ""]);
  expect(processes.map(isAlive)).toEqual([false, false]);
  await expect.poll(() => remains(pit), { timeout: 60_000 }).toEqual([]);
  expect(existsSync(join(pit.home, ".cache/autolith/sandbox-temporary/b6uouHJ"))).toBe(false);
});

it("a live host's processes and files are left alone by another that starts meanwhile", async () => {
  using pit = makeSandpit();
  const command = "echo $$ > live.pid; until [ -e go ]; do sleep 0.05; done";
  await using server = await startModelServer(({ text }) => {
    if (!text.includes("function_call_output"))
      return calls([{ name: "shell__run", arguments: { command } }]);
    // On a busy machine the command is handed off before it may end.
    const goesOn = text.includes(":HANDED-OFF-P T") && !text.includes(":JOB-COMPLETION");
    return goesOn ? answer("Waiting for the command.") : done;
  });
  const slow = startRun(pit, jobText(), {
    environment: { AUTOLITH_OPENAI_BASE_URL: server.baseUrl },
    argv: ["--permissions", "full"],
    stdin: "ignore",
  });
  await expect.poll(() => existsSync(join(pit.workspace, "live.pid")), { timeout: 30_000 }).toBe(true);
  await using other = await startModelServer([done]);
  pit.write("other/job.sexp", jobText({ id: "job-2" }));
  const quick = await launch(pit, ["run-job", "--input", "job.sexp", "--output", "result.sexp"], {
    directory: join(pit.workspace, "other"),
    environment: { AUTOLITH_OPENAI_BASE_URL: other.baseUrl },
    stdin: "ignore",
  }).ended;
  expect([quick.status, quick.stderr]).toEqual([0, ""]);
  expect(isAlive(Number(readFileSync(join(pit.workspace, "live.pid"), "utf8")))).toBe(true);
  pit.write("go", "");
  const ended = await finish(pit, slow);
  expect([ended.status, ended.stderr]).toEqual([0, ""]);
  await expect.poll(() => remains(pit), { timeout: 60_000 }).toEqual([]);
});
