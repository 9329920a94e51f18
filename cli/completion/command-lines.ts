/** The command line as data for shells: commands, their words and options. A test compares it with what the commands accept. */

/** How the value of an option or an argument is completed. */
export type ValueKind = "file" | "directory" | "none" | readonly string[];

export type OptionLine = {
  /** With dashes. */
  readonly name: string;
  readonly summary: string;
  /** Absent: it takes no value. */
  readonly value?: ValueKind;
};

export type CommandLine = {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionLine[];
  /** Words that may follow, with options of their own. */
  readonly subcommands?: readonly CommandLine[];
  /** What other arguments are. */
  readonly arguments: ValueKind;
};

const help: OptionLine = { name: "--help", summary: "say how it is used" };

function command(
  name: string,
  summary: string,
  options: readonly OptionLine[] = [],
  more: Partial<Pick<CommandLine, "subcommands" | "arguments">> = {},
): CommandLine {
  return { name, summary, options: [...options, help], arguments: "none", ...more };
}

/** Options before or after every command. */
export const sessionOptionLines: readonly OptionLine[] = [
  { name: "--permissions", summary: "how commands may run", value: ["ask", "auto", "sandbox", "full"] },
  { name: "--model", summary: "a model's id", value: "none" },
  { name: "--provider", summary: "the provider of --model", value: "none" },
  { name: "--site-config-root", summary: "a read-only configuration tree", value: "directory" },
  { name: "--immutable", summary: "no self-modification" },
  { name: "--pristine", summary: "--immutable without initialization" },
];

const image: OptionLine = { name: "--image", summary: "an image for the first input", value: "file" };

const localgroup: readonly CommandLine[] = [
  command("status", "list running sessions", [{ name: "--sexp", summary: "one data form" }]),
  command("tell", "give a message to a session"),
  command("pause", "cancel active work and hold waiting input"),
  command("attach", "open a terminal on a session", [
    { name: "--read-only", summary: "only look on" },
    { name: "--take-over", summary: "detach all others" },
  ]),
  command("detach", "detach every terminal"),
  command("kill", "ask a session to end"),
];

const lgSummary = "running sessions: status, tell, pause, attach, detach, kill";

/** All commands that are here. */
export const commandLines: readonly CommandLine[] = [
  command("resume", "a stored conversation in the terminal", [image]),
  command("fork", "a copy of a stored conversation in the terminal", [image]),
  command("replay", "looks at a stored conversation, without opening it", [
    { name: "--raw", summary: "print records as they are stored" },
  ]),
  command("localgroup", lgSummary, [], { subcommands: localgroup }),
  command("lg", lgSummary, [], { subcommands: localgroup }),
  command("completion", "a completion script for a shell", [], { arguments: ["bash", "zsh", "fish"] }),
  command("run-job", "run one job file without a terminal", [
    { name: "--input", summary: "the job file", value: "file" },
    { name: "--output", summary: "where the result is put", value: "file" },
    { name: "--events", summary: "event forms on standard output", value: ["sexp"] },
    { name: "--record", summary: "keep every model exchange in a cassette", value: "file" },
    { name: "--replay", summary: "answer from a cassette", value: "file" },
  ]),
  command("acp", "serve editors by the Agent Client Protocol", [
    { name: "--http", summary: "serve HTTP and WebSocket" },
    { name: "--websocket", summary: "serve WebSocket alone" },
    { name: "--token", summary: "what clients must present", value: "none" },
  ]),
  command("host", "the session host that terminals join", [
    { name: "--idle-seconds", summary: "time with nothing to do after which it ends", value: "none" },
  ]),
  command(
    "lisp",
    "the Common Lisp",
    [
      { name: "--image", summary: "start from a saved image", value: "file" },
      { name: "--load", summary: "load a file", value: "file" },
      { name: "--eval", summary: "evaluate a form", value: "none" },
      { name: "--print", summary: "evaluate a form and print its values", value: "none" },
    ],
    { arguments: "file" },
  ),
  command("limits", "every bound and its value", [{ name: "--sexp", summary: "one data form" }]),
  command("example", "run a bundled example"),
];
