import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { jobText, run } from "../support/cli/job-files.ts";
import { makeSandpit } from "../support/cli/launch.ts";
import { calls } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";

// Nobody else on the machine has this one: every process of it is looked at.
const unique = randomBytes(8).toString("hex");
const secret = `sk-test-${unique}0`;
const command =
  "env; set; cat /proc/self/environ /proc/$PPID/environ /proc/[0-9]*/environ 2>/dev/null; ps axeww 2>/dev/null; true";

describe("secrets of the host", () => {
  it.each(["full", "sandbox"])("are seen by no command in mode %s", async (mode) => {
    using pit = makeSandpit();
    await using server = await startModelServer([
      calls([
        {
          name: "shell__run",
          arguments: {
            // The pattern must not match its own text in the list of processes.
            command: `(${command}) > seen.txt; grep -c "${unique}[0]" seen.txt; grep -c PATH= seen.txt`,
          },
        },
      ]),
      calls([{ name: "yield__submit", arguments: { status: "success", data: { answer: "42" } } }]),
    ]);
    const ended = await run(pit, jobText(), {
      environment: {
        AUTOLITH_OPENAI_BASE_URL: server.baseUrl,
        OPENAI_API_KEY: secret,
        SOME_MCP_TOKEN: secret,
        AWS_SECRET_ACCESS_KEY: secret,
      },
      argv: ["--permissions", mode],
    });
    expect(ended.status).toBe(0);
    const result = /function_call_output.{0,400}/.exec(server.requests[1]?.text ?? "")?.[0] ?? "";
    // The first count is of the secret, the second shows that environments were read at all.
    expect(result).toMatch(/\\n0\\n[1-9][0-9]*/);
    for (const { text } of server.requests) expect(text).not.toContain(secret);
  });
});
