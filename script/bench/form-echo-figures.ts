/** How soon a key is on the screen of the built terminal while a form computes in the image of its session. */
import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { environmentOf, makePlace, terminalArguments } from "./built-program.ts";
import { hostsOf, typedInTurn } from "./terminal-figures.ts";
import { type Echo, EchoPane } from "./tmux-echo.ts";

/** Computes for longer than anybody types. */
const form = "(loop for i below 1000000000000 sum i)";

/** Echoes of keys, and of a bare `cat` that is typed in turn. The form still runs at the last key, or this rejects. */
export async function formEchoFigures(): Promise<{
  readonly echoes: readonly Echo[];
  readonly floor: readonly Echo[];
}> {
  const place = makePlace("p");
  const environment = { ...environmentOf(place, "http://127.0.0.1:9/v1"), OPENAI_API_KEY: "none" };
  const panes: EchoPane[] = [];
  const open = (command: readonly string[]): EchoPane => {
    const pane = new EchoPane({ command, directory: place.workspace, environment });
    panes.push(pane);
    return pane;
  };
  try {
    const terminal = open([process.execPath, ...terminalArguments()]);
    await terminal.shows("❯ Ask for");
    terminal.keys("-l", form);
    await terminal.shows(form);
    terminal.keys("Enter");
    await terminal.shows("evaluating");
    const echoes = await typedInTurn(terminal, open(["cat"]));
    if (!terminal.screen().includes("evaluating")) throw new Error("the form has ended before the last key");
    return echoes;
  } finally {
    for (const pane of panes) pane.close();
    for (const pid of hostsOf(place.home)) process.kill(pid, "SIGTERM");
    for (let looks = 0; looks < 200 && hostsOf(place.home).length > 0; looks += 1) await delay(50);
    rmSync(place.home, { recursive: true, force: true });
  }
}
