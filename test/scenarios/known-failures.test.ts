/**
 * How peers failed their users, tried on whole runs (the case log's ids in the names). Cases of single parts stand with those parts:
 * C003 C005 C007 C009 in known-run-failures, C029 C117 C121 in the record, C069-C081 in workers/model, C083-C089 in workers/workspace,
 * C103-C113 in redis.
 */
import { describe, expect, it } from "vitest";
import { jobText, run } from "../support/cli/job-files.ts";
import { makeSandpit } from "../support/cli/launch.ts";
import { type RecordedRequest, calls } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";

type Step = {
  /** The shell command, and the tool result that the model saw for it. */
  readonly command: string;
  readonly output: string;
  /** From the answer that asked for it to the request that carried its result. */
  readonly tookMs: number;
  /** Characters of the whole request that carried the result. */
  readonly requestLength: number;
};

function lastOutput(request: RecordedRequest | undefined): string {
  const body = request?.body as { input: { type?: string; output?: string }[] } | undefined;
  return body?.input.findLast((item) => item.type === "function_call_output")?.output ?? "";
}

/** Runs commands one a turn in one job and reads what the model saw of each. */
async function steps(
  commands: readonly { readonly command: string; readonly timeoutSeconds?: number }[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly steps: readonly Step[]; readonly stdout: string; readonly status: number | null }> {
  using pit = makeSandpit();
  await using server = await startModelServer([
    ...commands.map(({ command, timeoutSeconds }) =>
      calls([
        {
          name: "shell__run",
          arguments: {
            command,
            ...(timeoutSeconds === undefined ? {} : { "timeout-seconds": timeoutSeconds }),
          },
        },
      ]),
    ),
    calls([{ name: "yield__submit", arguments: { status: "success", data: { answer: "done" } } }]),
  ]);
  const ended = await run(pit, jobText(), {
    environment: { AUTOLITH_OPENAI_BASE_URL: server.baseUrl, ...environment },
    argv: ["--permissions", "full"],
  });
  return {
    status: ended.status,
    stdout: ended.stdout,
    steps: commands.map(({ command }, index) => {
      const [asked, answered] = [server.requests[index], server.requests[index + 1]];
      return {
        command,
        output: lastOutput(answered),
        tookMs: (answered?.receivedAt ?? Number.NaN) - (asked?.receivedAt ?? Number.NaN),
        requestLength: answered?.text.length ?? 0,
      };
    }),
  };
}

describe("commands of a run", () => {
  it("C025: children left in the background do not keep the tool, and do not live on", async () => {
    const result = await steps([
      { command: "sleep 61 & echo one" },
      { command: "(while :; do echo x; sleep .1; done) & echo two" },
      { command: "setsid sleep 62 & echo three" },
      { command: "nohup sleep 63 >/dev/null 2>&1 & echo four" },
      { command: "pgrep -f 'sleep 6[123]' || echo none left" },
    ]);
    expect(result.status).toBe(0);
    for (const [index, word] of ["one", "two", "three", "four"].entries()) {
      expect(result.steps[index]?.output).toContain(word);
      expect(result.steps[index]?.tookMs).toBeLessThan(30_000);
    }
    expect(result.steps[4]?.output).toContain("none left");
  });

  it("C027: a command that ignores TERM is killed after its limit, and says so", async () => {
    const result = await steps([
      { command: "trap '' TERM; sleep 64", timeoutSeconds: 1 },
      { command: "pgrep -f 'sleep 6[4]' || echo none left" },
    ]);
    expect(result.steps[0]?.output).toMatch(/time/i);
    expect(result.steps[1]?.output).toContain("none left");
  });

  it("C031: output of megabytes, also in one line, reaches the model in bounds, with the way to the rest", async () => {
    const result = await steps([
      { command: "yes 0123456789 | head -c 4000000" },
      { command: "head -c 4000000 /dev/zero | tr '\\0' 'a'" },
    ]);
    for (const step of result.steps) {
      expect(step.output.length).toBeLessThan(16_000);
      expect(step.output).toContain("shell-log:");
      expect(step.requestLength).toBeLessThan(200_000);
    }
  });

  it("C033: commands that want input end at once instead of waiting for it", async () => {
    const result = await steps([
      { command: 'read x; echo "got [$x] $?"' },
      {
        command:
          "git init -q repo && cd repo && git -c user.name=a -c user.email=a@b commit --allow-empty; echo after $?",
      },
      { command: "cat; echo end" },
    ]);
    expect(result.steps[0]?.output).toContain("got [] 1");
    expect(result.steps[1]?.output).toContain("after ");
    expect(result.steps[2]?.output).toContain("end");
    for (const step of result.steps) expect(step.tookMs).toBeLessThan(30_000);
  });

  it("C037: a command without output returns its code or the name of its signal", async () => {
    const result = await steps([
      { command: "false" },
      { command: "true" },
      { command: "grep -q zzz /etc/hosts" },
      { command: "exec >&- 2>&-; exit 3" },
      { command: "kill -9 $$" },
    ]);
    expect(result.steps.map(({ output }) => output.split("\n")[0])).toEqual([
      expect.stringContaining("exit 1"),
      expect.stringContaining("exit 0"),
      expect.stringContaining("exit 1"),
      expect.stringContaining("exit 3"),
      expect.stringContaining("SIGKILL"),
    ]);
  });

  it("C011: whatever commands print and the runtime warns, standard output holds events only", async () => {
    const result = await steps(
      [{ command: "printf '\\033[31mred\\033[0m half a line'; printf '(:AUTOLITH-EVENT' >&2" }],
      { NODE_OPTIONS: "--trace-warnings --pending-deprecation" },
    );
    expect(result.status).toBe(0);
    for (const line of result.stdout.trimEnd().split("\n"))
      expect(line).toMatch(/^\(:AUTOLITH-EVENT :VERSION 1 .*\)$/);
    expect(result.stdout).not.toContain("half a line");
  });
});

describe("starting a run", () => {
  it("C001: a closed standard input and a terminal without abilities change nothing", async () => {
    using pit = makeSandpit();
    await using server = await startModelServer([
      calls([{ name: "yield__submit", arguments: { status: "success", data: { answer: "OK" } } }]),
    ]);
    const ended = await run(pit, jobText(), {
      environment: { AUTOLITH_OPENAI_BASE_URL: server.baseUrl, TERM: "dumb" },
      stdin: "ignore",
    });
    expect([ended.status, ended.stderr]).toEqual([0, ""]);
  });
});
