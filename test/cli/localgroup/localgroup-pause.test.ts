import { expect, test } from "vitest";
import { openHostScene } from "../../support/acp/host-scene.ts";
import { launch } from "../../support/cli/launch.ts";
import { answer, calls } from "../../support/model-server/script.ts";
import { startModelServer } from "../../support/model-server/server.ts";

test("autolith lg pause holds idle and working sessions, says what it did, and tell lifts it", async () => {
  await using server = await startModelServer((request) =>
    request.number > 1
      ? answer(`answer ${request.number}`)
      : calls([{ name: "shell__run", arguments: { command: "sleep 1000" } }]),
  );
  await using scene = openHostScene({ AUTOLITH_OPENAI_BASE_URL: server.baseUrl });
  const { client } = await scene.client();
  const { sessionId } = await client.value("open", { how: "new", cwd: scene.pit.workspace, mode: "full" });
  await client.value("attach", { sessionId });
  const name = `${sessionId.slice(0, 1)}-${sessionId.slice(1)}`;
  const lg = async (...argv: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await launch(scene.pit, ["lg", ...argv]).ended;
    expect([status, stderr]).toEqual([0, ""]);
    return stdout;
  };
  expect(await lg("pause")).toBe(
    `Paused ${name}; nothing ran. Nothing begins by itself until it is given input.\n`,
  );
  expect(await lg("status")).toMatch(new RegExp(`^${name}  paused  0 `, "m"));
  expect(await lg("tell", "work")).toBe(`Told ${name}.\n`);
  await client.event(({ kind, data }) => kind === "job" && data["state"] === "running");
  expect(await lg("status")).toMatch(new RegExp(`^${name}  running  1 `, "m"));
  expect(await lg("pause", sessionId.slice(0, 3))).toBe(
    `Paused ${name}; what ran was stopped. Nothing begins by itself until it is given input.\n`,
  );
  await client.event(({ kind, data }) => kind === "turn" && data["outcome"] === "cancelled");
  expect(await lg("status")).toMatch(new RegExp(`^${name}  paused  0 `, "m"));
  await lg("tell", name, "go on");
  await client.event(({ kind, data }) => kind === "turn" && data["outcome"] === "end-turn");
  expect(await lg("status")).toMatch(new RegExp(`^${name}  idle `, "m"));
  const form = { parts: [{ type: "text" as const, text: "(loop)" }] };
  expect(await client.value("submit", { sessionId, input: form, as: "prompt" })).toMatchObject({
    kind: "form",
  });
  expect(await lg("status")).toMatch(new RegExp(`^${name}  working  0     1 `, "m"));
  expect(await lg("status", "--sexp")).toMatch(/:STATUS :WORKING\s[\s\S]*:LIVE-JOBS 0\s+:RUNNING-FORMS 1\s/);
  expect(await lg("pause")).toContain("what ran was stopped");
}, 120_000);
