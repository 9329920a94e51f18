import { describe, expect, it } from "vitest";
import { earlyPresses } from "../../../../cli/terminal/edge/early-input.ts";
import { openScriptedTerminal } from "../../../support/terminal/scripted-terminal.ts";

const patience = { timeout: 240_000 };

describe("keys that were pressed before the program had the terminal", patience, () => {
  it("are the keys that were meant, without arrows and the like", () => {
    expect(earlyPresses("ab\u001B[A\nc\0").map(({ name, text }) => [name, text])).toEqual([
      ["text", "ab"],
      ["enter", ""],
      ["text", "c"],
      ["control", "d"],
    ]);
  });

  it("send what was written and leave the rest in the draft", async () => {
    await using terminal = await openScriptedTerminal({
      columns: 60,
      rows: 16,
      early: ["say hi", "Enter", "rest"],
    });
    await terminal.showsExactly([
      // The echo of the shell's line.
      "say hi",
      "∙ autolith · scripted/model · / · s-essioa",
      "",
      "❯ you",
      "  say hi",
      "",
      "● autolith",
      "  hi",
      "",
      "❯ rest",
      "REPL · ask · model medium · scripted",
    ]);
  });

  it("leave by Ctrl-D", async () => {
    await using terminal = await openScriptedTerminal({ columns: 60, rows: 12, early: ["C-d"] });
    await terminal.shows("ended: left\nstatus 0");
  });
});
