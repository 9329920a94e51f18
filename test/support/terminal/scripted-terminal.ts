/** Opens the scripted terminal in tmux. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Tmux, openTmux } from "./tmux.ts";

const main = join(dirname(fileURLToPath(import.meta.url)), "scripted-terminal-main.ts");

export type ScriptedTerminalOptions = {
  readonly columns?: number;
  readonly rows?: number;
  readonly environment?: Readonly<Record<string, string>>;
};

/** Starts it and waits for its prompt. When it has ended the pane says `status N`, and how the terminal's line discipline is. */
export async function openScriptedTerminal(options: ScriptedTerminalOptions = {}): Promise<Tmux> {
  const script = `"$0" --disable-warning=ExperimentalWarning "$1"; echo "status $?"; stty -a | grep -Eo -- '-?(icanon|isig|icrnl|echo)( |$)' | tr -d '\\n'; read -r _`;
  const terminal = await openTmux({
    ...options,
    command: ["sh", "-c", script, process.execPath, main],
    directory: "/",
  });
  await terminal.shows("Ask for");
  return terminal;
}
