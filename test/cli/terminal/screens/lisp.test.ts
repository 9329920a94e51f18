import { describe, expect, it } from "vitest";
import { openHostScene } from "../../../support/terminal/host-terminal.ts";

/** Each test starts several programs from source. */
const patience = { timeout: 240_000 };

describe("Lisp in the terminal", patience, () => {
  it("evaluates forms, continues half ones, and keeps restarts live until one is chosen", async () => {
    await using scene = await openHostScene();
    await using terminal = await scene.terminal();
    await terminal.shows("❯ Ask for");
    await terminal.type("(+ 1 2)");
    await terminal.shows("❯ (+ 1 2)\n");
    await terminal.keys("Enter");
    await terminal.shows("⇒ 3");
    // Two lines typed ahead are two forms, although they come at once; only what is marked as pasted is one.
    await terminal.keys("(+ 10 1)", "Enter", "(+ 20 2)", "Enter");
    await terminal.shows(/⇒ 11[\s\S]*⇒ 22/);
    await terminal.type("(list 1");
    await terminal.keys("Enter");
    await terminal.shows("❯ (list 1\n");
    await terminal.type("2)");
    await terminal.keys("Enter");
    await terminal.shows("⇒ (1 2)");
    await terminal.type("(* 6 unknown)");
    await terminal.keys("Enter");
    await terminal.shows(/UNBOUND-VARIABLE[\s\S]*use-value[\s\S]*Ask Autolith why[\s\S]*Abort/);
    await terminal.type("2");
    await terminal.shows("▸ 2 use-value");
    await terminal.keys("Enter");
    await terminal.shows("one form; Enter takes it");
    await terminal.type("8");
    await terminal.keys("Enter");
    await terminal.shows("⇒ 48");
    const rows = await terminal.history();
    expect(rows.filter((row) => row.includes("⇒ 48"))).toHaveLength(1);
  });

  it("completes operators, options and files, and stops a form by Escape", async () => {
    await using scene = await openHostScene();
    await using terminal = await scene.terminal();
    await terminal.shows("❯ Ask for");
    await terminal.type("(resource.re");
    await terminal.keys("Tab");
    await terminal.shows("❯ (resource.read\n");
    await terminal.type(" :u");
    await terminal.keys("Tab");
    await terminal.shows("❯ (resource.read :uri\n");
    await terminal.keys("C-c");
    await terminal.shows("❯ Ask for");
    await terminal.type("(loop)");
    await terminal.keys("Enter");
    await terminal.shows("❯ (loop)\n\n❯ Ask");
    await terminal.keys("Escape");
    await terminal.shows(/stopped|cancelled/i);
    await terminal.type("? (values :later 1)");
    await terminal.shows("? (values :later 1)\n");
    await terminal.keys("Enter");
    await terminal.shows(/exec:1 ⇒ :LATER\n\s*⇒ 1/);
  });
});
