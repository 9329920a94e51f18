import {
  type DataForm,
  type JsonValue,
  type Keyword,
  DataFormError,
  PlistReader,
  describeForm,
  formToJson,
  jsonToForm,
  keyword,
  listElements,
} from "../../lisp/data-forms/index.ts";

/** How one field of a document is written and read. `key` is its keyword in lower case. */
export interface DocumentField<T> {
  readonly key: string;
  toForm(value: T): DataForm;
  fromReader(reader: PlistReader): T;
}

/** A field that may be left out; its value is then undefined. */
export interface OptionalField<T> extends DocumentField<T> {
  readonly optional: true;
}

type Shape = Readonly<Record<string, DocumentField<unknown>>>;
type ValueOf<F> = F extends DocumentField<infer T> ? T : never;

/** The values of a document of that shape. */
export type DocumentOf<S extends Shape> = {
  readonly [K in keyof S as S[K] extends { readonly optional: true } ? never : K]: ValueOf<S[K]>;
} & {
  readonly [K in keyof S as S[K] extends { readonly optional: true } ? K : never]?: ValueOf<S[K]>;
};

/** Writes and reads property lists of one kind. */
export interface PlistDocument<D> {
  toForm(document: D): DataForm;
  /** @throws DataFormError for a missing, unknown or duplicate key and for a value outside its field's rule. */
  fromForm(form: DataForm): D;
}

/** The document whose fields are `shape`, in that order; `what` names it in errors. */
export function plistDocument<const S extends Shape>(what: string, shape: S): PlistDocument<DocumentOf<S>> {
  const fields = Object.entries<DocumentField<unknown>>(shape);
  const keys = fields.map(([, { key }]) => key);
  // Made with the first document: a start writes none of most kinds.
  let writing: readonly (readonly [string, Keyword, DocumentField<unknown>])[] | undefined;
  return {
    toForm: (document) => {
      const values = document as Readonly<Record<string, unknown>>;
      writing ??= fields.map(([name, field]) => [name, keyword(field.key), field]);
      return writing.flatMap(([name, key, field]) =>
        values[name] === undefined ? [] : [key, field.toForm(values[name])],
      );
    },
    fromForm: (form) => {
      const reader = PlistReader.of(form, { what, keys });
      const document = fields.flatMap(([name, field]) =>
        "optional" in field && !reader.has(field.key) ? [] : [[name, field.fromReader(reader)]],
      );
      return Object.fromEntries(document) as DocumentOf<S>;
    },
  };
}

/** A string of at most `maxCharacters` characters. */
export function stringField(key: string, maxCharacters: number): DocumentField<string> {
  return { key, toForm: (value) => value, fromReader: (reader) => reader.string(key, { maxCharacters }) };
}

/** A non-negative integer, by default up to the greatest safe one. */
export function countField(key: string, maximum = Number.MAX_SAFE_INTEGER): DocumentField<number> {
  return {
    key,
    toForm: (value) => value,
    fromReader: (reader) => reader.integer(key, { minimum: 0, maximum }),
  };
}

/** T or NIL. */
export function truthField(key: string): DocumentField<boolean> {
  return { key, toForm: (value) => value, fromReader: (reader) => reader.boolean(key) };
}

/** One of some words, written as a keyword. */
export function wordField<Word extends string>(key: string, words: readonly Word[]): DocumentField<Word> {
  return { key, toForm: (word) => keyword(word), fromReader: (reader) => reader.keyword(key, words) };
}

/** A list of at most `maxLength` strings. */
export function stringsField(key: string, maxLength: number): DocumentField<readonly string[]> {
  return {
    key,
    toForm: (values) => [...values],
    fromReader: (reader) => {
      const list = reader.list(key);
      if (list.length > maxLength) throw reader.invalidValue(key, `must hold at most ${maxLength} strings`);
      return list.map((element) => {
        if (typeof element !== "string") {
          throw reader.invalidValue(key, `must hold strings only, got ${describeForm(element)}`);
        }
        return element;
      });
    },
  };
}

/** A JSON value in its portable form. */
export function jsonField(key: string): DocumentField<JsonValue> {
  return {
    key,
    toForm: (value) => jsonToForm(value),
    fromReader: (reader) => formToJson(reader.requiredForm(key)),
  };
}

/** Any data form. */
export function formField(key: string): DocumentField<DataForm> {
  return { key, toForm: (form) => form, fromReader: (reader) => reader.requiredForm(key) };
}

/** Counters by provider key, written as `(("key" N) …)`; nested counters as a list of the same shape. */
export interface Counters {
  readonly [key: string]: number | Counters;
}

/** An association list of counters. */
export function countersField(key: string): DocumentField<Counters> {
  return { key, toForm: countersToForm, fromReader: (reader) => formToCounters(reader.requiredForm(key)) };
}

function countersToForm(counters: Counters): DataForm {
  return Object.entries(counters).map(([name, value]) => [
    name,
    typeof value === "number" ? value : countersToForm(value),
  ]);
}

function formToCounters(form: DataForm): Counters {
  const entries = (listElements(form) ?? []).map((entry) => {
    const [name, value, ...more] = listElements(entry) ?? [];
    if (typeof name !== "string" || value === undefined || more.length > 0) {
      throw new DataFormError("invalid-structure", 'counters are a list of ("key" value) entries');
    }
    return [name, typeof value === "number" ? value : formToCounters(value)] as const;
  });
  return Object.fromEntries(entries);
}

/** The same field, which may be left out. */
export function optionalField<T>(field: DocumentField<T>): OptionalField<T> {
  return { ...field, optional: true };
}
