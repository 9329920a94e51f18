/** An argument vector as POSIX shell text that means the same, for people and for judges of commands. Pure. */
export function shellText(argv: readonly string[]): string {
  return argv.map(quoted).join(" ");
}

function quoted(word: string): string {
  return /^[A-Za-z0-9_./:=@%+,^-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
