/** Leaving a session whose form does not end when it is cancelled, in the real terminal. */
import { describe, expect, it } from "vitest";
import { openHostScene } from "../../../support/terminal/host-terminal.ts";
import type { Tmux } from "../../../support/terminal/tmux.ts";

const unending = '(unwind-protect (progn (format t "~A~A" "go" "ing") (loop)) (loop))';

async function begun(terminal: Tmux): Promise<void> {
  await terminal.shows("❯ Ask for");
  await terminal.type(unending);
  await terminal.keys("Enter");
  await terminal.shows("│ going");
}

describe("a form whose cleanup does not end", { timeout: 240_000 }, () => {
  it("/quit leaves", async () => {
    await using scene = await openHostScene();
    await using terminal = await scene.terminal();
    await begun(terminal);
    await terminal.type("/quit");
    await terminal.keys("Enter");
    await terminal.ended();
    expect(scene.hosts()).toHaveLength(1);
  });

  it("Escape twice says what happens, then it is lost and the next form is evaluated; Ctrl-D leaves", async () => {
    await using scene = await openHostScene();
    await using terminal = await scene.terminal();
    await begun(terminal);
    await terminal.keys("Escape");
    await terminal.shows("Stopping the form.");
    await terminal.keys("Escape");
    await terminal.shows("The form's cleanup runs on");
    await terminal.shows("; lost: ");
    await terminal.type('(format nil "~A-~A" "next" "form")');
    await terminal.keys("Enter");
    await terminal.shows('"next-form"');
    await terminal.type(unending);
    await terminal.keys("Enter");
    await terminal.shows("evaluating…");
    await terminal.keys("C-d");
    await terminal.ended();
  });
});
