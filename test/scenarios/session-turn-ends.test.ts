/** How turns ended is in the record: after a restart, for those that attach, over ACP and in a replay. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { acpUpdates } from "../../cli/acp/translation/acp-updates.ts";
import type { SessionUpdate } from "../../orchestrator/contract/session.ts";
import { launch, makeSandpit } from "../support/cli/launch.ts";
import { answer, calls } from "../support/model-server/script.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { openScene, say, text, watch } from "../support/sessions/composed-sessions.ts";
import { eventsUntil, isTurnEnd } from "../support/sessions/read-events.ts";
import { startHostProcess } from "../support/sessions/session-host-process.ts";

/** The ends of turns, without their instants: the record keeps whole seconds. */
function ends(updates: readonly SessionUpdate[]): readonly unknown[] {
  return updates.filter((update) => update.type === "turn-end").map((end) => ({ ...end, at: 0 }));
}

it("turns that ended, were stopped and failed are shown as such, live and after a restart, once", async () => {
  await using scene = await openScene((request) => {
    if (request.number === 1) return calls([{ name: "shell__run", arguments: { command: "cat fifo" } }]);
    if (request.number === 2)
      return { kind: "status", status: 401, body: { error: { message: "no such key", code: "x" } } };
    return answer("well", { usage: { input: 10, output: 2 } });
  });
  const session = await scene.service.create({ workingDirectory: scene.pit.workspace });
  const client = await watch(session);
  await session.setSetting("session-title-generation-p", false);
  execFileSync("mkfifo", [join(scene.pit.workspace, "fifo")]);
  await session.prompt(text("hang"));
  await eventsUntil(client, (event) => event.kind === "job" && event.state === "running");
  await session.cancel();
  const stopped = await eventsUntil(client, isTurnEnd);
  const order = stopped.flatMap((event) => (event.kind === "update" ? [event.update.type] : [event.kind]));
  expect(order.lastIndexOf("turn-end")).toBeLessThan(order.lastIndexOf("turn"));
  await say(session, "fail");
  await say(session, "go on");
  const before = ends((await session.history({})).updates.map(({ update }) => update));
  expect(before).toMatchObject([
    { outcome: "cancelled", source: "prompt", usage: { requests: 1 } },
    { outcome: "condition", failure: { code: "authentication" } },
    { outcome: "end-turn", usage: { requests: 1, inputTokens: 10, outputTokens: 2 } },
  ]);
  const again = await (await scene.reopen()).load(session.id);
  const { history } = await again.attach({ name: "test", answersPermissions: false, tail: "all" });
  const after = history.updates.map(({ update }) => update);
  expect(ends(after)).toEqual(before);
  const shown = after.flatMap((update) => acpUpdates(update, { notices: false }));
  const said = JSON.stringify(shown);
  expect(said).toContain("[stopped] The turn was stopped.");
  expect(said).toContain("[turn-failed] ");
  const replay = await launch(scene.pit, ["replay", session.id]).ended;
  expect(replay.stdout).toContain("the turn was stopped · ");
  expect(replay.stdout).toContain("the turn failed · ");
  expect(replay.stdout).toContain("the turn ended · ");
});

it("a turn whose host was killed is shown as cut off, once, however often it is opened", async () => {
  using pit = makeSandpit();
  await using server = await startModelServer(() =>
    calls([{ name: "shell__run", arguments: { command: "echo begun > begun; sleep 1000" } }]),
  );
  const environment = { AUTOLITH_OPENAI_BASE_URL: server.baseUrl };
  const first = await startHostProcess(pit, environment);
  first.send("prompt work");
  await first.seen(({ kind, state }) => kind === "job" && state === "running");
  await first.kill();
  await using scene = await openScene([], { pit });
  for (const time of ["once", "twice"]) {
    const session = await (time === "once" ? scene.service : await scene.reopen()).load(
      first.opened.id as never,
    );
    const { updates } = await session.history({});
    expect(ends(updates.map(({ update }) => update)), time).toMatchObject([
      { outcome: "condition", durationMs: null, failure: { code: "turn-cut-off" } },
    ]);
  }
}, 120_000);
