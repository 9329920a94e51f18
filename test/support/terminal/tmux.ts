/** A terminal to look at, with assertions that wait. */
import { eventually } from "../eventually.ts";
import { type TmuxWindow, type TmuxWindowOptions, openTmuxWindow } from "./tmux-window.ts";

export type TmuxOptions = TmuxWindowOptions;

export type Tmux = TmuxWindow & {
  /** Waits until the screen holds the text. */
  shows(text: string | RegExp): Promise<void>;
  /** Waits until the screen is exactly that. */
  showsExactly(rows: readonly string[]): Promise<void>;
  /**
   * Waits until the program has ended, and checks its status (0 unless given). Asked of tmux and not read from the screen: tmux may see the
   * end of the terminal before that of the process, and then never draws its line nor knows a status.
   */
  ended(status?: number): Promise<void>;
};

/** Starts it. */
export async function openTmux(options: TmuxOptions): Promise<Tmux> {
  const window = await openTmuxWindow(options);
  return {
    ...window,
    shows: (text) => eventually(async () => (await window.screen()).join("\n")).toMatch(text),
    showsExactly: (expected) => eventually(() => window.screen()).toEqual(expected),
    ended: (status = 0) => eventually(() => window.state()).toMatch(new RegExp(`^1(?: ${status})?$`)),
    [Symbol.asyncDispose]: () => window[Symbol.asyncDispose](),
  };
}
