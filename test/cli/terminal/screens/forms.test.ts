/** Forms in a whole terminal: typed, continued, printed, stopped; and again when another terminal opens the conversation. */
import { describe, expect, it } from "vitest";
import { openHostScene } from "../../../support/terminal/host-terminal.ts";

/** Each test starts several programs from source. */
const patience = { timeout: 300_000 };

describe("forms in a terminal", patience, () => {
  it("are evaluated, go on in further lines, are stopped, and come back", async () => {
    await using scene = await openHostScene();
    await using terminal = await scene.terminal(["--permissions", "full"]);
    await terminal.shows("❯ Ask for");
    await terminal.type('(progn (format t "printed~%") (values (+ 1 2) "three"))');
    await terminal.shows('"three"))');
    await terminal.keys("Enter");
    await terminal.shows('⇒ "three"');
    await terminal.type("(list 1");
    await terminal.shows("❯ (list 1");
    await terminal.keys("Enter");
    // Sent, and back with another line; what is typed meanwhile is that line.
    await terminal.type("2)");
    await terminal.shows("❯ (list 1\n  2)");
    await terminal.keys("Enter");
    await terminal.shows("⇒ (1 2)");
    await terminal.type("(loop)");
    await terminal.shows("❯ (loop)");
    await terminal.keys("Enter");
    await terminal.shows("evaluating… Esc stops");
    await terminal.keys("Escape");
    await terminal.shows("; cancelled");
    await terminal.keys("C-d");
    await terminal.ended();
    await using other = await scene.terminal(["lg", "attach"]);
    await other.shows("; cancelled");
    const rows = (await other.history()).join("\n");
    expect(rows).toContain('│ printed\n⇒ 3\n⇒ "three"');
    expect(rows).toContain("❯ (list 1\n  2)\n⇒ (1 2)");
    await other.keys("C-d");
    await other.ended();
  });
});
