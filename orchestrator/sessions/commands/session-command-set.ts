/** The commands of one session: ours, and those that its Lisp image has defined. */
import type { DefinedCommand } from "../../prompt/image-extensions.ts";
import type { Command } from "./command.ts";
import { commands, findCommand } from "./command-table.ts";
import { slashPieces } from "./slash-words.ts";

export class SessionCommandSet {
  readonly #defined: () => readonly DefinedCommand[];

  constructor(defined: () => readonly DefinedCommand[]) {
    this.#defined = defined;
  }

  all(): readonly Command[] {
    return [...commands, ...this.#defined().map(commandOf)].toSorted((left, right) =>
      left.name.localeCompare(right.name),
    );
  }

  /** By name or alias, in any case, with or without its slash. */
  find(name: string): Command | undefined {
    const wanted = name.replace(/^\//, "").toLowerCase();
    const ours = findCommand(wanted);
    if (ours !== undefined) return ours;
    const defined = this.#defined().find((each) => each.name === wanted || each.aliases.includes(wanted));
    return defined === undefined ? undefined : commandOf(defined);
  }
}

function commandOf(defined: DefinedCommand): Command {
  const { name, aliases, busy, summary, choices, needsTerminal, maxWords } = defined;
  return {
    name,
    aliases,
    busy,
    topic: "extensions",
    summary,
    arguments: defined.arguments,
    ...(choices.length === 0 ? {} : { choices }),
    ...(needsTerminal ? { terminalWithoutArguments: true as const } : {}),
    ...(maxWords === undefined ? {} : { maxWords }),
    run: async (input, context) => {
      const words = slashPieces(input).map(({ text }) => text);
      const { value, output } = await context.callLisp("command", [name, input, words]);
      const text = output.trim();
      return value === "quit" ? { text, clientAction: "quit" } : { text };
    },
  };
}
