/**
 * The Ink views. They are thin: what they show is laid out by `screen/screen-lines.ts`; each region is drawn again only when its own lines
 * changed. Written without JSX, because Node runs the sources as they are.
 */
import { Box, type SuspendTerminal, Text, useApp, useCursor, useInput, usePaste } from "ink";
import { type ReactElement, createElement, memo, useEffect } from "react";
import { type InputCircumstances, type KeyPress, pressesOf } from "../screen/key-press.ts";
import { type ScreenLines } from "../screen/screen-lines.ts";
import { type Palette, ansiLine } from "../text/palette.ts";
import type { Line } from "../text/styled-line.ts";

export type InputHandlers = {
  readonly onKey: (press: KeyPress) => void;
  readonly onPaste: (text: string) => void;
  /** Asked whenever something was read. */
  readonly circumstances: () => InputCircumstances;
};

export type AppProps = InputHandlers & {
  readonly lines: ScreenLines;
  readonly palette: Palette;
  /** Gets the means to lend the terminal to the shell. */
  readonly onSuspender: (suspend: SuspendTerminal) => void;
};

/** The whole live region. */
export function App({ lines, palette, onKey, onPaste, circumstances, onSuspender }: AppProps): ReactElement {
  const { suspendTerminal } = useApp();
  useEffect(() => onSuspender(suspendTerminal), [onSuspender, suspendTerminal]);
  const { setCursorPosition } = useCursor();
  setCursorPosition(lines.cursor);
  useInput((input, key) => {
    const read = pressesOf(input, key, circumstances());
    for (const press of read.presses) onKey(press);
    if (read.pasted !== undefined) onPaste(read.pasted);
  });
  usePaste(onPaste);
  return createElement(
    Box,
    { flexDirection: "column" },
    region("tail", lines.tail, palette),
    region("jobs", lines.jobs, palette),
    region("pending", lines.pending, palette),
    region("input", lines.input, palette),
    region("menu", lines.menu, palette),
    region("modeline", lines.modeline, palette),
  );
}

function region(key: string, lines: readonly Line[], palette: Palette): ReactElement | null {
  if (lines.length === 0) return null;
  // A text without characters has no height; a blank line is a space.
  const text = lines.map((line) => ansiLine(line, palette) || " ").join("\n");
  return createElement(Region, { key, text });
}

const Region = memo(function Region({ text }: { readonly text: string }): ReactElement {
  return createElement(Text, { wrap: "truncate-end" }, text);
});
