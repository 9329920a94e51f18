/** The corrections that people keep: `context-rules.sexp` for everything, `context-rules/<digest>.sexp` for one workspace (manual). */
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  type DataForm,
  PlistReader,
  keyword,
  listElements,
  prettyPrintDataForm,
  readDataForm,
} from "../../lisp/data-forms/index.ts";
import { AutolithError, failureOf } from "../contract/failure.ts";
import { errnoOf } from "../record/failure.ts";
import { publishFile } from "../record/publication.ts";
import { withFileLock } from "../record/file-lock.ts";
import { type ContextRule, contextRuleForm, contextRuleOf } from "./context-rule.ts";

/** Rules of one collection, at most. */
export const collectionRuleLimit = 256;
const limits = { maxBytes: 4_194_304, maxDepth: 16, maxNodes: 65_536, maxStringCharacters: 65_536 };

export type RuleScope = "workspace" | "global";

type Collection = { readonly stamp: string; readonly rules: readonly ContextRule[] };

export class RuleCollections {
  readonly #dataRoot: string;
  readonly #known = new Map<string, Collection>();

  constructor(dataRoot: string) {
    this.#dataRoot = dataRoot;
  }

  path(scope: RuleScope, workspace: string): string {
    if (scope === "global") return join(this.#dataRoot, "context-rules.sexp");
    const digest = createHash("sha256").update(workspace).digest("hex").slice(0, 32);
    return join(this.#dataRoot, "context-rules", `${digest}.sexp`);
  }

  /**
   * The rules that hold in a workspace: its own, and the global ones whose ids it has not. Files are read again when they changed. Rejects with
   * `context-rules-unreadable`, naming the file.
   */
  async rules(workspace: string): Promise<readonly ContextRule[]> {
    const [own, everywhere] = await Promise.all([
      this.#read(this.path("workspace", workspace)),
      this.#read(this.path("global", workspace)),
    ]);
    const names = new Set(own.map(({ id }) => id));
    return [...own, ...everywhere.filter(({ id }) => !names.has(id))];
  }

  /** Whether a collection has a rule of that id. Rejects as {@link rules}. */
  async holds(id: string, scope: RuleScope, workspace: string): Promise<boolean> {
    return (await this.#read(this.path(scope, workspace))).some((rule) => rule.id === id);
  }

  /**
   * Adds a rule, or replaces the one of its id when that is allowed; answers whether it replaced one. Rejects with `correction-exists`,
   * `context-rule-limit`, and as {@link rules}.
   */
  async save(
    rule: ContextRule,
    scope: RuleScope,
    workspace: string,
    { replace }: { readonly replace: boolean },
  ): Promise<boolean> {
    const path = this.path(scope, workspace);
    return withFileLock(path, async () => {
      const present = await this.#read(path);
      const kept = present.filter(({ id }) => id !== rule.id);
      const replaced = kept.length < present.length;
      if (replaced && !replace)
        throw new AutolithError(
          "correction-exists",
          `A correction ${rule.id} is saved already (${scope}, in ${path}). Confirm that it is to be replaced, or choose another id.`,
          { details: { id: rule.id, scope } },
        );
      if (kept.length >= collectionRuleLimit)
        throw new AutolithError(
          "context-rule-limit",
          `${path} holds ${kept.length} rules, which is the limit. Remove some there first.`,
        );
      await publishFile(path, `${prettyPrintDataForm(collectionForm([...kept, rule], scope, workspace))}\n`);
      return replaced;
    });
  }

  async #read(path: string): Promise<readonly ContextRule[]> {
    const stamp = await stampOf(path);
    if (stamp === undefined) return [];
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.rules;
    try {
      const rules = rulesOf(readDataForm(await readFile(path), { limits }));
      this.#known.set(path, { stamp, rules });
      return rules;
    } catch (error) {
      throw new AutolithError(
        "context-rules-unreadable",
        `The context rules in ${path} cannot be read: ${failureOf(error).message}. Correct the file or move it away.`,
        { cause: error },
      );
    }
  }
}

async function stampOf(path: string): Promise<string | undefined> {
  try {
    const { mtimeNs, size, ino } = await stat(path, { bigint: true });
    return `${ino}:${size}:${mtimeNs}`;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function collectionForm(rules: readonly ContextRule[], scope: RuleScope, workspace: string): DataForm {
  return [
    keyword("context-rules"),
    ...[keyword("version"), 1],
    ...(scope === "global" ? [] : [keyword("workspace"), workspace]),
    ...[keyword("rules"), rules.map(contextRuleForm)],
  ];
}

function rulesOf(form: DataForm): readonly ContextRule[] {
  const elements = listElements(form) ?? [];
  if (elements[0] !== keyword("context-rules"))
    throw new TypeError("the form does not begin with :context-rules");
  const reader = new PlistReader(elements, 1, {
    what: "a collection of context rules",
    keys: ["version", "workspace", "rules"],
  });
  reader.integer("version", { minimum: 1, maximum: 1 });
  const rules = reader.list("rules");
  if (rules.length > collectionRuleLimit)
    throw new RangeError(`it holds ${rules.length} rules; at most ${collectionRuleLimit} are read`);
  return rules.map(contextRuleOf);
}
