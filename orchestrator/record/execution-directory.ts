import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  type DataForm,
  type DataLimits,
  DataFormError,
  checkFormLimits,
  prettyPrintDataForm,
  readDataForm,
  recordLimits,
} from "../../lisp/data-forms/index.ts";
import type { ConversationId, ExecutionId } from "../contract/identifiers.ts";
import { inlineResultLimit } from "../jobs/journal-records.ts";
import {
  type AbandonRecord,
  type ActivityRecord,
  type ContinuityRecord,
  type ReattachRecord,
  type ResultRecord,
  type ReviveRecord,
  type ReviveResultRecord,
  type TerminalRecord,
  abandonDocument,
  activityDocument,
  continuityDocument,
  reattachDocument,
  reviveDocument,
  reviveResultDocument,
  resultDocument,
  terminalDocument,
} from "./execution-records.ts";
import { errnoOf, RecordError, recordFailure } from "./failure.ts";
import type { PlistDocument } from "./plist-document.ts";
import { publishFile } from "./publication.ts";
import { createPrivateDirectory, createPrivateDirectoryNow } from "./roots.ts";

/** How a file of an execution directory may be written. */
interface FileRule {
  /** Written once: a second write is refused with `already-exists`. */
  readonly once: boolean;
  readonly maxBytes: number;
  /** Synced before the write resolves. What can be made again from the synced job journal need not be. */
  readonly durable: boolean;
}

const oneMebibyte = 1024 * 1024;
const once: FileRule = { once: true, maxBytes: recordLimits.maxBytes, durable: true };
const replaced: FileRule = { once: false, maxBytes: oneMebibyte, durable: true };

/** The data files of an execution directory (facts C.9) and their rules. */
const files = {
  "continuity.sexp": { ...replaced, durable: false },
  "activity.sexp": { ...replaced, durable: false },
  "terminal.sexp": once,
  "result.sexp": once,
  "reattach.sexp": { ...replaced },
  "revive.sexp": once,
  "revive-result.sexp": { ...replaced },
  "abandon.sexp": once,
  "worktree.sexp": { ...replaced },
  "worktree-artifact.sexp": once,
} as const satisfies Record<string, FileRule>;

/** A data file of an execution directory. */
export type ExecutionFile = keyof typeof files;

const artifactName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/**
 * The directory `tasks/<conversation>/<execution>/` of one execution: its records and artifacts. Every file appears whole
 * or not at all; `result.sexp`, `terminal.sexp`, claims and artifacts are never overwritten.
 */
export class ExecutionDirectory {
  readonly path: string;

  /** `tasks` is the data root's directory of that name. Nothing is created before the first write. */
  constructor(tasks: string, rootConversation: ConversationId, executionId: ExecutionId) {
    this.path = join(tasks, rootConversation, executionId);
  }

  /** The path of a data file, which may not exist. */
  pathOf(file: ExecutionFile): string {
    return join(this.path, file);
  }

  /** Creates the directory. True when it did not exist, so that nothing of the execution has been written. */
  async create(): Promise<boolean> {
    if (createPrivateDirectoryNow(this.path)) return true;
    try {
      const existing = await stat(this.path).catch(() => undefined);
      if (existing?.isDirectory() === true) return false;
      await createPrivateDirectory(this.path);
      return true;
    } catch (error) {
      throw recordFailure(error, this.path, "create the directory");
    }
  }

  /** Creates the directory where it is missing. */
  async writeContinuity(record: ContinuityRecord): Promise<void> {
    await this.writeForm("continuity.sexp", continuityDocument.toForm(record));
  }

  writeActivity(record: ActivityRecord): Promise<void> {
    return this.writeForm("activity.sexp", activityDocument.toForm(record));
  }

  /**
   * Synced when it carries a result that is too large for the journal's settled record, and so may be nowhere else.
   *
   * @throws RecordError `already-exists` for a second terminal record.
   */
  writeTerminal(record: TerminalRecord): Promise<void> {
    const { result } = record;
    const durable = result !== undefined && JSON.stringify(result).length > inlineResultLimit;
    return this.#write("terminal.sexp", terminalDocument.toForm(record), { ...once, durable });
  }

  /** @throws RecordError `already-exists`: a result is never overwritten. */
  writeResult(record: ResultRecord): Promise<void> {
    return this.writeForm("result.sexp", resultDocument.toForm(record));
  }

  readContinuity(): Promise<ContinuityRecord | undefined> {
    return this.#readDocument("continuity.sexp", continuityDocument);
  }

  readActivity(): Promise<ActivityRecord | undefined> {
    return this.#readDocument("activity.sexp", activityDocument);
  }

  readTerminal(): Promise<TerminalRecord | undefined> {
    return this.#readDocument("terminal.sexp", terminalDocument);
  }

  readResult(): Promise<ResultRecord | undefined> {
    return this.#readDocument("result.sexp", resultDocument);
  }

