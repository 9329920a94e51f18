import { typeError } from "../data/error.ts";
import { LInstance } from "../data/instance.ts";
import type { DefineLeaf, LeafHost, LeafInstaller } from "../data/leaf.ts";
import { NIL, UNBOUND } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { LClass } from "./class.ts";
import { type ObjectSystem, objectSystem } from "./object-system.ts";

/** Reader function, its condition class and the slot it reads. */
const readers: readonly (readonly [reader: string, type: string, slot: string])[] = [
  ["SIMPLE-CONDITION-FORMAT-CONTROL", "SIMPLE-CONDITION", "SYS:FORMAT-CONTROL"],
  ["SIMPLE-CONDITION-FORMAT-ARGUMENTS", "SIMPLE-CONDITION", "SYS:FORMAT-ARGUMENTS"],
  ["ARITHMETIC-ERROR-OPERATION", "ARITHMETIC-ERROR", "SYS:OPERATION"],
  ["ARITHMETIC-ERROR-OPERANDS", "ARITHMETIC-ERROR", "SYS:OPERANDS"],
  ["CELL-ERROR-NAME", "CELL-ERROR", "SYS:NAME"],
  ["UNBOUND-SLOT-INSTANCE", "UNBOUND-SLOT", "SYS:INSTANCE"],
  ["FILE-ERROR-PATHNAME", "FILE-ERROR", "PATHNAME"],
  ["PACKAGE-ERROR-PACKAGE", "PACKAGE-ERROR", "PACKAGE"],
  ["PRINT-NOT-READABLE-OBJECT", "PRINT-NOT-READABLE", "SYS:OBJECT"],
  ["STREAM-ERROR-STREAM", "STREAM-ERROR", "STREAM"],
  ["TYPE-ERROR-DATUM", "TYPE-ERROR", "SYS:DATUM"],
  ["TYPE-ERROR-EXPECTED-TYPE", "TYPE-ERROR", "SYS:EXPECTED-TYPE"],
  ["SYS:CASE-FAILURE-POSSIBILITIES", "SYS:CASE-FAILURE", "SYS:POSSIBILITIES"],
];

function defineReader(
  define: DefineLeaf,
  host: LeafHost,
  system: ObjectSystem,
  [reader, type, slotName]: readonly [string, string, string],
): void {
  const cls = system.standard(type);
  const slot = host.symbol(slotName);
  define(
    reader,
    "condition",
    (condition: LispValue): LispValue => {
      if (!(condition instanceof LInstance) || !(condition.layout.cls as LClass).isSubclassOf(cls)) {
        throw typeError(condition, cls.name);
      }
      const value = condition.slots[condition.layout.index.get(slot) ?? -1];
      // An omitted initarg reads as NIL: the standard leaves it open, and reports must never fail.
      return value === undefined || value === UNBOUND ? NIL : value;
    },
    { doc: `Slot ${slot.name} of a condition of type ${type}.` },
  );
}

/** The slot readers of the standard condition types. */
export const installConditionReaders: LeafInstaller = (define, host) => {
  const system = objectSystem(host);
  for (const row of readers) defineReader(define, host, system, row);
};
