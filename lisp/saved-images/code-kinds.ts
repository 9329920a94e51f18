import { CodeUnit, type SavedUnit } from "../compiler/code-unit.ts";
import { LibraryUnit } from "../compiler/compiled-file.ts";
import type { UnitConstant } from "../compiler/emit-unit.ts";
import { encodeTree, type PoolEntry } from "../compiler/ir-text.ts";
import { type CodeHolder, type FunctionInfo, LFunction, type SourceLocation } from "../data/function.ts";
import { LSymbol, NIL, symbolFunction } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { Image } from "../image/image.ts";
import { accessorUnit } from "../objects/dispatch.ts";
import type { LeafEntry } from "../runtime/leaf-entry.ts";
import { LispError } from "../data/error.ts";
import { corrupt } from "./byte-reader.ts";
import { readField, visitField, writeField } from "./fields.ts";
import type { HeapInput, HeapOutput, Kind, Visit } from "./kind.ts";
import { leafKind } from "./kind.ts";
import { readLength, readValues, writeLengths, writeValues } from "./sequence-kinds.ts";

type Code = (self: LFunction, ...args: readonly LispValue[]) => LispValue;

/** Gets the code of a restored function when it is first called. */
function firstCall(self: LFunction, ...args: readonly LispValue[]): LispValue {
  const { unit, id } = self.info.origin!;
  self.code = unit.code(id);
  return (self.code as unknown as Code)(self, ...args);
}

const blankInfo: FunctionInfo = {
  name: NIL,
  lambdaList: NIL,
  documentation: NIL,
  location: null,
  leaf: false,
  source: null,
};

/** Functions of compiled code: a description and the values they close over. */
export const functions: Kind = {
  name: "functions",
  visit: (object, visit) => {
    const { info, env } = object as LFunction;
    visit(info);
    for (const value of env) visit(value);
  },
  writeShapes: (objects, out) =>
    writeLengths(
      objects.map((object) => (object as LFunction).env),
      out,
    ),
  readShapes: (count, input) => {
    const made: LispValue[] = [];
    for (let i = 0; i < count; i++) made.push(new LFunction(firstCall, readLength(input), blankInfo));
    return made;
  },
  writeContents: (objects, out) => {
    writeValues(
      objects.map((object) => [(object as LFunction).info]),
      out,
    );
    writeValues(
      objects.map((object) => (object as LFunction).env),
      out,
    );
  },
  readContents: (objects, input) => {
    const infos = objects.map((): LispValue[] => [NIL]);
    readValues(infos, input);
    for (const [i, object] of objects.entries()) {
      const info = infos[i]![0] as FunctionInfo;
      if (!("lambdaList" in info) || info.origin === undefined)
        throw corrupt("a function has no description");
      (object as LFunction).info = info;
    }
    readValues(
      objects.map((object) => (object as LFunction).env as LispValue[]),
      input,
    );
  },
};

/** True for the description of a function. */
export function isInfo(object: object): object is FunctionInfo {
  return "lambdaList" in object && "leaf" in object;
}

function visitLocation(location: SourceLocation | null): readonly (string | number)[] {
  return location === null ? [] : [location.file, location.line, location.column];
}

/** Descriptions of functions, shared by all closures of one lambda expression. */
export const functionInfos: Kind = {
  name: "descriptions of functions",
  visit: (object, visit) => {
    const { name, lambdaList, documentation, source, origin } = object as FunctionInfo;
    visit(name);
    visitField(lambdaList, "value", visit);
    visit(documentation);
    visitField(source, "value", visit);
    if (origin !== undefined) visit(origin.unit);
  },
  writeShapes: () => undefined,
  readShapes: (count) => {
    const made: LispValue[] = [];
    for (let i = 0; i < count; i++) made.push({ ...blankInfo });
    return made;
  },
  writeContents: (objects, out) => {
    for (const object of objects) {
      const { name, lambdaList, documentation, location, source, origin } = object as FunctionInfo;
      for (const value of [name, lambdaList, documentation, source, origin?.unit])
        writeField(value, "value", out);
      if (origin !== undefined) out.bytes.count(origin.id);
      writeField(visitLocation(location), "inline", out);
    }
  },
  readContents: (objects, input) => {
    for (const object of objects) {
      const info = object as FunctionInfo;
      info.name = readField(input) as LispValue;
      info.lambdaList = readField(input) as LispValue | string;
      info.documentation = readField(input) as LispValue;
      info.source = readField(input) as LispValue | null;
      const unit = readField(input) as CodeHolder | undefined;
      if (unit !== undefined) info.origin = { unit, id: input.bytes.count() };
      const [file, line, column] = readField(input) as [string?, number?, number?];
      if (file !== undefined) info.location = { file, line: line!, column: column! };
    }
  },
};

