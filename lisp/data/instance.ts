import type { LSymbol } from "./symbol.ts";
import type { LispValue } from "./value.ts";

/** Formats of floats with slots of their own. */
export type FloatFormat = "double" | "single";

/**
 * What DEFSTRUCT made. `slotNames[i]` names slot i; slots of included structures come first.
 * `ancestors[depth]` is the layout itself and the earlier ones are those it includes, so that a type test is one comparison.
 */
export class StructLayout {
  readonly name: LSymbol;
  readonly ancestors: readonly StructLayout[];
  readonly slotNames: readonly LSymbol[];
  /** Data of DEFSTRUCT and CLOS about the structure (slot options, print function, class …) keyed by a word. */
  readonly props = new Map<string, LispValue>();
  /** Formats of the slots declared to be floats, null for the others; empty when there are none. See `structures/float-slots.ts`. */
  readonly floats: readonly (FloatFormat | null)[];
  constructor(
    name: LSymbol,
    parent: StructLayout | null,
    slotNames: readonly LSymbol[],
    floats: readonly (FloatFormat | null)[] = [],
  ) {
    this.name = name;
    this.slotNames = slotNames;
    this.floats = floats;
    this.ancestors = [...(parent?.ancestors ?? []), this];
  }
  /** True when instances of this layout are of the type of `other`. */
  includes(other: StructLayout): boolean {
    return this.ancestors[other.ancestors.length - 1] === other;
  }
}

/** A structure instance. */
export class LStruct {
  readonly layout: StructLayout;
  readonly slots: LispValue[];
  constructor(layout: StructLayout, slots: LispValue[]) {
    this.layout = layout;
    this.slots = slots;
  }
}

/** Where the slots of a class's instances are. A redefined class gets a new layout and marks the old one obsolete. */
export class InstanceLayout {
  /** The class metaobject. */
  cls: LispValue;
  readonly slotNames: readonly LSymbol[];
  readonly index: ReadonlyMap<LSymbol, number>;
  obsolete = false;
  /** Slots of a new instance, all unbound, to be copied; made when first needed. */
  blank: LispValue[] | null = null;
  /** Unique number, for dispatch caches. */
  readonly serial: number;
  constructor(cls: LispValue, slotNames: readonly LSymbol[], serial: number) {
    this.cls = cls;
    this.slotNames = slotNames;
    this.serial = serial;
    this.index = new Map(slotNames.map((name, position) => [name, position]));
  }
}

/** A standard instance (conditions and metaobjects included). CHANGE-CLASS replaces both fields; unbound slots hold UNBOUND. */
export class LInstance {
  layout: InstanceLayout;
  slots: LispValue[];
  constructor(layout: InstanceLayout, slots: LispValue[]) {
    this.layout = layout;
    this.slots = slots;
  }
}
