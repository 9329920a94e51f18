import { arrayToList, listToArray } from "../data/cons.ts";
import { programError, typeError } from "../data/error.ts";
import { LStruct, StructLayout } from "../data/instance.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { bool, LSymbol, NIL, setSymbolProperty, symbolProperty } from "../data/symbol.ts";
import { LString } from "../data/string.ts";
import type { LispValue } from "../data/value.ts";
import { objectSystem } from "../objects/object-system.ts";
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
): StructLayout {
  const parentLayout = parent === null ? null : layoutOf(parent);
  const old = cell.layout;
  if (old !== null) {
    const oldParent = old.ancestors[old.ancestors.length - 2] ?? null;
    const sameSlots =
      old.slotNames.length === slotNames.length && old.slotNames.every((name, i) => name === slotNames[i]);
    if (sameSlots && oldParent === parentLayout) return old;
  }
  return (cell.layout = new StructLayout(cell.name, parentLayout, slotNames));
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
    "name parent-cell slot-names",
    (name: LispValue, parent: LispValue, slotNames: LispValue) => {
      const names = listToArray(slotNames);
      if (names === null) throw typeError(slotNames, "LIST");
      const cell = structureCell(asSymbol(name));
      const layout = defineLayout(cell, parent === NIL ? null : asCell(parent), names.map(asSymbol));
      objects.setClass(cell.name, objects.structureClass(layout));
      return name;
    },
  );
  define(
    "SYS:MAKE-STRUCTURE",
    "cell &rest values",
    (cell: LispValue, ...values: LispValue[]) => new LStruct(layoutOf(asCell(cell)), values),
  );
  define(
    "SYS:STRUCTURE-REF",
    "cell index structure",
    (cell: LispValue, index: number, structure: LispValue) => {
      const value = structureOf(cell as StructureCell, structure).slots[index];
      if (value === undefined) throw typeError(structure, (cell as StructureCell).name);
      return value;
    },
  );
  define(
    "SYS:STRUCTURE-SET",
    "cell index structure value",
    (cell: LispValue, index: number, structure: LispValue, value: LispValue) => {
      structureOf(cell as StructureCell, structure).slots[index] = value;
      return value;
    },
  );
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
  define("SYS:STRUCTURE-SLOT-VALUES", "structure", (structure: LispValue) => [
    ...asStructure(structure).slots,
  ]);
  define("COPY-STRUCTURE", "structure", (structure: LispValue) => {
    const { layout, slots } = asStructure(structure);
    return new LStruct(layout, [...slots]);
  });
};
