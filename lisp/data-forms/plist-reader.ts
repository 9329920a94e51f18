import { DataFormError, type DataFormErrorKind, type TextPosition } from "./data-form-error.ts";
import {
  Keyword,
  describeForm,
  isInteger,
  keyword,
  listElements,
  type DataForm,
  type DataList,
} from "./form.ts";
import type { FormLocations } from "./read-data-form.ts";

/** What a document is, for its errors and for the check of its keys. */
export interface PlistDescription {
  /** Named in messages, such as "the job". */
  readonly what: string;
  /** The keys accepted, without colons, in either case. */
  readonly keys: readonly string[];
  /** Places of the parts, when the form came from {@link readLocatedDataForm}. */
  readonly locations?: FormLocations | undefined;
  /** Where the list itself stands; by default the start of the located form. */
  readonly position?: TextPosition | undefined;
}

/** Bounds of a string. Characters are code points. */
export interface StringRule {
  /** Default 0. With 1 or more, a string of blanks only is refused as well, unless `blankAllowed`. */
  readonly minCharacters?: number | undefined;
  readonly blankAllowed?: boolean | undefined;
  readonly maxCharacters?: number | undefined;
}

/** Bounds of an integer, inclusive. */
export interface IntegerRule {
  readonly minimum: number;
  readonly maximum: number;
}

interface Entry {
  readonly form: DataForm;
  readonly keyIndex: number;
}

/**
 * Typed access to a property list of keyword keys. Construction checks the shape; each accessor checks one key's value
 * and throws an error that names the key, what was expected and what came, with the place when it is known.
 */
export class PlistReader {
  readonly #list: DataList;
  readonly #what: string;
  readonly #locations: FormLocations | undefined;
  readonly #start: TextPosition | undefined;
  readonly #entries = new Map<string, Entry>();

  /**
   * Reads `list` from element `start` on: `0` for a bare property list, `1` after a head.
   * @throws DataFormError `invalid-structure` when it is not a list of keys and values or has a duplicate key;
   *   `unknown-field` for a key that is not among `description.keys`.
   */
  constructor(list: DataList, start: number, description: PlistDescription) {
    this.#list = list;
    this.#what = description.what;
    this.#locations = description.locations;
    this.#start = startOf(description);
    const known = new Set(description.keys.map((key) => key.toUpperCase()));
    for (let index = start; index < list.length; index += 2) this.#addEntry(index, known, description.keys);
  }

  /** A property list from any form. @throws DataFormError `invalid-structure` when the form is an atom. */
  static of(form: DataForm, description: PlistDescription): PlistReader {
    const list = listElements(form);
    if (list !== undefined) return new PlistReader(list, 0, description);
    const problem = `${description.what} must be a property list, got ${describeForm(form)}`;
    throw new DataFormError("invalid-structure", problem, { position: startOf(description) });
  }

