/** Programs that start other programs: where in their words the other command is. */
import type { ShellWord } from "./shell-word.ts";

/** Wrappers that take assignments before the command. */
export const takesAssignments = new Set(["env", "sudo", "doas"]);
/** Options of wrappers that take the next word as their value. */
const valueOptions: Readonly<Record<string, readonly string[]>> = {
  sudo: ["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group", "--chdir"],
  doas: ["-u", "-C"],
  nice: ["-n", "--adjustment"],
  ionice: ["-c", "-n", "-p", "-P", "-u"],
  timeout: ["-k", "-s", "--kill-after", "--signal"],
  xargs: [
    "-I",
    "-i",
    "-n",
    "-P",
    "-L",
    "-l",
    "-s",
    "-E",
    "-e",
    "-d",
    "-a",
    "--max-args",
    "--max-procs",
    "--delimiter",
    "--arg-file",
    "--replace",
  ],
  stdbuf: ["-i", "-o", "-e", "--input", "--output", "--error"],
  setpriv: ["--reuid", "--regid", "--groups", "--pdeathsig"],
  flock: ["-w", "-E", "--timeout"],
  chroot: ["--userspec", "--groups"],
  exec: ["-a"],
  strace: ["-e", "-o", "-p", "-s", "-u"],
  time: ["-f", "-o"],
};

/** How many words of its own a wrapper takes before the command, besides options. */
const ownWords: Readonly<Record<string, number>> = { timeout: 1, flock: 1, chroot: 1, taskset: 1, chrt: 1 };

const plainWrappers = new Set([
  ...[
    "sudo",
    "doas",
    "nohup",
    "nice",
    "ionice",
    "time",
    "timeout",
    "stdbuf",
    "setsid",
    "xargs",
    "exec",
    "command",
  ],
  ...[
    "builtin",
    "setpriv",
    "unshare",
    "nsenter",
    "flock",
    "chroot",
    "taskset",
    "chrt",
    "strace",
    "ltrace",
    "catchsegv",
  ],
  ...["parallel", "unbuffer", "proot", "fakeroot", "dbus-run-session", "xvfb-run", "npx", "bunx", "pnpx"],
]);

/** The words of the command a wrapper starts; none when the program is no wrapper. */
export function wrapped(name: string, rest: readonly ShellWord[]): readonly ShellWord[] {
  if (!plainWrappers.has(name)) return [];
  // `command -v` and `-V` only ask.
  if (name === "command" && /^-[vV]/.test(rest[0]?.literal ?? "")) return [];
  return withoutOptions(rest, valueOptions[name] ?? []).slice(ownWords[name] ?? 0);
}

export function withoutOptions(
  words: readonly ShellWord[],
  withValue: readonly string[],
): readonly ShellWord[] {
  let at = 0;
  for (; at < words.length; at += 1) {
    const literal = words[at]?.literal;
    if (literal === "--") return words.slice(at + 1);
    if (literal === undefined || !literal.startsWith("-") || literal === "-") break;
    if (withValue.includes(literal)) at += 1;
  }
  return words.slice(at);
}

/** The commands of `-exec`, `-execdir`, `-ok` and `-okdir`. */
export function executedByFind(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const found: ShellWord[][] = [];
  let open: ShellWord[] | undefined;
  for (const word of words) {
    if (open !== undefined && (word.literal === ";" || word.literal === "+")) open = undefined;
    else if (open !== undefined) open.push(word);
    else if (/^-(?:exec|execdir|ok|okdir)$/.test(word.literal ?? "")) {
      open = [];
      found.push(open);
    }
  }
  return found;
}

/** The text after `-c` or `--command`; none when there is no such option. */
export function scriptOption(words: readonly ShellWord[]): readonly (ShellWord | undefined)[] {
  const at = words.findIndex(({ literal }) => literal === "-c" || literal === "--command");
  return at < 0 ? [] : [words[at + 1]];
}
