/** What a profile allows and hides; absolute real paths. */
export interface SeatbeltLayout {
  readonly writable: readonly string[];
  /** Inside writable trees, yet not to be written. */
  readonly protected: readonly string[];
  /** Neither to be read nor written. */
  readonly hidden: readonly string[];
}

/**
 * A profile for macOS's sandbox-exec: everything is denied but reading the host, running programs, talking to processes
 * of the same sandbox and writing the named trees. Of two rules that match the later one counts, so what is protected and
 * hidden comes last.
 */
export function seatbeltProfile(layout: SeatbeltLayout): string {
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-exec)",
    "(allow process-fork)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow ipc-posix-sem)",
    "(allow pseudo-tty)",
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
    "(allow file-read*)",
    '(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/dtracehelper"))',
    '(allow file-ioctl (literal "/dev/null") (literal "/dev/tty"))',
    ...rule("allow file-write*", layout.writable),
    ...rule("deny file-write*", layout.protected),
    ...rule("allow file-write*", writableInside(layout)),
    ...rule("deny file-write*", protectedInside(layout)),
    ...rule("deny file-read* file-write*", layout.hidden),
    "(deny network*)",
    "",
  ].join("\n");
}

/** Writable trees inside protected ones (the administrative directory of a linked worktree). */
function writableInside({ writable, protected: sealed }: SeatbeltLayout): readonly string[] {
  return writable.filter((tree) => sealed.some((path) => tree.startsWith(`${path}/`)));
}

/** What is protected in those. */
function protectedInside(layout: SeatbeltLayout): readonly string[] {
  const trees = writableInside(layout);
  return layout.protected.filter((path) => trees.some((tree) => path.startsWith(`${tree}/`)));
}

function rule(head: string, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  return [`(${head} ${paths.map((path) => `(subpath ${quoted(path)})`).join(" ")})`];
}

/** A path as a string of the profile language: backslash and double quote are escaped. */
function quoted(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
