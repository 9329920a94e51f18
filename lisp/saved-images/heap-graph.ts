import { NIL, T, UNBOUND } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { Image } from "../image/image.ts";
import { bootField, bootFields } from "./boot-fields.ts";
import { BootNames } from "./boot-names.ts";
import { BootPairs } from "./boot-pairs.ts";
import { bigIntegers, largeNumbers } from "./atom-kinds.ts";
import { visitField } from "./fields.ts";
import { ImageSaveError } from "./image-errors.ts";
import { imageLimits } from "./image-limits.ts";
import { kindIndex, kindOf, kinds } from "./kinds.ts";
import { unsavableText, wayTo } from "./unsavable-path.ts";

/** Objects that every heap has, with the first places in the table. */
export const fixedObjects: readonly LispValue[] = [NIL, T, UNBOUND];

/** Sections before those of the kinds: fixed objects, and names of boot objects. */
const FIXED = 0;
const BOOT = 1;
const FIRST_KIND = 2;

/** Place of an object before the sections have their lengths: number in its section times this, plus the section. */
const SECTIONS = 64;

/** Objects looked at between two looks at the progress. */
const SHARE = 16_384;

/** True for integers that a word holds itself. */
function isSmall(value: number): boolean {
  return (value | 0) === value && value >= -(2 ** 30) && value < 2 ** 30;
}

/** An object that has no saved form, and what refers to it. */
class Unsavable extends Error {
  readonly code = "unsavable";
  readonly object: LispValue;
  constructor(object: LispValue) {
    super("an object has no saved form");
    this.object = object;
  }
}

/** The objects of an image that are to be written, each with its place in the table of the file. */
export class HeapGraph {
  readonly image: Image;
  readonly globalValue: (symbol: object) => LispValue;
  readonly pairs: BootPairs;
  readonly names: BootNames;
  /** Objects by section. */
  readonly sections: LispValue[][] = kinds.map(() => []);
  private readonly places = new Map<LispValue, number>();
  private readonly pending: LispValue[] = [];
  private bases: readonly number[] = [];
  private total = 0;

  constructor(image: Image, twin: Image, globalValue: (symbol: object) => LispValue) {
    this.image = image;
    this.globalValue = globalValue;
    this.pairs = new BootPairs(image, twin, globalValue);
    this.names = new BootNames(this.pairs);
    for (const [i, object] of fixedObjects.entries()) this.places.set(object, i * SECTIONS + FIXED);
  }

  /** Number of objects that are written. */
  get size(): number {
    return this.total;
  }

  /** Notes everything that what has been visited refers to; yields now and then. */
  *reach(): Generator<void, void> {
    try {
      let left = SHARE;
      for (let next = this.pending.pop(); next !== undefined; next = this.pending.pop()) {
        kinds[(this.places.get(next)! % SECTIONS) - FIRST_KIND]!.visit(next, this.visit, this);
        if (--left > 0) continue;
        left = SHARE;
        yield;
      }
    } catch (error) {
      throw this.explained(error);
    }
  }

  /** Visits roots: what is changed of the boot, and what the engine keeps. */
  visitRoots(visit: () => void): void {
    try {
      visit();
    } catch (error) {
      throw this.explained(error);
    }
  }

  /** The error with the way to what cannot be saved. */
  private explained(error: unknown): unknown {
    if (!(error instanceof Unsavable)) return error;
    const { object } = error;
    const way = wayTo(object, [...this.pairs.changes.keys()], (each, visit) => this.visitParts(each, visit));
    return new ImageSaveError("image-unsavable", unsavableText(way.length === 0 ? [object] : way));
  }

  /** What is to be written for an object refers to these. */
  private visitParts(object: LispValue, visit: (part: LispValue) => void): void {
    const changed = this.pairs.changes.get(object as object);
    if (changed !== undefined) {
      for (const number of changed) {
        const field = bootFields(object as object)[number]!;
        const item = bootField(object as object, field, this.image, this.globalValue);
        visitField(item, field.type === "table" ? "inline" : field.type, visit);
      }
    } else if (!this.pairs.partner.has(object as object)) {
      kindOf(object)?.visit(object, visit, this);
    }
  }

  readonly visit = (value: LispValue): void => {
    if (typeof value === "number" && isSmall(value)) return;
    if (this.places.has(value)) return;
    const theirs = typeof value === "object" ? this.pairs.partner.get(value) : undefined;
    if (theirs !== undefined) this.places.set(value, this.names.add(theirs) * SECTIONS + BOOT);
    else this.enter(value);
  };

  private enter(value: LispValue): void {
    const kind =
      typeof value === "number" ? largeNumbers : typeof value === "bigint" ? bigIntegers : kindOf(value);
    if (kind === null) throw new Unsavable(value);
    const index = kindIndex.get(kind)!;
    const section = this.sections[index]!;
    this.places.set(value, section.length * SECTIONS + index + FIRST_KIND);
    section.push(value);
    this.pending.push(value);
    if (++this.total <= imageLimits.objects) return;
    throw new ImageSaveError(
      "image-too-large",
      `the image has more than ${imageLimits.objects} objects, the bound of a saved image`,
    );
  }

  /** To be called when everything has been reached: the places get their final numbers. */
  number(): void {
    const bases = [0, fixedObjects.length];
    let base = fixedObjects.length + this.names.count;
    for (const section of this.sections) {
      bases.push(base);
      base += section.length;
    }
    this.bases = bases;
  }

  /** The word that stands for a value: a small integer with its lowest bit set, else twice its place in the table. */
  readonly word = (value: LispValue): number => {
    if (typeof value === "number" && isSmall(value)) return ((value << 1) | 1) >>> 0;
    const place = this.places.get(value);
    if (place === undefined) throw new TypeError("an object was written that nothing had visited");
    return (this.bases[place % SECTIONS]! + Math.floor(place / SECTIONS)) * 2;
  };
}
