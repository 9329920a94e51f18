import { type DataForm, type DataList, DataFormError, Keyword } from "../../lisp/data-forms/index.ts";
import { repairJson } from "./text-repair.ts";

/** The fields of one record's form, read by key. */
export class RecordFields {
  readonly kind: string;
  /** Set when a text read so far had to be repaired. */
  repaired = false;
  readonly #list: DataList;

  constructor(form: DataForm) {
    if (!Array.isArray(form)) throw new DataFormError("invalid-structure", "a record is a list");
    this.#list = form as DataList;
    const head = this.#list[0];
    if (!(head instanceof Keyword) || this.#list.length % 2 === 0) {
      throw new DataFormError("invalid-structure", "a record is a kind followed by keys and values");
    }
    this.kind = head.name;
  }

  optional(name: Keyword): DataForm | undefined {
    for (let index = 1; index < this.#list.length; index += 2) {
      if (this.#list[index] === name) return this.#list[index + 1];
    }
    return undefined;
  }

  form(name: Keyword): DataForm {
    const value = this.optional(name);
    if (value === undefined) {
      throw new DataFormError("invalid-structure", `a record of kind ${this.kind} lacks :${name.name}`);
    }
    return value;
  }

  /** Fields that have to be there throw {@link DataFormError} `invalid-structure`; of another type: `invalid-value`. */
  integer(name: Keyword): number {
    const value = this.form(name);
    if (typeof value !== "number") throw new DataFormError("invalid-value", `:${name.name} is an integer`);
    return value;
  }

  optionalText(name: Keyword): string | undefined {
    return this.optional(name) === undefined ? undefined : this.text(name);
  }

  text(name: Keyword): string {
    const value = this.form(name);
    if (typeof value !== "string") throw new DataFormError("invalid-value", `:${name.name} is a string`);
    return value;
  }

  /** JSON text without escaped NULs and lone surrogates. */
  json(name: Keyword): string {
    const text = this.text(name);
    const better = repairJson(text);
    if (better !== text) this.repaired = true;
    return better;
  }

  word<Word extends string>(name: Keyword, words: readonly Word[]): Word {
    const value = this.form(name);
    const found = value instanceof Keyword ? value.name.toLowerCase() : undefined;
    const word = words.find((candidate) => candidate === found);
    if (word === undefined) {
      throw new DataFormError(
        "invalid-value",
        `:${name.name} is one of ${words.map((each) => `:${each}`).join(" ")}`,
      );
    }
    return word;
  }

  /** Keys and values but those of `read`. */
  rest(read: readonly Keyword[]): DataList {
    const rest: DataForm[] = [];
    for (let index = 1; index < this.#list.length; index += 2) {
      const name = this.#list[index];
      const value = this.#list[index + 1];
      if (name === undefined || value === undefined || read.some((each) => each === name)) continue;
      rest.push(name, value);
    }
    return rest;
  }
}
