import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { keyPress } from "../../../../cli/terminal/screen/key-press.ts";
import { type ScreenState, initialScreen } from "../../../../cli/terminal/screen/screen-state.ts";
import { update } from "../../../../cli/terminal/screen/screen-update.ts";
import { ScreenDriver } from "../../../../cli/terminal/edge/screen-driver.ts";
import { paletteOf } from "../../../../cli/terminal/text/palette.ts";
import type { PrintedEntry } from "../../../../cli/terminal/transcript/transcript.ts";
import { eventually } from "../../../support/eventually.ts";
import { attached } from "../screen/any-state.ts";

/** A driver on a terminal that keeps what is written to it. */
function openDriver(columns = 80, rows = 24) {
  const writes: string[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  });
  const stdout = {
    columns,
    rows,
    write: (data: string, callback?: () => void) => {
      if (data !== "") writes.push(data);
      callback?.();
      return true;
    },
  };
  const driver = new ScreenDriver({
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout,
    palette: paletteOf({ NO_COLOR: "1" }),
    onKey: () => undefined,
    onPaste: () => undefined,
    circumstances: () => ({ isBehind: false, marksPastes: true }),
  });
  return {
    driver,
    writes,
    written: () => writes.join(""),
    [Symbol.dispose]: () => driver.close(),
  };
}

function messages(count: number): readonly PrintedEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    entry: { kind: "notice", level: "info", code: "n", text: `message ${index} `.repeat(20) },
    gap: true,
  }));
}

function attachedScreen(): ScreenState {
  return update(initialScreen({ columns: 80, rows: 24 }, "c"), attached()).state;
}

function typing(state: ScreenState, text: string): ScreenState {
  return update(state, { type: "key", press: keyPress("text", text), at: 0 }).state;
}

/** Bytes that typing twenty characters writes, one frame each, behind that many printed messages. */
async function bytesOfTyping(printed: number): Promise<number> {
  using terminal = openDriver();
  let state = attachedScreen();
  terminal.driver.show(state);
  if (printed > 0) terminal.driver.print(messages(printed), state);
  await eventually(() => terminal.written()).toContain("Ask for something");
  const before = terminal.written().length;
  for (const letter of "abcdefghijklmnopqrst") {
    state = typing(state, letter);
    terminal.driver.show(state);
    // Draws the frame now, instead of within eight milliseconds.
    terminal.driver.output.emit("resize");
  }
  return terminal.written().length - before;
}

describe("the driver of the screen", () => {
  it("writes as much for a key behind 2,000 messages as behind none (C099)", async () => {
    const [none, many] = [await bytesOfTyping(0), await bytesOfTyping(2_000)];
    expect(many).toBe(none);
    // A key changes a character and the cursor: not the region it is in.
    expect(none / 20).toBeLessThan(160);
  });

  it("prints text and the frame behind it in one piece", async () => {
    using terminal = openDriver();
    const state = attachedScreen();
    terminal.driver.show(state);
    await eventually(() => terminal.written()).toContain("Ask for something");
    terminal.writes.length = 0;
    terminal.driver.print(messages(1), state);
    expect(terminal.writes).toHaveLength(1);
    const written = terminal.written();
    expect([written.slice(0, 8), written.slice(-8)]).toEqual(["\u001B[?2026h", "\u001B[?2026l"]);
    expect(written.indexOf("message 0")).toBeLessThan(written.indexOf("Ask for something"));
  });

  it("never erases the whole screen at once, which would push it into the scrollback", () => {
    using terminal = openDriver();
    const state = attachedScreen();
    terminal.driver.show(state);
    terminal.driver.print(messages(40), state);
    terminal.driver.redraw(state);
    for (const erasing of ["J", "0J", "1J", "2J", "3J"])
      expect(terminal.written()).not.toContain(`\u001B[${erasing}`);
  });

  it("keeps a bounded number of entries to draw again", () => {
    using terminal = openDriver();
    const state = attachedScreen();
    terminal.driver.show(state);
    terminal.driver.print(messages(3_000), state);
    terminal.writes.length = 0;
    terminal.driver.redraw(state);
    expect(terminal.written()).toContain("message 2999");
    expect(terminal.written()).not.toContain("message 2900");
  });

  it("leaves nothing of the live region behind when it closes", async () => {
    const terminal = openDriver();
    terminal.driver.show(attachedScreen());
    await eventually(() => terminal.written()).toContain("Ask for something");
    terminal.writes.length = 0;
    terminal.driver.close();
    await terminal.driver.finished();
    expect(terminal.written()).not.toContain("Ask for");
    expect(terminal.written()).toContain("\u001B[?25h");
  });
});
