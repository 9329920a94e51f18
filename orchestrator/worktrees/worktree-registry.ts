/** `task-worktrees/` of the data root: the checkouts of isolated children, and one file for each that says whose it is. */
import { readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { prettyPrintDataForm } from "../../lisp/data-forms/index.ts";
import { type ExecutionId, executionIdSchema } from "../contract/identifiers.ts";
import { readFormFile } from "../record/execution-directory.ts";
import { errnoOf, RecordError, recordFailure } from "../record/failure.ts";
import { publishFile } from "../record/publication.ts";
import { type WorktreeRecord, worktreeDocument } from "./worktree.ts";

/** Most entries read for one discovery; more are reported with this number. */
export const registryLimit = 4_096;

const registryLimits = { maxBytes: 65_536, maxDepth: 8, maxNodes: 256, maxStringCharacters: 4_096 };

export class WorktreeRegistry {
  readonly #root: string;

  /** `root`: the absolute directory `task-worktrees`. Nothing is created before the first write. */
  constructor(root: string) {
    this.#root = root;
  }

  /** Where the checkout of a child is. */
  checkoutOf(executionId: ExecutionId): string {
    return join(this.checkouts, executionId);
  }

  /** The directory of all checkouts. */
  get checkouts(): string {
    return join(this.#root, "checkouts");
  }

  /** Durable when it resolves. */
  async publish(record: WorktreeRecord): Promise<void> {
    await publishFile(this.#pathOf(record.id), `${prettyPrintDataForm(worktreeDocument.toForm(record))}\n`);
  }

  /** @throws RecordError `malformed` for an entry that is no record. */
  async read(id: string): Promise<WorktreeRecord | undefined> {
    const path = this.#pathOf(id);
    const form = await readFormFile(path, registryLimits);
    if (form === undefined) return undefined;
    try {
      return worktreeDocument.fromForm(form);
    } catch (error) {
      throw new RecordError("malformed", path, `${path} is not readable as a worktree record.`, error);
    }
  }

  /** Entries whose owner is the conversation; one that cannot be read is passed to `report`. */
  async ownedBy(conversation: string, report: (error: unknown) => void): Promise<readonly WorktreeRecord[]> {
    const records: WorktreeRecord[] = [];
    for (const id of await this.#ids()) {
      try {
        const record = await this.read(id);
        if (record?.owner.startsWith(`${conversation}/`) === true) records.push(record);
      } catch (error) {
        report(error);
      }
    }
    return records;
  }

  async forget(id: string): Promise<void> {
    const path = this.#pathOf(id);
    await unlink(path).catch((error: unknown) => {
      if (errnoOf(error) !== "ENOENT") throw recordFailure(error, path, "remove");
    });
  }

  async #ids(): Promise<readonly ExecutionId[]> {
    const directory = join(this.#root, "registry");
    const names = await readdir(directory).catch((error: unknown) => {
      if (errnoOf(error) === "ENOENT") return [];
      throw recordFailure(error, directory, "read");
    });
    const ids = names.flatMap((name) => {
      const id = executionIdSchema.safeParse(/^(.+)\.sexp$/.exec(name)?.[1]);
      return id.success ? [id.data] : [];
    });
    if (ids.length > registryLimit)
      throw new RecordError(
        "too-large",
        directory,
        `${directory} has ${ids.length} worktree records; at most ${registryLimit} are read. Clean up with task.worktree.`,
      );
    return ids.sort();
  }

  #pathOf(id: string): string {
    return join(this.#root, "registry", `${executionIdSchema.parse(id)}.sexp`);
  }
}
