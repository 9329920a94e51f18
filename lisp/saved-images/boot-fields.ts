import { LibraryUnit } from "../compiler/compiled-file.ts";
import { LArray } from "../data/array.ts";
import { Cons } from "../data/cons.ts";
import { LFunction } from "../data/function.ts";
import { LHashTable } from "../data/hash-table.ts";
import { LInstance, LStruct } from "../data/instance.ts";
import type { LispValue } from "../data/value.ts";
import { hashEntries } from "../hash/hash-entries.ts";
import { clearTable, putEntry } from "../hash/hash-table-operations.ts";
import type { Image } from "../image/image.ts";
import { corrupt } from "./byte-reader.ts";
import { type Field, partsOf } from "./fields.ts";
import { fieldOf, recordTypes } from "./record-kinds.ts";
import type { RecordType } from "./record-type.ts";

/**
 * What the objects of a freshly booted heap consist of: how one is compared with its counterpart in another image, named by its
 * place, and changed. Objects without fields here belong to the host or never change.
 */

const value = (name: string): Field => ({ name, type: "value" });
const inline = (name: string): Field => ({ name, type: "inline" });

const byConstructor = new Map<unknown, readonly Field[]>([
  [Cons, [value("car"), value("cdr")]],
  [Array, [inline("elements")]],
  [LArray, [inline("storage")]],
  [LHashTable, [inline("entries")]],
  [LStruct, [value("layout"), inline("slots")]],
  [LInstance, [value("layout"), inline("slots")]],
  [LFunction, [inline("env"), value("documentation")]],
  ...recordTypes.map(({ type, fields }) => [type, fields] as const),
]);

const finishers = new Map<unknown, NonNullable<RecordType["finish"]>>(
  recordTypes.flatMap(({ type, finish }) => (finish === undefined ? [] : [[type, finish]])),
);

const none: readonly Field[] = [];

/** The fields of an object. */
export function bootFields(object: object): readonly Field[] {
  return byConstructor.get(object.constructor) ?? none;
}

/** What a field of an object holds. */
export function bootField(
  object: object,
  field: Field,
  image: Image,
  globalValue: (symbol: object) => LispValue,
): unknown {
  if (Array.isArray(object)) return object;
  if (object instanceof LHashTable) return hashEntries(object);
  if (object instanceof LFunction && field.name === "documentation") return documentationOf(object, image);
  return fieldOf(object, field, { globalValue });
}

/** The documentation of a function, or undefined when it is what the library says. */
function documentationOf(fn: LFunction, image: Image): unknown {
  const { documentation, origin } = fn.info;
  if (!(origin?.unit instanceof LibraryUnit)) return documentation;
  if (image.stubs.has(fn)) return undefined;
  return origin.unit.info(origin.id).documentation === documentation ? undefined : documentation;
}

/** One of the things in a field, by its number. */
export function bootPart(
  object: object,
  fieldNumber: number,
  part: number,
  image: Image,
  globalValue: (symbol: object) => LispValue,
): LispValue {
  const field = bootFields(object)[fieldNumber];
  const found =
    field === undefined ? undefined : partsOf(bootField(object, field, image, globalValue), field.type)[part];
  if (found === undefined || found === null || typeof found === "boolean" || typeof found === "string")
    throw corrupt("an object of the boot is not where it should be");
  return found;
}

/** Gives a field of a boot object what it holds in the saved image. */
export function setBootField(object: object, field: Field, item: unknown, image: Image): void {
  if (object instanceof LHashTable) return refill(object, item as readonly LispValue[]);
  if (Array.isArray(object)) {
    object.splice(0, object.length, ...(item as LispValue[]));
    return;
  }
  if (object instanceof LFunction && field.name === "documentation") {
    image.stubs.get(object)?.();
    object.info.documentation = item as LispValue;
    return;
  }
  (object as Record<string, unknown>)[field.name] = item;
}

function refill(table: LHashTable, entries: readonly LispValue[]): void {
  clearTable(table);
  for (let i = 0; i < entries.length; i += 2) putEntry(table, entries[i]!, entries[i + 1]!);
}

/** To be called when the fields of an object have been set: what is derived from them is made anew. */
export function finishObject(object: object, image: Image): void {
  finishers.get(object.constructor)?.(object as never, image);
}
