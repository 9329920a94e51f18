import { describe, expect, it } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import {
  openScriptedTerminal,
  scriptedTerminalCommand,
} from "../../../support/terminal/scripted-terminal.ts";
import { openTmux } from "../../../support/terminal/tmux.ts";

/** Rows without the modeline and what is below it. */
function above(rows: readonly string[]): readonly string[] {
  return rows.slice(
    0,
    rows.findLastIndex((row) => row.includes(" · ask")),
  );
}

/** Each test starts a program from source, and waits for what it shows. */
const patience = { timeout: 240_000 };

describe("the terminal in hard cases", patience, () => {
  it("gives the terminal back after SIGTERM, SIGHUP and an uncaught error (C091)", async () => {
    for (const [signal, status] of [
      ["SIGTERM", 0],
      ["SIGHUP", 0],
      ["SIGUSR1", 0],
    ] as const) {
      await using terminal = await openScriptedTerminal({
        columns: 60,
        rows: 12,
        environment: { SCRIPTED_FAULT_SIGNAL: "SIGUSR1" },
      });
      await terminal.type("hold on");
      await terminal.keys("Enter");
      await terminal.shows("Esc stops");
      const end = signal === "SIGUSR1" ? "failed" : "signal";
      await terminal.signal(signal);
      await terminal.shows(
        new RegExp(`ended: ${end}[\\s\\S]*status ${status}\\n(?=.*\\bicanon)(?=.* echo)(?!.*-)`),
      );
      // Keys reach the shell, which echoes them: no raw mode, and a paste comes without brackets.
      await terminal.paste("pasted afterwards");
      await terminal.shows(/^.*(?<!~)pasted afterwards$/m);
    }
  });

  it("lends the terminal to the shell at Ctrl-Z and takes it back at fg, with what was written (C091)", async () => {
    await using shell = await openTmux({
      ...{ columns: 60, rows: 16, directory: "/" },
      command: ["bash", "--norc", "--noprofile", "-i"],
      environment: { PS1: "shell> ", PROGRAM: scriptedTerminalCommand.join(" ") },
    });
    await shell.shows("shell>");
    await shell.type("clear; $PROGRAM");
    await shell.keys("Enter");
    await shell.shows("❯ Ask for");
    await shell.type("half a thought");
    await shell.shows("❯ half a thought");
    await shell.keys("C-z");
    await shell.shows(/Stopped[\s\S]*shell>$/);
    await shell.type("stty -a | grep -Eo -- '-?(icanon|echo|icrnl)( |$)' | tr -d '\\n'; echo .");
    await shell.keys("Enter");
    await shell.shows("icrnl icanon echo .");
    await shell.type("fg");
    await shell.keys("Enter");
    await shell.shows("❯ half a thought\nREPL · ask");
    await shell.keys("C-u");
    await shell.type("say back again");
    await shell.keys("Enter");
    await shell.shows(/● autolith\n {2}back again\n[\s\S]*❯ Ask for/);
    await shell.keys("C-d");
    await shell.shows(/ended: left\nshell>$/);
  });

  it("takes a paste of 10,000 lines as one piece and sends it whole (C095)", async () => {
    await using terminal = await openScriptedTerminal({ columns: 60, rows: 12 });
    const lines = Array.from({ length: 10_000 }, (_, index) => `行 ${index} of it`);
    await terminal.paste(`${lines.join("\n")}\n`);
    await terminal.shows("❯ [pasted 10,000 lines]\nREPL");
    await terminal.type(" end");
    await terminal.shows("❯ [pasted 10,000 lines] end");
    await terminal.keys("BSpace", "BSpace", "BSpace", "BSpace", "BSpace");
    await terminal.shows("❯ Ask for something");
    await terminal.paste(`count ${lines.join("\n")}`);
    await terminal.keys("Enter");
    await terminal.shows(`characters: ${lines.join("\n").length}, lines: 10000`);
  });

  it("inserts several lines that come without brackets and sends nothing (C095)", async () => {
    await using terminal = await openScriptedTerminal({ columns: 60, rows: 12 });
    await terminal.type("one\rtwo\rthree");
    await terminal.shows("❯ one\n  two\n  three\nREPL");
  });

  it("puts the cursor over wide characters and deletes one of them at a time (C097)", async () => {
    await using terminal = await openScriptedTerminal({ columns: 20, rows: 10 });
    await terminal.type("漢字é🇩🇪");
    await terminal.shows("❯ 漢字é🇩🇪");
    await terminal.keys("Left", "Left", "Left", "Left");
    await eventually(async () => (await terminal.cursor())[0]).toBe(2);
    await terminal.keys("Right", "Right", "BSpace");
    await terminal.shows("❯ 漢é🇩🇪");
    await terminal.keys("End", "BSpace");
    await terminal.shows("❯ 漢é\n");
  });

  it("prints a long stream once and wraps it again after changes of size (C093, C101)", async () => {
    await using terminal = await openScriptedTerminal({ columns: 100, rows: 20 });
    await terminal.type("stream 300");
    await terminal.keys("Enter");
    await terminal.shows(/line 300 of the stream[\s\S]*❯ Ask/);
    const printed = (await terminal.history()).filter((row) => /line \d+ of the stream/.test(row));
    expect(printed.map((row) => row.trim())).toEqual(
      Array.from({ length: 300 }, (_, index) => `line ${index + 1} of the stream`),
    );
    for (let width = 99; width >= 40; width -= 3) await terminal.resize(width, 20);
    await terminal.resize(30, 10);
    await terminal.shows(/line 300 of the stream\n(?:.*\n)*?❯ Ask for something, or \/h/);
    await terminal.resize(100, 20);
    await terminal.shows(
      /line 298 of the stream\n\n {2}line 299 of the stream\n\n {2}line 300 of the stream\n(?:.*\n)*❯ Ask/,
    );
  });

  it("fits in twenty columns, without colours", async () => {
    await using terminal = await openScriptedTerminal({
      columns: 20,
      rows: 16,
      environment: { NO_COLOR: "1" },
    });
    await terminal.type("ask make all");
    await terminal.keys("Enter");
    await terminal.shows("Run this command?");
    const rows = await terminal.screen();
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(20);
    expect(above(rows).slice(-11)).toEqual([
      "───────────────────",
      "Run this command?",
      "▏ make all",
      "in /w",
      "▸ y allow once",
      "  a allow for",
      "    this session",
      "  f allow for",
      "    good",
      "  n reject",
      "───────────────────",
    ]);
  });
});
