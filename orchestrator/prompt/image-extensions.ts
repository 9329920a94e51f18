/** What Lisp has added to an image's sessions: commands, contributors of notes, rules. It lives as long as the image that it was made in. */
import type { AdviceSource } from "../advice/advice-board.ts";
import type { ContextRule } from "../advice/context-rule.ts";
import { AutolithError } from "../contract/failure.ts";
import type { BusyBehaviour } from "../contract/session/catalogs.ts";

/** Commands, contributors and rules of one image, at most of each. */
export const extensionLimits = { commands: 256, contributors: 64, rules: 256 } as const;

/** A command as Lisp has defined it. */
export type DefinedCommand = {
  /** Without slash. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly busy: BusyBehaviour;
  readonly summary: string;
  /** Arguments as they are written: `[LABEL]`. */
  readonly arguments: string;
  /** Values that the argument may have, for completion. */
  readonly choices: readonly string[];
  readonly needsTerminal: boolean;
  /** Most words behind the name; undefined: any text. */
  readonly maxWords: number | undefined;
};

export class ImageExtensions {
  readonly #commands = new Map<string, DefinedCommand>();
  readonly #contributors = new Map<string, AdviceSource>();
  readonly #rules = new Map<string, ContextRule>();

  get commands(): readonly DefinedCommand[] {
    return [...this.#commands.values()];
  }

  get contributors(): readonly AdviceSource[] {
    return [...this.#contributors.values()];
  }

  get rules(): readonly ContextRule[] {
    return [...this.#rules.values()];
  }

  /** Adds a command, or replaces the one of its name. Rejects beyond the bound with `extension-limit`; so do the others. */
  addCommand(command: DefinedCommand): void {
    put(this.#commands, command.name, command, "commands");
  }

  addContributor(source: AdviceSource): void {
    put(this.#contributors, source.name, source, "contributors");
  }

  /** False when there is no contributor of that name. */
  removeContributor(name: string): boolean {
    return this.#contributors.delete(name);
  }

  addRule(rule: ContextRule): void {
    put(this.#rules, rule.id, rule, "rules");
  }

  /** False when there is no rule of that id. */
  removeRule(id: string): boolean {
    return this.#rules.delete(id);
  }

  /** The image is gone, and what was made in it. */
  clear(): void {
    this.#commands.clear();
    this.#contributors.clear();
    this.#rules.clear();
  }
}

function put<Value>(
  map: Map<string, Value>,
  name: string,
  value: Value,
  what: keyof typeof extensionLimits,
): void {
  if (!map.has(name) && map.size >= extensionLimits[what])
    throw new AutolithError(
      "extension-limit",
      `${map.size} ${what} are registered already, which is the limit.`,
    );
  map.set(name, value);
}
