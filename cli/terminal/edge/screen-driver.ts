/** Draws states: the live region through Ink, printed entries into the scrollback, and the screen anew when its size changes. */
import { type Instance, type SuspendTerminal, type TerminalSuspension, render } from "ink";
import { createElement } from "react";
import { type ScreenLines, printedLines, screenLines } from "../screen/screen-lines.ts";
import type { ScreenState } from "../screen/screen-state.ts";
import { type Palette, ansiLine } from "../text/palette.ts";
import { type Line, lineWidth } from "../text/styled-line.ts";
import type { PrintedEntry } from "../transcript/transcript.ts";
import { App, type InputHandlers } from "../views/app.ts";
import { type KeptEntry, kept, repaintOf } from "./scrollback.ts";
import { TerminalOutput, type TerminalStream, erasedLines } from "./terminal-output.ts";

/** Frames a second at most: a key is on the screen within this time whatever streams. */
const framesPerSecond = 120;

export type DriverOptions = InputHandlers & {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: TerminalStream;
  readonly palette: Palette;
};

export class ScreenDriver {
  readonly output: TerminalOutput;
  readonly #options: DriverOptions;
  #instance: Instance | undefined;
  #lines: ScreenLines | undefined;
  #kept: readonly KeptEntry[] = [];
  #suspend: SuspendTerminal | undefined;
  #suspension: TerminalSuspension | undefined;
  readonly #takeSuspender = (suspend: SuspendTerminal): void => {
    this.#suspend = suspend;
  };

  constructor(options: DriverOptions) {
    this.#options = options;
    this.output = new TerminalOutput(options.stdout);
  }

  /** Resolves when Ink has let the terminal go; rejects when a view failed. */
  async finished(): Promise<void> {
    await this.#instance?.waitUntilExit();
  }

  /** Shows a state. The first call takes the terminal. */
  show(state: ScreenState): void {
    this.#lines = screenLines(state);
    const { palette, onKey, onPaste, circumstances, stdin } = this.#options;
    const app = createElement(App, {
      lines: this.#lines,
      palette,
      onKey,
      onPaste,
      circumstances,
      onSuspender: this.#takeSuspender,
    });
    if (this.#instance !== undefined) {
      this.#instance.rerender(app);
      return;
    }
    this.#instance = render(app, {
      stdin,
      stdout: this.output as unknown as NodeJS.WriteStream,
      stderr: process.stderr,
      exitOnCtrlC: false,
      patchConsole: false,
      interactive: true,
      maxFps: framesPerSecond,
      incrementalRendering: true,
      kittyKeyboard: { mode: "auto" },
    });
  }

  /** Prints entries above the live region and shows the state behind them, in one piece. */
  print(entries: readonly PrintedEntry[], state: ScreenState): void {
    const lines = entries.map((printed) => this.#keptLines(printed, state));
    this.output.asOne(() => {
      this.#instance?.clear();
      this.output.write(this.#text(lines.flat()));
      this.show(state);
      // Draws at once: the frame belongs to the same piece.
      this.output.emit("resize");
    });
  }

  /** Wraps the visible part again after a change of the terminal's size. `state` has the new size. */
  resize(state: ScreenState): void {
    const before = this.#lines;
    const liveWidths = before === undefined ? [] : liveWidthsTo(before);
    this.output.takeSize();
    const size = { columns: this.output.columns, rows: this.output.rows };
    const { rowsUp, from } = repaintOf(this.#kept, liveWidths, size);
    this.#repaint(state, this.#kept.slice(from), rowsUp);
  }

  /** Clears the screen and shows what it can (Ctrl-L). */
  redraw(state: ScreenState): void {
    const { from } = repaintOf(this.#kept, [], { columns: this.output.columns, rows: this.output.rows });
    this.#repaint(state, this.#kept.slice(from), this.output.rows - 1);
  }

  /** Lends the terminal to the shell; `then` runs when it is free. */
  async pause(then: () => void): Promise<void> {
    this.#suspension = await this.#suspend?.();
    then();
  }

  /** Takes the terminal back. */
  async resume(): Promise<void> {
    await this.#suspension?.resume();
    this.#suspension = undefined;
  }

  /** Takes the live region off the screen and gives the terminal back. */
  close(): void {
    this.#instance?.clear();
    this.#instance?.unmount();
  }

  #repaint(state: ScreenState, entries: readonly KeptEntry[], rowsUp: number): void {
    this.#kept = this.#kept.slice(0, this.#kept.length - entries.length);
    this.output.asOne(() => {
      // Ink forgets its frame without moving the cursor, which is not where Ink believes it to be.
      this.output.muted(() => this.#instance?.clear());
      this.output.write(clearingUp(rowsUp, this.output.rows));
      const lines = entries.flatMap(({ printed }) => this.#keptLines(printed, state));
      this.output.write(this.#text(lines));
      this.show(state);
      this.output.emit("resize");
    });
  }

  /** The lines of an entry, remembered for the next change of size. */
  #keptLines(printed: PrintedEntry, state: ScreenState): readonly Line[] {
    const lines = printedLines(printed, this.output.columns, state.look);
    this.#kept = kept(this.#kept, [{ printed, widths: lines.map(lineWidth) }]);
    return lines;
  }

  #text(lines: readonly Line[]): string {
    return lines.map((line) => `${ansiLine(line, this.#options.palette)}\r\n`).join("");
  }
}

/** Widths of the live lines down to that of the cursor. */
function liveWidthsTo(lines: ScreenLines): readonly number[] {
  const all = [lines.tail, lines.jobs, lines.pending, lines.input, lines.menu, lines.modeline].flat();
  // Without a place of its own the cursor is on the row below the last one.
  return lines.cursor === undefined
    ? [...all.map(lineWidth), 0]
    : all.slice(0, lines.cursor.y + 1).map(lineWidth);
}

/** Goes up and empties everything from there on. */
function clearingUp(rowsUp: number, rows: number): string {
  return `\r${rowsUp > 0 ? `\u001B[${rowsUp}A` : ""}${erasedLines(rows)}`;
}
