import type { LispValue } from "../data/value.ts";
import { corrupt } from "./byte-reader.ts";
import type { HeapInput, HeapOutput } from "./kind.ts";

/**
 * What a field of an object of the engine holds. `value`: a Lisp value, null, undefined, a JavaScript boolean or string. `inline`:
 * a JavaScript array, set, map or typed array that belongs to this object alone, of such things. `table`: a map from JavaScript
 * strings to values, of which only the entries that differ from the boot's are written.
 */
export type FieldType = "value" | "inline" | "table";

export interface Field {
  readonly name: string;
  readonly type: FieldType;
}

/** Fields by their names; `inline` and `table` ones are marked by a word after a colon. */
export function fields(text: string): readonly Field[] {
  return text
    .trim()
    .split(/\s+/)
    .map((word) => {
      const [name, type = "value"] = word.split(":");
      return { name: name!, type: type as FieldType };
    });
}

const REFERENCE = 0;
const NULL = 1;
const UNDEFINED = 2;
const TRUE = 3;
const FALSE = 4;
const TEXT = 5;
const ARRAY = 6;
const SET = 7;
const MAP = 8;
const BYTES = 9;
const WORDS = 10;

/** True for what `inline` takes apart. */
function isContainer(item: unknown): item is unknown[] | Set<unknown> | Map<unknown, unknown> {
  return Array.isArray(item) || item instanceof Set || item instanceof Map;
}

/** The single things in a field, in a fixed order: what its parts are called in the names of boot objects. */
export function partsOf(item: unknown, type: FieldType): unknown[] {
  if (type === "value" || !isContainer(item)) return ArrayBuffer.isView(item) ? [] : [item];
  const items = item instanceof Map ? [...item].flat(1) : [...item];
  return items.flatMap((each) => partsOf(each, type));
}

/** Visits the Lisp values in a field. */
export function visitField(item: unknown, type: FieldType, visit: (value: LispValue) => void): void {
  if (item === null || item === undefined) return;
  if (type !== "value" && isContainer(item)) {
    for (const part of partsOf(item, type)) visitField(part, "value", visit);
  } else if (typeof item === "object" ? !ArrayBuffer.isView(item) : typeof item !== "string") {
    if (typeof item !== "boolean") visit(item);
  }
}

/** Writes what a field holds. */
export function writeField(item: unknown, type: FieldType, out: HeapOutput): void {
  const { bytes } = out;
  if (item === null) return bytes.byte(NULL);
  if (item === undefined) return bytes.byte(UNDEFINED);
  if (typeof item === "boolean") return bytes.byte(item ? TRUE : FALSE);
  if (typeof item === "string") {
    bytes.byte(TEXT);
    return bytes.text(item);
  }
  if (item instanceof Uint8Array) {
    bytes.byte(BYTES);
    return bytes.block(item);
  }
  if (item instanceof Uint32Array) {
    bytes.byte(WORDS);
    return bytes.block(new Uint8Array(item.buffer, item.byteOffset, item.byteLength));
  }
  if (type !== "value" && isContainer(item)) return writeContainer(item, type, out);
  bytes.byte(REFERENCE);
  bytes.count(out.word(item));
}

function writeContainer(
  item: unknown[] | Set<unknown> | Map<unknown, unknown>,
  type: FieldType,
  out: HeapOutput,
): void {
  const { bytes } = out;
  if (item instanceof Map) {
    bytes.byte(MAP);
    bytes.count(item.size);
    for (const [key, value] of item) {
      writeField(key, type, out);
      writeField(value, type, out);
    }
    return;
  }
  const items = [...item];
  bytes.byte(Array.isArray(item) ? ARRAY : SET);
  bytes.count(items.length);
  for (const each of items) writeField(each, type, out);
}

/** Reads what `writeField` wrote. */
export function readField(input: HeapInput): unknown {
  const { bytes } = input;
  const tag = bytes.byte();
  switch (tag) {
    case REFERENCE:
      return input.value(bytes.count());
    case NULL:
      return null;
    case UNDEFINED:
      return undefined;
    case TRUE:
      return true;
    case FALSE:
      return false;
    case TEXT:
      return bytes.text();
    case BYTES:
      return bytes.block();
    case WORDS:
      return new Uint32Array(bytes.block().buffer);
    default:
      return readContainer(tag, input);
  }
}

function readContainer(tag: number, input: HeapInput): unknown {
  const count = input.bytes.countOf(1);
  if (tag === MAP) {
    const map = new Map<unknown, unknown>();
    for (let i = 0; i < count; i++) map.set(readField(input), readField(input));
    return map;
  }
  if (tag !== ARRAY && tag !== SET) throw corrupt(`a field begins with ${tag}`);
  const items: unknown[] = [];
  for (let i = 0; i < count; i++) items.push(readField(input));
  return tag === ARRAY ? items : new Set(items);
}