  /** The keys that are there, in lower case, in their order. */
  keys(): string[] {
    return Array.from(this.#entries.keys(), (key) => key.toLowerCase());
  }

  /** Is the key there, with whatever value? */
  has(key: string): boolean {
    return this.#entries.has(key.toUpperCase());
  }

  /** The value of a key, or `undefined` when it is absent. */
  form(key: string): DataForm | undefined {
    return this.#entries.get(key.toUpperCase())?.form;
  }

  /** The value of a key. @throws DataFormError `invalid-structure` when it is absent. */
  requiredForm(key: string): DataForm {
    const form = this.form(key);
    if (form !== undefined) return form;
    const printed = `:${key.toLowerCase()}`;
    const problem = `${this.#what} needs the key ${printed}`;
    throw new DataFormError("invalid-structure", problem, { key: printed, position: this.#start });
  }

  /** A string. @throws DataFormError when absent, of another type, or outside the rule. */
  string(key: string, rule: StringRule = {}): string {
    const form = this.requiredForm(key);
    const { minCharacters = 0, maxCharacters = Number.POSITIVE_INFINITY } = rule;
    const expected = describeStringRule(minCharacters, maxCharacters);
    if (typeof form !== "string")
      throw this.invalidValue(key, `must be ${expected}, got ${describeForm(form)}`);
    const characters = codePointCount(form);
    if (characters < minCharacters || characters > maxCharacters) {
      throw this.invalidValue(key, `must be ${expected}, got ${characters} characters`);
    }
    if (minCharacters > 0 && !rule.blankAllowed && form.trim() === "")
      throw this.invalidValue(key, `must be ${expected}, got only blanks`);
    return form;
  }

  /** An integer within bounds that are safe integers. @throws DataFormError when absent, of another type, or outside. */
  integer(key: string, rule: IntegerRule): number {
    const form = this.requiredForm(key);
    const expected = `an integer from ${rule.minimum} to ${rule.maximum}`;
    if (!isInteger(form)) throw this.invalidValue(key, `must be ${expected}, got ${describeForm(form)}`);
    if (form < rule.minimum || form > rule.maximum)
      throw this.invalidValue(key, `must be ${expected}, got ${form}`);
    return Number(form);
  }

  /** T or NIL. @throws DataFormError when absent or anything else. */
  boolean(key: string): boolean {
    const form = this.requiredForm(key);
    const list = listElements(form);
    if (form === true) return true;
    if (list !== undefined && list.length === 0) return false;
    throw this.invalidValue(key, `must be T or NIL, got ${describeForm(form)}`);
  }

  /** One of some keywords, by lower-case name. @throws DataFormError when absent or not among them. */
  keyword<Name extends string>(key: string, names: readonly Name[]): Name {
    const form = this.requiredForm(key);
    const found = names.find((name) => form === keyword(name));
    if (found !== undefined) return found;
    const choices = names.map((name) => `:${name}`).join(", ");
    throw this.invalidValue(key, `must be one of ${choices}, got ${describeForm(form)}`);
  }

  /** The elements of a list, none for NIL. @throws DataFormError when absent or an atom. */
  list(key: string): DataList {
    const form = this.requiredForm(key);
    const elements = listElements(form);
    if (elements === undefined) throw this.invalidValue(key, `must be a list, got ${describeForm(form)}`);
    return elements;
  }

  /** An error about the value of a key: `problem` follows the key, as in "must be…, got…". */
  invalidValue(key: string, problem: string, code: DataFormErrorKind = "invalid-value"): DataFormError {
    const printed = `:${key.toLowerCase()}`;
    return new DataFormError(code, `${printed} ${problem}`, {
      key: printed,
      position: this.valuePosition(key),
    });
  }

  /** Where the value of a key stands, when that is known. */
  valuePosition(key: string): TextPosition | undefined {
    const entry = this.#entries.get(key.toUpperCase());
    return entry === undefined ? this.#start : this.#position(entry.keyIndex + 1);
  }

  #addEntry(index: number, known: ReadonlySet<string>, keys: readonly string[]): void {
    const key = this.#list[index] as DataForm;
    const position = this.#position(index);
    if (!(key instanceof Keyword)) {
      const problem = `${this.#what} must alternate keyword keys and values, got ${describeForm(key)} where a key belongs`;
      throw new DataFormError("invalid-structure", problem, { position });
    }
    const printed = key.toString().toLowerCase();
    const form = this.#list[index + 1];
    if (!known.has(key.name)) {
      const choices = keys.map((name) => `:${name}`).join(", ");
      const problem = `${this.#what} has no key ${printed.slice(0, 80)}; its keys are ${choices}`;
      throw new DataFormError("unknown-field", problem, { position, key: printed });
    }
    if (this.#entries.has(key.name)) {
      throw new DataFormError("invalid-structure", `${this.#what} has the key ${printed} twice`, {
        position,
        key: printed,
      });
    }
    if (form === undefined) {
      throw new DataFormError("invalid-structure", `the key ${printed} has no value`, {
        position,
        key: printed,
      });
    }
    this.#entries.set(key.name, { form, keyIndex: index });
  }

  #position(index: number): TextPosition | undefined {
    return this.#locations?.elementPosition(this.#list, index);
  }
}

function startOf(description: PlistDescription): TextPosition | undefined {
  return description.position ?? description.locations?.start;
}

/** Characters of a string as Lisp counts them. */
export function codePointCount(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count--;
  return count;
}

function describeStringRule(minCharacters: number, maxCharacters: number): string {
  const least = minCharacters > 0 ? "a non-empty string" : "a string";
  return Number.isFinite(maxCharacters) ? `${least} of at most ${maxCharacters} characters` : least;
}
