import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { jobText, run } from "../support/cli/job-files.ts";
import { makeSandpit } from "../support/cli/launch.ts";
import { cast, lastOutput, submit, submitAnswer, tool } from "../support/model-server/cast.ts";
import type { RecordedRequest, ScriptedTurn } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { TestRedis } from "../support/redis-server.ts";

// Nobody else on the machine has this one: every process of it is looked at.
const unique = randomBytes(8).toString("hex");
const secret = `sk-test-${unique}0`;
const command =
  "env; set; cat /proc/self/environ /proc/$PPID/environ /proc/[0-9]*/environ 2>/dev/null; ps axeww 2>/dev/null; true";

describe("C035: secrets of the host", () => {
  it.each([
    ["full", "the job itself"],
    ["sandbox", "the job itself"],
    ["full", "a child of it"],
    ["sandbox", "a child of it"],
  ])("are seen by no command in mode %s, run by %s", async (mode, who) => {
    using pit = makeSandpit();
    const redis = await TestRedis.start("--requirepass", secret);
    let seen = "";
    const look = (): ScriptedTurn =>
      tool("shell__run", {
        // The pattern must not match its own text in the list of processes; the Redis of this test is nobody's child.
        command: `(${command}) | grep -a -v requirepass > seen.txt; grep -a -c "${unique}[0]" seen.txt; grep -a -c PATH= seen.txt`,
      });
    const tell = (request: RecordedRequest): ScriptedTurn => {
      seen = lastOutput(request);
      return who === "a child of it" ? submit("seen") : submitAnswer("seen");
    };
    await using server = await startModelServer(
      who === "the job itself"
        ? cast({ ROOT: [look, tell] })
        : cast({
            ROOT: [
              () => tool("task__run", { task: "Do ALPHA.", blocking: true }),
              () => submitAnswer("seen"),
            ],
            ALPHA: [look, tell],
          }),
    );
    const ended = await run(pit, jobText({ prompt: "ROOT" }), {
      environment: {
        AUTOLITH_OPENAI_BASE_URL: server.baseUrl,
        OPENAI_API_KEY: secret,
        SOME_MCP_TOKEN: secret,
        AWS_SECRET_ACCESS_KEY: secret,
        AUTOLITH_REDIS_URL: `unix://:${secret}@${redis.directory}/s`,
      },
      argv: ["--permissions", mode],
    });
    expect([ended.stderr, ended.status]).toEqual(["", 0]);
    // The first count is of the secret, the second shows that environments were read at all.
    expect(seen).toMatch(/\n0\n[1-9][0-9]*/);
    for (const { text } of server.requests) expect(text).not.toContain(secret);
  });
});
