/** A seeded source of chance: equal seeds give equal draws on every machine. */
export class Random {
  #state: number;

  /** `seed` and `lane` are 32-bit numbers; lanes of one seed are independent of each other. */
  constructor(seed: number, lane = 0) {
    this.#state = (seed ^ Math.imul(lane + 1, 0x9e3779b1)) >>> 0;
    // The first draws of neighbouring lanes would resemble each other.
    for (let round = 0; round < 4; round += 1) this.#next();
  }

  /** A whole number from 0 up to and including `max`. */
  upTo(max: number): number {
    return Math.floor((this.#next() / 0x1_0000_0000) * (max + 1));
  }

  /** True once in `times` draws on average. */
  oneIn(times: number): boolean {
    return this.upTo(times - 1) === 0;
  }

  /** One of a list that is not empty. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.upTo(items.length - 1)] as Item;
  }

  /** Small numbers mostly, sometimes up to `max`. */
  mostlySmall(max: number): number {
    return this.upTo(Math.min(max, this.pick([1, 4, 16, 64, 1024, max])));
  }

  /** Mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
}
