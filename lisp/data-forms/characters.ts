/** What a byte means to the reader; anything without a class may occur in a token. */
export const constituent = 0;
export const blank = 1;
/** `( ) " ;`: ends a token and means something itself. */
export const terminator = 2;
/** Not in the grammar outside strings. */
export const forbidden = 3;

export const openParenthesis = 0x28;
export const closeParenthesis = 0x29;
export const quoteMark = 0x22;
export const backslash = 0x5c;
export const semicolon = 0x3b;
export const sharp = 0x23;
export const bar = 0x7c;
export const colon = 0x3a;
export const lineFeed = 0x0a;

/** Class of every byte. Bytes from 0x80 belong to characters beyond ASCII, all of which are constituents. */
export const byteClasses: Uint8Array = (() => {
  const classes = new Uint8Array(256);
  classes.fill(forbidden, 0, 0x20);
  classes[0x7f] = forbidden;
  for (const character of "'`,|\\#") classes[character.charCodeAt(0)] = forbidden;
  for (const character of " \t\n\r\f") classes[character.charCodeAt(0)] = blank;
  for (const character of '()";') classes[character.charCodeAt(0)] = terminator;
  return classes;
})();
