import { mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ShellResult } from "../../../orchestrator/contract/job-catalog.ts";
import {
  claimTokenSchema,
  conversationIdSchema,
  jobNameSchema,
  newExecutionId,
} from "../../../orchestrator/contract/identifiers.ts";
import type { Outcome } from "../../../orchestrator/jobs/lifecycle.ts";
import type { JobExecution } from "../../../orchestrator/jobs/supervisor.ts";
import { probeSandbox } from "../../../workers/sandbox/sandbox.ts";
import { CaptureStore } from "../../../workers/shell/capture-store.ts";
import type { CaptureStoreOptions } from "../../../workers/shell/capture-store.ts";
import { shellExecutor } from "../../../workers/shell/shell-executor.ts";
import { parseShellLog } from "../../../workers/shell/shell-log-reference.ts";
import { scratchDirectory, scratchSpawner } from "../spawner/collect.ts";

interface Options {
  readonly payload?: Partial<JobExecution<"shell">["payload"]>;
  readonly signal?: AbortSignal;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly captures?: Partial<CaptureStoreOptions>;
}

async function shell(command: string, options: Options = {}) {
  const root = realpathSync(scratchDirectory());
  const workspace = join(root, "workspace");
  const own = join(root, "state");
  for (const path of [workspace, own]) mkdirSync(path);
  const captures = new CaptureStore({ root: join(own, "captures"), ...options.captures });
  const environment = options.environment ?? process.env;
  const run = shellExecutor({
    spawner: scratchSpawner(),
    captures,
    sandbox: async () => {
      const probe = await probeSandbox({ environment: process.env, hidden: [own] });
      if (probe.available) {
        onTestFinished(() => {
          probe.sandbox.close();
        });
      }
      return probe.available ? probe.sandbox : { reason: probe.reason };
    },
    confinement: () => ({ workspace, git: "protect" }),
    temporaryRoot: join(root, "temporary"),
    environment,
  });
  const outcome: Outcome<ShellResult> = await run({
    executionId: newExecutionId(),
    conversationId: conversationIdSchema.parse("b6uouHJ"),
    name: jobNameSchema.parse("exec:1"),
    payload: {
      command,
      directory: workspace,
      workspace,
      timeoutMs: 20_000,
      separateOutput: false,
      execution: "full",
      ...options.payload,
    },
    owner: { lineage: [] },
    claimToken: claimTokenSchema.parse("claim-token"),
    signal: options.signal ?? new AbortController().signal,
    claimedAt: 0,
  });
  if (outcome.result === undefined) throw new Error(JSON.stringify(outcome));
  return { outcome, result: outcome.result, content: outcome.result.content, captures, workspace };
}

describe("results of commands", () => {
  test("exit, counts, reference and output", async () => {
    const { outcome, result, content, captures } = await shell("echo hello; exit 3");
    expect(outcome.state).toBe("completed");
    expect(result).toMatchObject({ exitCode: 3, ending: "exited" });
    const [reference = ""] = result.shellLogs;
    expect(content).toBe(`exit 3\noutput: 6 bytes ${reference}\nhello`);
    const parsed = parseShellLog(reference);
    if (parsed === undefined) throw new Error(reference);
    const found = await captures.find(parsed);
    expect(found.kind === "present" && readFileSync(found.path, "utf8")).toBe("hello\n");
  });

  test.each([
    ["true", "exit 0\noutput: empty"],
    ["false", "exit 1\noutput: empty"],
    ["exec >&- 2>&-", "exit 0\noutput: empty"],
    ["kill -9 $$", "exit unavailable (ended by SIGKILL)\noutput: empty"],
    ["sh -c 'kill -9 $$'; exit $?", "exit 137 (128 + SIGKILL)"],
  ])("%s", async (command, text) => {
    expect((await shell(command)).content).toContain(text);
  });

  test("separate streams have their own captures", async () => {
    const { content, result } = await shell("echo out; echo err >&2", { payload: { separateOutput: true } });
    expect(result.shellLogs).toHaveLength(2);
    expect(content).toMatch(
      /^exit 0\nstdout: 4 bytes shell-log:\S+\/output\nout\nstderr: 4 bytes shell-log:\S+\/error\nerr$/,
    );
  });

  test("a deadline is its verdict although the command exits with 0", async () => {
    const { outcome, result, content } = await shell("trap 'exit 0' TERM; echo started; sleep 60 & wait", {
      payload: { timeoutMs: 1_500 },
    });
    expect(outcome).toMatchObject({ state: "aborted", reason: "timeout" });
    expect(result.ending).toBe("timed-out");
    expect(content).toContain("timed out: the limit of 1.5 s passed");
    expect(content).toContain("started");
  });

  test("a cancel keeps its reason and the output so far", async () => {
    const controller = new AbortController();
    setImmediate(() => {
      controller.abort("shutdown");
    });
    const { outcome, result } = await shell("sleep 60", { signal: controller.signal });
    expect(outcome).toMatchObject({ state: "aborted", reason: "shutdown" });
    expect(result.ending).toBe("cancelled");
  });

  test("background processes are ended and named in the result", async () => {
    const { content } = await shell("sleep 60 & echo done");
    expect(content).toContain("1 background process was still running when the shell exited and was ended.");
  });

  test("a directory that is missing is a failure that says so", async () => {
    const { outcome, content } = await shell("true", { payload: { directory: "/no/such/place" } });
    expect(outcome).toMatchObject({ state: "failed", failure: { code: "command-not-started" } });
    expect(content).toContain("/no/such/place");
  });

  test.each([
    "read x",
    "select x in a b; do echo $x; done",
    "echo 'Vim: Warning: Input is not from a terminal'; exit 1",
    "perl -e 'defined(<STDIN>) or die qq(EOF when reading a line)'",
    "git init -q . && git -c user.name=n -c user.email=e commit --allow-empty",
    "git -c credential.helper= push http://127.0.0.1:9/x 2>&1; echo 'terminal prompts disabled'; exit 1",
  ])("%s ends fast and says that nobody can answer", async (command) => {
    const { content, result } = await shell(command);
    expect(result.durationMs).toBeLessThan(10_000);
    expect(content).toContain("Interactive input is not available");
  });
});

describe("secrets", () => {
  const secret = "sk-test-3f9c";
  const environment = {
    ...process.env,
    OPENAI_API_KEY: secret,
    AUTOLITH_REDIS_URL: `redis://:${secret}@x`,
    MCP_TOKEN: secret,
  };

  test.each(["full", "sandboxed"] as const)(
    "no secret of the host's environment reaches a %s command",
    async (execution) => {
      const { content } = await shell("env; cat /proc/self/environ; set", {
        environment,
        payload: { execution },
      });
      expect(content).toContain("PATH=");
      expect(content).not.toContain(secret);
    },
  );
});

describe("sandboxed commands", () => {
  test("write the workspace and nothing else, and the result says what the limits are", async () => {
    const { content, workspace } = await shell("echo in > made; touch /etc/made", {
      payload: { execution: "sandboxed" },
    });
    expect(readFileSync(join(workspace, "made"), "utf8")).toBe("in\n");
    expect(content).toContain("Read-only file system");
    expect(content).toContain("sandboxed: no network; only the workspace and /tmp are writable.");
  });
});
