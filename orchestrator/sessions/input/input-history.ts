/**
 * What a person put into a conversation, for recall: messages, commands and Lisp, without automatic messages and answers. Kept beside the
 * conversation in `<id>.inputs.sexp`; built from the records when it is first needed, appended to from then on.
 */
import { access } from "node:fs/promises";
import { type DataForm, PlistReader, keyword, listElements } from "../../../lisp/data-forms/index.ts";
import type { ConversationId } from "../../contract/identifiers.ts";
import type { InputHistoryPage, RecalledInput } from "../../contract/session/input.ts";
import { errnoOf } from "../../record/failure.ts";
import { type Journal, type JournalCodec, openJournal } from "../../record/journal.ts";
import { formToLine, lineToForm } from "../../record/line-form.ts";
import { shortened } from "../view/tool-presentation.ts";
import type { StoredRecord } from "../../record/conversation-record.ts";

/** Inputs of one page, and the characters of their texts together; a longer text is shortened and says so. */
export const recalledInputLimit = 1_000;
export const recalledCharacters = 65_536;

type Entry = Omit<RecalledInput, "seq">;

const head = keyword("input");

const codec: JournalCodec<RecalledInput, Entry> = {
  encode: ({ kind, text, at }, seq) =>
    formToLine([
      head,
      ...[keyword("seq"), seq],
      ...[keyword("at"), at],
      ...[keyword("kind"), keyword(kind)],
      ...[keyword("text"), text],
    ]),
  decode: (line) => {
    const form: DataForm = lineToForm(line);
    const list = listElements(form) ?? [];
    if (list[0] !== head) throw new TypeError("it is no (:input …) form");
    const reader = new PlistReader(list, 1, { what: "an input", keys: ["seq", "at", "kind", "text"] });
    const integer = (name: "seq" | "at"): number =>
      reader.integer(name, { minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
    const seq = integer("seq");
    const record: RecalledInput = {
      seq,
      kind: reader.keyword("kind", ["message", "command", "lisp"]),
      text: reader.string("text", {}),
      at: integer("at"),
    };
    return { seq, record };
  },
};

export type InputHistoryParts = {
  /** The `conversations` directory of the data root. */
  readonly directory: string;
  readonly id: ConversationId;
  /** The conversation as it stands when the history is first needed. */
  readonly records: () => readonly StoredRecord[];
};

export class InputHistory {
  readonly #parts: InputHistoryParts;
  readonly #inputs: RecalledInput[] = [];
  #opened: Promise<Journal<RecalledInput, Entry>> | undefined;

  constructor(parts: InputHistoryParts) {
    this.#parts = parts;
  }

  /** Adds an input that was accepted. */
  async add(entry: Entry): Promise<void> {
    const isFirst = this.#opened === undefined;
    const journal = await this.#open();
    // The history may have been built this moment, from records that hold this very message.
    if (isFirst && this.#inputs.at(-1)?.text === entry.text) return;
    const seq = await journal.append(entry);
    this.#inputs.push({ ...entry, seq });
  }

  /** The newest inputs before `before`, oldest first: as many as fit, one at least. */
  async page(limit: number, before: number | undefined): Promise<InputHistoryPage> {
    await this.#open();
    const all = before === undefined ? this.#inputs : this.#inputs.filter(({ seq }) => seq < before);
    const inputs: RecalledInput[] = [];
    let characters = 0;
    for (let index = all.length - 1; index >= 0 && inputs.length < limit; index -= 1) {
      const input = all[index];
      if (input === undefined) break;
      const text = shortened(input.text, recalledCharacters);
      characters += text.length;
      if (characters > recalledCharacters && inputs.length > 0) break;
      inputs.unshift({ ...input, text });
    }
    return { inputs, hasOlder: inputs.length < all.length };
  }

  async close(): Promise<void> {
    const journal = await this.#opened?.catch(() => undefined);
    await journal?.close();
  }

  #open(): Promise<Journal<RecalledInput, Entry>> {
    this.#opened ??= this.#openJournal();
    return this.#opened;
  }

  async #openJournal(): Promise<Journal<RecalledInput, Entry>> {
    const path = `${this.#parts.directory}/${this.#parts.id}.inputs.sexp`;
    const isNew = await isMissing(path);
    const journal = await openJournal({
      path,
      codec,
      onLine: ({ record }) => void this.#inputs.push(record),
    });
    if (isNew) {
      const entries = this.#parts.records().flatMap(typedInput);
      if (entries.length > 0) {
        const first = await journal.appendAll(entries);
        this.#inputs.push(...entries.map((entry, index) => ({ ...entry, seq: first + index })));
      }
    }
    return journal;
  }
}

async function isMissing(path: string): Promise<boolean> {
  try {
    await access(path);
    return false;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return true;
    throw error;
  }
}

function typedInput({ at, record }: StoredRecord): readonly Entry[] {
  if (record.kind !== "message" || record.automatic === true || record.content === "") return [];
  return [{ kind: "message", text: record.content, at }];
}
