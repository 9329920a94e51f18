/**
 * Input that was accepted and is not in the conversation yet, and the recovery vault. Every change is on disk before it is acted on; the
 * receipt in the conversation decides what was delivered, so nothing is delivered twice whatever dies between the two.
 */
import type { PendingInput, VaultEntry } from "../../contract/session/input.ts";
import { pendingCharacterLimit, pendingInputLimit, vaultEntryLimit } from "../../contract/session/input.ts";
import { AutolithError } from "../../contract/failure.ts";
import type { InputFile } from "./input-file.ts";
import type { StoredInputs, VaultItem, Waiting } from "./waiting.ts";

export class PendingInputs {
  readonly #file: InputFile;
  readonly #changed: () => void;
  #steering: readonly Waiting[];
  #queued: readonly Waiting[];
  #vault: readonly VaultItem[];
  /** Changes are written one after the other. */
  #writing: Promise<void> = Promise.resolve();

  /** `stored` is what the file held without what has a receipt; `changed` is told after each durable change. */
  constructor(file: InputFile, stored: StoredInputs, changed: () => void) {
    this.#file = file;
    this.#changed = changed;
    this.#steering = stored.steering;
    this.#queued = stored.queued;
    this.#vault = stored.vault;
  }

  get steering(): readonly Waiting[] {
    return this.#steering;
  }

  get queued(): readonly Waiting[] {
    return this.#queued;
  }

  get vault(): readonly VaultItem[] {
    return this.#vault;
  }

  get count(): number {
    return this.#steering.length + this.#queued.length;
  }

  /** What waits, in the order of delivery. */
  listing(): readonly PendingInput[] {
    const row = (delivery: PendingInput["delivery"]) => (waiting: Waiting) => ({
      inputId: waiting.inputId,
      delivery,
      text: waiting.text,
      images: waiting.images.length,
      acceptedAt: waiting.acceptedAt,
    });
    return [...this.#steering.map(row("steering")), ...this.#queued.map(row("queued"))];
  }

  /** Admits an input; durable when it resolves. The same id is admitted once. Rejects with `input-limit`. */
  async admit(delivery: "steering" | "queued", input: Waiting): Promise<void> {
    const all = [...this.#steering, ...this.#queued];
    if (all.some(({ inputId }) => inputId === input.inputId)) return this.#writing;
    const characters = all.reduce((sum, each) => sum + sizeOf(each), sizeOf(input));
    if (all.length >= pendingInputLimit || characters > pendingCharacterLimit)
      throw new AutolithError(
        "input-limit",
        `${all.length} inputs wait already; at most ${pendingInputLimit} with ${pendingCharacterLimit} characters together may.`,
      );
    if (delivery === "steering") this.#steering = [...this.#steering, input];
    else this.#queued = [...this.#queued, input];
    await this.#write();
  }

  /** Puts inputs in front of the queue. */
  async prepend(inputs: readonly Waiting[]): Promise<void> {
    this.#queued = [...inputs, ...this.#queued];
    await this.#write();
  }

  /** These inputs are in the conversation, or were executed. */
  async delivered(inputs: readonly Waiting[]): Promise<void> {
    const ids = new Set(inputs.map(({ inputId }) => inputId));
    if (![...this.#steering, ...this.#queued].some(({ inputId }) => ids.has(inputId))) return;
    this.#steering = this.#steering.filter(({ inputId }) => !ids.has(inputId));
    this.#queued = this.#queued.filter(({ inputId }) => !ids.has(inputId));
    await this.#write();
  }

  /** Moves everything that waits into the vault; answers how many entries are there then. Rejects with `input-limit`; nothing is moved then. */
  async store(): Promise<number> {
    this.#vault = boundedVault([...this.#vault, ...[...this.#steering, ...this.#queued].map(vaultEntry)]);
    this.#steering = [];
    this.#queued = [];
    await this.#write();
    return this.#vault.length;
  }

  /** An entry that stays as it is keeps its images. Rejects with `input-limit`. */
  async replaceVault(entries: readonly VaultEntry[]): Promise<void> {
    const before = [...this.#vault];
    this.#vault = boundedVault(
      entries.map((entry) => {
        const at = before.findIndex((item) => isSameEntry(item, entry));
        return at < 0 ? entry : (before.splice(at, 1)[0] ?? entry);
      }),
    );
    await this.#write();
  }

  /** Puts the vault's entries in front of the queue; `admission` makes inputs of them. */
  async restore(admission: (entry: VaultItem) => Waiting): Promise<number> {
    const restored = this.#vault.map(admission);
    this.#vault = [];
    this.#queued = [...restored, ...this.#queued];
    await this.#write();
    return restored.length;
  }

  /** Resolves when all changes so far are on disk. */
  flush(): Promise<void> {
    return this.#writing;
  }

  async #write(): Promise<void> {
    const state = { steering: this.#steering, queued: this.#queued, vault: this.#vault };
    const earlier = this.#writing.catch(() => undefined);
    const writing = earlier.then(() => this.#file.write(state));
    this.#writing = writing;
    // A failed write is met by the caller that made it.
    writing.catch(() => undefined);
    await writing;
    this.#changed();
  }
}

/** The entries, when a vault may hold so much. Throws `input-limit`. */
function boundedVault(items: readonly VaultItem[]): readonly VaultItem[] {
  const characters = items.reduce(
    (sum, item) => sum + sizeOf({ text: entryText(item), images: item.images ?? [] }),
    0,
  );
  if (items.length <= vaultEntryLimit && characters <= pendingCharacterLimit) return items;
  throw new AutolithError(
    "input-limit",
    `The vault would have ${items.length} entries with ${characters} characters; it takes ${vaultEntryLimit} with ${pendingCharacterLimit} together. Restore or clear it first.`,
  );
}

/** The text of an entry, whatever its kind. */
export function entryText(entry: VaultEntry): string {
  if (entry.type === "message") return entry.input;
  return entry.type === "command" ? entry.text : entry.source;
}

function isSameEntry(left: VaultEntry, right: VaultEntry): boolean {
  return left.type === right.type && entryText(left) === entryText(right);
}

function sizeOf({ text, images }: Pick<Waiting, "text" | "images">): number {
  return images.reduce((sum, { data }) => sum + data.length, text.length);
}

function vaultEntry({ kind, text, images }: Waiting): VaultItem {
  switch (kind) {
    case "message":
      return { type: "message", input: text || "(image)", ...(images.length === 0 ? {} : { images }) };
    case "command":
      return { type: "command", text };
    case "lisp":
    case "native-lisp":
      return { type: kind, source: text };
  }
}
