/** How peers failed their users when the host did not run for a while (the case log's ids in the names). */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SessionUpdate } from "../../orchestrator/contract/session.ts";
import { makeSandpit } from "../support/cli/launch.ts";
import { eventually } from "../support/eventually.ts";
import { hostDialogue } from "../support/sessions/host-dialogue.ts";
import { type HostProcess, startHostProcess } from "../support/sessions/session-host-process.ts";

/** Executions that messages nobody typed tell the end of, in order. */
function told(updates: readonly SessionUpdate[]): readonly string[] {
  return updates.flatMap((update) =>
    update.type === "user-message" && update.origin === "automatic"
      ? (/:EXECUTION-ID "([^"]+)"/.exec(update.text)?.[1] ?? [])
      : [],
  );
}

const shownBy = ({ lines }: HostProcess): readonly SessionUpdate[] =>
  lines.flatMap((line) => (line.kind === "update" ? [line["update"] as SessionUpdate] : []));

// There are no wakeups yet: what falls due here is the end of a job, by which a waiting conversation wakes.
it("C023: what falls due while the host is stopped wakes the conversation once, late, and never again after a restart", async () => {
  using pit = makeSandpit();
  await using dialogue = await hostDialogue();
  const environment = { AUTOLITH_OPENAI_BASE_URL: dialogue.server.baseUrl };
  const host = await startHostProcess(pit, environment);
  const [begun, go, ended] = ["begun", "go", "ended"].map((name) => join(pit.workspace, name)) as [
    string,
    string,
    string,
  ];
  const command = "touch begun; until [ -e go ]; do sleep 0.05; done; touch ended";
  const detached = await dialogue.ask(host, "shell__run", { command, async: true });
  expect(detached).toContain(":HANDED-OFF-P T");
  await eventually(() => existsSync(begun)).toBe(true);
  host.child.kill("SIGSTOP");
  writeFileSync(go, "");
  await eventually(() => existsSync(ended)).toBe(true);
  expect(told(shownBy(host))).toEqual([]);
  host.child.kill("SIGCONT");
  await host.seen(() => told(shownBy(host)).length > 0);
  // A turn of its own follows, and nothing more comes of it.
  await dialogue.ask(host, "job__list", {});
  expect(told(shownBy(host))).toHaveLength(1);
  await host.kill();
  const next = await startHostProcess(pit, environment, host.opened.id);
  await dialogue.ask(next, "job__list", {});
  expect(told([...next.opened.history.map(({ update }) => update), ...shownBy(next)])).toHaveLength(1);
  await next.close();
}, 180_000);

it("C023: what falls due while no host runs is told once by the next one, as of unknown outcome", async () => {
  using pit = makeSandpit();
  await using dialogue = await hostDialogue();
  const environment = { AUTOLITH_OPENAI_BASE_URL: dialogue.server.baseUrl };
  const host = await startHostProcess(pit, environment);
  await dialogue.ask(host, "shell__run", { command: "sleep 600", async: true });
  await host.kill();
  const seen: string[][] = [];
  for (let life = 0; life < 2; life += 1) {
    const next = await startHostProcess(pit, environment, host.opened.id);
    await dialogue.ask(next, "job__list", {});
    const all = (): readonly string[] =>
      told([...next.opened.history.map(({ update }) => update), ...shownBy(next)]);
    await next.seen(() => all().length > 0);
    seen.push([...all()]);
    await (life === 0 ? next.kill() : next.close());
  }
  expect(seen.map((each) => each.length)).toEqual([1, 1]);
  expect(seen[1]).toEqual(seen[0]);
}, 180_000);
