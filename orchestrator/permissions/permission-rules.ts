/**
 * What the person approved for good: exact commands in exact directories, in `permissions.sexp` of the state root, shared by all hosts of
 * this user. A rule gives full access in the modes that ask; mode sandbox knows no rules.
 */
import {
  type DataForm,
  PlistReader,
  keyword,
  listElements,
  prettyPrintDataForm,
  readDataForm,
} from "../../lisp/data-forms/index.ts";
import { AutolithError } from "../contract/failure.ts";
import { readIfPresent } from "../record/present-file.ts";
import { withFileLock } from "../record/file-lock.ts";
import { publishFile } from "../record/publication.ts";

export type PermissionRule = {
  /** The exact shell text. */
  readonly command: string;
  /** Absolute. */
  readonly directory: string;
};

/** Rules that are kept; the oldest go first. */
export const permissionRuleLimit = 1_024;
/** Longest command that can be approved for good, in characters. */
export const ruleCommandLimit = 32_768;

const head = keyword("permissions");
const limits = {
  maxBytes: 67_108_864,
  maxDepth: 8,
  maxNodes: 16_384,
  maxStringCharacters: ruleCommandLimit,
};

export class PermissionRules {
  readonly #path: string;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(stateRoot: string) {
    this.#path = `${stateRoot}/permissions.sexp`;
  }

  /** Oldest first. Rejects with `permissions-unreadable` (naming the file) for a file that holds something else. */
  async list(): Promise<readonly PermissionRule[]> {
    try {
      const bytes = await readIfPresent(this.#path);
      return bytes === undefined ? [] : rulesOf(readDataForm(bytes, { limits }));
    } catch (error) {
      throw this.#unreadable(error);
    }
  }

  async has(rule: PermissionRule): Promise<boolean> {
    return (await this.list()).some((each) => isSame(each, rule));
  }

  /** Adds a rule; durable when it resolves. Rejects with `invalid-argument` for a command that is too long to be kept. */
  async add(rule: PermissionRule): Promise<void> {
    if (rule.command.length > ruleCommandLimit)
      throw new AutolithError(
        "invalid-argument",
        `A command that is approved for good has at most ${ruleCommandLimit} characters, not ${rule.command.length}.`,
      );
    return this.#change((rules) =>
      [...rules.filter((each) => !isSame(each, rule)), rule].slice(-permissionRuleLimit),
    );
  }

  /** Forgets all rules; answers how many there were. */
  async clear(): Promise<number> {
    let count = 0;
    await this.#change((rules) => {
      count = rules.length;
      return [];
    });
    return count;
  }

  /** One change after the other, also those of other hosts: what they added is read first. Rejects with `locked` when one holds the file. */
  #change(change: (rules: readonly PermissionRule[]) => readonly PermissionRule[]): Promise<void> {
    const changed = this.#changing.then(() =>
      withFileLock(this.#path, async () => publishFile(this.#path, textOf(change(await this.list())))),
    );
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  #unreadable(cause: unknown): AutolithError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new AutolithError(
      "permissions-unreadable",
      `The approvals in ${this.#path} cannot be read: ${reason}. Move the file away to begin with none.`,
      { cause },
    );
  }
}

function textOf(rules: readonly PermissionRule[]): string {
  const forms = rules.map(({ command, directory }): DataForm => [
    ...[keyword("command"), command],
    ...[keyword("directory"), directory],
  ]);
  return prettyPrintDataForm([head, ...[keyword("version"), 1], ...[keyword("rules"), forms]]);
}

function isSame(left: PermissionRule, right: PermissionRule): boolean {
  return left.command === right.command && left.directory === right.directory;
}

function rulesOf(form: DataForm): readonly PermissionRule[] {
  const list = listElements(form) ?? [];
  if (list[0] !== head) throw new TypeError("it is not a (:permissions …) form");
  const reader = new PlistReader(list, 1, { what: "the permissions", keys: ["version", "rules"] });
  reader.integer("version", { minimum: 1, maximum: 1 });
  return reader.list("rules").map((rule) => {
    const each = PlistReader.of(rule, { what: "a permission rule", keys: ["command", "directory"] });
    return {
      command: each.string("command", { minCharacters: 1 }),
      directory: each.string("directory", { minCharacters: 1, maxCharacters: 4_096 }),
    };
  });
}
