/** Names of characters. */
import { CHAR_CODE_LIMIT, isSurrogate } from "../data/character.ts";
import { isGraphicCode } from "./char-case.ts";

/** Preferred names, and after them further accepted ones. */
const NAMES: readonly (readonly [code: number, ...names: string[]])[] = [
  [0, "Nul", "Null"],
  [1, "Soh"],
  [2, "Stx"],
  [3, "Etx"],
  [4, "Eot"],
  [5, "Enq"],
  [6, "Ack"],
  [7, "Bel", "Bell"],
  [8, "Backspace", "Bs"],
  [9, "Tab", "Ht"],
  [10, "Newline", "Linefeed", "Lf", "Nl"],
  [11, "Vt"],
  [12, "Page", "Form", "Ff"],
  [13, "Return", "Cr"],
  [14, "So"],
  [15, "Si"],
  [16, "Dle"],
  [17, "Dc1"],
  [18, "Dc2"],
  [19, "Dc3"],
  [20, "Dc4"],
  [21, "Nak"],
  [22, "Syn"],
  [23, "Etb"],
  [24, "Can"],
  [25, "Em"],
  [26, "Sub"],
  [27, "Esc", "Escape", "Altmode"],
  [28, "Fs"],
  [29, "Gs"],
  [30, "Rs"],
  [31, "Us"],
  [32, "Space", "Sp"],
  [127, "Rubout", "Del", "Delete"],
  [160, "No-Break_Space", "Nbsp"],
];

const nameByCode = new Map<number, string>(NAMES.map(([code, name]) => [code, name as string]));
const codeByName = new Map<string, number>(
  NAMES.flatMap(([code, ...names]) => names.map((name): [string, number] => [name.toUpperCase(), code])),
);

function hex(code: number): string {
  return code.toString(16).toUpperCase();
}

/** CHAR-NAME: a name for every character that is not graphic, `U+XXXX` where there is no common one; else undefined. */
export function nameOfCode(code: number): string | undefined {
  const name = nameByCode.get(code);
  if (name !== undefined) return name;
  if (isGraphicCode(code)) return undefined;
  return `U+${hex(code).padStart(4, "0")}`;
}

const UNICODE_NAME = /^U\+?([0-9A-F]{1,6})$/;

/** NAME-CHAR: case is ignored; `U+XXXX` and `UXXXX` name any character. */
export function codeOfName(name: string): number | undefined {
  const upper = name.toUpperCase();
  const known = codeByName.get(upper);
  if (known !== undefined) return known;
  const match = UNICODE_NAME.exec(upper);
  if (match === null) return undefined;
  const code = Number.parseInt(match[1] as string, 16);
  return code < CHAR_CODE_LIMIT && !isSurrogate(code) ? code : undefined;
}
