/** The records of one open conversation in memory, and the only way to add to them. */
import type { Conversation } from "./conversation.ts";
import type { ConversationRecord, StoredRecord } from "./conversation-record.ts";

export class RecordLog {
  readonly #conversation: Conversation;
  readonly #records: StoredRecord[];
  readonly #now: () => number;
  readonly #appended: ((stored: StoredRecord) => void) | undefined;

  /** `loaded` is what the conversation held when it was opened; `appended` is told of each record once it is durable, in order. */
  constructor(
    conversation: Conversation,
    loaded: readonly StoredRecord[],
    now: () => number,
    appended?: (stored: StoredRecord) => void,
  ) {
    this.#conversation = conversation;
    this.#records = [...loaded];
    this.#now = now;
    this.#appended = appended;
  }

  /** All records by sequence number. */
  get records(): readonly StoredRecord[] {
    return this.#records;
  }

  get lastSeq(): number {
    return this.#records.at(-1)?.seq ?? 0;
  }

  /** Resolves when the record survives the death of this process, or with `sync` loss of power. */
  async append(record: ConversationRecord, options: { readonly sync?: boolean } = {}): Promise<StoredRecord> {
    const at = this.#now();
    const seq = await this.#conversation.append(record, options);
    const stored: StoredRecord = { seq, at, record };
    this.#insert(stored);
    this.#appended?.(stored);
    return stored;
  }

  /** Appends in order, in one commit. */
  async appendAll(records: readonly ConversationRecord[]): Promise<readonly StoredRecord[]> {
    // Appends are made in call order, so records of one call stay together and group-commit.
    return Promise.all(records.map((record) => this.append(record)));
  }

  close(): Promise<void> {
    return this.#conversation.close();
  }

  #insert(stored: StoredRecord): void {
    let place = this.#records.length;
    while (place > 0 && (this.#records[place - 1]?.seq ?? 0) > stored.seq) place -= 1;
    this.#records.splice(place, 0, stored);
  }
}
