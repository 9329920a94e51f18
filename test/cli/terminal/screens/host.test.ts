import { describe, expect, it } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { openHostScene } from "../../../support/terminal/host-terminal.ts";

/** How often each piece of the stalled answer stands among the rows, in order. */
function pieces(rows: readonly string[]): readonly string[] {
  return rows.map((row) => row.trim()).filter((row) => /^piece \d+ of the answer\.$/.test(row));
}

function firstPieces(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `piece ${index + 1} of the answer.`);
}

/** Each test starts several programs from source. */
const patience = { timeout: 240_000 };

describe("the terminal on the detached host", patience, () => {
  it("shows all of a running turn, once, to a terminal that attaches after the first one was killed", async () => {
    await using scene = await openHostScene();
    await using first = await scene.terminal();
    await first.shows("❯ Ask for");
    await first.type("stall 40");
    await first.keys("Enter");
    await first.shows("piece 37 of the answer.");
    await first.type("half a thought");
    await eventually(() => scene.draft()).toBe("half a thought");
    await first.signal("SIGKILL");
    await using second = await scene.terminal(["lg", "attach"]);
    await second.shows("❯ half a thought");
    await second.shows("piece 37 of the answer.");
    const rows = await second.history();
    const shown = pieces(rows);
    expect(shown).toEqual(firstPieces(shown.length));
    expect(rows.filter((row) => row.trim() === "stall 40")).toHaveLength(1);
    await second.keys("Escape");
    await second.shows("⊘ stopped");
    const stopped = await second.history();
    expect(pieces(stopped)).toEqual(shown);
    expect(stopped.join("\n")).toContain("! The answer was cut off here.");
  });

  it("says that its host died in the middle of a turn, goes on with a new one, and shows nothing twice", async () => {
    await using scene = await openHostScene();
    await using terminal = await scene.terminal();
    await terminal.shows("❯ Ask for");
    await terminal.type("hello host");
    await terminal.keys("Enter");
    await terminal.shows("You said: hello host");
    await terminal.type("stall 30");
    await terminal.keys("Enter");
    await terminal.shows("piece 27 of the answer.");
    const [host = 0] = scene.hosts();
    process.kill(host, "SIGKILL");
    await terminal.shows("The session host is gone");
    await terminal.type("after the crash");
    await terminal.keys("Enter");
    await terminal.shows("Connected again.");
    await terminal.shows("You said: after the crash");
    const rows = await terminal.history();
    for (const text of ["You said: hello host", "stall 30", "You said: after the crash"])
      expect(rows.filter((row) => row.trim() === text)).toHaveLength(1);
    expect(new Set(pieces(rows)).size).toBe(pieces(rows).length);
    expect(scene.hosts()).not.toContain(host);
  });

  it("sends what was written while it connected, and shows a history as the settings say from its first line", async () => {
    await using scene = await openHostScene();
    await using terminal = await scene.terminal();
    await terminal.shows("connecting; you can write already");
    await terminal.type("early bird");
    await terminal.keys("Enter");
    await terminal.shows("You said: early bird");
    await terminal.shows("❯ Ask for");
    expect((await terminal.screen()).join("\n")).not.toContain("sending: ");
    await using second = await scene.terminal(["lg", "attach"]);
    await second.shows("You said: early bird");
    // The model thought aloud, and `reasoning-traces-p` is off.
    expect((await second.history()).join("\n")).not.toContain("thinking about it");
  });

  it("says of the call of a dead host that its outcome is unknown, and goes on behind it", async () => {
    await using scene = await openHostScene();
    await using terminal = await scene.terminal(["--permissions", "full"]);
    await terminal.shows("❯ Ask for");
    await terminal.type("shell sleep 600 # a command that is so long that its title is shortened");
    await terminal.keys("Enter");
    await terminal.shows(/exec:1 .* sleep 600/);
    await terminal.shows("running tools… Esc stops");
    const [host = 0] = scene.hosts();
    process.kill(host, "SIGKILL");
    await terminal.shows(/\? shell\.run sleep 600[^(]*\(outcome unknown\)/);
    await terminal.shows("Connected again.");
    // Nothing waits, so nothing is paused.
    await terminal.shows(/^REPL · full .* · shell sleep \S.*…$/m);
    await terminal.type("after the crash");
    await terminal.keys("Enter");
    await terminal.shows("● autolith");
    expect((await terminal.history()).join("\n")).not.toContain("(waits)");
  });

  it("is looked at and acted on from another shell, and comes back with its draft (lg, resume)", async () => {
    await using scene = await openHostScene();
    await using terminal = await scene.terminal();
    await terminal.shows("❯ Ask for");
    await terminal.type("hello there");
    await terminal.keys("Enter");
    await terminal.shows("You said: hello there");
    const id = /autolith · .* · (\S-\S{6})/.exec((await terminal.screen()).join("\n"))?.[1] ?? "";
    expect((await scene.command(["lg", "status"])).stdout).toContain(
      `${id}  idle    0     0      0        1        ask   hello there`,
    );
    await using watcher = await scene.terminal(["lg", "attach", id.slice(0, 4), "--read-only"]);
    await watcher.shows("You said: hello there");
    await watcher.type("let me write");
    await watcher.keys("Enter");
    await watcher.shows("This terminal only looks on.");
    expect(await scene.command(["lg", "tell", "from outside"])).toMatchObject({
      status: 0,
      stdout: `Told ${id}.\n`,
    });
    for (const each of [terminal, watcher]) await each.shows("You said: from outside");
    await terminal.type("half a thought");
    await terminal.shows("❯ half a thought");
    expect(await scene.command(["lg", "detach", id])).toMatchObject({ status: 0 });
    for (const each of [terminal, watcher]) await each.ended();
    await using again = await scene.terminal(["resume", id]);
    await again.shows("❯ half a thought");
    await again.shows("You said: from outside");
    expect(await scene.command(["lg", "kill", id])).toMatchObject({ status: 0 });
    await again.ended();
    expect((await scene.command(["lg", "status"])).stdout).toBe("No session is running.\n");
    expect(await scene.command(["lg", "attach", "zzz"])).toMatchObject({ status: 64 });
    expect(await scene.command(["lg", "pause"])).toMatchObject({ status: 1 });
  });

  it("stays attached while commands put other conversations in front", async () => {
    await using scene = await openHostScene();
    await using terminal = await scene.terminal();
    await terminal.shows("❯ Ask for");
    await terminal.type("first conversation");
    await terminal.keys("Enter");
    await terminal.shows("You said: first conversation");
    await terminal.type("/new");
    await terminal.keys("Enter");
    await terminal.shows(/New conversation[\s\S]*❯ Ask for/);
    await terminal.type("second conversation");
    await terminal.keys("Enter");
    await terminal.shows("You said: second conversation");
    // The endpoint followed: nothing was left to do in the first conversation.
    const { stdout } = await scene.command(["lg", "status"]);
    const clients = stdout
      .split("\n")
      .slice(1, -1)
      .map((line) => line.split(/ {2,}/));
    expect(clients.map((cells) => [cells[5], cells[7]])).toEqual([["1", "second conversation"]]);
    await terminal.type("/settings");
    await terminal.keys("Enter");
    await terminal.shows(/Settings \(\d+\)\nsearch:\n▸ model = /);
    expect((await terminal.history()).join("\n")).not.toContain("working-directory = ");
    await terminal.keys("Escape");
    await terminal.shows("❯ Ask for");
    await terminal.type("/resume");
    await terminal.keys("Enter");
    await terminal.shows("Resume a conversation");
    await terminal.type("first");
    await terminal.keys("Enter");
    await terminal.shows(/autolith · .*\n\n❯ you\n {2}first conversation/);
  });
});
