/**
 * The files of self-modification (facts I): `mutations.sexp` with what is not committed, `image-commits/` with what is, and
 * `current-image-commit.sexp` which says which commit new images replay. Shared by the user's hosts, changed under a lock.
 */
import { randomBytes } from "node:crypto";
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
import { readIfPresent } from "../record/present-file.ts";
import { withFileLock } from "../record/file-lock.ts";
import { publishFile } from "../record/publication.ts";
import { type Mutation, latestOfEach, mutationForm, mutationOf } from "./mutation.ts";

/** Mutations that wait for a commit, and definitions of one commit, at most. */
export const pendingMutationLimit = 512;
export const committedDefinitionLimit = 4_096;
const limits = {
  maxBytes: 67_108_864,
  maxDepth: 16,
  maxNodes: 262_144,
  maxStringCharacters: 1_048_576,
};

export type ImageCommit = {
  readonly id: string;
  readonly title: string;
  readonly at: number;
  readonly parent: string | undefined;
  readonly definitions: readonly Mutation[];
};

export class MutationStore {
  readonly #pendingPath: string;
  readonly #currentPath: string;
  readonly #commits: string;

  constructor(roots: { readonly dataRoot: string; readonly stateRoot: string }) {
    this.#pendingPath = join(roots.stateRoot, "mutations.sexp");
    this.#currentPath = join(roots.stateRoot, "current-image-commit.sexp");
    this.#commits = join(roots.dataRoot, "image-commits");
  }

  /** True when there is anything to replay. */
  async hasAny(): Promise<boolean> {
    return (await this.current()) !== undefined || (await this.pending()).length > 0;
  }

  /** What is not committed, oldest first. Rejects with `mutations-unreadable`, as everything here does for a broken file. */
  async pending(): Promise<readonly Mutation[]> {
    const form = await readForm(this.#pendingPath);
    if (form === undefined) return [];
    return inFile(this.#pendingPath, () => {
      const reader = new PlistReader(listElements(form) ?? [], 1, {
        what: "the mutations",
        keys: ["version", "mutations"],
      });
      reader.integer("version", { minimum: 1, maximum: 1 });
      return reader.list("mutations").map(mutationOf);
    });
  }

  /** Changes what is not committed. Rejects with `mutation-limit`. */
  change(step: (pending: readonly Mutation[]) => readonly Mutation[]): Promise<void> {
    return withFileLock(this.#pendingPath, async () => {
      const changed = step(await this.pending());
      if (changed.length > pendingMutationLimit)
        throw new AutolithError(
          "mutation-limit",
          `${changed.length - 1} mutations wait for a commit, which is the limit; commit or discard some first.`,
        );
      await this.#write(changed);
    });
  }

  /** The commit that new images replay. */
  async current(): Promise<ImageCommit | undefined> {
    const form = await readForm(this.#currentPath);
    if (form === undefined) return undefined;
    const id = inFile(this.#currentPath, () => {
      const reader = new PlistReader(listElements(form) ?? [], 1, {
        what: "the current image commit",
        keys: ["version", "id"],
      });
      return reader.string("id", { minCharacters: 1, maxCharacters: 64 });
    });
    return this.commit(id);
  }

  async commit(id: string): Promise<ImageCommit> {
    const path = join(this.#commits, `${id}.sexp`);
    const form = await readForm(path);
    if (form === undefined || !/^[0-9a-f]+$/.test(id))
      throw new AutolithError("mutations-unreadable", `The image commit ${path} is not there any more.`);
    return inFile(path, () => {
      const reader = new PlistReader(listElements(form) ?? [], 1, {
        what: "an image commit",
        keys: ["version", "id", "title", "at", "parent", "definitions"],
      });
      reader.integer("version", { minimum: 1, maximum: 1 });
      return {
        id,
        title: reader.string("title", {}),
        at: reader.integer("at", { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
        parent: reader.has("parent") ? reader.string("parent", {}) : undefined,
        definitions: reader.list("definitions").map(mutationOf),
      };
    });
  }

  /**
   * Publishes what is not committed on top of the current commit without those of its definitions that `dropped` names (by id). The commit is
   * in place before it becomes the current one, and mutations leave the waiting file last: nothing is lost whatever dies between. Rejects with
   * `nothing-to-commit`.
   */
  publish(title: string, at: number, dropped: ReadonlySet<string>): Promise<ImageCommit> {
    return withFileLock(this.#pendingPath, async () => {
      const pending = await this.pending();
      const parent = await this.current();
      const kept = (parent?.definitions ?? []).filter(({ id }) => !dropped.has(id));
      if (pending.length === 0 && kept.length === (parent?.definitions.length ?? 0))
        throw new AutolithError("nothing-to-commit", "There is nothing that is not committed already.");
      const definitions = latestOfEach([...kept, ...pending]);
      if (definitions.length > committedDefinitionLimit)
        throw new AutolithError(
          "mutation-limit",
          `A commit holds at most ${committedDefinitionLimit} definitions, not ${definitions.length}.`,
        );
      const id = randomBytes(8).toString("hex");
      const commit: ImageCommit = { id, title, at, parent: parent?.id, definitions };
      await publishFile(join(this.#commits, `${id}.sexp`), textOf(commitForm(commit)));
      await publishFile(
        this.#currentPath,
        textOf([keyword("current-image-commit"), keyword("version"), 1, keyword("id"), id]),
      );
      await this.#write([]);
      return commit;
    });
  }

  #write(mutations: readonly Mutation[]): Promise<void> {
    return publishFile(
      this.#pendingPath,
      textOf([
        keyword("mutations"),
        keyword("version"),
        1,
        keyword("mutations"),
        mutations.map(mutationForm),
      ]),
    );
  }
}

function commitForm({ id, title, at, parent, definitions }: ImageCommit): DataForm {
  return [
    keyword("image-commit"),
    ...[keyword("version"), 1, keyword("id"), id, keyword("title"), title, keyword("at"), at],
    ...(parent === undefined ? [] : [keyword("parent"), parent]),
    ...[keyword("definitions"), definitions.map(mutationForm)],
  ];
}

function textOf(form: DataForm): string {
  return `${prettyPrintDataForm(form)}\n`;
}

async function readForm(path: string): Promise<DataForm | undefined> {
  const bytes = await readIfPresent(path);
  return bytes === undefined ? undefined : inFile(path, () => readDataForm(bytes, { limits }));
}

function inFile<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new AutolithError(
      "mutations-unreadable",
      `${path} cannot be read: ${failureOf(error).message}. Correct it or move it away; --pristine starts without it.`,
      { cause: error },
    );
  }
}
