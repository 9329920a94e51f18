import type { DataForm, DataList } from "./form.ts";

/** Start offsets of the elements of each list that was read, by list. */
export type ElementOffsets = WeakMap<DataList, readonly number[]>;

/**
 * The lists that are being read. Elements wait on one stack until their list closes and is copied at its exact size:
 * arrays that grow element by element would take several times the memory of short lists, which most are.
 */
export class OpenLists {
  readonly #elements: DataForm[] = [];
  readonly #starts: number[] = [];
  /** Where the elements of each open list begin, and where its parenthesis stands. */
  readonly #marks: number[] = [];
  readonly #opened: number[] = [];
  readonly #offsets: ElementOffsets | undefined;
  #top = 0;

  /** Offsets of elements are recorded in `offsets` when given. */
  constructor(offsets: ElementOffsets | undefined) {
    this.#offsets = offsets;
  }

  /** How many lists are open. */
  get depth(): number {
    return this.#marks.length;
  }

  /** Where the innermost open list begins; 0 when none is open. */
  get innermost(): number {
    return this.#opened.at(-1) ?? 0;
  }

  /** Begins a list whose parenthesis stands at byte `start`. */
  open(start: number): void {
    this.#marks.push(this.#top);
    this.#opened.push(start);
  }

  /** Adds an element that begins at byte `start` to the innermost list. */
  add(form: DataForm, start: number): void {
    this.#elements[this.#top] = form;
    if (this.#offsets !== undefined) this.#starts[this.#top] = start;
    this.#top++;
  }

  /** Ends the innermost list, which must be there. */
  close(): DataForm {
    const mark = this.#marks.pop() as number;
    this.#opened.pop();
    if (mark === this.#top) return false;
    const list = this.#elements.slice(mark, this.#top);
    this.#offsets?.set(list, this.#starts.slice(mark, this.#top));
    this.#top = mark;
    return list;
  }
}
