/** What `help` says: an overview, a topic, a command, a namespace of tools, one tool, or everything. Pure. */
import type { ToolSchema } from "../../contract/model.ts";
import { absenceText } from "../../tools/absent-operators.ts";
import type { Command } from "./command.ts";

export type HelpSources = {
  readonly commands: readonly Command[];
  readonly tools: readonly ToolSchema[];
};

/** Answers for `(help :topic)`, which opens a section, `(help 'command)`, `/help topic`, `help "shell.run"`. */
export function helpText(topic: string, sources: HelpSources): string {
  const word = topic
    .trim()
    .replace(/^[':/"]+/, "")
    .replace(/"$/, "")
    .toLowerCase();
  const { commands, tools } = sources;
  if (word === "") return overview(sources);
  if (word === "commands") return `${listing(commands)}\n\n${literalSlash}`;
  if (word === "all") return [listing(commands), literalSlash, tools.map(toolHelp).join("\n\n")].join("\n\n");
  const command = commands.find((each) => each.name === word || each.aliases?.includes(word) === true);
  const tool = tools.find(({ name }) => name === word);
  const members = commands.filter((each) => each.topic === word || sections[word]?.includes(each.name));
  const namespace = tools.filter(
    ({ name }) =>
      name.startsWith(`${word}.`) || sections[word]?.includes(name.slice(0, name.indexOf(".") + 1)),
  );
  // A keyword opens a section, also where a command has its name.
  const isSection = /^\s*:/.test(topic) && members.length + namespace.length > 0;
  const parts = [
    ...(command === undefined || isSection ? [] : [commandHelp(command)]),
    ...(tool === undefined ? [] : [toolHelp(tool)]),
    ...(members.length === 0 ? [] : [listing(members)]),
    ...(namespace.length === 0 ? [] : [namespace.map(toolLine).join("\n")]),
  ];
  if (parts.length > 0) return parts.join("\n\n");
  const absence = absenceText(word);
  if (absence !== undefined) return absence;
  return `There is no help about ${JSON.stringify(topic.slice(0, 80))}.\n\n${overview(sources)}`;
}

/** Sections that take commands and tools of several topics together: names, and namespaces with their dot. */
const sections: Readonly<Record<string, readonly string[]>> = {
  workspace: ["cwd", "permissions", "resource.", "search.", "fs.", "shell."],
};

const literalSlash = "//text sends a message that begins with a slash.";

/** `/name ARGUMENTS`. */
export function usageOf(command: Pick<Command, "name" | "arguments">): string {
  return `/${command.name}${command.arguments === "" ? "" : ` ${command.arguments}`}`;
}

function overview({ commands, tools }: HelpSources): string {
  const topics = [
    ...new Set([...commands.map(({ topic }) => topic as string), ...Object.keys(sections)]),
  ].sort();
  const namespaces = [...new Set(tools.map(({ name }) => name.slice(0, name.indexOf("."))))].sort();
  return [
    "Text is a prompt to the agent. (name …) is a Lisp form: every command and tool is a function. /name runs a command as text.",
    `Topics: ${topics.join(", ")}`,
    `Tools by namespace: ${namespaces.join(", ")}`,
    `(help :topic), (help 'command) and (help "tool") say more; (help :commands) lists all commands, (help :all) everything.`,
    literalSlash,
  ].join("\n");
}

function listing(commands: readonly Command[]): string {
  const width = Math.min(40, Math.max(...commands.map((each) => usageOf(each).length)));
  return commands.map((each) => `${usageOf(each).padEnd(width)}  ${each.summary}`).join("\n");
}

function commandHelp(command: Command): string {
  const aliases =
    (command.aliases ?? []).length === 0
      ? ""
      : `\nAlso: ${command.aliases?.map((each) => `/${each}`).join(", ")}`;
  return `${usageOf(command)}\n${command.summary}${aliases}\nDuring a turn: ${duringTurn[command.busy]}`;
}

const duringTurn: Readonly<Record<Command["busy"], string>> = {
  inspect: "answers at once",
  execute: "runs at once",
  apply: "applies at the next boundary; without arguments it answers at once",
  hold: "waits until the turn is over",
  cancel: "ends the turn first",
};

function toolLine({ name, description }: ToolSchema): string {
  return `${name}  ${description.split(/(?<=\.) /)[0] ?? ""}`;
}

function toolHelp({ name, description, parameters }: ToolSchema): string {
  const schema = parameters as {
    readonly properties?: Readonly<
      Record<string, { readonly type?: unknown; readonly description?: unknown }>
    >;
    readonly required?: readonly string[];
  };
  const lines = Object.entries(schema.properties ?? {}).map(([argument, about]) => {
    const required = schema.required?.includes(argument) === true ? " (required)" : "";
    const kind = typeof about.type === "string" ? ` ${about.type}` : "";
    const text = typeof about.description === "string" ? `: ${about.description}` : "";
    return `  ${argument}${kind}${required}${text}`;
  });
  return [`${name}\n${description}`, ...lines].join("\n");
}
