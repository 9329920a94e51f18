/** Keys as the screen knows them, and how they are told from what a terminal sends. */

export type KeyName =
  | "text"
  | "enter"
  | "escape"
  | "tab"
  | "backspace"
  | "delete"
  | "up"
  | "down"
  | "left"
  | "right"
  | "home"
  | "end"
  | "page-up"
  | "page-down"
  | "control";

export type KeyPress = {
  readonly name: KeyName;
  /** What `text` writes; the letter of `control`. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
};

/** What Ink tells of a key, as far as it is used. */
export type InkKey = {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly leftArrow: boolean;
  readonly rightArrow: boolean;
  readonly pageDown: boolean;
  readonly pageUp: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly tab: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly meta: boolean;
  readonly eventType?: "press" | "repeat" | "release";
};

const named: readonly (readonly [keyof InkKey, KeyName])[] = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["pageUp", "page-up"],
  ["pageDown", "page-down"],
  ["home", "home"],
  ["end", "end"],
  ["return", "enter"],
  ["escape", "escape"],
  ["tab", "tab"],
  ["backspace", "backspace"],
  ["delete", "delete"],
];

/** A press without modifiers. */
export function keyPress(name: KeyName, text = "", modifiers: Partial<KeyPress> = {}): KeyPress {
  return { name, text, ctrl: false, alt: false, shift: false, ...modifiers };
}

/**
 * The presses of one piece of input, and behind them text that was pasted without being marked as a paste, which must not be sent by it.
 * `isBehind`: it may have been typed while the program was busy. `marksPastes`: the terminal marks what is pasted, so that lines which come
 * at once and end with Enter were typed ahead; lines without a last Enter are from somebody who writes to the terminal, and wait for one.
 */
export function pressesOf(
  input: string,
  key: InkKey,
  { isBehind, marksPastes }: InputCircumstances,
): { readonly presses: readonly KeyPress[]; readonly pasted?: string } {
  if (key.eventType === "release") return { presses: [] };
  const modifiers = { ctrl: key.ctrl, alt: key.meta, shift: key.shift };
  const name = named.find(([flag]) => key[flag] === true)?.[1];
  if (name !== undefined) return { presses: [keyPress(name, "", modifiers)] };
  if (input === "") return { presses: [] };
  if (key.ctrl) return { presses: [keyPress("control", input.toLowerCase(), modifiers)] };
  // An Enter in front was pressed before the rest came.
  const [first = ""] = /^\r*/.exec(input) ?? [];
  const rest = input.slice(first.length);
  if (isBehind || !isPasted(rest) || (marksPastes && isTypedAhead(rest)))
    return { presses: typedPresses(input, key.meta) };
  return { presses: typedPresses(first), pasted: rest };
}

export type InputCircumstances = { readonly isBehind: boolean; readonly marksPastes: boolean };

/** Characters that somebody types ahead of the program at most. */
const typedAheadCharacters = 1_024;

function isTypedAhead(text: string): boolean {
  return text.endsWith("\r") && text.length <= typedAheadCharacters;
}

/** A line end and something behind it, but not just a key or two, and no keys that no text holds. */
function isPasted(text: string): boolean {
  const lines = text.split(/\r\n?|\n/);
  // oxlint-disable-next-line no-control-regex
  if (lines.length < 2 || /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/.test(text)) return false;
  return lines.length > 2 || (lines.at(-1)?.length ?? 0) > typedBehind;
}

/** Characters that somebody may type behind Enter before the program reads them, on a machine that is busy with other work. */
const typedBehind = 2;

/** The presses of characters that were typed one by one, whatever is among them. */
export function typedPresses(text: string, alt = false): readonly KeyPress[] {
  return text.split(controlCharacter).flatMap((piece) => pressesOfPiece(piece, alt));
}

// oxlint-disable-next-line no-control-regex
const controlCharacter = /([\u0000-\u001F\u007F])/;

function pressesOfPiece(piece: string, alt: boolean): readonly KeyPress[] {
  if (piece === "") return [];
  if (piece === "\r") return [keyPress("enter")];
  if (piece === "\n") return [keyPress("control", "j", { ctrl: true })];
  if (piece === "\t") return [keyPress("tab")];
  if (piece === "\u007F" || piece === "\b") return [keyPress("backspace")];
  if (piece === "\u001B") return [keyPress("escape")];
  if (piece.length === 1 && piece < " ")
    return [keyPress("control", String.fromCharCode(piece.charCodeAt(0) + 96), { ctrl: true })];
  return [keyPress("text", piece, { alt })];
}
