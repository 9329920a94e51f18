import { compareCodePoints } from "./code-point-order.ts";
import { DataFormError } from "./data-form-error.ts";
import { decimalValue, floatDigits } from "./float-digits.ts";
import {
  DataFloat,
  Keyword,
  describeForm,
  integer,
  isInteger,
  keyword,
  listElements,
  type DataForm,
  type DataList,
} from "./form.ts";

/**
 * The portable mapping between JSON and data forms (facts B.5):
 * object `(:object ("key" V) …)` sorted by key, array `(:array V …)`, true `T`, false `NIL`, null `:null`.
 */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

const objectTag = keyword("object");
const arrayTag = keyword("array");
/** JSON null; `NIL` is JSON false. */
export const nullKeyword: Keyword = keyword("null");

/** Nesting accepted in either direction. */
export const maxJsonDepth = 512;

/**
 * The portable form of a JSON value. Numbers that are safe integers become integers, others double floats; half
 * surrogate pairs in strings become U+FFFD.
 * @throws DataFormError `invalid-value` for numbers that are not finite and values JSON has no notation for;
 *   `data-too-deep` beyond {@link maxJsonDepth}.
 */
export function jsonToForm(value: JsonValue, depth = 0): DataForm {
  if (value === null) return nullKeyword;
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "boolean") return value;
  if (typeof value === "bigint") return integer(value);
  if (typeof value === "number") return numberToForm(value);
  if (typeof value !== "object") {
    throw new DataFormError("invalid-value", `a JSON value was expected, got ${typeof value}`);
  }
  checkDepth(depth);
  if (Array.isArray(value)) {
    return [arrayTag, ...(value as readonly JsonValue[]).map((element) => jsonToForm(element, depth + 1))];
  }
  return objectForm(Object.entries(value).map(([key, member]) => [key, jsonToForm(member, depth + 1)]));
}

/** The form of an object with these members, sorted. @throws DataFormError `invalid-structure` for a duplicate key. */
export function objectForm(members: readonly (readonly [string, DataForm])[]): DataForm {
  const entries = members.map(([key, member]) => [key.toWellFormed(), member] as const);
  const sorted = entries.toSorted(([left], [right]) => compareCodePoints(left, right));
  for (let index = 1; index < sorted.length; index++) {
    const key = sorted[index]?.[0];
    if (key === sorted[index - 1]?.[0]) throw duplicateKey(key as string);
  }
  return [objectTag, ...sorted];
}

/** The form of an array. */
export function arrayForm(elements: readonly DataForm[]): DataForm {
  return [arrayTag, ...elements];
}

/**
 * The JSON value of a portable form. Integers beyond the safe range become bigints; floats become the numbers
 * that their shortest digits stand for.
 * @throws DataFormError `invalid-structure` for a form outside the mapping or a duplicate key, with the path in the message.
 */
export function formToJson(form: DataForm): JsonValue {
  return convert(form, "$", 0);
}

function convert(form: DataForm, path: string, depth: number): JsonValue {
  if (typeof form === "string" || typeof form === "boolean" || isInteger(form)) return form;
  if (form instanceof DataFloat) return decimalValue(form);
  if (form === nullKeyword) return null;
  checkDepth(depth);
  const object = portableObject(form, path);
  if (object !== undefined) {
    return Object.fromEntries(
      Array.from(object, ([key, member]) => [key, convert(member, `${path}.${key}`, depth + 1)]),
    );
  }
  const array = portableArray(form);
  if (array !== undefined)
    return array.map((member, index) => convert(member, `${path}[${index}]`, depth + 1));
  throw notPortable(form, path);
}

/**
 * The members of an `(:object …)` form in their order, or `undefined` when the form is none.
 * @throws DataFormError `invalid-structure` for malformed entries and duplicate keys.
 */
export function portableObject(form: DataForm, path = "$"): ReadonlyMap<string, DataForm> | undefined {
  const list = listElements(form);
  if (list?.[0] !== objectTag) return undefined;
  const members = new Map<string, DataForm>();
  for (const entry of list.slice(1)) {
    const [key, member, ...rest] = listElements(entry) ?? [];
    if (typeof key !== "string" || member === undefined || rest.length > 0) {
      throw new DataFormError(
        "invalid-structure",
        `${path}: an object's entries are ("key" value), got ${describeForm(entry)}`,
      );
    }
    if (members.has(key)) throw duplicateKey(key);
    members.set(key, member);
  }
  return members;
}

/** The elements of an `(:array …)` form, or `undefined` when the form is none. */
export function portableArray(form: DataForm): DataList | undefined {
  const list = listElements(form);
  return list?.[0] === arrayTag ? list.slice(1) : undefined;
}

/**
 * JSON text of a portable form: floats keep their point (`3.0`), integers of any size are exact, members are sorted.
 * @throws DataFormError as {@link formToJson}.
 */
export function formToJsonText(form: DataForm): string {
  return write(form, "$", 0);
}

function write(form: DataForm, path: string, depth: number): string {
  if (typeof form === "string") return JSON.stringify(form);
  if (typeof form === "boolean" || isInteger(form)) return String(form);
  if (form instanceof DataFloat) return floatText(form);
  if (form === nullKeyword) return "null";
  checkDepth(depth);
  const object = portableObject(form, path);
  if (object !== undefined) {
    const keys = Array.from(object.keys()).sort(compareCodePoints);
    const members = keys.map(
      (key) => `${JSON.stringify(key)}:${write(object.get(key) as DataForm, `${path}.${key}`, depth + 1)}`,
    );
    return `{${members.join(",")}}`;
  }
  const array = portableArray(form);
  if (array === undefined) throw notPortable(form, path);
  return `[${array.map((member, index) => write(member, `${path}[${index}]`, depth + 1)).join(",")}]`;
}

function floatText(float: DataFloat): string {
  const text = floatDigits(float);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function numberToForm(value: number): DataForm {
  if (!Number.isFinite(value))
    throw new DataFormError("invalid-value", `a finite number was expected, got ${value}`);
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? value : new DataFloat(value, "double");
}

function checkDepth(depth: number): void {
  if (depth >= maxJsonDepth)
    throw new DataFormError("data-too-deep", `JSON nests deeper than ${maxJsonDepth}`);
}

function duplicateKey(key: string): DataFormError {
  return new DataFormError("invalid-structure", `duplicate object key ${JSON.stringify(key)}`, { key });
}

function notPortable(form: DataForm, path: string): DataFormError {
  const problem = `${path}: a JSON value was expected (a tagged list, string, number, T, NIL or :NULL), got ${describeForm(form)}`;
  return new DataFormError("invalid-structure", problem);
}
