import { expect, test } from "vitest";
import { openHostScene } from "../../support/acp/host-scene.ts";
import { launch } from "../../support/cli/launch.ts";

test("autolith lg pause says that a form runs on, and lg kill ends its session", async () => {
  await using scene = openHostScene();
  const { client } = await scene.client();
  const { sessionId } = await client.value("open", { how: "new", cwd: scene.pit.workspace, mode: "full" });
  await client.value("attach", { sessionId });
  const source = '(unwind-protect (progn (format t "going") (loop)) (loop))';
  await client.value("submit", {
    sessionId,
    input: { parts: [{ type: "text", text: source }] },
    as: "prompt",
  });
  await client.event(({ data }) => JSON.stringify(data).includes("form-output"));
  const paused = await launch(scene.pit, ["lg", "pause"]).ended;
  expect(paused.stdout).toContain(
    "1 cancelled form has not stopped yet: what does not end within 5 s is ended with its image.",
  );
  const killed = await launch(scene.pit, ["lg", "kill"]).ended;
  expect([killed.status, killed.stderr]).toEqual([0, ""]);
  expect(killed.stdout).toMatch(/^Ended /);
  expect((await client.value("sessions", {})).sessions).toEqual([]);
}, 120_000);
