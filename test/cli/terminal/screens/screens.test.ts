import { describe, expect, it } from "vitest";
import { openScriptedTerminal } from "../../../support/terminal/scripted-terminal.ts";

const prompt = ["❯ Ask for something, or /help", "REPL · ask · model medium · scripted"];

/** Each test starts a program from source, and waits for what it shows. */
const patience = { timeout: 240_000 };

describe("the screens of the terminal", patience, () => {
  it("shows a turn with Markdown whole", async () => {
    await using terminal = await openScriptedTerminal({ columns: 60, rows: 30 });
    await terminal.type("tool");
    await terminal.keys("Enter");
    await terminal.shows("Listed.");
    await terminal.type("edit");
    await terminal.keys("Enter");
    await terminal.showsExactly([
      "∙ autolith · scripted/model · / · s-essioa",
      "",
      "❯ you",
      "  tool",
      "",
      "✓ shell.run ls -la (1.2 s)",
      "  │ one",
      "  │ two",
      "  │ three",
      "",
      "● autolith",
      "  Listed.",
      "",
      "❯ you",
      "  edit",
      "",
      "✓ resource.edit notes.txt",
      "  │ /w/notes.txt +2 −1",
      "  │    1   a",
      "  │    2 - b",
      "  │    2 + B",
      "  │    3   c",
      "  │    4 + d",
      "",
      "● autolith",
      "  Edited.",
      "",
      ...prompt,
    ]);
  });

  it("asks with the exact command and takes the answer", async () => {
    await using terminal = await openScriptedTerminal({ columns: 60, rows: 20 });
    await terminal.type("ask rm -rf build && echo 'done'");
    await terminal.keys("Enter");
    await terminal.shows("Run this command?");
    const rows = await terminal.screen();
    expect(rows.slice(0, 16)).toEqual([
      "∙ autolith · scripted/model · / · s-essioa",
      "",
      "❯ you",
      "  ask rm -rf build && echo 'done'",
      "",
      "◐ shell.run rm -rf build && echo 'done' (running)",
      "",
      "───────────────────────────────────────────────────────────",
      "Run this command?",
      "▏ rm -rf build && echo 'done'",
      "in /w",
      "▸ y allow once",
      "  a allow for this session",
      "  f allow for good",
      "  n reject",
      "───────────────────────────────────────────────────────────",
    ]);
    await terminal.keys("Right", "Enter");
    await terminal.shows("The answer was allow-session.");
  });

  it("stops a turn by Escape, shows what waits, and leaves at the second Ctrl-C with the terminal as it was", async () => {
    await using terminal = await openScriptedTerminal({ columns: 60, rows: 20 });
    await terminal.type("hold it");
    await terminal.keys("Enter");
    await terminal.shows("Esc stops");
    await terminal.type("more of this");
    await terminal.keys("Enter");
    await terminal.shows("steering: more of this");
    await terminal.type("and then that");
    await terminal.keys("Tab");
    await terminal.shows("queued: and then that");
    await terminal.keys("Escape");
    await terminal.shows(/⊘ stopped[\s\S]*paused: more of this\n⧗ paused: and then that/);
    await terminal.keys("C-c");
    await terminal.shows("Ctrl-C again leaves");
    await terminal.keys("C-c");
    await terminal.shows(/ended: left\nstatus 0\n(?=.*\bicanon)(?=.* isig)(?!.*-)/);
    expect((await terminal.screen()).join("\n")).not.toContain("❯ Ask");
  });

  it("completes commands with a menu", async () => {
    await using terminal = await openScriptedTerminal({ columns: 40, rows: 12 });
    await terminal.type("/m");
    await terminal.keys("Tab");
    await terminal.showsExactly([
      "∙ autolith · scripted/model · / ·",
      "  s-essioa",
      "",
      "❯ /model",
      "  /model",
      "  /models",
      "REPL · ask · model medium · scripted",
    ]);
    await terminal.keys("Tab", "Tab");
    await terminal.shows("▸ /models\nREPL");
    await terminal.keys("Escape");
    await terminal.shows("❯ /model\nREPL");
  });

  it("searches settings and shows the transcript as a REPL from then on", async () => {
    await using terminal = await openScriptedTerminal({ columns: 60, rows: 24 });
    await terminal.type("/settings");
    await terminal.keys("Enter");
    await terminal.shows("Settings (3)");
    await terminal.type("style");
    await terminal.shows("Settings (1 of 3)");
    await terminal.keys("Enter");
    await terminal.shows("labels  current");
    await terminal.keys("Down", "Enter");
    await terminal.shows(
      /transcript-style = repl[\s\S]*Settings \(3\)|Settings \(3\)[\s\S]*transcript-style = repl/,
    );
    await terminal.keys("Escape");
    await terminal.shows("❯ Ask for something");
    await terminal.type("say hi");
    await terminal.keys("Enter");
    await terminal.shows("> say hi\n\n< hi\n");
  });
});
