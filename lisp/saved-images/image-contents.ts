import type { LispValue } from "../data/value.ts";
import type { Image } from "../image/image.ts";
import { objectSystem } from "../objects/object-system.ts";
import { pathnameSystem } from "../pathnames/pathname-system.ts";
import { NIL, T, type LPackage } from "../data/symbol.ts";
import { sharedPlists } from "../symbols/shared-plists.ts";
import { bootField, bootFields, finishObject, setBootField } from "./boot-fields.ts";
import { corrupt } from "./byte-reader.ts";
import { type Field, readField, visitField, writeField } from "./fields.ts";
import type { HeapGraph } from "./heap-graph.ts";
import type { HeapInput, HeapOutput } from "./kind.ts";
import { recordTypes } from "./record-kinds.ts";

/** What an image holds besides the objects of its heap: changes of boot objects, and what the engine keeps outside of Lisp objects. */

type Table = ReadonlyMap<string, LispValue>;

const empty: Table = new Map();

/** Entries of a table that differ from the boot's, and names that are gone. */
function tableDelta(
  mine: Table | null,
  theirs: Table | null,
  partner: ReadonlyMap<object, object>,
): { readonly gone: readonly string[]; readonly entries: readonly (readonly [string, LispValue])[] } {
  const [own, other] = [mine ?? empty, theirs ?? empty];
  return {
    gone: [...other.keys()].filter((name) => !own.has(name)),
    entries: [...own].filter(([name, value]) => {
      const old = other.get(name);
      return old === undefined || (old !== value && partner.get(value as object) !== old);
    }),
  };
}

/** The changed fields of boot objects: each with the object and what the field holds. */
export class BootChanges {
  private readonly graph: HeapGraph;
  private readonly image: Image;
  private readonly rows: readonly { readonly object: object; readonly fields: readonly number[] }[];

  constructor(graph: HeapGraph, image: Image) {
    this.graph = graph;
    this.image = image;
    this.rows = [...graph.pairs.changes].map(([object, fields]) => ({ object, fields }));
  }

  visit(): void {
    for (const { object, fields } of this.rows) {
      this.graph.visit(object);
      for (const number of fields) {
        const field = bootFields(object)[number]!;
        const item = this.item(object, field);
        if (field.type !== "table") visitField(item, field.type, this.graph.visit);
        else for (const [, value] of this.delta(object, field).entries) this.graph.visit(value);
      }
    }
  }

  private item(object: object, field: Field): unknown {
    return bootField(object, field, this.image, this.graph.globalValue);
  }

  private delta(object: object, field: Field): ReturnType<typeof tableDelta> {
    const { partner } = this.graph.pairs;
    const theirs = (partner.get(object) as Record<string, unknown>)[field.name] as Table | null;
    return tableDelta(this.item(object, field) as Table | null, theirs, partner);
  }

  write(out: HeapOutput): void {
    const { bytes } = out;
    bytes.count(this.rows.length);
    for (const { object, fields } of this.rows) {
      bytes.count(out.word(object));
      bytes.count(fields.length);
      for (const number of fields) {
        const field = bootFields(object)[number]!;
        bytes.count(number);
        if (field.type !== "table") {
          writeField(this.item(object, field), field.type, out);
          continue;
        }
        const { gone, entries } = this.delta(object, field);
        writeField(gone, "inline", out);
        writeField(new Map(entries), "inline", out);
      }
    }
  }
}

/** Makes the changes that `BootChanges` wrote. */
export function applyChanges(input: HeapInput): void {
  const { bytes, image } = input;
  const changed: LispValue[] = [];
  const later: (() => void)[] = [];
  for (let left = bytes.countOf(3); left > 0; left--) {
    const object = input.value(bytes.count());
    if (typeof object !== "object") throw corrupt("a number has changed");
    for (let fields = bytes.countOf(2); fields > 0; fields--) {
      const field = bootFields(object)[bytes.count()];
      if (field === undefined) throw corrupt("a field has changed that does not exist");
      if (field.type === "table") changeTable(object, field, input);
      else {
        const item = readField(input);
        // Hash tables last: where an entry belongs depends on what its key is made of.
        later.push(() => setBootField(object, field, item, image));
      }
    }
    changed.push(object);
  }
  for (const change of later) change();
  for (const object of changed) finishObject(object as object, image);
}

function changeTable(object: object, { name }: Field, input: HeapInput): void {
  const holder = object as Record<string, Map<string, LispValue> | null>;
  const gone = readField(input) as readonly string[];
  const entries = readField(input) as ReadonlyMap<string, LispValue>;
  const table = (holder[name] ??= new Map());
  for (const key of gone) table.delete(key);
  for (const [key, value] of entries) table.set(key, value);
}

/** Calls what completes each new object, when all fields are set. */
export function finishRecords(
  sections: readonly (readonly LispValue[])[],
  first: number,
  image: Image,
): void {
  for (const [i, { finish }] of recordTypes.entries()) {
    if (finish === undefined) continue;
    for (const object of sections[first + i]!) finish(object as never, image);
  }
}

// ---------------------------------------------------------------- beside the heap

/** State that the engine keeps beside the heap: packages by name, property lists of NIL and T, logical hosts. */
function surroundings(image: Image): readonly ReadonlyMap<unknown, LispValue>[] {
  return [image.packages, sharedPlists(image), pathnameSystem(image).logicalHosts];
}

export function visitSurroundings(image: Image, graph: HeapGraph): void {
  for (const map of surroundings(image)) visitField(map, "inline", graph.visit);
}

export function writeSurroundings(out: HeapOutput): void {
  for (const map of surroundings(out.image)) writeField(map, "inline", out);
}

export function readSurroundings(input: HeapInput): void {
  const { image } = input;
  replace(image.packages, readField(input) as Map<string, LPackage>);
  const plists = readField(input) as Map<typeof NIL | typeof T, LispValue>;
  replace(sharedPlists(image), plists);
  replace(pathnameSystem(image).logicalHosts, readField(input) as Map<string, LispValue>);
}

function replace<Key, Value>(map: Map<Key, Value>, by: ReadonlyMap<Key, Value>): void {
  map.clear();
  for (const [key, value] of by) map.set(key, value);
}

/** True when the classes and generic functions that the library makes late have been made. */
export function lateObjectsMade(image: Image): boolean {
  return !objectSystem(image).deferred.waiting;
}
