/** Isolation in a run without a person: the root starts an isolated child and takes its work over by itself. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FinishedRun, jobText, run } from "../support/cli/job-files.ts";
import { type Sandpit, makeSandpit } from "../support/cli/launch.ts";
import { makeRepository } from "../support/git/repository.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { cast, lastOutput, submit, tool, waitForTasks } from "../support/sessions/cast.ts";

/** Runs a root that starts one isolated child; answers the run, what `task.run` said and the tools that the root was offered. */
async function isolatedRun(
  pit: Sandpit,
  permissions: string,
): Promise<{ readonly ended: FinishedRun; readonly said: string; readonly tools: string }> {
  waitForTasks(pit.home);
  makeRepository(pit.workspace, { "a.txt": "one\n" });
  let [said, tools] = ["", ""];
  await using server = await startModelServer(
    cast({
      ALPHA: [() => tool("shell__run", { command: "echo two > a.txt" }), () => submit("changed")],
      ROOT: [
        () => tool("task__run", { task: "ALPHA", blocking: true, isolation: { dirtyPolicy: "ignore" } }),
        (request) => {
          said = lastOutput(request);
          tools = JSON.stringify((request.body as { tools: unknown }).tools);
          return tool("yield__submit", { status: "success", data: { answer: "x" } });
        },
      ],
    }),
  );
  const ended = await run(pit, jobText({ prompt: "ROOT" }), {
    environment: { AUTOLITH_OPENAI_BASE_URL: server.baseUrl },
    argv: ["--permissions", permissions],
  });
  return { ended, said, tools };
}

describe("run-job", () => {
  it("an isolated child's result names its checkout and artifact, and the workspace is as it was", async () => {
    using pit = makeSandpit();
    const { ended, said, tools } = await isolatedRun(pit, "sandbox");
    expect([ended.status, ended.stderr]).toEqual([0, ""]);
    const [, artifact = ""] = /:WORKTREE-ARTIFACT-PATH "([^"]+)"/.exec(said) ?? [];
    const [, checkout = ""] = /:WORKTREE "([^"]+)"/.exec(said) ?? [];
    expect(readFileSync(artifact, "utf8")).toContain("+two");
    expect(readFileSync(join(checkout, "a.txt"), "utf8")).toBe("two\n");
    expect(readFileSync(join(pit.workspace, "a.txt"), "utf8")).toBe("one\n");
    // Integration is a primary's.
    expect(tools).not.toContain("task__worktree");
  });

  it("in mode ask no checkout is made: nobody can be asked", async () => {
    using pit = makeSandpit();
    const { said } = await isolatedRun(pit, "ask");
    expect(said).toContain("Not permitted: git worktree add");
  });
});
