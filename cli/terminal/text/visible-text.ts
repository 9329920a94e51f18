/**
 * Text of models, tools and files made safe for a terminal: it may hold any character, and a terminal obeys control characters. What is
 * shown holds line feeds and visible characters only.
 */

/** Columns between tab stops. */
const tabColumns = 4;

/** C0 without line feed, DEL, C1, the bidirectional overrides, which reorder what a person approves, and lone surrogates. */
// oxlint-disable-next-line no-control-regex
const unsafe = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/;
const everyUnsafe = new RegExp(unsafe, "g");
/** What programs print for colours, cursor moves and titles: left out whole, because its rest would be noise. */
// oxlint-disable-next-line no-control-regex
const escapeSequence = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\^_])/g;

/** The text with line ends as `\n`, tabs as spaces, escape sequences left out and other controls shown as symbols. */
export function visibleText(text: string): string {
  const wellFormed = text.toWellFormed();
  if (!unsafe.test(wellFormed)) return wellFormed;
  return wellFormed
    .replace(/\r\n/g, "\n")
    .replace(escapeSequence, "")
    .replace(/[^\n]*\r(?=[^\n])/g, "")
    .replace(/\r/g, "")
    .split("\n")
    .map(expandTabs)
    .join("\n")
    .replace(everyUnsafe, symbolOf);
}

/** {@link visibleText} on one line: line ends become `⏎`. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/\n/g, "⏎");
}

function expandTabs(line: string): string {
  if (!line.includes("\t")) return line;
  let expanded = "";
  for (const piece of line.split(/(\t)/))
    expanded += piece === "\t" ? " ".repeat(tabColumns - (expanded.length % tabColumns)) : piece;
  return expanded;
}

/** The control pictures of Unicode; a replacement mark for what has none. */
function symbolOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "␡" : "\uFFFD";
}
