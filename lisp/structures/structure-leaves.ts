import { arrayToList, listToArray } from "../data/cons.ts";
import { programError, typeError } from "../data/error.ts";
import { type FloatFormat, LStruct, StructLayout } from "../data/instance.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { bool, LSymbol, NIL, setSymbolProperty, symbolProperty } from "../data/symbol.ts";
import { LString } from "../data/string.ts";
import type { LispValue } from "../data/value.ts";
import { objectSystem } from "../objects/object-system.ts";
import { slotContent, slotValue, structureOfValues } from "./float-slots.ts";
import { StructureCell, structureCell } from "./structure-cell.ts";

function asSymbol(value: LispValue): LSymbol {
  if (value instanceof LSymbol) return value;
  throw typeError(value, "SYMBOL");
}

function asCell(value: LispValue): StructureCell {
  if (value instanceof StructureCell) return value;
  throw typeError(value, "SYS:STRUCTURE-CELL");
}

function asStructure(value: LispValue): LStruct {
  if (value instanceof LStruct) return value;
  throw typeError(value, "STRUCTURE-OBJECT");
}

/** The structure, after a check that it is one of the cell's type. */
function structureOf(cell: StructureCell, value: LispValue): LStruct {
  if (value instanceof LStruct && cell.layout !== null) {
    if (value.layout === cell.layout || value.layout.includes(cell.layout)) return value;
  }
  throw typeError(value, cell.name);
}

/** The layout of a cell; an error while its structure is not defined. */
function layoutOf(cell: StructureCell): StructLayout {
  if (cell.layout === null) throw programError("The structure ~S is not defined.", cell.name);
  return cell.layout;
}

/** Gives the cell a layout: the present one when parent and slot names are the same, else a new one. */
function defineLayout(
  cell: StructureCell,
  parent: StructureCell | null,
  slotNames: readonly LSymbol[],
  floats: readonly (FloatFormat | null)[],
): StructLayout {
  const parentLayout = parent === null ? null : layoutOf(parent);
  const old = cell.layout;
  if (old !== null) {
    const oldParent = old.ancestors[old.ancestors.length - 2] ?? null;
    const sameSlots =
      old.slotNames.length === slotNames.length &&
      old.slotNames.every(
        (name, i) => name === slotNames[i] && (old.floats[i] ?? null) === (floats[i] ?? null),
      );
    if (sameSlots && oldParent === parentLayout) return old;
  }
  const layout = new StructLayout(cell.name, parentLayout, slotNames, floats);
  cell.define(layout);
  return layout;
}

/** Formats of slots as DEFSTRUCT lists them: a type of floats or NIL for each; none at all when there are no such slots. */
function floatFormats(types: LispValue): (FloatFormat | null)[] {
  const formats = (listToArray(types) ?? []).map((type) =>
    type === NIL ? null : asSymbol(type).name === "DOUBLE-FLOAT" ? "double" : "single",
  );
  return formats.every((format) => format === null) ? [] : formats;
}

function textOf(value: LispValue): string {
  if (value instanceof LString) return value.toJS();
  throw typeError(value, "STRING");
}

/** Leaves under DEFSTRUCT: cells, layouts, and the objects themselves; and data of the system kept with a symbol. */
export const installStructures: LeafInstaller = (define, host) => {
  const objects = objectSystem(host);
  define("SYS:SYMBOL-DATUM", "symbol key", (symbol: LispValue, key: LispValue) =>
    symbolProperty(asSymbol(symbol), textOf(key)),
  );
  define(
    "SYS:SET-SYMBOL-DATUM",
    "symbol key value",
    (symbol: LispValue, key: LispValue, value: LispValue) => {
      setSymbolProperty(asSymbol(symbol), textOf(key), value);
      return value;
    },
  );
  define("SYS:STRUCTURE-CELL", "name", (name: LispValue) => structureCell(asSymbol(name)));
  define("SYS:STRUCTURE-CELL-NAME", "cell", (cell: LispValue) => asCell(cell).name);
  define("SYS:STRUCTURE-CELL-LAYOUT", "cell", (cell: LispValue) => asCell(cell).layout ?? NIL);
  define(
    "SYS:DEFINE-STRUCTURE-LAYOUT",
    "name parent-cell slot-names &optional float-types",
    (name: LispValue, parent: LispValue, slotNames: LispValue, floatTypes: LispValue = NIL) => {
      const names = listToArray(slotNames);
      if (names === null) throw typeError(slotNames, "LIST");
      const cell = structureCell(asSymbol(name));
      const parentCell = parent === NIL ? null : asCell(parent);
      const layout = defineLayout(cell, parentCell, names.map(asSymbol), floatFormats(floatTypes));
      objects.setClass(cell.name, objects.structureClass(layout));
      return name;
    },
  );
  define("SYS:MAKE-STRUCTURE", "cell &rest values", (cell: LispValue, ...values: LispValue[]) =>
    structureOfValues(layoutOf(asCell(cell)), values),
  );
  const read = (cell: LispValue, index: number, structure: LispValue): LispValue => {
    const value = slotValue(structureOf(cell as StructureCell, structure), index);
    if (value === undefined) throw typeError(structure, (cell as StructureCell).name);
    return value;
  };
  const write = (cell: LispValue, index: number, structure: LispValue, value: LispValue): LispValue => {
    const { layout, slots } = structureOf(cell as StructureCell, structure);
    slots[index] = slotContent(layout, index, value);
    return value;
  };
  // The operators for slots of floats are those that the compiler writes over numbers.
  for (const format of ["", "DOUBLE-", "SINGLE-"]) {
    define(`SYS:STRUCTURE-${format}REF`, "cell index structure", read);
    define(`SYS:STRUCTURE-${format}SET`, "cell index structure value", write);
  }
  define(
    "SYS:STRUCTURE-OF-CELL-P",
    "object cell",
    (object: LispValue, cell: LispValue) => {
      const layout = (cell as StructureCell).layout;
      return bool(
        object instanceof LStruct &&
          layout !== null &&
          (object.layout === layout || object.layout.includes(layout)),
      );
    },
    { total: true },
  );
  define("SYS:STRUCTURE-P", "object", (object: LispValue) => bool(object instanceof LStruct), {
    total: true,
  });
  define(
    "SYS:STRUCTURE-TYPE-NAME",
    "structure",
    (structure: LispValue) => asStructure(structure).layout.name,
  );
  define("SYS:STRUCTURE-SLOT-NAMES", "structure", (structure: LispValue) =>
    arrayToList(asStructure(structure).layout.slotNames),
  );
  define("SYS:STRUCTURE-SLOT-VALUES", "structure", (object: LispValue) => {
    const structure = asStructure(object);
    return structure.slots.map((_, i) => slotValue(structure, i)!);
  });
  define("COPY-STRUCTURE", "structure", (structure: LispValue) => {
    const { layout, slots } = asStructure(structure);
    return structureOfValues(layout, [...slots]);
  });
};