/** Units of the library, by name: their code is part of the engine. */
export const libraryUnits: Kind = leafKind<LibraryUnit | typeof accessorUnit>(
  "units of the library",
  ({ name }, { bytes }) => bytes.text(name),
  ({ bytes, image }) => {
    const name = bytes.text();
    const unit = name === accessorUnit.name ? accessorUnit : image.libraryUnits.get(name);
    if (unit === undefined) throw corrupt(`the library has no unit ${name}`);
    return unit;
  },
);

/** True for a holder of code that every image has. */
export function isLibraryUnit(object: object): boolean {
  return object instanceof LibraryUnit || object === accessorUnit;
}

/** Operators written in TypeScript that compiled code calls directly, by name. */
export const leaves: Kind = leafKind<LeafEntry>(
  "leaves",
  ({ name }, { bytes }) => bytes.text(name),
  ({ bytes, image }) => {
    const name = bytes.text();
    const leaf = image.registeredLeaf(image.cell(name));
    if (leaf === null) throw corrupt(`there is no operator ${name}`);
    return leaf;
  },
);

/** True for the entry of a leaf. */
export function isLeafEntry(object: object): object is LeafEntry {
  return "shape" in object && "traits" in object;
}

type Cell = { value: LispValue };

/** Cells of load-time values. */
export const loadTimeCells: Kind = {
  name: "load-time values",
  visit: (object, visit) => visit((object as Cell).value),
  writeShapes: () => undefined,
  readShapes: (count) => {
    const made: LispValue[] = [];
    for (let i = 0; i < count; i++) made.push({ value: NIL });
    return made;
  },
  writeContents: (objects, out) => {
    for (const object of objects) out.bytes.count(out.word((object as Cell).value));
  },
  readContents: (objects, input) => {
    for (const object of objects) (object as Cell).value = input.value(input.bytes.count());
  },
};

/** True for the cell of a load-time value. */
export function isLoadTimeCell(object: object): object is Cell {
  return Object.getPrototypeOf(object) === Object.prototype && Object.keys(object).join() === "value";
}

const constantKinds = ["value", "callee", "cell", "leaf", "keys"] as const;

function visitConstant(constant: UnitConstant, visit: Visit): void {
  switch (constant.kind) {
    case "value":
      return visit(constant.value);
    case "callee":
      return visit(constant.symbol);
    case "cell":
      return visit(constant.cell);
    case "leaf":
      return visit(constant.leaf);
    default:
      for (const key of constant.keys) visit(key);
  }
}

function writeConstant(constant: UnitConstant, out: HeapOutput): void {
  const { bytes } = out;
  bytes.byte(constantKinds.indexOf(constant.kind));
  if (constant.kind === "keys") {
    bytes.byte(constant.allow ? 1 : 0);
    bytes.count(constant.keys.length);
  }
  visitConstant(constant, (value) => bytes.count(out.word(value)));
}

function readConstant(input: HeapInput): UnitConstant {
  const { bytes } = input;
  const kind = constantKinds[bytes.byte()];
  const next = (): LispValue => input.value(bytes.count());
  switch (kind) {
    case "value":
      return { kind, value: next() };
    case "callee":
      return { kind, symbol: next() as LSymbol };
    case "cell":
      return { kind, cell: next() as Cell, form: NIL };
    case "leaf":
      return { kind, leaf: next() as LeafEntry };
    case "keys": {
      const allow = bytes.byte() === 1;
      const keys = Array.from({ length: bytes.countOf(1) }, next) as LSymbol[];
      return { kind, keys, allow };
    }
    default:
      throw corrupt("a unit has an unknown constant");
  }
}

/** What is saved of a unit; kept from visiting to writing. */
interface UnitParts {
  readonly infos: Readonly<Record<number, FunctionInfo>>;
  readonly constants: readonly UnitConstant[];
  readonly tree: string;
  readonly pool: readonly PoolEntry[];
}

const parts = new WeakMap<CodeUnit, UnitParts>();

