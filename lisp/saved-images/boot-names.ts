import { LSymbol } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { Image } from "../image/image.ts";
import { objectSystem } from "../objects/object-system.ts";
import { bootPart } from "./boot-fields.ts";
import type { BootPairs } from "./boot-pairs.ts";
import { corrupt } from "./byte-reader.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";

const PACKAGE = 0;
const CLASS = 1;
const SYMBOL = 2;
const PART = 3;

/** Names of boot objects that a saved heap refers to, in the order in which they are found again. */
export class BootNames {
  private readonly pairs: BootPairs;
  /** Objects of the twin that have a name, with its number. */
  private readonly numbers = new Map<object, number>();
  private readonly named: object[] = [];

  constructor(pairs: BootPairs) {
    this.pairs = pairs;
  }

  get count(): number {
    return this.named.length;
  }

  /** The number of the name of a twin's object; what its name rests on gets a name before it. */
  add(theirs: object): number {
    const known = this.numbers.get(theirs);
    if (known !== undefined) return known;
    const chain: object[] = [];
    for (let next: object | null = theirs; next !== null && !this.numbers.has(next);) {
      chain.push(next);
      const place = this.pairs.placeOf(next);
      next = place.root === null ? place.parent : null;
    }
    for (const each of chain.toReversed()) {
      this.numbers.set(each, this.named.length);
      this.named.push(each);
    }
    return this.named.length - 1;
  }

  write(bytes: ByteWriter): void {
    bytes.count(this.named.length);
    let lastPackage = "";
    for (const theirs of this.named) {
      const place = this.pairs.placeOf(theirs);
      if (place.root === null) {
        bytes.byte(PART);
        bytes.count(this.numbers.get(place.parent)!);
        bytes.count(place.field);
        bytes.count(place.part);
      } else if (place.root === "symbol") {
        bytes.byte(SYMBOL);
        // Most names are of the package of the one before.
        bytes.text(place.pkg === lastPackage ? "" : place.pkg);
        lastPackage = place.pkg;
        bytes.text(place.name);
      } else {
        bytes.byte(place.root === "package" ? PACKAGE : CLASS);
        bytes.text(place.name);
      }
    }
  }
}

const globalValue = (symbol: object): LispValue => (symbol as LSymbol).value;

/** Finds the objects of names in a freshly booted image. */
export function readBootNames(bytes: ByteReader, image: Image): LispValue[] {
  const found: LispValue[] = [];
  const count = bytes.countOf(2);
  let pkg = "";
  const packageNamed = (name: string) => {
    const named = image.packages.get(name);
    if (named === undefined) throw corrupt(`there is no package ${name}`);
    return named;
  };
  for (let i = 0; i < count; i++) {
    const kind = bytes.byte();
    if (kind === PART) {
      const parent = found[bytes.count()];
      if (parent === undefined) throw corrupt("a name rests on one after it");
      found.push(bootPart(parent as object, bytes.count(), bytes.count(), image, globalValue));
    } else if (kind === SYMBOL) {
      const home = bytes.text();
      if (home !== "") pkg = home;
      const { external, internal } = packageNamed(pkg);
      const name = bytes.text();
      const symbol = external.get(name) ?? internal.get(name);
      if (symbol === undefined) throw corrupt(`the package ${pkg} has no symbol ${name}`);
      found.push(symbol);
    } else if (kind === CLASS) {
      found.push(objectSystem(image).standard(bytes.text()));
    } else if (kind === PACKAGE) {
      found.push(packageNamed(bytes.text()));
    } else {
      throw corrupt("a name of the boot has an unknown form");
    }
  }
  return found;
}