  /** That live work was taken hold of again; the newest counts. */
  writeReattach(record: ReattachRecord): Promise<void> {
    return this.writeForm("reattach.sexp", reattachDocument.toForm(record));
  }

  /** @throws RecordError `already-exists`: a revival is claimed once. */
  writeRevive(record: ReviveRecord): Promise<void> {
    return this.writeForm("revive.sexp", reviveDocument.toForm(record));
  }

  writeReviveResult(record: ReviveResultRecord): Promise<void> {
    return this.writeForm("revive-result.sexp", reviveResultDocument.toForm(record));
  }

  /** @throws RecordError `already-exists`. */
  writeAbandon(record: AbandonRecord): Promise<void> {
    return this.writeForm("abandon.sexp", abandonDocument.toForm(record));
  }

  readRevive(): Promise<ReviveRecord | undefined> {
    return this.#readDocument("revive.sexp", reviveDocument);
  }

  readReviveResult(): Promise<ReviveResultRecord | undefined> {
    return this.#readDocument("revive-result.sexp", reviveResultDocument);
  }

  readAbandon(): Promise<AbandonRecord | undefined> {
    return this.#readDocument("abandon.sexp", abandonDocument);
  }

  /**
   * Publishes a data file by the rules of its name, pretty-printed.
   *
   * @throws RecordError `already-exists`, `too-large` with the bound, and the file system's.
   */
  writeForm(file: ExecutionFile, form: DataForm): Promise<void> {
    return this.#write(file, form, files[file]);
  }

  /**
   * The form in a data file, undefined when the file is missing.
   *
   * @throws RecordError `malformed` for anything but one data form within 16 MiB, depth 128 and 262,144 nodes.
   */
  async readForm(file: ExecutionFile): Promise<DataForm | undefined> {
    return readFormFile(this.pathOf(file), recordLimits);
  }

  /**
   * Publishes an artifact, which is never overwritten, and returns its path.
   *
   * @throws RecordError `malformed` for a name that is not a plain file name, `already-exists`.
   */
  async writeArtifact(name: string, content: string | Uint8Array): Promise<string> {
    const path = join(this.path, name);
    if (!artifactName.test(name) || name in files) {
      throw new RecordError(
        "malformed",
        path,
        `an artifact is named by 1 to 128 letters, digits, points, hyphens and underscores and not as a record, got ${JSON.stringify(name)}`,
      );
    }
    await publishFile(path, content, { once: true });
    return path;
  }

  async #write(file: ExecutionFile, form: DataForm, rule: FileRule): Promise<void> {
    const path = this.pathOf(file);
    checkReadable(form, file, path);
    const content = Buffer.from(`${prettyPrintDataForm(form)}\n`);
    if (content.length > rule.maxBytes) {
      throw new RecordError(
        "too-large",
        path,
        `${file} would have ${content.length} bytes and may have ${rule.maxBytes}; put the content into an artifact`,
      );
    }
    await publishFile(path, content, { once: rule.once, durable: rule.durable });
  }

  async #readDocument<D>(file: ExecutionFile, document: PlistDocument<D>): Promise<D | undefined> {
    const form = await this.readForm(file);
    if (form === undefined) return undefined;
    try {
      return document.fromForm(form);
    } catch (error) {
      throw malformed(this.pathOf(file), error);
    }
  }
}

/** The execution ids that have a directory below `tasks/<conversation>`; none when there is no such conversation. */
export async function executionsOf(
  tasks: string,
  rootConversation: ConversationId,
): Promise<readonly string[]> {
  return directoriesIn(join(tasks, rootConversation));
}

/** The names of the directories in a directory; none when it does not exist. */
export async function directoriesIn(path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw recordFailure(error, path, "read");
  }
}

function checkReadable(form: DataForm, file: ExecutionFile, path: string): void {
  try {
    checkFormLimits(form, recordLimits);
  } catch (error) {
    if (!(error instanceof DataFormError)) throw error;
    throw new RecordError("too-large", path, `${file} could not be read back: ${error.message}`, error);
  }
}

/** The form in a file, undefined when it is missing. @throws RecordError `malformed`, and the file system's. */
export async function readFormFile(path: string, limits: DataLimits): Promise<DataForm | undefined> {
  const bytes = await readBounded(path, limits.maxBytes);
  if (bytes === undefined) return undefined;
  try {
    return readDataForm(bytes, { limits });
  } catch (error) {
    throw malformed(path, error);
  }
}

/** A file's bytes, undefined when it is missing; its size is checked before anything is allocated. */
async function readBounded(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  try {
    const handle = await open(path, "r");
    try {
      const { size } = await handle.stat();
      if (size > maxBytes) {
        throw new RecordError(
          "malformed",
          path,
          `${path} has ${size} bytes and may have ${maxBytes}; it is no record of ours`,
        );
      }
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw recordFailure(error, path, "read");
  }
}

function malformed(path: string, error: unknown): RecordError {
  const reason = error instanceof Error ? error.message : String(error);
  return new RecordError("malformed", path, `${path} is not readable as a record: ${reason}`, error);
}
