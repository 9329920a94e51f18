import { floatDigits } from "./float-digits.ts";
import {
  DataFloat,
  DataValueError,
  Keyword,
  type DataForm,
  type DataList,
  type FloatFormat,
} from "./form.ts";

/** How forms are written. */
export interface PrintOptions {
  /**
   * The format a reader of this text takes floats without a marker to have; floats of the other format get one.
   * Default `"double"`, as our own reader takes them. For texts that any Lisp may read say `"single"`, which is what the
   * standard's reader takes; doubles then print as `1.5d0`.
   */
  readonly floatFormat?: FloatFormat | undefined;
}

/** As {@link PrintOptions}, with the line width that pretty printing tries to keep. */
export interface PrettyPrintOptions extends PrintOptions {
  /** Characters a line should not exceed. Default 100. Strings are never broken. */
  readonly width?: number | undefined;
}

/** Nesting that the printers accept; deeper (or circular) values are refused. */
export const maxPrintedDepth = 1000;

/**
 * The form on one line (strings may hold line breaks of their own), keywords in upper case. Half surrogate pairs, which
 * UTF-8 cannot hold, become U+FFFD.
 * @throws DataValueError for nesting beyond {@link maxPrintedDepth} and numbers that are not integers.
 */
export function printDataForm(form: DataForm, options: PrintOptions = {}): string {
  return printFlat(form, options.floatFormat ?? "double", 0);
}

/** As {@link printDataForm}, broken into indented lines where one would be too wide; keys and values share a line. */
export function prettyPrintDataForm(form: DataForm, options: PrettyPrintOptions = {}): string {
  const style = { floatFormat: options.floatFormat ?? "double", width: options.width ?? 100 };
  return printPretty(form, style, 0, 0);
}

function printFlat(form: DataForm, floatFormat: FloatFormat, depth: number): string {
  if (!Array.isArray(form)) return printAtom(form as Exclude<DataForm, DataList>, floatFormat);
  checkDepth(depth);
  const list = form as DataList;
  if (list.length === 0) return "NIL";
  let text = "(";
  for (let index = 0; index < list.length; index++) {
    if (index > 0) text += " ";
    text += printFlat(list[index] as DataForm, floatFormat, depth + 1);
  }
  return `${text})`;
}

interface PrettyStyle {
  readonly floatFormat: FloatFormat;
  readonly width: number;
}

function printPretty(form: DataForm, style: PrettyStyle, indent: number, depth: number): string {
  if (!Array.isArray(form)) return printAtom(form as Exclude<DataForm, DataList>, style.floatFormat);
  checkDepth(depth);
  const list = form as DataList;
  if (fits(list, style.width - indent)) return printFlat(list, style.floatFormat, depth);
  const firstKey = firstKeyIndex(list);
  const lines: string[] = [];
  for (let index = 0; index < list.length; index++) {
    const text = printPretty(list[index] as DataForm, style, indent + 1, depth + 1);
    if (index < firstKey) {
      lines.push(text);
    } else {
      const value = list[++index] as DataForm;
      lines.push(`${text} ${printPretty(value, style, indent + 2 + text.length, depth + 1)}`);
    }
  }
  return `(${lines.join(`\n${" ".repeat(indent + 1)}`)})`;
}

/** Where the keys and values of a property list begin: at 0, at 1 after a head, or nowhere (infinity). */
function firstKeyIndex(list: DataList): number {
  const first = list.length % 2;
  for (let index = first; index < list.length; index += 2) {
    if (!(list[index] instanceof Keyword)) return Number.POSITIVE_INFINITY;
  }
  return first;
}

/** Could the list be printed within `room` characters? Looks at no more of it than that. */
function fits(list: DataList, room: number): boolean {
  return remaining(list, room) >= 0;
}

function remaining(form: DataForm, room: number): number {
  if (!Array.isArray(form)) return room - atomWidth(form as Exclude<DataForm, DataList>);
  let left = room - 1;
  for (const element of form as DataList) {
    if (left < 0) return left;
    left = remaining(element, left - 1);
  }
  return left;
}

function atomWidth(form: Exclude<DataForm, DataList>): number {
  if (typeof form === "string") return form.includes("\n") ? Number.POSITIVE_INFINITY : form.length + 2;
  return printAtom(form, "double").length;
}

function checkDepth(depth: number): void {
  if (depth >= maxPrintedDepth) {
    throw new DataValueError(`a list nests deeper than ${maxPrintedDepth}, or contains itself`);
  }
}

function printAtom(form: Exclude<DataForm, DataList>, floatFormat: FloatFormat): string {
  if (typeof form === "string") return printString(form);
  if (form instanceof Keyword) return `:${form.name}`;
  if (form === false) return "NIL";
  if (form === true) return "T";
  if (form instanceof DataFloat) return printFloat(form, floatFormat);
  if (typeof form === "bigint" || Number.isSafeInteger(form)) return String(form === 0 ? 0 : form);
  throw new DataValueError(
    `${form} is not an integer: wrap floats in DataFloat and large integers in bigint`,
  );
}

function printString(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return `"${/["\\]/.test(wellFormed) ? wellFormed.replace(/["\\]/g, "\\$&") : wellFormed}"`;
}

/** Shortest digits that read back as the same float, always with a point, so that 3.0 stays a float. */
function printFloat(float: DataFloat, readerFormat: FloatFormat): string {
  const [mantissa = "", exponent] = floatDigits(float).split("e");
  const pointed = mantissa.includes(".") ? mantissa : `${mantissa}.0`;
  const marker = float.format === "single" ? "f" : "d";
  if (float.format !== readerFormat) return `${pointed}${marker}${Number(exponent ?? 0)}`;
  return exponent === undefined ? pointed : `${pointed}e${Number(exponent)}`;
}
