/** Records as lines `(KIND :seq N :at EPOCH-MS :key value …)`: the common form of the journals of a conversation. */
import {
  type DataForm,
  type DataList,
  DataFormError,
  Keyword,
  formToJson,
  jsonToForm,
  keyword,
} from "../../lisp/data-forms/index.ts";
import type { JournalCodec } from "./journal.ts";
import { formToLine, lineToForm } from "./line-form.ts";

/** A record of such a journal; further fields are JSON values. */
export type TimedRecord = { readonly kind: string; readonly at: number };

/** The line of a record. Texts, integers, truth values stand as they are, arrays and objects in portable form; undefined is left out. */
export function recordLine({ kind, at, ...rest }: TimedRecord, seq: number): string {
  const fields = Object.entries(rest as Readonly<Record<string, unknown>>).flatMap(([name, value]) =>
    value === undefined ? [] : [fieldKeyword(name), jsonToForm(value as Parameters<typeof jsonToForm>[0])],
  );
  return formToLine([keyword(kind), keyword("seq"), seq, keyword("at"), at, ...fields]);
}

/** Kind and fields of a line. @throws DataFormError for a line of another form. */
export function recordFields(line: Uint8Array): {
  readonly kind: string;
  readonly fields: Readonly<Record<string, unknown>>;
} {
  const form = lineToForm(line);
  const head = Array.isArray(form) ? (form as DataList)[0] : undefined;
  if (!Array.isArray(form) || !(head instanceof Keyword) || form.length % 2 === 0) {
    throw new DataFormError("invalid-structure", "a record is a kind followed by keys and values");
  }
  return { kind: head.name.toLowerCase(), fields: fieldsOf(form as DataList) };
}

/** A codec of records that `parse` checks; it throws for those it does not know. */
export function recordCodec<R extends TimedRecord>(parse: (value: unknown) => R): JournalCodec<R> {
  return {
    encode: recordLine,
    decode: (line) => {
      const { kind, fields } = recordFields(line);
      const { seq, ...rest } = fields;
      if (typeof seq !== "number") throw new DataFormError("invalid-structure", "a record has a :seq");
      return { seq, record: parse({ kind, ...rest }) };
    },
  };
}

function fieldsOf(list: DataList): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (let index = 1; index < list.length; index += 2) {
    const name = list[index];
    if (!(name instanceof Keyword)) throw new DataFormError("invalid-structure", "a key is a keyword");
    fields[camelCased(name.name)] = formToJson(list[index + 1] as DataForm);
  }
  return fields;
}

/** Keys of fields that have been written: their names are those of the record types, and so they are few. */
const fieldKeywords = new Map<string, Keyword>();
const keptKeywords = 1_024;

function fieldKeyword(name: string): Keyword {
  const known = fieldKeywords.get(name);
  if (known !== undefined) return known;
  const made = keyword(name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
  if (fieldKeywords.size < keptKeywords) fieldKeywords.set(name, made);
  return made;
}

function camelCased(name: string): string {
  return name.toLowerCase().replaceAll(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
}
