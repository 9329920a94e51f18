import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { jobText, run } from "../support/cli/job-files.ts";
import { makeSandpit } from "../support/cli/launch.ts";
import { calls } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";

const revision = /revision ([0-9a-f]{8,})/;

it.each(["full", "sandbox"])(
  "a running command keeps no edit waiting, and what it changed makes a later edit stale (mode %s)",
  async (mode) => {
    using pit = makeSandpit();
    pit.write("notes.txt", "one\n");
    const create = (path: string, content: string) => ({
      name: "resource__edit",
      arguments: {
        uri: `workspace:${path}`,
        "base-revision": "absent",
        operations: [{ operation: "replace-empty", content }],
      },
    });
    await using server = await startModelServer(({ number, text }) => {
      if (number === 1) return calls([{ name: "resource__read", arguments: { uri: "workspace:notes.txt" } }]);
      // The command ends only when the edit of the same turn has been published, and then writes where the next edit is.
      if (number === 2)
        return calls([
          {
            name: "shell__run",
            arguments: { command: "until [ -e go.txt ]; do sleep 0.01; done; echo two >> notes.txt" },
          },
          create("go.txt", "go\n"),
        ]);
      if (number === 3)
        return calls([
          {
            name: "resource__edit",
            arguments: {
              uri: "workspace:notes.txt",
              "base-revision": revision.exec(text)?.[1],
              operations: [{ operation: "replace-lines", "start-line": 1, "end-line": 1, content: "three" }],
            },
          },
        ]);
      return calls([{ name: "yield__submit", arguments: { status: "success", data: { answer: "42" } } }]);
    });
    const ended = await run(pit, jobText({ timeoutSeconds: 50 }), {
      environment: { AUTOLITH_OPENAI_BASE_URL: server.baseUrl },
      argv: ["--permissions", mode],
    });
    expect([ended.status, ended.artifact["status"]]).toEqual([0, "succeeded"]);
    const answer = server.requests[3]?.text ?? "";
    expect(answer).toContain("is stale and nothing was changed");
    expect(readFileSync(join(pit.workspace, "notes.txt"), "utf8")).toBe("one\ntwo\n");
  },
);
