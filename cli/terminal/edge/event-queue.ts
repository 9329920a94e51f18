/** Collects what streams in and hands it on once per frame: a thousand small deltas cost one drawing. */

/** Time between two hand-overs, in milliseconds. */
const frameMs = 33;

export class EventQueue<Item> {
  readonly #deliver: (items: readonly Item[]) => void;
  #items: Item[] = [];
  #timer: NodeJS.Timeout | undefined;
  #deliveredAt = 0;

  constructor(deliver: (items: readonly Item[]) => void) {
    this.#deliver = deliver;
  }

  push(item: Item): void {
    this.#items.push(item);
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#deliveredAt + frameMs - performance.now());
    this.#timer = setTimeout(() => this.flush(), wait);
  }

  /** Hands on what is there. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#items.length === 0) return;
    const items = this.#items;
    this.#items = [];
    this.#deliver(items);
    this.#deliveredAt = performance.now();
  }

  /** Keeps only what the check accepts. */
  keep(check: (item: Item) => boolean): void {
    this.#items = this.#items.filter(check);
  }

  /** Drops what is there. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#items = [];
  }
}
