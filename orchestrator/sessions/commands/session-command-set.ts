/** The commands of one session: ours, and those that its Lisp image has defined. */
import type { Command } from "./command.ts";
import { commands, findCommand } from "./command-table.ts";

export class SessionCommandSet {
  readonly #defined: () => readonly Command[];

  constructor(defined: () => readonly Command[]) {
    this.#defined = defined;
  }

  all(): readonly Command[] {
    return [...commands, ...this.#defined()].toSorted((left, right) => left.name.localeCompare(right.name));
  }

  /** By name or alias, in any case, with or without its slash. */
  find(name: string): Command | undefined {
    const wanted = name.replace(/^\//, "").toLowerCase();
    return (
      findCommand(wanted) ??
      this.#defined().find((each) => each.name === wanted || each.aliases?.includes(wanted) === true)
    );
  }
}
