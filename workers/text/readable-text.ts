import { stripVTControlCharacters } from "node:util";

/**
 * Terminal output as text for a reader that is no terminal: escape sequences are removed, a line that was redrawn by
 * carriage returns shows its last state, a backspace takes back a character, other control characters become visible
 * pictures. Invalid UTF-8 is replaced.
 */
export function readableText(bytes: Uint8Array): string {
  const text = stripVTControlCharacters(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
  return text
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => overwritten(line))
    .join("\n")
    .replace(/\p{Cc}/gu, pictured);
}

/** A control character as a visible picture; line ends and tabs stay. */
function pictured(control: string): string {
  if (control === "\n" || control === "\t") return control;
  const code = control.charCodeAt(0);
  return code < 0x20 ? String.fromCodePoint(0x2400 + code) : "\u2421";
}

/** The last state of a line that was drawn several times over. */
function overwritten(line: string): string {
  const last = line.replace(/\r+$/, "").split("\r").at(-1) ?? "";
  if (!last.includes("\b")) return last;
  const kept: string[] = [];
  for (const character of last) {
    if (character === "\b") kept.pop();
    else kept.push(character);
  }
  return kept.join("");
}