function partsOf(unit: CodeUnit): UnitParts {
  let found = parts.get(unit);
  if (found === undefined) {
    const { tree, pool } = unit.saved ?? encodeTree(unit.functions);
    found = { infos: unit.infos, constants: unit.constants, tree, pool };
    parts.set(unit, found);
  }
  return found;
}

/** A unit of a saved image that gets its parts after it was made. */
type BlankUnit = { -readonly [Key in keyof SavedUnit]: SavedUnit[Key] };

const blanks = new WeakMap<CodeUnit, BlankUnit>();

/** Compiled units of the user: the text of their code, and what it takes to write more code for them. */
export const codeUnits: Kind = {
  name: "compiled units",
  visit: (object, visit) => {
    const { infos, constants, pool } = partsOf(object as CodeUnit);
    for (const info of Object.values(infos)) visit(info);
    for (const constant of constants) visitConstant(constant, visit);
    for (const entry of pool) visitConstant(entry, visit);
  },
  writeShapes: (objects, { bytes }) => {
    for (const object of objects) {
      bytes.text((object as CodeUnit).text);
      bytes.text(partsOf(object as CodeUnit).tree);
    }
  },
  readShapes: (count, { bytes, image }) => {
    const made: LispValue[] = [];
    for (let i = 0; i < count; i++) {
      const blank: BlankUnit = { text: bytes.text(), tree: bytes.text(), constants: [], infos: {}, pool: [] };
      const unit = CodeUnit.restored(blank, image.runtime);
      blanks.set(unit, blank);
      made.push(unit);
    }
    return made;
  },
  writeContents: (objects, out) => {
    for (const object of objects) {
      const { infos, constants, pool } = partsOf(object as CodeUnit);
      const rows = Object.entries(infos);
      out.bytes.count(rows.length);
      for (const [id, info] of rows) {
        out.bytes.count(Number(id));
        out.bytes.count(out.word(info));
      }
      for (const list of [constants, pool]) {
        out.bytes.count(list.length);
        for (const constant of list) writeConstant(constant, out);
      }
      parts.delete(object as CodeUnit);
    }
  },
  readContents: (objects, input) => {
    const { bytes } = input;
    for (const object of objects) {
      const blank = blanks.get(object as CodeUnit)!;
      const infos: Record<number, FunctionInfo> = {};
      for (let left = bytes.countOf(2); left > 0; left--) {
        const id = bytes.count();
        infos[id] = input.value(bytes.count()) as FunctionInfo;
      }
      blank.infos = infos;
      blank.constants = Array.from({ length: bytes.countOf(1) }, () => readConstant(input));
      blank.pool = Array.from({ length: bytes.countOf(1) }, () => readConstant(input)) as PoolEntry[];
    }
  },
};

/** True for a function that the host has defined after the boot. */
export function isHostFunction(object: LispValue, image: Image): boolean {
  return object instanceof LFunction && object.constructor === LFunction && object.info.leaf && image.booted;
}

/** Functions of the host: in the restored image they are what the host defines there under the same name. */
export const hostFunctions: Kind = {
  name: "functions of the host",
  visit: (object, visit) => visit((object as LFunction).info.name),
  writeShapes: (objects, { bytes }) => {
    for (const object of objects) {
      const { lambdaList } = (object as LFunction).info;
      // Operators written in TypeScript have the text of theirs.
      bytes.text(typeof lambdaList === "string" ? lambdaList : "&rest arguments");
    }
  },
  readShapes: (count, { bytes, image }) => {
    const made: LispValue[] = [];
    for (let i = 0; i < count; i++) made.push(absentFunction(bytes.text(), image));
    return made;
  },
  writeContents: (objects, out) => {
    for (const object of objects) out.bytes.count(out.word((object as LFunction).info.name));
  },
  readContents: (objects, input) => {
    for (const object of objects) (object as LFunction).info.name = input.value(input.bytes.count());
  },
};

function absentFunction(lambdaList: string, image: Image): LFunction {
  const code = (self: LFunction, ...args: readonly LispValue[]): LispValue => {
    const { name } = self.info;
    const present = name instanceof LSymbol ? symbolFunction(name) : null;
    if (present === null || present === self) {
      return image.runtime.trap(new LispError("UNDEFINED-FUNCTION", [["NAME", name]]));
    }
    return (present.code as unknown as Code)(present, ...args);
  };
  return new LFunction(code, [], { ...blankInfo, lambdaList, leaf: true });
}
