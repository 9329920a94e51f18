/** Opens the scripted terminal in tmux. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Tmux, openTmux } from "./tmux.ts";

const main = join(dirname(fileURLToPath(import.meta.url)), "scripted-terminal-main.ts");

/** The program and its arguments, for a shell of a test's own. */
export const scriptedTerminalCommand: readonly string[] = [
  process.execPath,
  "--disable-warning=ExperimentalWarning",
  main,
];

export type ScriptedTerminalOptions = {
  readonly columns?: number;
  readonly rows?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Keys that are pressed before the program is started, by tmux's names or as text. */
  readonly early?: readonly string[];
};

/** Starts it and waits for its prompt. When it has ended the pane says `status N`, and how the terminal's line discipline is. */
export async function openScriptedTerminal(options: ScriptedTerminalOptions = {}): Promise<Tmux> {
  const { early } = options;
  // With early keys the program waits for a file that is there when they have been pressed.
  const gate = early === undefined ? "" : join(mkdtempSync(join(tmpdir(), "tg-")), "gate");
  const wait =
    early === undefined ? "" : `until [ -e '${gate}' ]; do sleep 0.05; done; rm -r '${dirname(gate)}'; `;
  const script = `${wait}"$0" --disable-warning=ExperimentalWarning "$1"; echo "status $?"; stty -a | grep -Eo -- '-?(icanon|isig|icrnl|echo)( |$)' | tr -d '\\n'; read -r _`;
  const terminal = await openTmux({
    ...options,
    command: ["sh", "-c", script, process.execPath, main],
    directory: "/",
  });
  if (early === undefined) {
    await terminal.shows("Ask for");
    return terminal;
  }
  for (const key of early) await terminal.keys(key);
  await terminal.shows(early[0] === "C-d" ? "" : (early[0] ?? ""));
  writeFileSync(gate, "");
  return terminal;
}
