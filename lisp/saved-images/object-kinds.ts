import { LHashTable, type HashTest } from "../data/hash-table.ts";
import { InstanceLayout, LInstance, LStruct, StructLayout } from "../data/instance.ts";
import { LSymbol, NIL } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { hashEntries } from "../hash/hash-entries.ts";
import { COMPARISONS } from "../hash/hash-table-leaves.ts";
import { putEntry } from "../hash/hash-table-operations.ts";
import { WildPattern } from "../pathnames/components.ts";
import { SynonymStream } from "../streams/composite-streams.ts";
import { asStream } from "../streams/stream-access.ts";
import { corrupt } from "./byte-reader.ts";
import { type Kind, leafKind } from "./kind.ts";
import { readLength, readValues, writeLengths, writeValues } from "./sequence-kinds.ts";

const blankStructLayout = new StructLayout(NIL, null, []);
const blankInstanceLayout = new InstanceLayout(NIL, [], 0);

type Slotted = LStruct | LInstance;

/** Objects with a layout and slots: structures and plain instances. */
function slotted(name: string, make: (slots: LispValue[]) => Slotted, layoutType: typeof StructLayout): Kind;
function slotted(
  name: string,
  make: (slots: LispValue[]) => Slotted,
  layoutType: typeof InstanceLayout,
): Kind;
function slotted(
  name: string,
  make: (slots: LispValue[]) => Slotted,
  layoutType: typeof StructLayout | typeof InstanceLayout,
): Kind {
  const slotsOf = (objects: readonly LispValue[]): LispValue[][] =>
    objects.map((object) => (object as Slotted).slots);
  return {
    name,
    visit: (object, visit) => {
      const { layout, slots } = object as Slotted;
      visit(layout);
      for (const slot of slots) visit(slot);
    },
    writeShapes: (objects, out) => writeLengths(slotsOf(objects), out),
    readShapes: (count, input) => {
      const made: LispValue[] = [];
      for (let i = 0; i < count; i++) made.push(make(readLength(input)));
      return made;
    },
    writeContents: (objects, out) => {
      const layouts = new Uint32Array(objects.length);
      for (let i = 0; i < objects.length; i++) layouts[i] = out.word((objects[i] as Slotted).layout);
      out.bytes.words(layouts);
      writeValues(slotsOf(objects), out);
    },
    readContents: (objects, input) => {
      const layouts = input.bytes.words(objects.length);
      for (let i = 0; i < objects.length; i++) {
        const layout = input.value(layouts[i]!);
        if (!(layout instanceof layoutType)) throw corrupt(`one of the ${name} has no layout`);
        (objects[i] as { layout: LispValue }).layout = layout;
      }
      readValues(slotsOf(objects), input);
    },
  };
}

export const structures = slotted(
  "structures",
  (slots) => new LStruct(blankStructLayout, slots),
  StructLayout,
);
export const instances = slotted(
  "instances",
  (slots) => new LInstance(blankInstanceLayout, slots),
  InstanceLayout,
);

const tests: readonly HashTest[] = ["eq", "eql", "equal", "equalp"];

/** Number of words each table takes, with a list for each that holds its keys and values in turn. */
const entriesRead = new WeakMap<LHashTable, LispValue[]>();

/** Hash tables, with their entries in order. They are filled when everything is there, because codes come from contents. */
export const hashTables: Kind = {
  name: "hash tables",
  visit: (object, visit) => {
    const table = object as LHashTable;
    visit(table.rehashSize);
    visit(table.rehashThreshold);
    for (const item of hashEntries(table)) visit(item);
  },
  writeShapes: (objects, { bytes }) => {
    for (const object of objects) {
      const { test, size, count } = object as LHashTable;
      bytes.byte(tests.indexOf(test));
      bytes.count(size);
      bytes.count(count * 2);
    }
  },
  readShapes: (count, input) => {
    const made: LispValue[] = [];
    for (let i = 0; i < count; i++) {
      const test = tests[input.bytes.byte()];
      if (test === undefined) throw corrupt("a hash table has an unknown test");
      const table = new LHashTable(test, COMPARISONS[test], input.bytes.count(), NIL, NIL);
      entriesRead.set(table, readLength(input));
      made.push(table);
    }
    return made;
  },
  writeContents: (objects, out) => {
    const tables = objects as readonly LHashTable[];
    writeValues(
      tables.map(({ rehashSize, rehashThreshold }) => [rehashSize, rehashThreshold]),
      out,
    );
    writeValues(
      tables.map((table) => hashEntries(table)),
      out,
    );
  },
  readContents: (objects, input) => {
    const tables = objects as readonly LHashTable[];
    const settings = tables.map((): LispValue[] => [NIL, NIL]);
    readValues(settings, input);
    for (const [i, table] of tables.entries())
      [table.rehashSize, table.rehashThreshold] = settings[i] as [LispValue, LispValue];
    readValues(
      tables.map((table) => entriesRead.get(table)!),
      input,
    );
  },
};

/** Enters the entries that were read into the hash tables. */
export function fillTables(tables: readonly LispValue[]): void {
  for (const object of tables) {
    const table = object as LHashTable;
    const entries = entriesRead.get(table)!;
    for (let i = 0; i < entries.length; i += 2) putEntry(table, entries[i]!, entries[i + 1]!);
    entriesRead.delete(table);
  }
}

/** Wild parts of pathnames, as they are spelt. */
export const wildPatterns: Kind = leafKind<WildPattern>(
  "wild patterns",
  ({ source }, { bytes }) => bytes.text(source),
  ({ bytes }) => new WildPattern(bytes.text()),
);

/** Streams that stand for the value of a variable stay what they are. */
export const synonymStreams: Kind = {
  name: "synonym streams",
  visit: (object, visit) => visit((object as SynonymStream).symbol),
  writeShapes: () => undefined,
  readShapes: (count) => {
    const made: LispValue[] = [];
    for (let i = 0; i < count; i++) made.push(synonym());
    return made;
  },
  writeContents: (objects, out) => {
    for (const object of objects) out.bytes.count(out.word((object as SynonymStream).symbol));
  },
  readContents: (objects, input) => {
    for (const object of objects) {
      const symbol = input.value(input.bytes.count());
      if (!(symbol instanceof LSymbol)) throw corrupt("a synonym stream names no symbol");
      (object as { symbol: LSymbol }).symbol = symbol;
    }
  },
};

function synonym(): SynonymStream {
  const stream: SynonymStream = new SynonymStream(NIL, () => asStream((stream.symbol as LSymbol).value));
  return stream;
}
