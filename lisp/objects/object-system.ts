import { LArray } from "../data/array.ts";
import { Char } from "../data/character.ts";
import { arrayToList, Cons, list, listToArray } from "../data/cons.ts";
import { FuncallableInstance, LFunction } from "../data/function.ts";
import { LHashTable } from "../data/hash-table.ts";
import { InstanceLayout, LInstance, LStruct, StructLayout } from "../data/instance.ts";
import type { LeafHost } from "../data/leaf.ts";
import { Complex, DoubleFloat, Ratio, SingleFloat } from "../data/number.ts";
import { Pathname } from "../data/pathname.ts";
import { RandomState } from "../data/random-state.ts";
import { LStream } from "../data/stream.ts";
import { LString } from "../data/string.ts";
import { LPackage, LSymbol, NIL, SetfCell, setSymbolProperty, symbolProperty, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { Readtable } from "../reader/readtable.ts";
import { findStructureCell } from "../structures/structure-cell.ts";
import { DeferredObjects } from "./deferred-objects.ts";
import { type ClassKind, GenericFunction, LClass, SlotDefinition, unboundSlots } from "./class.ts";
import { classPrecedenceList } from "./precedence.ts";
import { standardClassRows, type StandardClassRow } from "./standard-classes.ts";

/** Metaclass of each kind of class. */
const metaclassNames: Record<ClassKind, string> = {
  "built-in": "BUILT-IN-CLASS",
  structure: "STRUCTURE-CLASS",
  standard: "STANDARD-CLASS",
  funcallable: "SYS:FUNCALLABLE-STANDARD-CLASS",
  condition: "SYS:CONDITION-CLASS",
  forward: "SYS:FORWARD-REFERENCED-CLASS",
};

/** Key of the class in a symbol's system data. */
const classKey = "class";

/** The classes of one image: finds them by name and by instance. */
export class ObjectSystem {
  private readonly host: LeafHost;
  private readonly named = new Map<string, LClass>();
  /** Classes of JavaScript constructors whose instances need no closer look. */
  private readonly byConstructor = new Map<unknown, LClass>();
  private readonly extensions: ((value: object) => LClass | undefined)[] = [];
  private readonly slotLayout: InstanceLayout;
  private readonly fixnumClass: LClass;
  private readonly bignumClass: LClass;
  private readonly layoutOfStructureClass = new WeakMap<LClass, StructLayout>();
  /** What the library defines when somebody asks for it. */
  readonly deferred: DeferredObjects;
  /** Told of each new generic function and class with its name; for the build of the library. */
  onMade: (object: GenericFunction | LClass, name: LispValue) => void = () => undefined;

  constructor(host: LeafHost) {
    this.host = host;
    const placeholder = new InstanceLayout(NIL, [], host.nextSerial());
    this.slotLayout = placeholder;
    for (const row of standardClassRows) this.makeStandard(row, placeholder);
    for (const row of standardClassRows) this.finishStandard(row);
    this.slotLayout.cls = this.standard("SYS:STANDARD-EFFECTIVE-SLOT-DEFINITION");
    this.fixnumClass = this.standard("FIXNUM");
    this.bignumClass = this.standard("BIGNUM");
    this.fillConstructors();
    const generic = this.standard("STANDARD-GENERIC-FUNCTION");
    this.deferred = new DeferredObjects((cell, code) => {
      const name = cell instanceof SetfCell ? list(host.symbol("SETF"), cell.base) : cell;
      const lambdaList = "&rest arguments";
      const info = { name, lambdaList, documentation: NIL, location: null, leaf: false, source: null };
      return new GenericFunction(code, info, this.layoutOf(generic));
    });
  }

  /** A class every image has, by the name in `standard-classes.ts`. */
  standard(name: string): LClass {
    const found = this.named.get(name);
    if (!found) throw new Error(`no standard class ${name}`);
    return found;
  }

  private makeStandard(row: StandardClassRow, placeholder: InstanceLayout): void {
    const symbol = row.name === "T" ? T : this.host.symbol(row.name);
    const cls = new LClass(placeholder, symbol, row.kind);
    this.named.set(row.name, cls);
    // T is shared by all images, so its class is not kept with the symbol.
    if (symbol !== T) setSymbolProperty(symbol, classKey, cls);
    for (const name of row.supers) {
      const parent = this.standard(name);
      cls.directSupers.push(parent);
      parent.directSubclasses.add(cls);
    }
    cls.directSlots = arrayToList(row.slots.map((slot) => this.makeSlot(cls, slot)));
  }

  private makeSlot(owner: LClass, text: string): SlotDefinition {
    const optional = text.endsWith("?");
    const name = this.host.symbol(optional ? text.slice(0, -1) : text);
    const slot = new SlotDefinition(this.slotLayout, []);
    slot.name = name;
    slot.initargs = list(this.host.symbol(`:${name.name}`));
    slot.type = T;
    slot.allocation = this.host.symbol(":INSTANCE");
    slot.owner = owner;
    if (optional) slot.initfunction = T;
    return slot;
  }

  private finishStandard(row: StandardClassRow): void {
    const cls = this.standard(row.name);
    this.setPrecedence(cls);
    const direct = cls.precedence.toReversed().flatMap((each) => listToArray(each.directSlots) ?? []);
    const names: LSymbol[] = [];
    const effective = direct.filter((slot): slot is SlotDefinition => slot instanceof SlotDefinition);
    const slots = effective.map((slot, location) => {
      const copy = new SlotDefinition(this.slotLayout, []);
      Object.assign(copy, slot, { location });
      if (slot.name instanceof LSymbol) names.push(slot.name);
      return copy;
    });
    cls.effectiveSlots = arrayToList(slots);
    cls.finalized = true;
    if (row.kind !== "built-in" && row.kind !== "structure") this.newLayout(cls, names);
    const meta = this.standard(metaclassNames[row.kind]);
    cls.layout = meta.instanceLayout ?? this.newLayout(meta, []);
  }

  /** Computes and stores the class precedence list. */
  setPrecedence(cls: LClass): void {
    cls.precedence = classPrecedenceList(cls);
    cls.ancestors = new Set(cls.precedence);
  }

  /** A new layout for the instances of a class. */
  newLayout(cls: LClass, slotNames: readonly LSymbol[]): InstanceLayout {
    return (cls.instanceLayout = new InstanceLayout(cls, slotNames, this.host.nextSerial()));
  }

  /** A layout for instances of TypeScript classes that stand for a metaobject class. */
  layoutOf(cls: LClass): InstanceLayout {
    return cls.instanceLayout ?? this.newLayout(cls, []);
  }

  metaclassOf(kind: ClassKind): LClass {
    return this.standard(metaclassNames[kind]);
  }

  /** A new class that is not finalized and has no superclasses yet. */
  makeClass(name: LispValue, kind: ClassKind, metaclass: LClass): LClass {
    const cls = new LClass(this.layoutOf(metaclass), name, kind);
    cls.slots = unboundSlots(this.layoutOf(metaclass));
    return cls;
  }

  /** FIND-CLASS without its error: the class named by a symbol, or null. */
  findClass(name: LispValue): LClass | null {
    if (name === T) return this.standard("T");
    if (!(name instanceof LSymbol)) return null;
    const known = symbolProperty(name, classKey);
    if (known instanceof LClass) return known;
    this.deferred.wantClass(name);
    const found = symbolProperty(name, classKey);
    if (found instanceof LClass) return found;
    const layout = findStructureCell(name)?.layout ?? symbolProperty(name, "structure-layout");
    return layout instanceof StructLayout ? this.structureClass(layout) : null;
  }

  setClass(name: LSymbol, cls: LClass | null): void {
    if (cls) {
      setSymbolProperty(name, classKey, cls);
      this.onMade(cls, name);
    } else name.props?.delete(classKey);
  }

  private fillConstructors(): void {
    const rows: [unknown, string][] = [
      [Cons, "CONS"],
      [Char, "CHARACTER"],
      [DoubleFloat, "DOUBLE-FLOAT"],
      [SingleFloat, "SINGLE-FLOAT"],
      [Ratio, "RATIO"],
      [Complex, "COMPLEX"],
      [LHashTable, "HASH-TABLE"],
      [LPackage, "PACKAGE"],
      [LFunction, "COMPILED-FUNCTION"],
      [RandomState, "RANDOM-STATE"],
      [LSymbol, "SYMBOL"],
      [Readtable, "READTABLE"],
    ];
    for (const [constructor, name] of rows) this.byConstructor.set(constructor, this.standard(name));
    this.byConstructor.set(NIL.constructor, this.standard("NULL"));
  }

  /** Lets another chapter say the class of its objects: `classify` gives undefined for objects that are not its own. */
  addExtension(classify: (value: object) => LClass | undefined): void {
    this.extensions.push(classify);
  }

  /** Says the class of all direct instances of a JavaScript class. */
  addConstructor(constructor: unknown, name: string): void {
    this.byConstructor.set(constructor, this.standard(name));
  }

  /** CLASS-OF. */
  classOf(value: LispValue): LClass {
    if (typeof value === "number") return this.fixnumClass;
    if (typeof value === "bigint") return this.bignumClass;
    if (value instanceof LInstance) return value.layout.cls as LClass;
    const quick = this.byConstructor.get(value.constructor);
    if (quick) return quick;
    if (value instanceof LStruct) return this.structureClass(value.layout);
    if (value instanceof FuncallableInstance) return (value.layout as InstanceLayout).cls as LClass;
    return this.classOfOther(value);
  }

  private classOfOther(value: object): LClass {
    if (Array.isArray(value)) return this.standard("SIMPLE-VECTOR");
    if (value instanceof LString) {
      return this.standard((value.simple ? "SIMPLE-" : "") + (value.base ? "BASE-" : "") + "STRING");
    }
    if (value instanceof LArray) return this.standard(arrayClassName(value));
    if (value instanceof Pathname) return this.standard(value.logical ? "LOGICAL-PATHNAME" : "PATHNAME");
    if (value instanceof LFunction) return this.standard("FUNCTION");
    if (value instanceof LSymbol) return this.standard("SYMBOL");
    for (const classify of this.extensions) {
      const found = classify(value);
      if (found) return found;
    }
    if (value instanceof LStream) return this.standard("STREAM");
    return this.standard("SYS:FOREIGN-OBJECT");
  }

  /** Takes over a structure layout of a saved image: its class, if it has been made, is that of its instances. */
  adoptStructureClass(layout: StructLayout): void {
    const cls = layout.props.get(classKey);
    if (cls instanceof LClass) this.layoutOfStructureClass.set(cls, layout);
  }

  /** The classes every image starts with, by the names in `standard-classes.ts`. */
  get standardClasses(): ReadonlyMap<string, LClass> {
    return this.named;
  }

  /** The layout of the instances of a structure class. */
  structureLayout(cls: LClass): StructLayout | undefined {
    return this.layoutOfStructureClass.get(cls);
  }

  /** The class of a structure type, made when first asked for. */
  structureClass(layout: StructLayout): LClass {
    const known = layout.props.get(classKey);
    if (known instanceof LClass) return known;
    const parentLayout = layout.ancestors.at(-2);
    const parent = parentLayout ? this.structureClass(parentLayout) : this.standard("STRUCTURE-OBJECT");
    const cls = this.makeClass(layout.name, "structure", this.metaclassOf("structure"));
    cls.directSupers = [parent];
    parent.directSubclasses.add(cls);
    this.setPrecedence(cls);
    const slots = layout.slotNames.map((name, location) => {
      const slot = new SlotDefinition(this.slotLayout, []);
      Object.assign(slot, { name, location, type: T, allocation: this.host.symbol(":INSTANCE"), owner: cls });
      return slot;
    });
    const inherited = parentLayout?.slotNames.length ?? 0;
    cls.directSlots = arrayToList(slots.slice(inherited));
    cls.effectiveSlots = arrayToList(slots);
    cls.finalized = true;
    layout.props.set(classKey, cls);
    this.layoutOfStructureClass.set(cls, layout);
    return cls;
  }
}

function arrayClassName(array: LArray): string {
  if (array.rank !== 1) return array.simple ? "SIMPLE-ARRAY" : "ARRAY";
  if (array.type === "bit") return array.simple ? "SIMPLE-BIT-VECTOR" : "BIT-VECTOR";
  return "VECTOR";
}

const systems = new WeakMap<LeafHost, ObjectSystem>();

/** The object system of the image a host belongs to, made when first asked for. */
export function objectSystem(host: LeafHost): ObjectSystem {
  let found = systems.get(host);
  if (!found) systems.set(host, (found = new ObjectSystem(host)));
  return found;
}
