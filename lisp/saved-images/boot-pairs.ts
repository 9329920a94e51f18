import { LArray } from "../data/array.ts";
import { Cons, listToArray } from "../data/cons.ts";
import { LFunction } from "../data/function.ts";
import { LHashTable } from "../data/hash-table.ts";
import { InstanceLayout, LInstance, LStruct, StructLayout } from "../data/instance.ts";
import { BoxedNumber, eqlNumbers } from "../data/number.ts";
import { LString } from "../data/string.ts";
import { LSymbol, NIL, SetfCell, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { LibraryUnit } from "../compiler/compiled-file.ts";
import type { Image } from "../image/image.ts";
import { GenericFunction, LClass, LMethod } from "../objects/class.ts";
import { objectSystem } from "../objects/object-system.ts";
import { bootField, bootFields } from "./boot-fields.ts";
import { type Field, partsOf } from "./fields.ts";

/** How an object of a freshly booted image is found: from a root by name, or as a part of another. */
export type BootPlace =
  | { readonly root: "package" | "class"; readonly name: string }
  | { readonly root: "symbol"; readonly pkg: string; readonly name: string }
  | { readonly root: null; readonly parent: object; readonly field: number; readonly part: number };

type Place = (part: number) => BootPlace;

/** Most conses of a boot list that are looked at to align it with a longer one. */
const maximumAligned = 10_000;

/**
 * Finds out what an image has in common with a freshly booted one, its twin: which objects correspond, and which fields of those
 * differ. Objects correspond when they have the same place and the same identity: name, code, type; lists, vectors and strings
 * only when they are equal. Whatever has no counterpart is new.
 */
export class BootPairs {
  private readonly mine: Image;
  private readonly twin: Image;
  private readonly globalValue: (symbol: object) => LispValue;
  /** The object of the twin for one of the image. */
  readonly partner = new Map<object, object>();
  private readonly taken = new Set<object>();
  /** Places of objects of the twin. */
  private readonly places = new Map<object, BootPlace>();
  /** Numbers of the fields that differ, by object of the image. */
  readonly changes = new Map<object, number[]>();
  private readonly trail: object[] = [];
  private readonly queue: object[] = [];

  constructor(mine: Image, twin: Image, globalValue: (symbol: object) => LispValue) {
    this.mine = mine;
    this.twin = twin;
    this.globalValue = globalValue;
    this.pairRoots();
    for (let next = this.queue.pop(); next !== undefined; next = this.queue.pop()) this.compare(next);
  }

  /** Where the counterpart of a paired object is in a freshly booted image. */
  placeOf(theirs: object): BootPlace {
    return this.places.get(theirs)!;
  }

  // ---------------------------------------------------------------- roots

  private pairRoots(): void {
    for (const shared of [NIL, T]) {
      this.partner.set(shared, shared);
      this.taken.add(shared);
    }
    const packages = [...this.twin.packages].flatMap(([name, theirs]) => {
      const mine = this.mine.packages.get(name);
      return mine === undefined ? [] : [{ name, mine, theirs }];
    });
    for (const { name, mine, theirs } of packages) this.pairRoot(mine, theirs, { root: "package", name });
    for (const { name: pkg, mine, theirs } of packages) {
      for (const table of [theirs.external, theirs.internal]) {
        for (const [name, symbol] of table) {
          const own = mine.external.get(name) ?? mine.internal.get(name);
          if (symbol.pkg === theirs && own?.pkg === mine)
            this.pairRoot(own, symbol, { root: "symbol", pkg, name });
        }
      }
    }
    const classes = objectSystem(this.mine).standardClasses;
    for (const [name, theirs] of objectSystem(this.twin).standardClasses)
      this.pairRoot(classes.get(name)!, theirs, { root: "class", name });
  }

  private pairRoot(mine: object, theirs: object, place: BootPlace): void {
    if (this.partner.has(mine) || this.taken.has(theirs)) return;
    this.places.set(theirs, place);
    this.accept(mine, theirs);
  }

  private accept(mine: object, theirs: object): void {
    this.partner.set(mine, theirs);
    this.taken.add(theirs);
    this.trail.push(mine);
    this.queue.push(mine);
  }

  /** Takes back what was accepted since the trail and the queue had these lengths. */
  private reject(trailLength: number, queueLength: number): void {
    while (this.trail.length > trailLength) {
      const mine = this.trail.pop()!;
      this.taken.delete(this.partner.get(mine)!);
      this.partner.delete(mine);
    }
    this.queue.length = queueLength;
  }

  // ---------------------------------------------------------------- fields

  private compare(mine: object): void {
    const theirs = this.partner.get(mine)!;
    const changed: number[] = [];
    for (const [number, field] of bootFields(mine).entries()) {
      const place: Place = (part) => ({ root: null, parent: theirs, field: number, part });
      const [own, other] = [
        bootField(mine, field, this.mine, this.globalValue),
        bootField(theirs, field, this.twin, twinValue),
      ];
      if (!this.sameField(own, other, field, place)) changed.push(number);
    }
    if (changed.length > 0) this.changes.set(mine, changed);
  }

  private sameField(own: unknown, other: unknown, { type }: Field, place: Place): boolean {
    if (type === "value") return this.same(own, other, place(0));
    if (type === "table") return this.sameTable(own, other, place);
    if (ArrayBuffer.isView(own) && ArrayBuffer.isView(other)) return sameBytes(own, other);
    const [mine, theirs] = [partsOf(own, type), partsOf(other, type)];
    let same = mine.length === theirs.length && shape(own) === shape(other);
    for (let i = 0; i < Math.min(mine.length, theirs.length); i++)
      if (!this.same(mine[i], theirs[i], place(i))) same = false;
    return same;
  }

  private sameTable(own: unknown, other: unknown, place: Place): boolean {
    const [mine, theirs] = [own, other].map((table) => (table ?? empty) as ReadonlyMap<string, unknown>);
    let same = mine!.size === theirs!.size;
    let index = 0;
    for (const [key, value] of theirs!) {
      if (!mine!.has(key) || !this.same(mine!.get(key), value, place(2 * index + 1))) same = false;
      index++;
    }
    return same;
  }

  // ---------------------------------------------------------------- values

  private same(own: unknown, other: unknown, place: BootPlace): boolean {
    if (own === other) return true;
    if (!isReference(own) || !isReference(other)) return false;
    const known = this.partner.get(own);
    if (known !== undefined) return known === other;
    if (this.taken.has(other) || own.constructor !== other.constructor) return false;
    if (own instanceof BoxedNumber) return eqlNumbers(own, other);
    if (!this.places.has(other)) this.places.set(other, place);
    const [trail, queue] = [this.trail.length, this.queue.length];
    if (own instanceof Cons) return this.sameList(own, other as Cons);
    this.accept(own, other);
    if (this.identical(own, other)) return true;
    this.reject(trail, queue);
    return false;
  }

  private sameList(own: Cons, other: Cons): boolean {
    if (this.equalLists(own, other)) return true;
    const [mine, theirs] = [listToArray(own), listToArray(other)];
    if (mine === null || theirs === null || theirs.length > maximumAligned) return false;
    this.align(own, mine, other, theirs);
    return false;
  }

  private equalLists(own: Cons, other: Cons): boolean {
    const [trail, queue] = [this.trail.length, this.queue.length];
    let [a, b]: [LispValue, LispValue] = [own, other];
    while (a instanceof Cons && b instanceof Cons && !this.partner.has(a) && !this.taken.has(b)) {
      this.partner.set(a, b);
      this.taken.add(b);
      this.trail.push(a);
      if (!this.same(a.car, b.car, { root: null, parent: b, field: 0, part: 0 })) {
        this.reject(trail, queue);
        return false;
      }
      const parent = b;
      [a, b] = [a.cdr, b.cdr];
      if (b instanceof Cons && !this.places.has(b))
        this.places.set(b, { root: null, parent, field: 1, part: 0 });
      if (!(a instanceof Cons) || !(b instanceof Cons)) {
        if (this.same(a, b, { root: null, parent, field: 1, part: 0 })) return true;
        this.reject(trail, queue);
        return false;
      }
    }
    if (this.partner.get(a) === b) return true;
    this.reject(trail, queue);
    return false;
  }

  /** Pairs what a list that has grown at its front still has of the old one: its tail, or else its elements. */
  private align(own: Cons, mine: readonly LispValue[], other: Cons, theirs: readonly LispValue[]): void {
    const cells: Cons[] = [];
    for (let rest: LispValue = other; rest instanceof Cons; rest = rest.cdr) {
      const parent = cells.at(-1);
      if (parent !== undefined && !this.places.has(rest))
        this.places.set(rest, { root: null, parent, field: 1, part: 0 });
      cells.push(rest);
    }
    if (mine.length > theirs.length) {
      let tail: LispValue = own;
      for (let left = mine.length - theirs.length; left > 0; left--) tail = (tail as Cons).cdr;
      if (this.equalLists(tail as Cons, other)) return;
    }
    let at = mine.length - 1;
    for (let i = theirs.length - 1; i >= 0 && at >= 0; at--) {
      if (this.same(mine[at], theirs[i], { root: null, parent: cells[i]!, field: 0, part: 0 })) i--;
    }
  }

  /** True when two objects of one class, provisionally paired, are the same thing in two images. */
  private identical(own: object, other: object): boolean {
    if (own instanceof LString) return sameString(own, other as LString);
    if (Array.isArray(own)) return this.sameElements(own, other as LispValue[]);
    if (own instanceof LArray)
      return own.type === (other as LArray).type && own.dims.join() === (other as LArray).dims.join();
    if (own instanceof SetfCell) return this.partner.get(own.base) === (other as SetfCell).base;
    if (own instanceof LSymbol)
      return own.pkg === null && (other as LSymbol).pkg === null && own.name === (other as LSymbol).name;
    if (own instanceof GenericFunction)
      return this.sameName(own.name, (other as GenericFunction).name, other, "name");
    if (own instanceof LFunction) return this.sameFunction(own, other as LFunction);
    if (own instanceof LClass) return this.sameName(own.name, (other as LClass).name, other, "name");
    if (own instanceof LMethod) {
      const method = other as LMethod;
      return (
        this.sameName(own.specializers, method.specializers, other, "specializers") &&
        this.sameName(own.qualifiers, method.qualifiers, other, "qualifiers")
      );
    }
    if (own instanceof LHashTable) return own.test === (other as LHashTable).test;
    if (own instanceof LStruct || (own instanceof LInstance && own.constructor === LInstance))
      return this.sameName(own.layout, (other as LStruct).layout, other, "layout");
    if (own instanceof StructLayout || own instanceof InstanceLayout)
      return (
        own.slotNames.length === (other as StructLayout).slotNames.length &&
        own.slotNames.every((name, i) => this.partner.get(name) === (other as StructLayout).slotNames[i])
      );
    return true;
  }

  /** Compares what tells one object from another of its class. */
  private sameName(own: unknown, other: unknown, parent: object, fieldName: string): boolean {
    const field = bootFields(parent).findIndex(({ name }) => name === fieldName);
    return this.same(own, other, { root: null, parent, field, part: 0 });
  }

  private sameElements(own: readonly LispValue[], other: readonly LispValue[]): boolean {
    return (
      own.length === other.length &&
      own.every((item, part) => this.same(item, other[part], { root: null, parent: other, field: 0, part }))
    );
  }

  private sameFunction(own: LFunction, other: LFunction): boolean {
    const [a, b] = [own.info, other.info];
    if (a.leaf !== b.leaf) return false;
    if (a.origin === undefined || b.origin === undefined)
      return a.origin === b.origin && this.sameFunctionName(a.name, b.name);
    const [mine, theirs] = [a.origin.unit, b.origin.unit];
    return (
      a.origin.id === b.origin.id &&
      (mine === theirs ||
        (mine instanceof LibraryUnit && theirs instanceof LibraryUnit && mine.name === theirs.name))
    );
  }

  private sameFunctionName(own: LispValue, other: LispValue): boolean {
    return own === other || this.partner.get(own as object) === other;
  }
}

const empty: ReadonlyMap<string, unknown> = new Map();

const twinValue = (symbol: object): LispValue => (symbol as LSymbol).value;

function isReference(item: unknown): item is object {
  return typeof item === "object" && item !== null;
}

/** Distinguishes containers that hold the same number of things. */
function shape(item: unknown): string {
  if (Array.isArray(item)) return `a${item.map(shape).join("")}.`;
  if (item instanceof Set) return `s${item.size}`;
  return item instanceof Map ? `m${[...item.values()].map(shape).join("")}.` : "";
}

function sameBytes(own: ArrayBufferView, other: ArrayBufferView): boolean {
  const [a, b] = [own, other].map((view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  return a!.length === b!.length && a!.every((byte, i) => byte === b![i]);
}

function sameString(own: LString, other: LString): boolean {
  return own.simple && other.simple && own.base === other.base && own.toJS() === other.toJS();
}
