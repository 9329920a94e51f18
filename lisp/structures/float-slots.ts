import { typeError } from "../data/error.ts";
import { type FloatFormat, LStruct, type StructLayout } from "../data/instance.ts";
import { DoubleFloat, SingleFloat } from "../data/number.ts";
import { NIL, UNBOUND } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";

/*
 * A slot that DEFSTRUCT declares to be a float holds a float object of its own, which compiled code writes into. So such an object
 * never leaves its structure: what reads the slot for others gives a copy, what stores into it takes one.
 */

function newFloat(format: FloatFormat, value: number): DoubleFloat | SingleFloat {
  return format === "double" ? new DoubleFloat(value) : new SingleFloat(value);
}

/** What a slot holds for a value: the value itself, or for a float slot an object of its own. Nothing stands for 0 there. */
export function slotContent(layout: StructLayout, index: number, value: LispValue): LispValue {
  const format = layout.floats[index] ?? null;
  if (format === null) return value;
  if (value === NIL || value === UNBOUND) return newFloat(format, 0);
  const type = format === "double" ? DoubleFloat : SingleFloat;
  if (value instanceof type) return newFloat(format, value.v);
  throw typeError(value, format === "double" ? "DOUBLE-FLOAT" : "SINGLE-FLOAT");
}

/** The value of a slot for others; undefined when there is no such slot. */
export function slotValue(structure: LStruct, index: number): LispValue | undefined {
  const value = structure.slots[index];
  const format = structure.layout.floats[index] ?? null;
  return format === null ? value : newFloat(format, (value as DoubleFloat).v);
}

/** A structure with these values in its slots; the array becomes the structure's. */
export function structureOfValues(layout: StructLayout, values: LispValue[]): LStruct {
  if (layout.floats.length > 0)
    for (const [i, format] of layout.floats.entries())
      if (format !== null) values[i] = slotContent(layout, i, values[i] ?? NIL);
  return new LStruct(layout, values);
}
