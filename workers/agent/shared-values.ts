/** Most values of one kind that a thread keeps; one that has not been asked for the longest is made again. */
const keptValues = 16;

/** Values that come with each run and are the same for many: what is made of one, keyed by its identity, is made once. */
export class SharedValues<Value> {
  readonly #byText = new Map<string, Value>();

  /** The value of a JSON text: the same one for the same text. Nobody changes it. */
  of(text: string): Value {
    const value = this.#byText.get(text) ?? (JSON.parse(text) as Value);
    this.#byText.delete(text);
    this.#byText.set(text, value);
    const [oldest] = this.#byText.keys();
    if (this.#byText.size > keptValues && oldest !== undefined) this.#byText.delete(oldest);
    return value;
  }
}
