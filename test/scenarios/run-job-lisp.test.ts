import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { jobText, run } from "../support/cli/job-files.ts";
import { makeSandpit } from "../support/cli/launch.ts";
import { cast, lastOutput, submitAnswer, tool } from "../support/model-server/cast.ts";
import { startModelServer } from "../support/model-server/server.ts";

describe("lisp tools in a headless run", () => {
  it("a job evaluates, by itself and detached, with tools of its own, confined to its workspace", async () => {
    using pit = makeSandpit();
    const outputs: string[] = [];
    const next = (turn: ReturnType<typeof tool>) => (request: Parameters<typeof lastOutput>[0]) => {
      outputs.push(lastOutput(request));
      return turn;
    };
    await using server = await startModelServer(
      cast({
        ROOT: [
          () => tool("lisp__eval", { forms: ["(defun f (x) (* x x))", "(f 12)"] }),
          next(tool("lisp__eval", { form: '(with-open-file (i "/etc/passwd") (read-line i))' })),
          next(
            tool("lisp__eval", {
              form: '(getf (autolith:worker-tool-call "resource.edit" "{\\"uri\\":\\"workspace:made.txt\\",\\"base-revision\\":\\"absent\\",\\"operations\\":[{\\"operation\\":\\"replace-empty\\",\\"content\\":\\"made\\"}]}") :success-p)',
              "host-tools": ["resource.edit"],
            }),
          ),
          next(tool("lisp__eval", { form: "(progn (sleep 0.1) :later)", async: true })),
          next(tool("job__wait", { id: "5", "timeout-seconds": 60 })),
          (request) => {
            outputs.push(lastOutput(request));
            return submitAnswer("done");
          },
        ],
      }),
    );
    const ended = await run(pit, jobText({ prompt: "ROOT", role: "task" }), {
      environment: { AUTOLITH_OPENAI_BASE_URL: server.baseUrl },
    });
    expect([ended.status, ended.stderr]).toEqual([0, ""]);
    expect(outputs[0]).toBe("[1] ⇒ F\n[2] ⇒ 144");
    expect(outputs[1]).toContain("outside of");
    expect(outputs[2]).toBe("⇒ T");
    expect(existsSync(join(pit.workspace, "made.txt"))).toBe(true);
    expect(readFileSync(join(pit.workspace, "made.txt"), "utf8")).toBe("made");
    expect(outputs[3]).toContain(':TOOL "lisp.eval"');
    const detached = ended.events.filter(
      ({ kind, data }) => kind === "tool-finished" && data["result-uri"] !== undefined,
    );
    expect(detached.map(({ data }) => [data["tool-name"], data["status"]])).toEqual([
      ["lisp.eval", "succeeded"],
    ]);
  });
});
