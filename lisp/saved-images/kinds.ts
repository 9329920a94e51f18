import { LArray } from "../data/array.ts";
import { Char } from "../data/character.ts";
import { Cons } from "../data/cons.ts";
import { LFunction } from "../data/function.ts";
import { LHashTable } from "../data/hash-table.ts";
import { LInstance, LStruct } from "../data/instance.ts";
import { Complex, DoubleFloat, Ratio, SingleFloat } from "../data/number.ts";
import { LString } from "../data/string.ts";
import type { LispValue } from "../data/value.ts";
import { CodeUnit } from "../compiler/code-unit.ts";
import { WildPattern } from "../pathnames/components.ts";
import { ExitToken } from "../runtime/exit-token.ts";
import { SynonymStream } from "../streams/composite-streams.ts";
import { NativeStream } from "../streams/native-stream.ts";
import {
  bigIntegers,
  characters,
  complexNumbers,
  doubleFloats,
  largeNumbers,
  ratios,
  singleFloats,
} from "./atom-kinds.ts";
import {
  codeUnits,
  functionInfos,
  functions,
  hostFunctions,
  isInfo,
  isLeafEntry,
  isLibraryUnit,
  isLoadTimeCell,
  leaves,
  libraryUnits,
  loadTimeCells,
} from "./code-kinds.ts";
import type { Kind } from "./kind.ts";
import { closedStreams } from "./closed-streams.ts";
import { hashTables, instances, structures, synonymStreams, wildPatterns } from "./object-kinds.ts";
import { recordKind, recordTypes } from "./record-kinds.ts";
import { arrays, conses, simpleVectors, strings } from "./sequence-kinds.ts";

const records = recordTypes.map((record) => ({ record, kind: recordKind(record) }));

/** All kinds, in the order of their sections. What an object needs when it is made comes before it. */
export const kinds: readonly Kind[] = [
  largeNumbers,
  bigIntegers,
  doubleFloats,
  singleFloats,
  ratios,
  complexNumbers,
  characters,
  libraryUnits,
  leaves,
  wildPatterns,
  closedStreams,
  strings,
  ...records.map(({ kind }) => kind),
  conses,
  simpleVectors,
  arrays,
  hashTables,
  structures,
  instances,
  synonymStreams,
  functionInfos,
  functions,
  hostFunctions,
  codeUnits,
  loadTimeCells,
];

/** Position of the first kind of records in `kinds`; they follow in the order of `recordTypes`. */
export const firstRecord = kinds.indexOf(records[0]!.kind);

const byConstructor = new Map<unknown, Kind>([
  [DoubleFloat, doubleFloats],
  [SingleFloat, singleFloats],
  [Ratio, ratios],
  [Complex, complexNumbers],
  [Char, characters],
  [WildPattern, wildPatterns],
  [LString, strings],
  [Cons, conses],
  [Array, simpleVectors],
  [LArray, arrays],
  [LHashTable, hashTables],
  [LStruct, structures],
  [LInstance, instances],
  [SynonymStream, synonymStreams],
  [CodeUnit, codeUnits],
  ...records.map(({ record, kind }) => [record.type, kind] as const),
]);

/** Position of a kind in `kinds`. */
export const kindIndex: ReadonlyMap<Kind, number> = new Map(kinds.map((kind, index) => [kind, index]));

/** The kind of an object, or null when it has no saved form. */
export function kindOf(object: LispValue): Kind | null {
  return byConstructor.get(object.constructor) ?? rareKind(object);
}

function rareKind(object: LispValue): Kind | null {
  if (object.constructor === LFunction) return (object as LFunction).info.leaf ? hostFunctions : functions;
  if (object instanceof NativeStream) return closedStreams;
  if (object instanceof ExitToken) return byConstructor.get(ExitToken)!;
  if (typeof object !== "object") return null;
  if (isLibraryUnit(object)) return libraryUnits;
  if (isInfo(object)) return functionInfos;
  if (isLeafEntry(object)) return leaves;
  return isLoadTimeCell(object) ? loadTimeCells : null;
}
