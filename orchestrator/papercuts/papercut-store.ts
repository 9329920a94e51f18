/** The file `papercuts.sexp` of the data root, shared by all hosts of this user. */
import { randomUUID } from "node:crypto";
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
import { type Papercut, isActivePapercut, papercutDocument, repeatedPapercut } from "./papercut.ts";

/** Reports that are kept; the oldest closed ones go first, then the oldest. */
export const papercutLimit = 1_000;

const limits = { maxBytes: 33_554_432, maxDepth: 8, maxNodes: 65_536, maxStringCharacters: 65_536 };

export type PapercutReport = Pick<Papercut, "title" | "content" | "workspace" | "conversationId">;

export class PapercutStore {
  readonly #path: string;
  readonly #now: () => number;
  #changing: Promise<unknown> = Promise.resolve();

  /** `now`: epoch milliseconds. */
  constructor(dataRoot: string, now: () => number) {
    this.#path = `${dataRoot}/papercuts.sexp`;
    this.#now = now;
  }

  /** The active reports of a workspace, newest first. */
  async active(workspace: string): Promise<readonly Papercut[]> {
    const all = await this.#read();
    return all
      .filter((each) => each.workspace === workspace && isActivePapercut(each))
      .sort((left, right) => right.reportedAt - left.reportedAt);
  }

  /** The active report whose id begins so. Rejects with `unknown-papercut` for none or several. */
  async find(workspace: string, prefix: string): Promise<Papercut> {
    const found = (await this.active(workspace)).filter(({ id }) => id.startsWith(prefix));
    const [only] = found;
    if (only !== undefined && found.length === 1 && prefix !== "") return only;
    throw new AutolithError(
      "unknown-papercut",
      `${found.length} active papercuts of this workspace begin with ${JSON.stringify(prefix.slice(0, 64))}; papercuts lists them.`,
    );
  }

  /** Keeps the report, or answers the active one that it repeats. */
  report(report: PapercutReport): Promise<{ readonly papercut: Papercut; readonly repeated: boolean }> {
    return this.#change<{ readonly papercut: Papercut; readonly repeated: boolean }>((all) => {
      const known = repeatedPapercut(all, report, this.#now());
      if (known !== undefined) return { all, answer: { papercut: known, repeated: true } };
      const papercut: Papercut = { ...report, id: randomUUID().slice(0, 8), reportedAt: this.#now() };
      return { all: bounded([...all, papercut]), answer: { papercut, repeated: false } };
    });
  }

  /** Closes an active report. Rejects with `unknown-papercut`. */
  async close(workspace: string, prefix: string, resolution: string): Promise<Papercut> {
    const { id } = await this.find(workspace, prefix);
    return this.#change((all) => {
      const closed = all.map((each) => (each.id === id ? { ...each, resolution } : each));
      return { all: closed, answer: closed.find((each) => each.id === id) as Papercut };
    });
  }

  #change<Answer>(
    step: (all: readonly Papercut[]) => { readonly all: readonly Papercut[]; readonly answer: Answer },
  ): Promise<Answer> {
    const changed = this.#changing.then(() =>
      withFileLock(this.#path, async () => {
        const before = await this.#read();
        const { all, answer } = step(before);
        if (all !== before) await publishFile(this.#path, textOf(all));
        return answer;
      }),
    );
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  async #read(): Promise<readonly Papercut[]> {
    const bytes = await readIfPresent(this.#path);
    if (bytes === undefined) return [];
    try {
      const form = listElements(readDataForm(bytes, { limits })) ?? [];
      const reader = new PlistReader(form, 1, { what: "the papercuts", keys: ["version", "reports"] });
      reader.integer("version", { minimum: 1, maximum: 1 });
      return reader.list("reports").map((each) => papercutDocument.fromForm(each));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new AutolithError(
        "papercuts-unreadable",
        `The papercuts in ${this.#path} cannot be read: ${reason}`,
        { cause: error },
      );
    }
  }
}

function textOf(all: readonly Papercut[]): string {
  const reports = all.map((each): DataForm => papercutDocument.toForm(each));
  return prettyPrintDataForm([keyword("papercuts"), keyword("version"), 1, keyword("reports"), reports]);
}

function bounded(all: readonly Papercut[]): readonly Papercut[] {
  if (all.length <= papercutLimit) return all;
  const drop = all.find((each) => !isActivePapercut(each)) ?? all[0];
  return all.filter((each) => each !== drop);
}
