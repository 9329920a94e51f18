import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextGrapheme } from "../../../../cli/terminal/text/text-width.ts";
import { lineText, lineWidth } from "../../../../cli/terminal/text/styled-line.ts";
import { printedLines, screenLines, usableColumns } from "../../../../cli/terminal/screen/screen-lines.ts";
import {
  type Action,
  type ScreenState,
  initialScreen,
} from "../../../../cli/terminal/screen/screen-state.ts";
import { update } from "../../../../cli/terminal/screen/screen-update.ts";
import { anyAction } from "./any-state.ts";

/** A column is too narrow for a wide character. */
const leastColumns = 3;

// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/;

function checkScreen(state: ScreenState): void {
  const lines = screenLines(state);
  const all = [lines.tail, lines.jobs, lines.pending, lines.input, lines.menu, lines.modeline].flat();
  expect(all.length).toBeLessThanOrEqual(Math.max(4, state.size.rows));
  for (const line of all) expect(lineText(line)).not.toMatch(control);
  if (state.size.columns < leastColumns) return;
  for (const line of all) expect(lineWidth(line)).toBeLessThanOrEqual(usableColumns(state.size.columns));
  if (lines.cursor === undefined) return;
  expect(lines.cursor.y).toBeLessThan(all.length);
  expect(lines.cursor.x).toBeLessThan(state.size.columns);
}

function run(actions: readonly Action[], check: (state: ScreenState) => void): void {
  let state = initialScreen({ columns: 40, rows: 12 }, "client");
  for (const action of actions) {
    const step = update(state, action);
    state = step.state;
    check(state);
    for (const command of step.commands) {
      if (command.type !== "print" || state.size.columns < leastColumns) continue;
      for (const line of command.entries.flatMap((each) =>
        printedLines(each, state.size.columns, state.look),
      )) {
        expect(lineWidth(line)).toBeLessThanOrEqual(usableColumns(state.size.columns));
        expect(lineText(line)).not.toMatch(control);
      }
    }
  }
}

describe("the screen", () => {
  it("fits the terminal and holds no control characters, whatever happens", () => {
    fc.assert(
      fc.property(fc.array(anyAction, { maxLength: 25 }), (actions) => run(actions, checkScreen)),
      { numRuns: 300 },
    );
  });

  it("keeps the cursor of the composer between graphemes", () => {
    fc.assert(
      fc.property(fc.array(anyAction, { maxLength: 30 }), (actions) =>
        run(actions, ({ composer: { buffer } }) => {
          expect(buffer.cursor).toBeGreaterThanOrEqual(0);
          expect(buffer.cursor).toBeLessThanOrEqual(buffer.text.length);
          let offset = buffer.cursor === 0 ? 0 : buffer.text.lastIndexOf("\n", buffer.cursor - 1) + 1;
          while (offset < buffer.cursor) offset = nextGrapheme(buffer.text, offset);
          expect(offset).toBe(buffer.cursor);
        }),
      ),
      { numRuns: 300 },
    );
  });
});
