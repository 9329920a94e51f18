import { isUtf8 } from "node:buffer";
import { DataFormError, type TextPosition } from "./data-form-error.ts";
import type { DataForm, DataList } from "./form.ts";
import { FormParser } from "./form-parser.ts";
import type { ElementOffsets } from "./open-lists.ts";
import type { ReadOptions } from "./read-options.ts";
import { invalidUtf8Index, positionAt, textStart } from "./text-position.ts";

/** What may be read: UTF-8 bytes, or a string. */
export type DataInput = Uint8Array | string;

/** Tells where the elements of lists of one reading stand in its text. */
export interface FormLocations {
  /** Start of the whole form. */
  readonly start: TextPosition;
  /** Start of element `index` of `list`, or `undefined` when the list is not of this reading. */
  elementPosition(list: DataList, index: number): TextPosition | undefined;
}

/** A form and where its parts stand. */
export interface LocatedForm {
  readonly form: DataForm;
  readonly locations: FormLocations;
}

/**
 * The one form that the input holds.
 * @throws DataFormError of any reading kind; `no-form` and `multiple-forms` when there is not exactly one.
 */
export function readDataForm(input: DataInput, options: ReadOptions): DataForm {
  return onlyForm(new FormParser(checkedBytes(input, options), options));
}

/** As {@link readDataForm}, with the places of all elements, for documents whose errors name a line. */
export function readLocatedDataForm(input: DataInput, options: ReadOptions): LocatedForm {
  const offsets: ElementOffsets = new WeakMap();
  const parser = new FormParser(checkedBytes(input, options), options, offsets);
  const form = onlyForm(parser);
  const start = parser.position(parser.formStart);
  const elementPosition = (list: DataList, index: number): TextPosition | undefined => {
    const offset = offsets.get(list)?.[index];
    return offset === undefined ? undefined : parser.position(offset);
  };
  return { form, locations: { start, elementPosition } };
}

/**
 * All forms of the input, possibly none. The limits hold for the input as a whole.
 * @throws DataFormError of any reading kind.
 */
export function readDataForms(input: DataInput, options: ReadOptions): DataForm[] {
  const parser = new FormParser(checkedBytes(input, options), options);
  const forms: DataForm[] = [];
  for (let form = parser.next(); form !== undefined; form = parser.next()) forms.push(form);
  return forms;
}

function onlyForm(parser: FormParser): DataForm {
  const form = parser.next();
  if (form === undefined) throw parser.error("no-form", "one form was expected, the text holds none");
  const { formStart } = parser;
  if (parser.next() !== undefined) {
    throw parser.error("multiple-forms", "one form was expected, another follows it", parser.formStart);
  }
  parser.formStart = formStart;
  return form;
}

/** The input as valid UTF-8 within the byte limit. */
function checkedBytes(input: DataInput, options: ReadOptions): Buffer {
  const origin = options.origin ?? textStart;
  const size = typeof input === "string" ? Buffer.byteLength(input, "utf8") : input.byteLength;
  if (size > options.limits.maxBytes) {
    // Whoever reads a file may have stopped soon behind the limit, so the size is not told.
    const problem = `the text has more than ${options.limits.maxBytes} bytes, which is the limit`;
    throw new DataFormError("data-too-large", problem, { position: origin });
  }
  return typeof input === "string" ? encoded(input, origin) : validated(input, origin);
}

function encoded(input: string, origin: TextPosition): Buffer {
  if (!input.isWellFormed()) {
    const index = input.search(/[\uD800-\uDFFF]/u);
    const before = Buffer.from(input.slice(0, index), "utf8");
    const position = positionAt(before, before.length, origin);
    throw new DataFormError("read-error", "half of a surrogate pair stands alone", { position });
  }
  return Buffer.from(input, "utf8");
}

function validated(input: Uint8Array, origin: TextPosition): Buffer {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  if (!isUtf8(bytes)) {
    const index = Math.max(invalidUtf8Index(bytes), 0);
    const byte = (bytes[index] ?? 0).toString(16).padStart(2, "0");
    const position = positionAt(bytes, index, origin);
    throw new DataFormError("read-error", `byte 0x${byte} is not valid UTF-8 here`, { position });
  }
  return bytes;
}
