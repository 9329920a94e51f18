import type { StructLayout } from "../data/instance.ts";
import { type LSymbol, setSymbolProperty, symbolProperty } from "../data/symbol.ts";

/** Property word of a symbol that holds its StructureCell. */
const CELL = "STRUCTURE-CELL";

/**
 * Stands for the name of a structure in compiled code and holds its present layout (null while the structure is not
 * defined), so that code compiled before a definition or redefinition finds the right one.
 */
export class StructureCell {
  readonly name: LSymbol;
  layout: StructLayout | null = null;
  /** The layout whose slots compiled code may reach into; null once a redefinition changed which slots are floats. */
  direct: StructLayout | null = null;
  constructor(name: LSymbol) {
    this.name = name;
  }

  /** Gives the name another layout. */
  define(layout: StructLayout): void {
    const { layout: old } = this;
    const changed = old?.slotNames.some((_, i) => (old.floats[i] ?? null) !== (layout.floats[i] ?? null));
    this.direct = changed === true || (old !== null && this.direct === null) ? null : layout;
    this.layout = layout;
  }
}

/** The cell of a name, or null when nobody asked for one yet. */
export function findStructureCell(name: LSymbol): StructureCell | null {
  const cell = symbolProperty(name, CELL);
  return cell instanceof StructureCell ? cell : null;
}

/** The cell of a name, made when needed. */
export function structureCell(name: LSymbol): StructureCell {
  const known = findStructureCell(name);
  if (known !== null) return known;
  const cell = new StructureCell(name);
  setSymbolProperty(name, CELL, cell);
  return cell;
}
