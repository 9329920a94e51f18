import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isolationSchema } from "../../orchestrator/contract/job-catalog.ts";
import { gitCommandTimeoutMs, gitOutputLimitBytes } from "../../workers/git/git-process.ts";
import { patchLimitBytes } from "../../orchestrator/worktrees/worktree.ts";
import { makeRepository } from "../support/git/repository.ts";
import type { ScriptedTurn } from "../support/model-server/script.ts";
import { cast, lastOutput, submit, tool, waitForTasks } from "../support/sessions/cast.ts";
import { openScene, say } from "../support/sessions/composed-sessions.ts";
import { documentedExamples, pageText, tableColumn } from "./documented-examples.ts";

const page = "worktrees.md";

describe("docs/worktrees.md", () => {
  it("its calls do what it says, one after the other in one session", async () => {
    const examples = documentedExamples(page);
    expect(
      examples.every(
        ({ language, what }) => language === "json" && /^task\.(run|worktree)$/.test(what[0] ?? ""),
      ),
    ).toBe(true);
    const outputs: string[] = [];
    const shell = (command: string) => (): ScriptedTurn => tool("shell__run", { command });
    const primary = [...examples, undefined].map(
      (example, index) =>
        (request: Parameters<typeof lastOutput>[0]): ScriptedTurn => {
          if (index > 0) outputs.push(lastOutput(request));
          return example === undefined
            ? { kind: "answer", text: "done" }
            : tool((example.what[0] ?? "").replace(".", "__"), JSON.parse(example.text));
        },
    );
    await using scene = await openScene(
      cast({
        "Fix the parser": [shell("echo fixed > parser.txt"), () => submit("fixed")],
        "Tidy the parser": [
          shell("echo tidy > other.txt; git add .; git -c user.name=n -c user.email=e commit -qm tidy"),
          () => submit("tidied"),
        ],
        PRIMARY: primary,
      }),
    );
    waitForTasks(scene.pit.home);
    makeRepository(scene.pit.workspace, { "parser.txt": "broken\n" });
    const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
    expect(await say(session, "Go.")).toMatchObject({ outcome: "end-turn" });
    for (const [index, { what, line }] of examples.entries())
      expect([
        line,
        (outputs[index] ?? "").startsWith(`(:${what[0]?.replace(".", "-").toUpperCase()} `),
      ]).toEqual([line, what[1] !== "refused"]);
    expect(outputs.filter((output) => output.startsWith("(:TASK-RUN :SUCCEEDED-P T"))).toHaveLength(2);
    expect(readFileSync(join(scene.pit.workspace, "parser.txt"), "utf8")).toBe("fixed\n");
    expect(outputs.join("\n")).toContain("has changes that are not committed");
    expect(outputs.join("\n")).toContain(":ABORTED NIL");
    expect(outputs.join("\n")).toContain(":CONFLICTS NIL");
  });

  it("lists the fields of isolation, and the bounds in force", () => {
    const fields = tableColumn(page, "field").map((cell) => cell.replaceAll("`", ""));
    expect(fields).toEqual(Object.keys(isolationSchema.shape));
    const text = pageText(page);
    expect(text).toContain(`${gitCommandTimeoutMs / 1_000} seconds a git command`);
    expect(text).toContain(
      `${patchLimitBytes / 2 ** 20} MiB a patch, ${gitOutputLimitBytes / 1_024} KiB other output`,
    );
  });
});
